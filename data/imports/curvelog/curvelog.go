// Package curvelog reads tables of a training with a column epoch, counted from
// 0, and one column for every metric: those of Lightning and of Keras. They
// have no clock. Times come from a column with the seconds of each epoch, or
// from the user; evaluations are assumed to end with their epoch.
package curvelog

import (
	"math"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Log is a table to read. Run holds what is known about it beforehand.
type Log struct {
	Title       string
	Tail        int // path elements that identify a run
	Separator   rune
	TimeColumns []string // that hold the seconds of an epoch
	StepColumn  string   // "" if there is none
	Run         profile.Run

	metric, time string
	epochs       map[int]*epoch
	last         int
	lastStep     float64
}

// epoch holds the values of one epoch's rows; NaN where missing.
type epoch struct{ value, seconds float64 }

const maxEpochs = 100_000

// Read reads the table and reports its run.
func (l *Log) Read(r *source.Report, f source.File, given source.Given) {
	l.epochs, l.last, l.lastStep = map[int]*epoch{}, -1, math.Inf(-1)
	if err := source.Table(f, l.Separator, l.header, l.row); err != nil {
		r.Err = err
		return
	}
	if l.last < 0 {
		r.Err = f.Wrong("has a header but no epochs")
		return
	}
	l.finish(r, f, given)
}

// header picks the columns.
func (l *Log) header(r *source.Row) error {
	needed := []string{"epoch"}
	if l.StepColumn != "" {
		needed = append(needed, l.StepColumn)
	}
	if err := r.Need(needed...); err != nil {
		return err
	}
	for _, name := range r.Columns() {
		if slices.Contains(l.TimeColumns, strings.ToLower(name)) {
			l.time = name
		}
	}
	isOther := func(name string) bool { return !isValidation(name) }
	l.metric = source.BestMetric(slices.DeleteFunc(r.Columns(), isOther))
	return nil
}

func isValidation(name string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool {
		return r == '_' || r == '/' ||
			r == '-'
	}) {
		if part == "val" || part == "valid" || part == "validation" || part == "eval" {
			return true
		}
	}
	return false
}

func (l *Log) row(r *source.Row) error {
	at := r.Number("epoch")
	if at == nil {
		return nil
	}
	if *at < 0 || *at >= maxEpochs {
		return r.Wrong("epoch %g is not between 0 and %d", *at, maxEpochs)
	}
	n := int(*at)
	e := l.epochs[n]
	if e == nil {
		e = &epoch{math.NaN(), math.NaN()}
		l.epochs[n] = e
	}
	l.last = max(l.last, n)
	set(r, l.metric, &e.value)
	set(r, l.time, &e.seconds)
	if step := r.Number(l.StepColumn); step != nil {
		l.lastStep = max(l.lastStep, *step)
	}
	return nil
}

// set stores a cell if it is a number. Keras writes lists as text, which are
// not metrics.
func set(r *source.Row, column string, to *float64) {
	if strings.HasPrefix(r.Text(column), "[") {
		return
	}
	if v := r.Number(column); v != nil {
		*to = *v
	}
}

func (l *Log) finish(r *source.Report, f source.File, given source.Given) {
	run := &l.Run
	run.Mode, run.Count, run.Status, run.Basis = profile.Train, 1, profile.Done, estimate.Measured
	run.Source = l.Title + " " + f.Tail(l.Tail)
	run.Epochs = new(float64(l.last + 1))
	if l.lastStep > 0 && !math.IsInf(l.lastStep, 0) {
		// Steps count from 0 through all epochs.
		run.IterationsPerEpoch = new((l.lastStep + 1) / float64(l.last+1))
	}
	timed := l.times(run, given)
	l.validations(run, timed)
	source.LastAccuracy(run)
	if source.Fractions(run) {
		r.Note("%s is in percent and was converted to a fraction", l.metric)
	}
	switch {
	case !timed && l.time != "":
		r.Note("%s is missing for some epochs, so there is no time; give the seconds of an epoch with --epoch-time", l.time)
	case !timed:
		r.Note("the table has no time: give the seconds of an epoch with --epoch-time; without it only %s and their "+
			"metrics are known", quantity.Several(l.last+1, "epoch"))
	}
	if l.metric == "" {
		if !timed {
			r.Err = f.Wrong("has neither a time nor a metric of a validation; give the seconds of an epoch with --epoch-time")
			return
		}
		r.Note("there is no validation column, so the accuracy is unknown")
	}
	if run.Accuracy == nil && !timed {
		r.Err = f.Wrong("has neither a time nor the value of a validation; give the seconds of an epoch with --epoch-time")
		return
	}
	r.Set = &profile.Set{Runs: []profile.Run{*run}, Models: []profile.Model{{Name: run.Model, Dataset: run.Dataset}}}
}

// times sets when epochs began, if the seconds of all of them are known.
func (l *Log) times(run *profile.Run, given source.Given) bool {
	at := 0.0
	var starts []float64
	for i := range l.last + 1 {
		seconds := math.NaN()
		if e := l.epochs[i]; e != nil {
			seconds = e.seconds
		}
		if math.IsNaN(seconds) && given.EpochS != nil {
			seconds = *given.EpochS
		}
		if !(seconds > 0) {
			return false
		}
		starts = append(starts, at)
		at += seconds
	}
	run.EpochStartsS, run.TotalS = starts, &at
	return true
}

func (l *Log) validations(run *profile.Run, timed bool) {
	if l.metric == "" {
		return
	}
	for i := range l.last + 1 {
		e := l.epochs[i]
		if e == nil || math.IsNaN(e.value) {
			continue
		}
		v := profile.Validation{Epoch: i, Metric: l.metric, Value: &e.value, HigherIsBetter: source.HigherIsBetter(l.metric)}
		if timed {
			end := *run.TotalS
			if i < l.last {
				end = run.EpochStartsS[i+1]
			}
			v.AtS = &end
		}
		run.Validations = append(run.Validations, v)
	}
}

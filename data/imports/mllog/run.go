package mllog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// log is a file while it is read.
type log struct {
	file   source.File
	given  source.Given
	line   int
	broken int
	marks  int
	runs   []logged
	open   bool // the last of runs goes on
	about  description
}

// description is what may precede a run_start and applies to all following runs.
type description struct {
	bench, org, platform    string
	batch, train, evaluated *float64
}

// logged holds the marks of one run.
type logged struct {
	about      description
	started    bool
	ranks      int // that log it, by their marks of its start
	startS     float64
	stopS      float64 // NaN without run_stop
	status     string
	epochs     []epochMark
	blocks     []epochMark
	evals      []evaluation
	evalStartS float64 // of an evaluation that is under way
	throughput []float64
	last       float64
}

type epochMark struct{ number, atS float64 }

type evaluation struct {
	atS, epoch float64 // epoch is NaN if unknown
	value      *float64
	seconds    float64
	ranks      int // that told it
}

// run returns the current run, or a new one if there is none.
func (l *log) run() *logged {
	if !l.open {
		l.runs = append(l.runs, logged{stopS: math.NaN(), evalStartS: math.NaN(), last: math.NaN()})
		l.open = true
	}
	return &l.runs[len(l.runs)-1]
}

func (l *log) close() {
	if l.open {
		r := l.run()
		r.about = l.about
		l.open = false
	}
}

// add handles one event.
func (l *log) add(e Event) {
	l.marks++
	if e.Bench != "" {
		l.about.bench = e.Bench
	}
	if l.describes(&e) {
		return
	}
	switch e.Key {
	case "init_start":
		// Ranks begin at different times; a later init after epochs or the end
		// belongs to another run.
		if r := l.last(); l.open && r != nil && r.started && (!math.IsNaN(r.stopS) || len(r.epochs)+len(r.evals) > 0) {
			l.close()
		}
		l.run()
	case "run_start":
		l.start(&e)
	default:
		if r := l.last(); l.open && r != nil && r.started && !math.IsNaN(e.AtS) {
			r.mark(&e)
		}
	}
}

func (l *log) last() *logged {
	if len(l.runs) == 0 {
		return nil
	}
	return &l.runs[len(l.runs)-1]
}

// start begins a run, unless the mark is another rank's: a new run comes after
// the end of the current run, or once that has had an epoch.
func (l *log) start(e *Event) {
	if math.IsNaN(e.AtS) {
		return
	}
	if r := l.last(); l.open && r != nil && r.started {
		ended := !math.IsNaN(r.stopS) && e.AtS >= r.stopS
		crashed := math.IsNaN(r.stopS) && len(r.epochs) > 0 && e.AtS > r.epochs[0].atS
		if !ended && !crashed {
			r.ranks++
			return
		}
		l.close()
	}
	r := l.run()
	r.started, r.startS, r.last, r.ranks = true, e.AtS, e.AtS, 1
}

// describes reads what applies to a whole run. After the end of one run the
// next is described, starting with its benchmark.
func (l *log) describes(e *Event) bool {
	a := &l.about
	words := map[string]*string{"submission_benchmark": &a.bench, "submission_org": &a.org,
		"submission_platform": &a.platform}[e.Key]
	number := map[string]**float64{"global_batch_size": &a.batch, "train_samples": &a.train,
		"eval_samples": &a.evaluated}[e.Key]
	if words == nil && number == nil {
		return false
	}
	isKnown := words != nil && *words != "" || number != nil && *number != nil
	if r := l.last(); l.open && r != nil && !math.IsNaN(r.stopS) && isKnown {
		l.close()
	}
	if e.Key == "submission_benchmark" && !l.open {
		*a = description{}
	}
	if words != nil {
		*words = e.Text()
	} else {
		*number = e.Number()
	}
	return true
}

func (r *logged) mark(e *Event) {
	r.last = max(r.last, e.AtS)
	number := func(v source.Loose) float64 {
		if v.V == nil {
			return math.NaN()
		}
		return *v.V
	}
	switch e.Key {
	case "run_stop":
		if math.IsNaN(r.stopS) || e.AtS > r.stopS {
			r.stopS = e.AtS
		}
		r.status = cmp.Or(r.status, string(e.Metadata.Status))
	case "run_final": // v0.5: after run_stop
		r.status = cmp.Or(r.status, "success")
	case "epoch_start":
		r.epochs = append(r.epochs, epochMark{number(e.Metadata.Epoch), e.AtS})
	case "block_start":
		if n := e.Metadata.Count.V; n == nil || *n == 1 {
			r.blocks = append(r.blocks, epochMark{number(e.Metadata.First), e.AtS})
		} else {
			r.blocks = append(r.blocks, epochMark{math.NaN(), e.AtS})
		}
	case "eval_start":
		if math.IsNaN(r.evalStartS) {
			r.evalStartS = e.AtS
		}
	case "eval_stop":
		r.evalEnds(e.AtS)
	case "eval_accuracy":
		r.evaluated(evaluation{atS: e.AtS, epoch: number(e.Metadata.Epoch), value: e.Number()})
	case "tracked_stats":
		var stats struct {
			Throughput source.Loose `json:"throughput"`
		}
		if json.Unmarshal(e.value, &stats) == nil {
			if v := stats.Throughput.Positive(); v != nil {
				r.throughput = append(r.throughput, *v)
			}
		}
	}
}

// evaluated stores an evaluation, that of all ranks once. Some benchmarks evaluate
// often within what they count as one epoch, so an equal epoch alone says nothing:
// where one rank logs, each of its marks is an evaluation of its own.
func (r *logged) evaluated(v evaluation) {
	v.ranks = 1
	if n := len(r.evals); n > 0 {
		last := &r.evals[n-1]
		if same := v.epoch == last.epoch || math.IsNaN(v.epoch) && math.IsNaN(last.epoch); same && last.ranks < r.ranks &&
			(last.value == nil || v.value == nil || *last.value == *v.value || r.isNear(last.atS, v.atS)) {
			last.value, last.ranks = cmp.Or(last.value, v.value), last.ranks+1
			return
		}
	}
	r.evals = append(r.evals, v)
}

// isNear reports whether a mark comes so soon after the last evaluation, measured by
// how long the one before is past, that it must be of the same: ranks wait for
// each other.
func (r *logged) isNear(last, at float64) bool {
	before := r.startS
	if n := len(r.evals); n > 1 {
		before = r.evals[n-2].atS
	}
	return at-last < 0.02*(last-before)
}

// evalEnds sets the length of the last evaluation. Some logs report the
// accuracy before eval_stop, some after it.
func (r *logged) evalEnds(at float64) {
	if n := len(r.evals); n > 0 && !math.IsNaN(r.evalStartS) && r.evals[n-1].atS >= r.evalStartS {
		r.evals[n-1].seconds, r.evals[n-1].atS = source.Between(r.evalStartS, at), at
	}
	r.evalStartS = math.NaN()
}

// profile converts the run to a profile.
func (l *log) profile(r *logged, n int) (run profile.Run, note string) {
	a := r.about
	run = profile.Run{
		Model: l.given.ModelOr(a.bench, l.file.Stem()), Unit: units[a.bench], Mode: profile.Train,
		TrainSize: a.train, Status: profile.Done, Basis: estimate.Measured,
		Source: fmt.Sprintf("MLPerf log %s, run %d", l.file.Base(), n),
	}
	setMachine(&run, a.platform)
	if a.org != "" {
		run.Source += ", " + clean(a.org)
	}
	if a.batch != nil && *a.batch >= 1 && *a.batch <= math.MaxInt32 {
		run.BatchSize = int(*a.batch)
		if a.train != nil && *a.train > 0 {
			run.IterationsPerEpoch = new(*a.train / *a.batch)
		}
	}
	if r.startS > 946684800 && r.startS < 1e11 { // a clock of this century
		run.AsOf = time.Unix(int64(r.startS), 0).UTC().Format(time.DateOnly)
	}
	run.EpochStartsS = r.starts()
	switch {
	case math.IsNaN(r.stopS):
		run.Status = profile.Interrupted
		note = fmt.Sprintf("run %d has no run_stop, so its total time is unknown", n)
	case r.stopS > r.startS:
		run.TotalS = new(source.Between(r.startS, r.stopS))
		if r.status != "" && r.status != "success" {
			run.Status = profile.Interrupted
			note = fmt.Sprintf("run %d ended as %s", n, clean(r.status))
		}
		if k := len(run.EpochStartsS); k > 0 {
			run.Epochs = new(float64(k))
		} else {
			run.Epochs = r.evaluatedEpochs()
		}
	}
	r.validations(&run)
	if run.EpochStartsS == nil && run.BatchSize > 0 && len(r.throughput) > 0 {
		source.Steady(&run, float64(run.BatchSize)/mean(r.throughput), nil, 0)
	}
	return run, note
}

// evaluatedEpochs is the epoch of the last evaluation, if evaluations tell how
// epochs passed: each has a later one, and the last is above 1.
func (r *logged) evaluatedEpochs() *float64 {
	last := 1.0
	for _, e := range r.evals {
		if !(e.epoch > last && e.epoch < mostEpochs) {
			return nil
		}
		last = e.epoch
	}
	if last == 1 {
		return nil
	}
	return &last
}

// mostEpochs is above the epochs of any benchmark; where more are counted, they are
// samples.
const mostEpochs = 20_000

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

// starts are the seconds from run_start at which epochs began: each epoch's
// first mark; nil if they are out of order or epochs are missing.
func (r *logged) starts() []float64 {
	marks := r.epochs
	if len(marks) < 2 && len(r.blocks) > len(marks) {
		marks = r.blocks
	}
	var out []float64
	seen := map[float64]int{}
	last := math.NaN()
	for _, m := range marks {
		switch seen[m.number]++; {
		case math.IsNaN(m.number), seen[m.number] > r.ranks:
			return nil // blocks that are no epochs
		case seen[m.number] > 1:
			continue
		case !math.IsNaN(last) && m.number != last+1:
			return nil
		}
		last = m.number
		at := max(0, source.Between(r.startS, m.atS))
		if n := len(out); n > 0 && at <= out[n-1] {
			return nil
		}
		out = append(out, at)
	}
	return out
}

// validations puts the evaluations into the run, with the metric's direction.
func (r *logged) validations(run *profile.Run) {
	metric, higher := r.metric()
	for _, e := range r.evals {
		at := max(0, source.Between(r.startS, e.atS))
		v := profile.Validation{Metric: metric, Value: e.value, HigherIsBetter: higher, AtS: &at, Seconds: max(0, e.seconds),
			Units: r.about.evaluated}
		switch {
		case run.EpochStartsS != nil:
			v.Epoch = max(0, run.EpochAt(at))
		case e.epoch >= 1 && e.epoch < mostEpochs:
			v.Epoch = int(math.Ceil(e.epoch-1e-3)) - 1
		}
		run.Validations = append(run.Validations, v)
	}
	source.LastAccuracy(run)
}

// metric names a benchmark's eval_accuracy; for an unknown benchmark the
// direction is the one in which it changed.
func (r *logged) metric() (name string, higher bool) {
	if m, ok := metrics[r.about.bench]; ok {
		return m.name, m.higher
	}
	var values []float64
	for _, e := range r.evals {
		if e.value != nil {
			values = append(values, *e.value)
		}
	}
	return "eval_accuracy", len(values) == 0 || values[len(values)-1] >= values[0]
}

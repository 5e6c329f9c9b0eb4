// Package dawnbench reads entries of DAWNBench (stanford-futuredata/dawn-bench-entries,
// v1.0). A training is NAME.json with version, author, framework, model, hardware,
// costPerHour, timestamp and misc, and NAME.tsv with epoch, hours since the start, and
// top1Accuracy and top5Accuracy in percent (CIFAR10 has the first only, SQuAD f1Score
// as a fraction). Inference is NAME.json alone, with latency, the milliseconds of one
// image or question, cost, the dollars it takes, and the accuracy.
//
// The metric is that of the competition: top-5 where there is one. Epochs count
// from 0 or 1, as the first row has it, an evaluation before the training aside;
// rows of successive epochs tell when each began. An entry may stop at any epoch and
// goes on for as long as the table does. Hardware is free text and becomes the name of
// the machine; costPerHour is the price of all of it, of inference cost / latency.
// Unknown are the batch size of a training, the GPU and how many, and memory. The basis
// is published.
package dawnbench

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Format is how entries are recognised and read.
var Format = source.Format{Name: "dawnbench", Rows: true, Title: "DAWNBench entry", Claims: claims,
	Group: func(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }, Read: read}

func claims(p string, head []byte) bool {
	if isTable(p) {
		return source.HaveAll(source.Header(head, '\t'), "epoch", "hours")
	}
	return strings.HasSuffix(p, ".json") && bytes.Contains(head, []byte(`"hardware"`)) &&
		bytes.Contains(head, []byte(`"framework"`)) && bytes.Contains(head, []byte(`"model"`))
}

func isTable(p string) bool { return strings.HasSuffix(p, ".tsv") }

type entry struct {
	Author      source.Words `json:"author"`
	Framework   source.Words `json:"framework"`
	Model       source.Words `json:"model"`
	Hardware    source.Words `json:"hardware"`
	CostPerHour source.Loose `json:"costPerHour"`
	Timestamp   source.Words `json:"timestamp"`
	// Of inference:
	LatencyMS source.Loose `json:"latency"`
	Cost      source.Loose `json:"cost"`
	Top5      source.Loose `json:"top5Accuracy"`
	Top1      source.Loose `json:"top1Accuracy"`
	F1        source.Loose `json:"f1Score"`
}

func read(files []source.File, given source.Given) []source.Report {
	if len(files) == 1 && !isTable(files[0].Path) {
		return []source.Report{inference(files[0], given)}
	}
	var about *entry
	return source.Pair{
		Describes: func(p string) bool { return !isTable(p) },
		Load: func(f source.File) error {
			var e entry
			err := f.JSON(&e)
			if err == nil {
				about = &e
			}
			return err
		},
		Read: func(r *source.Report, f source.File) { one(r, f, about, given) },
		Note: "describes the table of the same name",
	}.Reports(files)
}

// run is what an entry says of itself.
func (e *entry) run(f source.File, given source.Given) profile.Run {
	run := profile.Run{
		Model: given.ModelOr(string(e.Model), f.Stem()), Dataset: cmp.Or(dataset(f.Path), given.Dataset), Count: 1,
		InstanceType: string(e.Hardware), USDPerHour: e.CostPerHour.Positive(), Status: profile.Done,
		Variant: profile.Variant{Name: string(e.Framework), Precision: given.Precision}, Basis: estimate.Published,
		Source: "DAWNBench " + f.Base(),
	}
	if e.Author != "" {
		run.Source += ", " + string(e.Author)
	}
	if day, err := time.Parse("2006-1-2", string(e.Timestamp)); err == nil {
		run.AsOf = day.Format(time.DateOnly)
	}
	return run
}

func inference(f source.File, given source.Given) source.Report {
	var e entry
	if err := f.JSON(&e); err != nil {
		return source.Failed(f, err)
	}
	ms, cost := e.LatencyMS.Positive(), e.Cost.Positive()
	if ms == nil {
		return source.Failed(f, f.Wrong("contains no latency; of a training, import the .tsv of the same name with it"))
	}
	run := e.run(f, given)
	run.Mode, run.BatchSize, run.Unit = profile.Infer, 1, "image"
	if run.Dataset == "SQuAD" {
		run.Unit = "question"
	}
	source.Steady(&run, *ms/1000, nil, 0)
	if cost != nil && run.USDPerHour == nil {
		// A printed cost has about three digits.
		usd, _ := strconv.ParseFloat(strconv.FormatFloat(*cost / *ms * 3.6e6, 'g', 3, 64), 64)
		run.USDPerHour = &usd
	}
	for i, v := range []*float64{e.Top5.V, e.Top1.V, e.F1.V} {
		if v != nil && run.Accuracy == nil {
			run.Accuracy = &profile.Accuracy{Metric: metrics[i].name, Value: *v, HigherIsBetter: true, Basis: run.Basis}
		}
	}
	source.Fractions(&run)
	set := &profile.Set{}
	set.Runs = append(set.Runs, run)
	return source.Report{File: f.Path, Set: set}
}

// row is a line of the table.
type row struct {
	epoch   float64
	seconds float64
	value   *float64
}

// metrics are the columns of quality, the decisive one first.
var metrics = []struct{ column, name string }{{"top5Accuracy", "top-5"}, {"top1Accuracy", "top-1"}, {"f1Score", "F1"}}

func one(r *source.Report, f source.File, about *entry, given source.Given) {
	rows, metric, err := table(f, r)
	if err != nil {
		r.Err = err
		return
	}
	if about == nil {
		about = &entry{}
		r.Note("there is no .json of the same name next to it: model, machine and price are unknown")
	}
	run := about.run(f, given)
	run.Mode, run.BatchSize = profile.Train, given.BatchSize
	if !fill(&run, rows, metric) {
		r.Note("its rows are not one for each epoch, so when epochs began is unknown")
	}
	r.Set.Runs = append(r.Set.Runs, run)
}

// dataset is the competition's folder above train.
func dataset(p string) string {
	for _, part := range strings.Split(p, "/") {
		if part == "ImageNet" || part == "CIFAR10" || part == "SQuAD" {
			return part
		}
	}
	return ""
}

var tabs = regexp.MustCompile(`\t+`)

func table(f source.File, report *source.Report) (rows []row, metric string, err error) {
	text, err := f.Whole(source.MaxDocumentBytes)
	if err != nil {
		return nil, "", err
	}
	aligned := f // some align columns by several tabs
	aligned.Open = func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(tabs.ReplaceAll(text, []byte("\t")))), nil
	}
	column := ""
	err = source.Table(aligned, '\t', func(r *source.Row) error {
		for _, m := range metrics {
			if r.Has(m.column) && column == "" {
				column, metric = m.column, m.name
			}
		}
		if column == "" {
			return r.Wrong("there is no column top1Accuracy, top5Accuracy or f1Score")
		}
		return r.Need("epoch", "hours")
	}, func(r *source.Row) error {
		one, err := line(r, column)
		n := len(rows)
		switch {
		case err != nil:
			return err
		case n == 0:
		case one.epoch == rows[n-1].epoch && one.seconds > rows[n-1].seconds:
			report.Note("epoch %g is there twice: the later row is taken", one.epoch)
			rows = rows[:n-1]
		case one.epoch <= rows[n-1].epoch || one.seconds <= rows[n-1].seconds:
			return r.Wrong("epoch %g after %g hours does not follow the row above", one.epoch, one.seconds/3600)
		}
		rows = append(rows, one)
		return nil
	})
	if isSwapped(rows) {
		report.Note("its columns epoch and hours hold each other's values, and are read so")
		for i, r := range rows {
			rows[i].epoch, rows[i].seconds = r.seconds/3600, r.epoch*3600
		}
	}
	if len(rows) > 1 && rows[0].epoch == 0 && rows[0].seconds < (rows[1].seconds-rows[0].seconds)/2 {
		report.Note("its first row, after %s, is an evaluation before the training and left out",
			quantity.Duration(rows[0].seconds))
		rows = rows[1:]
	}
	if err == nil && (len(rows) == 0 || rows[0].seconds == 0) {
		err = f.Wrong("has a header but no epochs")
	}
	return rows, metric, err
}

// isSwapped reports whether hours count 1, 2, 3 … and epochs do not.
func isSwapped(rows []row) bool {
	whole := true
	for i, r := range rows {
		if r.seconds != float64(i+1)*3600 {
			return false
		}
		whole = whole && r.epoch == math.Trunc(r.epoch)
	}
	return len(rows) > 2 && !whole
}

func line(r *source.Row, column string) (one row, err error) {
	epoch, hours := r.Number("epoch"), r.NotNegative("hours")
	if epoch == nil || hours == nil || *epoch < 0 || *epoch > 1e6 {
		return one, r.Wrong("epoch or hours is empty or invalid")
	}
	return row{epoch: *epoch, seconds: *hours * 3600, value: r.Number(column)}, nil
}

// fill puts the rows into the run and reports whether they tell when epochs began.
func fill(run *profile.Run, rows []row, metric string) bool {
	first := 1.0
	if rows[0].epoch < 0.5 {
		first = 0
	}
	last := rows[len(rows)-1]
	run.TotalS, run.Epochs = &last.seconds, new(last.epoch+1-first)
	run.EpochStartsS = starts(rows, first)
	for _, r := range rows {
		run.Validations = append(run.Validations, profile.Validation{
			Epoch: max(0, int(math.Ceil(r.epoch-first-0.1))), Metric: metric, Value: r.value, HigherIsBetter: true,
			AtS: &r.seconds,
		})
	}
	source.LastAccuracy(run)
	source.Fractions(run) // the competition uses percent, but fractions for F1
	return run.EpochStartsS != nil
}

// starts are when epochs began, if there is a row for each. Some count epochs a
// little too long, as 1.00096 for 1, because their last batch is a whole one.
func starts(rows []row, first float64) []float64 {
	out := []float64{0}
	before := row{epoch: first - 1}
	for i, r := range rows {
		step := r.epoch - before.epoch
		if math.Abs(step-1) > 0.05 {
			return nil
		}
		if i+1 < len(rows) {
			whole := first + float64(i)
			at := before.seconds + (r.seconds-before.seconds)*(whole-before.epoch)/step
			if at <= out[i] {
				return nil
			}
			out = append(out, at)
		}
		before = r
	}
	return out
}

// Package dawnbench reads training entries of DAWNBench
// (stanford-futuredata/dawn-bench-entries, v1.0): NAME.json with version, author,
// framework, model, hardware, costPerHour, timestamp and misc, and NAME.tsv with
// epoch, hours since the start, and top1Accuracy and top5Accuracy in percent
// (CIFAR10 has the first only, SQuAD f1Score as a fraction).
//
// The metric is that of the competition: top-5 where there is one. Epochs count
// from 0 or 1, as the first row has it; rows of successive epochs tell when each
// began. An entry may stop at any epoch and goes on for as long as the table
// does. Hardware is free text and becomes the name of the machine; costPerHour
// is the price of all of it. Unknown are the batch size, the GPU and how many,
// and memory. The basis is published. Entries of inference have no table and
// are not read.
package dawnbench

import (
	"bytes"
	"cmp"
	"math"
	"path"
	"strings"
	"time"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
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
}

func read(files []source.File, given source.Given) []source.Report {
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
		Read:  func(r *source.Report, f source.File) { one(r, f, about, given) },
		Alone: "contains no times; import the .tsv of the same name together with it",
		Note:  "describes the table of the same name",
	}.Reports(files)
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
	rows, metric, err := table(f)
	if err != nil {
		r.Err = err
		return
	}
	if about == nil {
		about = &entry{}
		r.Note("there is no .json of the same name next to it: model, machine and price are unknown")
	}
	run := profile.Run{
		Model: given.ModelOr(string(about.Model), f.Stem()), Dataset: cmp.Or(dataset(f.Path), given.Dataset),
		Mode: profile.Train, Count: 1,
		InstanceType: string(about.Hardware), USDPerHour: about.CostPerHour.Positive(), BatchSize: given.BatchSize,
		Variant: profile.Variant{Name: string(about.Framework), Precision: given.Precision}, Status: profile.Done,
		Basis:  estimate.Published,
		Source: "DAWNBench " + f.Base(),
	}
	if about.Author != "" {
		run.Source += ", " + string(about.Author)
	}
	if _, err := time.Parse(time.DateOnly, string(about.Timestamp)); err == nil {
		run.AsOf = string(about.Timestamp)
	}
	fill(&run, rows, metric)
	r.Set = &profile.Set{Runs: []profile.Run{run}, Models: []profile.Model{{Name: run.Model, Dataset: run.Dataset}}}
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

func table(f source.File) (rows []row, metric string, err error) {
	column := ""
	err = source.Table(f, '\t', func(r *source.Row) error {
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
		if err != nil {
			return err
		}
		if n := len(rows); n > 0 && (one.epoch <= rows[n-1].epoch || one.seconds <= rows[n-1].seconds) {
			return r.Wrong("epoch %g after %g hours does not follow the row above", one.epoch, one.seconds/3600)
		}
		rows = append(rows, one)
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = f.Wrong("has a header but no epochs")
	}
	return rows, metric, err
}

func line(r *source.Row, column string) (one row, err error) {
	epoch, hours := r.Number("epoch"), r.Positive("hours")
	if epoch == nil || hours == nil || *epoch < 0 || *epoch > 1e6 {
		return one, r.Wrong("epoch or hours is empty or invalid")
	}
	return row{epoch: *epoch, seconds: *hours * 3600, value: r.Number(column)}, nil
}

// fill puts the rows into the run.
func fill(run *profile.Run, rows []row, metric string) {
	first := 1.0
	if rows[0].epoch < 1 {
		first = 0
	}
	last := rows[len(rows)-1]
	run.TotalS, run.Epochs = &last.seconds, new(last.epoch+1-first)
	if starts, ok := starts(rows, first); ok {
		run.EpochStartsS = starts
	}
	for _, r := range rows {
		run.Validations = append(run.Validations, profile.Validation{
			Epoch: max(0, int(math.Ceil(r.epoch-first))), Metric: metric, Value: r.value, HigherIsBetter: true, AtS: &r.seconds,
		})
	}
	source.LastAccuracy(run)
	source.Fractions(run) // the competition uses percent, but fractions for F1
}

// starts are when epochs began, if there is a row for each.
func starts(rows []row, first float64) (out []float64, ok bool) {
	out = []float64{0}
	for i, r := range rows {
		if r.epoch != first+float64(i) {
			return nil, false
		}
		if i+1 < len(rows) {
			out = append(out, r.seconds)
		}
	}
	return out, true
}

// Package wide reads tables of measurements by a mapping that says which column
// is what: with a row for every measurement, or wide ones, with a column of times
// for every VM type. That of PROFET (ddps-lab/profet, profet_wide.csv: model,
// dataset, optimizer, batchsize, exp_name, batch_latency of p3.2xlarge in seconds,
// and g4dn.xlarge, p2.xlarge, g3s.xlarge in microseconds) is built in. A mapping
// is YAML or JSON; docs/imports.md shows it with all its keys.
//
// A time is that of an iteration. Of a rate in units/s, which is that of all GPUs
// together, it follows from the batch size; s/epoch is the time of a whole epoch.
// An empty cell is unknown. Every cell with a time is a run. Unknown is what the
// mapping does not name.
package wide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Format is how tables with a mapping are recognised, which is only PROFET's
// without one, and read.
var Format = source.Format{Name: "wide", Rows: true, Title: "table with a mapping", Claims: claims,
	Read: source.Alone(read)}

func claims(_ string, head []byte) bool { return isProfet(source.Header(head, ',')) }

func isProfet(names []string) bool {
	return source.HaveAll(names, profet.Model, profet.BatchSize, "batch_latency")
}

var profet = source.Mapping{
	Source: "PROFET (ddps-lab)", AsOf: "2022", Unit: "image", Model: "model", Dataset: "dataset", BatchSize: "batchsize",
	Variant: []string{"dataset", "optimizer"}, Repeat: "exp_name",
	Times: map[string]source.TimeColumn{
		"batch_latency": {In: "s", Cloud: "aws", InstanceType: "p3.2xlarge", GPU: "V100-SXM2-16GB", GPUCount: 1},
		"p2.xlarge":     {In: "us", Cloud: "aws", InstanceType: "p2.xlarge", GPU: "K80", GPUCount: 1},
		"g3s.xlarge":    {In: "us", Cloud: "aws", InstanceType: "g3s.xlarge", GPU: "M60", GPUCount: 1},
		"g4dn.xlarge":   {In: "us", Cloud: "aws", InstanceType: "g4dn.xlarge", GPU: "T4", GPUCount: 1},
	},
}

// unit is what a column of times holds: times of an iteration or of an epoch, or a rate.
type unit struct {
	seconds     float64 // of one; of a rate 0
	epoch, work bool    // it is of an epoch; units of work are counted, not iterations
}

var units = map[string]unit{"s": {seconds: 1}, "ms": {seconds: 1e-3}, "us": {seconds: 1e-6}, "µs": {seconds: 1e-6},
	"ns": {seconds: 1e-9}, "s/epoch": {seconds: 1, epoch: true}, "units/s": {work: true}, "it/s": {}}

const unitWords = "s, ms, us or ns of an iteration, units/s, it/s or s/epoch"

type table struct {
	file    source.File
	given   source.Given
	mapping source.Mapping
	columns []string // of times, in order
	set     profile.Set
	percent bool // accuracies are in percent, as one is above 1
}

func read(f source.File, given source.Given) source.Report {
	t := &table{file: f, given: given, mapping: profet}
	head, err := f.Beginning()
	if err != nil {
		return source.Failed(f, err)
	}
	separator := separatorOf(head)
	switch {
	case given.Mapping != nil:
		t.mapping = *given.Mapping
	case !isProfet(source.Header(head, separator)):
		return source.Failed(f, f.Wrong("%s", cmp.Or(Advice(f, head), "is not a table; a mapping needs one")))
	}
	err = source.Table(f, separator, t.header, t.row)
	for i := range t.set.Runs {
		if a := t.set.Runs[i].Accuracy; a != nil && t.percent {
			t.set.Runs[i].Accuracy = new(*a)
			t.set.Runs[i].Accuracy.Value /= 100
		}
	}
	return source.Found(f, &t.set, err, "holds no times")
}

// separatorOf is what separates the cells of a table: a comma, a semicolon or a
// tab, whichever gives the most columns.
func separatorOf(head []byte) rune {
	return slices.MaxFunc([]rune{',', ';', '\t'}, func(a, b rune) int {
		return cmp.Compare(len(source.Header(head, a)), len(source.Header(head, b)))
	})
}

func (t *table) header(r *source.Row) error {
	m := t.mapping
	t.columns = slices.Sorted(maps.Keys(m.Times))
	if m.Mode != "" && !isMode(m.Mode) && !r.Has(m.Mode) {
		return r.Wrong("mode %s is neither train nor infer nor a column", plaintext.Quote(m.Mode))
	}
	for _, c := range slices.Concat(m.Variant, t.columns, []string{m.Model, m.BatchSize, m.Dataset, m.Precision, m.Repeat,
		m.GPU, m.GPUCount, m.Cloud, m.Region, m.InstanceType, m.USDPerHour, m.Accuracy}) {
		if c != "" && !r.Has(c) {
			return r.Wrong("there is no column %s, which the mapping names; it has %s", source.Text(c), r.Listed())
		}
	}
	switch {
	case m.Model == "" && t.given.Model == "":
		return r.Wrong("the mapping names no column for model; add one, or give --model")
	case m.BatchSize == "" && t.given.BatchSize == 0:
		return r.Wrong("the mapping names no column for batch_size; add one, or give --batch")
	}
	return nil
}

func isMode(word string) bool { return word == string(profile.Train) || word == string(profile.Infer) }

func (t *table) row(r *source.Row) error {
	m := t.mapping
	mode := cmp.Or(m.Mode, string(profile.Train))
	if !isMode(mode) {
		mode = strings.ToLower(r.Text(m.Mode))
	}
	run := profile.Run{
		Model: cmp.Or(r.Text(m.Model), t.given.Model), Dataset: r.Text(m.Dataset), Unit: source.Text(m.Unit),
		Variant: profile.Variant{Name: variant(r, m.Variant), Precision: strings.ToLower(r.Text(m.Precision))},
		Mode:    profile.Mode(mode), Count: 1, BatchSize: cmp.Or(r.Count(m.BatchSize), t.given.BatchSize),
		Cloud: r.Text(m.Cloud), Region: r.Text(m.Region), InstanceType: r.Text(m.InstanceType),
		GPU: r.Text(m.GPU), GPUCount: r.Count(m.GPUCount), USDPerHour: r.Positive(m.USDPerHour),
		Status: profile.Done, Basis: estimate.Published, AsOf: m.AsOf,
		Source: strings.TrimPrefix(fmt.Sprintf("%s, %s", source.Text(m.Source), t.file.Base()), ", "),
	}
	switch {
	case run.Model == "" || run.BatchSize == 0:
		return r.Wrong("%s or %s is empty", cmp.Or(m.Model, "--model"), cmp.Or(m.BatchSize, "--batch"))
	case !isMode(mode):
		return r.Fail(m.Mode, "%s is neither train nor infer", plaintext.Quote(mode))
	}
	if m.Basis != "" {
		run.Basis, _ = estimate.ParseBasis(m.Basis)
	}
	if repeat := r.Text(m.Repeat); repeat != "" {
		run.Source += ", " + repeat
	}
	if v := r.NotNegative(m.Accuracy); v != nil {
		metric := cmp.Or(source.Text(m.Metric), "accuracy")
		run.Accuracy = &profile.Accuracy{Metric: metric, Value: *v, HigherIsBetter: source.HigherIsBetter(metric),
			Basis: run.Basis}
		t.percent = t.percent || *v > 1 && profile.IsFraction(metric)
	}
	for _, c := range t.columns {
		t.cell(r, run, c)
	}
	if len(t.set.Runs) > source.MaxRuns {
		return r.Wrong("more than %d runs; split the file", source.MaxRuns)
	}
	return nil
}

// cell adds the run of a column of times, if its cell is not empty.
func (t *table) cell(r *source.Row, run profile.Run, column string) {
	at, v := t.mapping.Times[column], r.Positive(column)
	if v == nil {
		return
	}
	run.Cloud, run.Region = cmp.Or(source.Text(at.Cloud), run.Cloud), cmp.Or(source.Text(at.Region), run.Region)
	run.GPU, run.GPUCount = cmp.Or(source.Text(at.GPU), run.GPU), cmp.Or(at.GPUCount, run.GPUCount)
	run.InstanceType = cmp.Or(source.Text(at.InstanceType), run.InstanceType, run.GPU)
	if at.USDPerHour > 0 {
		run.USDPerHour = &at.USDPerHour
	}
	seconds := *v
	switch in := units[at.In]; {
	case in.epoch:
		run.Epochs, run.TotalS = new(1.0), v
	case in.seconds > 0:
		seconds *= in.seconds
	case in.work && run.Mode == profile.Infer: // whose batch is that of one GPU
		seconds = float64(run.BatchSize*cmp.Or(run.GPUCount, t.given.GPUs(), 1)) / *v
	case in.work:
		seconds = float64(run.BatchSize) / *v
	default:
		seconds = 1 / *v
	}
	if run.TotalS == nil {
		source.Steady(&run, seconds, nil, 0)
	}
	t.set.Runs = append(t.set.Runs, run)
}

func variant(r *source.Row, columns []string) string {
	var parts []string
	for _, c := range columns {
		if cell := r.Text(c); cell != "" {
			parts = append(parts, cell)
		}
	}
	return strings.Join(parts, " ")
}

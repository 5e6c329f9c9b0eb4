package timm

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// bench reads one benchmark.
type bench struct {
	file    source.File
	given   source.Given
	results *results
	report  *source.Report

	conditions
	set     profile.Set
	rows    int
	joined  map[int]bool // rows with a result
	untimed int
}

func (b *bench) read() {
	b.conditions = conditionsOf(b.file)
	b.joined = map[int]bool{}
	b.set.Models = []profile.Model{{
		Name: b.modelName(), Dataset: b.results.dataset(), Task: "image classification", Unit: "image",
	}}
	*b.report = source.Found(b.file, &b.set, source.Table(b.file, ',', nil, b.row), "holds no times")
	if b.report.Err == nil {
		b.describe()
	}
}

// modelName is the model that all networks are variants of.
func (b *bench) modelName() string {
	return b.given.ModelOr("timm/" + b.results.dataset())
}

func (b *bench) describe() {
	switch {
	case b.results.by == nil:
		b.report.Note("no accuracies: import results-imagenet.csv together with it")
	case len(b.joined) < b.rows:
		b.report.Note("%d of %d networks are in %s; the accuracy of the others is unknown", len(b.joined), b.rows,
			b.results.file.Base())
	}
	if b.untimed > 0 {
		b.report.Note("%s without a time left out", quantity.Several(b.untimed, "row"))
	}
	if b.isUnknown() {
		b.report.Note("the file's name does not name the GPU, so the machine is named after the file; say which with --gpu")
	}
}

// isUnknown reports whether nothing names the machine.
func (b *bench) isUnknown() bool { return b.machine == "" && b.given.GPU == "" && b.given.VM == nil }

func (b *bench) row(row *source.Row) error {
	name := row.Text("model")
	if name == "" {
		return row.Wrong("model is empty")
	}
	timed := false
	for _, m := range modes {
		if !row.Has(m.prefix + "step_time") {
			continue
		}
		run, err := b.run(row, m.prefix, m.mode)
		if err != nil {
			return err
		}
		if run == nil {
			continue
		}
		timed = true
		size := row.Text(m.prefix + "img_size")
		b.add(*run, row.Row(), name, size)
	}
	if timed {
		b.rows++
	} else {
		b.untimed++
	}
	return nil
}

// run is what a row says but for its variant; nil where it has no time.
func (b *bench) run(row *source.Row, prefix string, mode profile.Mode) (*profile.Run, error) {
	batch, ms := row.Count(prefix+"batch_size"), row.Positive(prefix+"step_time")
	rate := row.Positive(prefix + "samples_per_sec")
	if ms == nil {
		return nil, nil
	}
	seconds := *ms / 1000
	if rate != nil && batch > 0 && math.Abs(math.Log(seconds**rate/float64(batch))) > math.Log(1.5) {
		return nil, row.Wrong("%sstep_time %g does not fit %ssamples_per_sec %g at a batch of %d; it should be in "+
			"milliseconds", prefix, *ms, prefix, *rate, batch)
	}
	run := &profile.Run{
		Model: b.modelName(), Dataset: b.results.dataset(), Unit: "image", Mode: mode,
		InstanceType: b.machine, Count: 1, BatchSize: batch, Status: profile.Done, Basis: estimate.Published,
		Source: "timm " + b.file.Base(), Work: work(row, prefix),
	}
	if b.isGPU {
		run.GPU, run.GPUCount = b.machine, 1
	}
	if b.isUnknown() {
		run.InstanceType = b.file.Stem()
	}
	source.Steady(run, seconds, nil, 0)
	return run, nil
}

// work is what one image takes the network of a row.
func work(row *source.Row, prefix string) profile.Work {
	if !row.Has(prefix+"gmacs") && row.Text("infer_img_size") == row.Text(prefix+"img_size") {
		prefix = "infer_"
	}
	whole := func(column string, of float64) *float64 {
		if v := row.Positive(column); v != nil && *v*of <= estimate.Largest {
			return new(math.Round(*v * of))
		}
		return nil
	}
	return profile.Work{FLOPs: whole(prefix+"gmacs", 2e9), Activations: whole(prefix+"macts", 1e6),
		Params: whole("param_count", 1e6)}
}

// add adds the run once for every result it is joined with.
func (b *bench) add(run profile.Run, row int, name, size string) {
	run.Variant.Precision = cmp.Or(b.precision, b.given.Precision)
	matches := b.results.by[key{network(name), size}]
	if len(matches) == 0 {
		run.Variant.Name = b.variant(name, size)
		b.set.Runs = append(b.set.Runs, run)
		return
	}
	b.joined[row] = true
	for _, m := range matches {
		run.Variant.Name = b.variant(m.name, size)
		run.Accuracy = nil
		if m.top1 != nil {
			run.Accuracy = &profile.Accuracy{Metric: "top-1", Value: *m.top1 / 100, HigherIsBetter: true, Basis: run.Basis}
		}
		b.set.Runs = append(b.set.Runs, run)
	}
}

// variant is a network and, after a middle dot, its tag, the size of its images and
// the conditions.
func (b *bench) variant(model, size string) string {
	name, tag, _ := strings.Cut(model, ".")
	if size != "" {
		size += " px"
	}
	which := strings.TrimSpace(tag + " " + size)
	parts := slices.DeleteFunc(append([]string{which}, b.others...), func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return name
	}
	return source.Text(name + " · " + strings.Join(parts, ", "))
}

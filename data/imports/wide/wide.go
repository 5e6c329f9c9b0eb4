// Package wide reads tables with a column of iteration times for every VM type,
// by a mapping that says which column is what. That of PROFET (ddps-lab/profet,
// profet_wide.csv: model, dataset, optimizer, batchsize, exp_name, batch_latency
// of p3.2xlarge in seconds, and g4dn.xlarge, p2.xlarge, g3s.xlarge in
// microseconds) is built in. A mapping is YAML or JSON:
//
//	model: net            # columns
//	batch_size: bs
//	variant: [size, optimizer]
//	dataset: data
//	repeat: experiment    # tells measurements of the same apart
//	mode: train           # or infer
//	unit: image
//	source: our lab's table
//	as_of: 2024-05
//	basis: measured       # or published, which is the default
//	times:
//	  t4_us: {unit: us, cloud: aws, instance_type: g4dn.xlarge, gpu: T4, gpu_count: 1, usd_per_hour: 0.526}
//
// The unit of a time, s, ms, us or ns, must be said. An empty cell is unknown.
// Every cell with a time is a run. Unknown is what the mapping does not name.
package wide

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/catalog"
	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Format is how wide tables are recognised, which is only PROFET's without a
// mapping, and read.
var Format = source.Format{Name: "wide", Rows: true, Title: "wide table", Claims: claims, Read: source.Alone(read)}

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

const maxMapping = 1 << 20

// ReadMapping reads a mapping of columns.
func ReadMapping(f source.File) (*source.Mapping, error) {
	text, err := f.Whole(maxMapping)
	if err != nil {
		return nil, err
	}
	m := &source.Mapping{}
	decoder := yaml.NewDecoder(strings.NewReader(string(text))) // JSON is YAML
	decoder.KnownFields(true)
	if err := decoder.Decode(m); err != nil && !errors.Is(err, io.EOF) {
		what, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), "\n")
		if _, rest, ok := strings.Cut(err.Error(), "\n  "); ok {
			what = rest
		}
		return nil, f.Wrong("is not a mapping of columns: %s", plaintext.Line(what, 150))
	}
	if err := check(f, m); err != nil {
		return nil, err
	}
	return m, nil
}

func check(f source.File, m *source.Mapping) error {
	switch {
	case m.Model == "" || m.BatchSize == "":
		return f.Wrong("names no column for model or batch_size")
	case len(m.Times) == 0:
		return f.Wrong("names no column of times")
	case m.Mode != "" && m.Mode != string(profile.Train) && m.Mode != string(profile.Infer):
		return f.Wrong("mode %s is neither train nor infer", plaintext.Quote(m.Mode))
	case m.Basis != "" && m.Basis != estimate.Published.String() && m.Basis != estimate.Measured.String():
		return f.Wrong("basis %s is neither measured nor published", plaintext.Quote(m.Basis))
	case m.AsOf != "" && !catalog.IsDate(m.AsOf):
		return f.Wrong("as_of %s is not a date; write 2021-02-28, 2021-02 or 2021", plaintext.Quote(m.AsOf))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Times)) {
		t := m.Times[name]
		if _, known := seconds[t.In]; !known {
			return f.Wrong("the unit of %s is %s; write s, ms, us or ns", source.Text(name), plaintext.Quote(t.In))
		}
		if t.GPUCount < 0 || t.USDPerHour < 0 {
			return f.Wrong("%s has a negative gpu_count or usd_per_hour", source.Text(name))
		}
	}
	return nil
}

// seconds are the units of a time.
var seconds = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}

type table struct {
	file    source.File
	mapping source.Mapping
	columns []string // of times, in order
	set     profile.Set
	models  map[string]bool
}

func read(f source.File, given source.Given) source.Report {
	t := &table{file: f, mapping: profet, models: map[string]bool{}}
	if given.Mapping != nil {
		t.mapping = *given.Mapping
	}
	err := source.Table(f, ',', func(r *source.Row) error {
		if given.Mapping == nil && !isProfet(r.Columns()) {
			return r.Wrong("the columns are nobody's that is known; say with --mapping which is what")
		}
		t.columns = slices.Sorted(maps.Keys(t.mapping.Times))
		m := t.mapping
		for _, c := range append([]string{m.Model, m.BatchSize, m.Dataset, m.Precision, m.Repeat},
			append(slices.Clone(m.Variant), t.columns...)...) {
			if c != "" && !r.Has(c) {
				return r.Wrong("there is no column %s, which the mapping names", source.Text(c))
			}
		}
		return nil
	}, t.row)
	return source.Found(f, &t.set, err, "holds no times")
}

func (t *table) row(r *source.Row) error {
	m := t.mapping
	batch, name := r.Count(m.BatchSize), r.Text(m.Model)
	if batch == 0 || name == "" {
		return r.Wrong("%s or %s is empty", m.Model, m.BatchSize)
	}
	if !t.models[name] {
		t.models[name] = true
		t.set.Models = append(t.set.Models, profile.Model{Name: name, Unit: source.Text(m.Unit)})
	}
	basis := estimate.Published
	if m.Basis != "" {
		basis, _ = estimate.ParseBasis(m.Basis)
	}
	base := profile.Run{
		Model: name, Dataset: r.Text(m.Dataset), Unit: source.Text(m.Unit),
		Variant: profile.Variant{Name: variant(r, m.Variant), Precision: r.Text(m.Precision)},
		Mode:    profile.Mode(cmp.Or(m.Mode, string(profile.Train))), Count: 1, BatchSize: batch, Status: profile.Done,
		Basis: basis, AsOf: m.AsOf,
		Source: strings.TrimPrefix(fmt.Sprintf("%s, %s", source.Text(m.Source), t.file.Base()), ", "),
	}
	if repeat := r.Text(m.Repeat); repeat != "" {
		base.Source += ", " + repeat
	}
	for _, c := range t.columns {
		if err := t.cell(r, base, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) cell(r *source.Row, run profile.Run, column string) error {
	at := t.mapping.Times[column]
	v := r.Positive(column)
	if v == nil {
		return nil
	}
	if len(t.set.Runs) >= source.MaxRuns {
		return r.Wrong("more than %d runs; split the file", source.MaxRuns)
	}
	run.Cloud, run.Region, run.InstanceType = source.Text(at.Cloud), source.Text(at.Region), source.Text(at.InstanceType)
	run.GPU, run.GPUCount = source.Text(at.GPU), at.GPUCount
	if run.InstanceType == "" {
		run.InstanceType = run.GPU
	}
	if at.USDPerHour > 0 {
		run.USDPerHour = &at.USDPerHour
	}
	source.Steady(&run, *v*seconds[at.In], nil, 0)
	t.set.Runs = append(t.set.Runs, run)
	return nil
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

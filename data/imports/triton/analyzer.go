package triton

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// ModelAnalyzer are the tables of Model Analyzer.
var ModelAnalyzer = source.Format{Name: "model-analyzer", Rows: true, Title: "Model Analyzer CSV",
	Claims: claimsAnalyzer, Group: source.ByFolder, Read: readAnalyzer}

const (
	throughputColumn = "Throughput (infer/sec)"
	latencyColumn    = "p99 Latency (ms)"
	configColumn     = "Model Config Path"
)

func claimsAnalyzer(_ string, head []byte) bool {
	names := source.Header(head, ',')
	return slices.Contains(names, "Model") && (slices.Contains(names, throughputColumn) ||
		slices.Contains(names, "GPU UUID"))
}

// usage is what the GPUs of one measurement held.
type usage struct {
	uuids map[string]bool
	mb    float64
}

type analyzer struct {
	given source.Given
	used  map[string]*usage // by measurement
}

func readAnalyzer(files []source.File, given source.Given) []source.Report {
	a := &analyzer{given: given, used: map[string]*usage{}}
	reports := make([]source.Report, len(files))
	var inference []int
	for i, f := range files {
		is, err := tableKind(f)
		switch {
		case err != nil:
			reports[i] = source.Failed(f, err)
		case is == inferenceTable:
			inference = append(inference, i)
		case is == serverTable:
			reports[i] = source.Report{File: f.Path, Set: &profile.Set{}}
			reports[i].Note("describes the server without a model: not used")
		default:
			reports[i] = source.Report{File: f.Path, Set: &profile.Set{}}
			if err := source.Table(f, ',', nil, a.gpu); err != nil {
				reports[i] = source.Failed(f, err)
			}
		}
	}
	for _, i := range inference {
		reports[i] = a.read(files[i])
	}
	for i := range reports {
		if r := &reports[i]; r.Err == nil && len(r.Notes) == 0 && len(r.Set.Runs) == 0 {
			if len(inference) == 0 {
				*r = source.Failed(files[i],
					files[i].Wrong("has no throughput; import metrics-model-inference.csv together with it"))
			} else {
				r.Note("GPU memory, joined with the throughput beside it")
			}
		}
	}
	return reports
}

type table int

const (
	inferenceTable table = iota + 1
	gpuTable
	serverTable
)

func tableKind(f source.File) (is table, err error) {
	err = source.Head(f, ',', func(r *source.Row) error {
		switch {
		case r.Has("Model") && r.Has(throughputColumn):
			is = inferenceTable
		case r.Has("Model") && r.Has("GPU UUID") && r.Has(configColumn):
			is = gpuTable
		case r.Has("Model") && r.Has("GPU UUID"):
			is = serverTable
		default:
			return r.Wrong("is not a table of Model Analyzer: there is neither %s nor GPU UUID", throughputColumn)
		}
		return nil
	})
	return is, err
}

// key names a measurement in both tables.
func key(r *source.Row) string {
	return strings.Join([]string{r.Text("Model"), r.Text("Batch"), r.Text("Concurrency"), r.Text("Request Rate"),
		r.Text(configColumn)}, "\x00")
}

func (a *analyzer) gpu(r *source.Row) error {
	mb := cmp.Or(r.Positive("GPU Memory Usage (MB)"), r.Positive("Max GPU Memory Usage (MB)"))
	if mb == nil {
		return nil
	}
	u := a.used[key(r)]
	if u == nil {
		u = &usage{uuids: map[string]bool{}}
		a.used[key(r)] = u
	}
	u.uuids[r.Text("GPU UUID")] = true
	u.mb = max(u.mb, *mb)
	return nil
}

func (a *analyzer) read(f source.File) source.Report {
	set, left := &profile.Set{}, 0
	err := source.Table(f, ',', func(r *source.Row) error { return r.Need("Batch") }, func(r *source.Row) error {
		run, err := a.run(f, r)
		if err != nil {
			return err
		}
		if run == nil {
			left++
			return nil
		}
		set.Runs = append(set.Runs, *run)
		return nil
	})
	report := source.Found(f, set, err, "holds no measurement with a batch and a throughput that was not set by a "+
		"request rate")
	if report.Err == nil && left > 0 {
		report.Note("left out: %s without a batch or a throughput, or at a request rate, which sets the throughput",
			quantity.Several(left, "row"))
	}
	return report
}

func (a *analyzer) run(f source.File, r *source.Row) (*profile.Run, error) {
	batch, throughput := r.Count("Batch"), r.Positive(throughputColumn)
	if throughput == nil || batch == 0 || atRate(r) {
		return nil, nil
	}
	name := r.Text("Model")
	if name == "" {
		return nil, r.Wrong("Model is empty")
	}
	run := &profile.Run{
		Model: cmp.Or(a.given.Model, name), Unit: cmp.Or(a.given.Unit, "sample"), Mode: profile.Infer, Count: 1,
		BatchSize: batch,
		Status:    profile.Done, Basis: estimate.Measured, Variant: profile.Variant{Name: variant(r),
			Precision: a.given.Precision},
		Source: "Model Analyzer " + f.Base(),
	}
	if u := a.used[key(r)]; u != nil {
		run.GPUCount, run.PeakMemoryBytes = len(u.uuids), new(u.mb*1e6)
	}
	run.GPUCount = cmp.Or(run.GPUCount, a.given.GPUs())
	source.Steady(run, float64(batch*max(run.GPUCount, 1)) / *throughput, nil, 0)
	if ms := r.Positive(latencyColumn); ms != nil {
		run.Source += ", p99 latency " + quantity.Duration(*ms/1000)
	}
	return run, nil
}

// atRate reports whether requests came at a rate, whatever the server could do.
func atRate(r *source.Row) bool {
	says := func(column string) bool { return !source.Unknown(r.Text(column)) && r.Text(column) != "0" }
	return says("Request Rate") && !says("Concurrency")
}

// variant is the configuration of the model and the load on it.
func variant(r *source.Row) string {
	parts := []string{r.Text(configColumn)}
	if g := r.Text("Instance Group"); g != "" {
		parts = append(parts, g)
	}
	for _, load := range []string{"Concurrency", "Request Rate"} {
		if v := r.Text(load); v != "" {
			parts = append(parts, fmt.Sprintf("%s %s", strings.ToLower(load), v))
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

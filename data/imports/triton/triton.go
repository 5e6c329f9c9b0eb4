// Package triton reads the tables of Triton's perf_analyzer and Model Analyzer.
//
// perf_analyzer (-f out.csv, 2.x to 25.05) has a row per Concurrency or Request
// Rate with Inferences/Second and times of a request in microseconds: Server
// Compute Input, Server Compute Infer, Server Compute Output, p50 latency to p99
// latency …; with --verbose-csv also Max GPU Memory Usage and Total GPU Memory
// as uuid:bytes; lists. Rows stand in the order of throughput. Unknown are the
// model (the file's name is taken), the batch size (1, perf_analyzer's own
// default, is taken and said so; --batch gives another), the GPU's name, the
// VM type and any accuracy.
//
// Model Analyzer (metrics-model-inference.csv, 1.x) has Model, Batch, Concurrency
// or Request Rate, Model Config Path, Instance Group, Max Batch Size, Satisfies
// Constraints, Throughput (infer/sec) and p99 Latency (ms); the table
// metrics-model-gpu.csv beside it adds GPU Memory Usage (MB) by GPU UUID.
//
// Throughput counts inferences, not requests, so a batch takes batch size /
// throughput seconds on each of so many GPUs; their number is that of the table,
// else the one the user gives. At a request rate the load and not the server sets
// the throughput: there the time of a batch is the sum of the server's compute
// times, and rows of Model Analyzer, which has none, are left out. Concurrency and
// configuration are the variant. Latency
// percentiles have no column in a profile; the 99th is named in the source. The
// basis is measured.
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

// PerfAnalyzer is the CSV of perf_analyzer.
var PerfAnalyzer = source.Format{Name: "perf-analyzer", Rows: true, Title: "perf_analyzer CSV", Claims: claimsPerf,
	Read: source.Alone(readPerf)}

const rate = "Inferences/Second"

func claimsPerf(_ string, head []byte) bool {
	names := source.Header(head, ',')
	return slices.Contains(names, rate) && loadColumn(names) != ""
}

// loadColumn is the column of the load: how many requests are on the way at
// once, or come per second.
func loadColumn(names []string) string {
	for _, c := range []string{"Concurrency", "Request Rate"} {
		if slices.Contains(names, c) {
			return c
		}
	}
	return ""
}

// compute are the parts of a request that the server works on it.
var compute = []string{"Server Compute Input", "Server Compute Infer", "Server Compute Output"}

type perf struct {
	file  source.File
	given source.Given
	load  string
	batch int
	set   profile.Set
	empty int
}

func readPerf(f source.File, given source.Given) source.Report {
	p := &perf{file: f, given: given, batch: max(given.BatchSize, 1)}
	name := given.ModelOr(strings.TrimSuffix(f.Stem(), "-results"))
	p.set.Models = []profile.Model{{Name: name, Unit: cmp.Or(given.Unit, "sample")}}
	err := source.Table(f, ',', func(r *source.Row) error {
		p.load = loadColumn(r.Columns())
		if p.load == "" {
			return r.Wrong("there is no column Concurrency or Request Rate")
		}
		return r.Need(rate)
	}, p.row)
	report := source.Found(f, &p.set, err, "holds no measurement with a throughput")
	if report.Err != nil {
		return report
	}
	if given.BatchSize == 0 {
		report.Note("the table does not give the batch size: perf_analyzer's default, 1, was assumed; " +
			"give another with --batch")
	}
	if p.empty > 0 {
		report.Note("%s without a throughput left out", quantity.Several(p.empty, "row"))
	}
	return report
}

func (p *perf) row(r *source.Row) error {
	throughput := r.Positive(rate)
	if throughput == nil {
		p.empty++
		return nil
	}
	m := p.set.Models[0]
	run := profile.Run{
		Model: m.Name, Unit: m.Unit, Mode: profile.Infer, Count: 1, BatchSize: p.batch, Status: profile.Done,
		Basis: estimate.Measured,
		Variant: profile.Variant{Name: fmt.Sprintf("%s %s", strings.ToLower(p.load), r.Text(p.load)),
			Precision: p.given.Precision},
		Source: "perf_analyzer " + p.file.Base(),
	}
	gpus(&run, r)
	run.GPUCount = cmp.Or(run.GPUCount, p.given.GPUs())
	seconds := float64(p.batch*max(run.GPUCount, 1)) / *throughput
	if p.load == "Request Rate" {
		if seconds = microseconds(r, compute...); seconds == 0 {
			return r.Wrong("at a request rate the Server Compute columns are needed, and they hold nothing")
		}
	}
	source.Steady(&run, seconds, nil, 0)
	if p99 := microseconds(r, "p99 latency"); p99 > 0 {
		run.Source += ", p99 latency " + quantity.Duration(p99)
	}
	p.set.Runs = append(p.set.Runs, run)
	return nil
}

// microseconds is the sum of columns of microseconds, in seconds.
func microseconds(r *source.Row, columns ...string) (sum float64) {
	for _, c := range columns {
		if v := r.Positive(c); v != nil {
			sum += *v / 1e6
		}
	}
	return sum
}

// gpus reads uuid:bytes; lists.
func gpus(run *profile.Run, r *source.Row) {
	if used := perGPU(r, "Max GPU Memory Usage"); len(used) > 0 {
		run.GPUCount = len(used)
		run.PeakMemoryBytes = new(slices.Max(used))
	}
	if total := perGPU(r, "Total GPU Memory"); len(total) > 0 {
		run.GPUCount = max(run.GPUCount, len(total))
		run.GPUMemGiB = new(slices.Max(total) / (1 << 30))
	}
}

func perGPU(r *source.Row, column string) (values []float64) {
	for part := range strings.SplitSeq(r.Raw(column), ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		i := strings.LastIndexByte(part, ':')
		v, ok := source.Number(part[i+1:])
		if i < 0 || !ok || (v != nil && *v < 0) {
			_ = r.Fail(column, "is not a list of uuid:value; pairs")
			return nil
		}
		if v != nil && *v > 0 {
			values = append(values, *v)
		}
	}
	return values
}

package mllog

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Epochs is a table of the marks of many logs, one row per run: version,
// submitter, system, acc_per_node, accelerator, benchmark, run, init_s, total_s,
// epochs, epoch_start_rel_s (seconds; …) and evals (seconds:metric; …), both from
// run_start. The submitter is the cloud and the system the VM type; the version
// of the rules, which change targets, is the variant. init_s is in no total and
// is left out. Unknown are batch size, price and memory. The basis is measured.
var Epochs = source.Format{Name: "mlperf-epochs", Rows: true, Title: "table of MLPerf epochs", Claims: claimsEpochs,
	Read: source.Alone(readEpochs)}

var epochColumns = []string{"version", "benchmark", "total_s", "epochs", "epoch_start_rel_s", "evals"}

func claimsEpochs(_ string, head []byte) bool {
	return source.HaveAll(source.Header(head, ','), epochColumns...)
}

func readEpochs(f source.File, _ source.Given) source.Report {
	set, astray := &profile.Set{}, 0
	err := source.Table(f, ',', func(row *source.Row) error { return row.Need(epochColumns...) },
		func(row *source.Row) error {
			run, sound, err := epochRow(f, row)
			if err != nil {
				return err
			}
			if !sound {
				astray++
			}
			set.Runs = append(set.Runs, run)
			return nil
		})
	r := source.Found(f, set, err, "has a header but no runs")
	if r.Err == nil && astray > 0 {
		r.Note("%s with epochs out of order: their start times are unknown", quantity.Several(astray, "run"))
	}
	return r
}

func epochRow(f source.File, row *source.Row) (run profile.Run, sound bool, err error) {
	bench := row.Text("benchmark")
	if bench == "" {
		return run, false, row.Wrong("benchmark is empty")
	}
	run = profile.Run{
		Model: bench, Unit: units[bench], Variant: profile.Variant{Name: row.Text("version")}, Mode: profile.Train,
		Cloud: row.Text("submitter"), GPU: row.Text("accelerator"), Status: profile.Done,
		Basis:  estimate.Measured,
		Source: fmt.Sprintf("MLPerf Training %s, %s, run %s", row.Text("version"), f.Base(), row.Text("run")),
	}
	setMachine(&run, row.Text("system"))
	run.TotalS, run.Epochs = row.Positive("total_s"), row.Positive("epochs")
	run.GPUCount = cmp.Or(row.Count("acc_per_node"), run.GPUCount)
	if run.EpochStartsS, sound, err = epochStarts(row); err != nil || run.EpochStartsS == nil {
		return run, sound, err
	}
	return run, true, evaluations(&run, row)
}

// epochStarts reads a list of seconds; sound is false if it is out of order.
func epochStarts(row *source.Row) (starts []float64, sound bool, err error) {
	for mark := range strings.SplitSeq(row.Raw("epoch_start_rel_s"), ";") {
		at, ok := source.Number(strings.TrimSpace(mark))
		if !ok {
			return nil, false, row.Wrong("epoch_start_rel_s is not a list of seconds")
		}
		if at == nil {
			continue
		}
		v := max(0, *at)
		if n := len(starts); n > 0 && v <= starts[n-1] {
			return nil, false, nil
		}
		starts = append(starts, v)
	}
	return starts, true, nil
}

func evaluations(run *profile.Run, row *source.Row) error {
	name, higher := "eval_accuracy", true
	m, known := metrics[run.Model]
	if known {
		name, higher = m.name, m.higher
	}
	var first, last *float64
	for mark := range strings.SplitSeq(row.Raw("evals"), ";") {
		when, value, _ := strings.Cut(strings.TrimSpace(mark), ":")
		at, ok := source.Number(when)
		v, sound := source.Number(strings.TrimSpace(value))
		if !ok || !sound {
			return row.Wrong("evals is not a list of seconds:metric")
		}
		if at == nil {
			continue
		}
		first, last = cmp.Or(first, v), cmp.Or(v, last)
		end := math.Max(0, *at)
		run.Validations = append(run.Validations, profile.Validation{Metric: name, Value: v, AtS: &end,
			Epoch: max(0, run.EpochAt(end))})
	}
	// A run ends once its metric is good enough, so the last value is the better.
	if !known && first != nil {
		higher = *last >= *first
	}
	for i := range run.Validations {
		run.Validations[i].HigherIsBetter = higher
	}
	source.LastAccuracy(run)
	return nil
}

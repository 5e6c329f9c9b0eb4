// Package zeus reads the trace of Zeus (You, Chung and Chowdhury, NSDI 2023;
// examples/research_reproducibility/zeus_nsdi23/trace): summary_train.csv has
// dataset, network, batch_size, optimizer, learning_rate, run, target_metric and
// target_epoch, the epoch after which a metric first reached each of a row of
// targets, nan for never; summary_power_GPU.csv has dataset, network, batch_size,
// optimizer, power_limit (W), time_per_epoch (seconds) and average_power (W).
//
// A run of summary_train.csv becomes a training whose validations are the
// targets it reached; the trace says nothing of its time or GPU. Each batch size
// and power limit of summary_power_GPU.csv becomes a training of one epoch with
// its mean power, which is that of the GPU. The highest limit of a table is taken
// for the one the GPU is sold with; under each lower one the GPU counts as a machine
// of its own. The optimizer is the variant, since both depend on it, and a network
// on each data set is a model of its own.
// Whether more of a metric is better is shown by nothing but the order in which
// targets are reached: word error rates fall. Unknown are the size of the
// training sets, the VM type, the price and memory. The basis is published.
package zeus

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Format is how the tables of the trace are recognised and read. Each stands
// for itself.
var Format = source.Format{Name: "zeus", Rows: true, Title: "Zeus trace", Claims: claims, Read: source.Alone(read)}

var (
	key          = []string{"dataset", "network", "batch_size", "optimizer"}
	trainColumns = append(slices.Clone(key), "target_metric", "target_epoch")
	powerColumns = append(slices.Clone(key), "power_limit", "time_per_epoch")
)

const asOf = "2023-04"

func claims(_ string, head []byte) bool {
	names := source.Header(head, ',')
	return source.HaveAll(names, trainColumns...) || source.HaveAll(names, powerColumns...)
}

// table is a file while it is read.
type table struct {
	file    source.File
	isPower bool
	set     profile.Set
	at      map[string]int // of the run a row belongs to
	reached [][]reach
	limits  []float64 // of power, W
}

// reach is the epoch, counted from 1, after which a run reached a target; +Inf
// where it never did.
type reach struct{ target, epoch float64 }

func read(f source.File, _ source.Given) source.Report {
	t := &table{file: f, at: map[string]int{}}
	err := source.Table(f, ',', func(r *source.Row) error {
		t.isPower = source.HaveAll(r.Columns(), powerColumns...)
		if t.isPower {
			return nil
		}
		return r.Need(trainColumns...)
	}, func(r *source.Row) error {
		if t.isPower {
			return t.epochTime(r)
		}
		return t.training(r)
	})
	report := source.Found(f, &t.set, err, "has a header but no runs")
	if report.Err != nil {
		return report
	}
	if t.isPower {
		t.lowered()
	} else {
		for _, name := range t.validations() {
			report.Note("nothing says whether more of the metric of %s is better; that it is was assumed", name)
		}
	}
	return report
}

// run is the run that a row is of, its summary still empty if it is new.
func (t *table) run(r *source.Row, key string) (*profile.Run, int, error) {
	if i, seen := t.at[key]; seen {
		return &t.set.Runs[i], i, nil
	}
	batch := r.Count("batch_size")
	if batch == 0 || r.Text("network") == "" {
		return nil, 0, r.Wrong("network or batch_size is empty")
	}
	if len(t.set.Runs) >= source.MaxRuns {
		return nil, 0, r.Wrong("more than %d runs; split the file", source.MaxRuns)
	}
	m := profile.Model{Name: r.Text("network") + " on " + r.Text("dataset"), Dataset: r.Text("dataset"), Unit: "sample"}
	if _, known := t.set.Model(m.Name); !known {
		t.set.Models = append(t.set.Models, m)
	}
	i := len(t.set.Runs)
	t.at[key] = i
	t.reached, t.limits = append(t.reached, nil), append(t.limits, 0)
	t.set.Runs = append(t.set.Runs, profile.Run{
		Model: m.Name, Dataset: m.Dataset, Unit: m.Unit, Variant: profile.Variant{Name: r.Text("optimizer")},
		Mode: profile.Train, Count: 1,
		BatchSize: batch, Status: profile.Done, Basis: estimate.Published, AsOf: asOf, Source: "Zeus (NSDI 2023), " +
			t.file.Base(),
	})
	return &t.set.Runs[i], i, nil
}

func joined(r *source.Row, columns ...string) string {
	return plaintext.Join(columns, "\x00", r.Text)
}

func (t *table) training(r *source.Row) error {
	target := r.Number("target_metric")
	if target == nil {
		return r.Wrong("target_metric is empty")
	}
	epoch := r.Count("target_epoch")
	run, i, err := t.run(r, joined(r, append(slices.Clone(key), "learning_rate", "run")...))
	if err != nil {
		return err
	}
	if len(t.reached[i]) == 0 {
		run.Source += fmt.Sprintf(", run %s, learning rate %s", r.Text("run"), r.Text("learning_rate"))
	}
	after := math.Inf(1)
	if epoch > 0 {
		after = float64(epoch)
	}
	t.reached[i] = append(t.reached[i], reach{*target, after})
	return nil
}

func (t *table) epochTime(r *source.Row) error {
	seconds, limit := r.Positive("time_per_epoch"), r.Positive("power_limit")
	if seconds == nil || limit == nil {
		return nil
	}
	run, i, err := t.run(r, joined(r, append(slices.Clone(key), "power_limit")...))
	if err != nil || t.limits[i] > 0 {
		return err
	}
	gpu := strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(t.file.Base(), "summary_power_"),
		path.Ext(t.file.Base())))
	run.InstanceType, run.GPU, run.GPUCount = gpu, gpu, 1
	run.Epochs, run.TotalS = new(1.0), seconds
	if run.AveragePowerW = r.Positive("average_power"); run.AveragePowerW != nil {
		run.EnergyOf = profile.EnergyOfGPUs
	}
	run.Source = fmt.Sprintf("Zeus (NSDI 2023), %s, power limit %g W", t.file.Base(), *limit)
	t.limits[i] = *limit
	return nil
}

// lowered marks the runs below the highest power limit.
func (t *table) lowered() {
	highest := slices.Max(t.limits)
	for i, limit := range t.limits {
		if limit < highest {
			t.set.Runs[i].PowerLimitW = &limit
		}
	}
}

// validations turns the targets reached into validations. The direction of a
// metric is the one in which the same run takes longer; metrics above 1 that
// grow are percentages. Of the models returned nothing shows it.
func (t *table) validations() (open []string) {
	longer, top := map[string]int{}, map[string]float64{}
	workload := func(r profile.Run) string { return r.Model + "\x00" + r.Variant.Name }
	for i, r := range t.set.Runs {
		slices.SortFunc(t.reached[i], func(a, b reach) int { return cmp.Compare(a.target, b.target) })
		for j, b := range t.reached[i] {
			top[workload(r)] = max(top[workload(r)], b.target)
			if j > 0 {
				longer[workload(r)] += cmp.Compare(b.epoch, t.reached[i][j-1].epoch)
			}
		}
	}
	for i := range t.set.Runs {
		r := &t.set.Runs[i]
		higher, unit := longer[workload(*r)] >= 0, 1.0
		if longer[workload(*r)] == 0 && len(t.reached[i]) > 0 && !slices.Contains(open, r.Model) {
			open = append(open, r.Model)
		}
		if higher && top[workload(*r)] > 1 && top[workload(*r)] <= 100 {
			unit = 100
		}
		if !higher {
			slices.Reverse(t.reached[i])
		}
		addValidations(r, t.reached[i], higher, unit)
	}
	return open
}

// addValidations lists every target reached, easier ones first. What follows
// the last was never reached.
func addValidations(r *profile.Run, reached []reach, higher bool, unit float64) {
	epoch := 0
	for _, x := range reached {
		if math.IsInf(x.epoch, 1) {
			continue
		}
		epoch = max(epoch, int(x.epoch)-1)
		r.Validations = append(r.Validations, profile.Validation{Epoch: epoch, Metric: "target metric",
			Value: new(x.target / unit), HigherIsBetter: higher})
	}
	if len(r.Validations) > 0 {
		source.LastAccuracy(r)
		r.Epochs = new(float64(epoch + 1))
	}
}

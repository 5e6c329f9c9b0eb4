package convert

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// zeus reads the trace of Zeus (You, Chung and Chowdhury, NSDI 2023): for each
// workload, batch size and seed the epoch after which a metric first reached
// each of a row of targets (summary_train.csv), and for each GPU the seconds of
// an epoch by batch size and power limit (summary_power_GPU.csv).
//
// A run of summary_train.csv becomes a training run whose validations are the
// targets it reached; the trace says nothing of its time or GPU. A batch size
// of summary_power_GPU.csv becomes a training run of one epoch at the highest
// power limit. The optimizer is the variant, since both depend on it. The trace
// does not say how large the training sets are, so that stays unknown.
func zeus(folder fs.FS) (*profile.Set, error) {
	set := &profile.Set{}
	if err := zeusTrainings(folder, set); err != nil {
		return nil, err
	}
	files, err := fs.Glob(folder, "summary_power_*.csv")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := zeusEpochTimes(folder, file, set); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// zeusPrice is what an hour of a VM with one such GPU costs, in US dollars: AWS
// p3.2xlarge in us-east-1, Azure NC6s v2 in East US. Others are unknown.
var zeusPrice = map[string]float64{"V100": 3.06, "P100": 2.07}

const zeusAsOf = "2023-04"

// zeusRun is a run of a workload of the trace, its summary still empty.
func zeusRun(set *profile.Set, row table) (profile.Run, error) {
	batch, ok := row.count("batch_size")
	if !ok {
		return profile.Run{}, row.wrong("batch_size", "is no batch size")
	}
	// The same network on two datasets is two models.
	m := profile.Model{Name: row.cell("network") + " on " + row.cell("dataset"), Dataset: row.cell("dataset"),
		Unit: "sample"}
	if _, known := set.Model(m.Name); !known {
		set.Models = append(set.Models, m)
	}
	r := profile.Run{
		Model: m.Name, Dataset: m.Dataset, Unit: m.Unit, Variant: profile.Variant{Name: row.cell("optimizer")},
		Mode: profile.Train, Count: 1, BatchSize: batch, Status: profile.Done, Basis: estimate.Published,
		AsOf: zeusAsOf,
	}
	return r, nil
}

// zeusReached is the epoch, counted from 1, after which a run reached a target;
// +Inf where it never did.
type zeusReached struct{ target, epoch float64 }

func zeusTrainings(folder fs.FS, set *profile.Set) error {
	var runs []profile.Run
	var reached [][]zeusReached
	at := map[string]int{}
	err := eachRow(folder, "summary_train.csv", func(row table) error {
		target, ok := row.number("target_metric")
		if !ok {
			return row.wrong("target_metric", "is no target")
		}
		epoch := math.Inf(1)
		if !strings.EqualFold(row.cell("target_epoch"), "nan") {
			whole, ok := row.count("target_epoch")
			if !ok {
				return row.wrong("target_epoch", "is neither an epoch from 1 on nor nan")
			}
			epoch = float64(whole)
		}
		key := row.key("dataset", "network", "batch_size", "optimizer", "learning_rate", "run")
		i, seen := at[key]
		if !seen {
			r, err := zeusRun(set, row)
			if err != nil {
				return err
			}
			r.Source = fmt.Sprintf("Zeus (NSDI 2023), %s, run %s, learning rate %s", row.file, row.cell("run"),
				row.cell("learning_rate"))
			i = len(runs)
			at[key], runs, reached = i, append(runs, r), append(reached, nil)
		}
		reached[i] = append(reached[i], zeusReached{target, epoch})
		return nil
	})
	if err != nil {
		return err
	}
	zeusValidations(runs, reached)
	set.Runs = append(set.Runs, runs...)
	return nil
}

// zeusValidations turns the targets reached into validations. The trace does
// not say whether a higher metric is better: the direction is the one in which
// the same run takes longer. Metrics above 1 that grow are percentages.
func zeusValidations(runs []profile.Run, reached [][]zeusReached) {
	longer, top := map[string]int{}, map[string]float64{}
	workload := func(r profile.Run) string { return r.Model + "\x00" + r.Variant.Name }
	for i, r := range runs {
		slices.SortFunc(reached[i], func(a, b zeusReached) int { return cmp.Compare(a.target, b.target) })
		for j, b := range reached[i] {
			top[workload(r)] = max(top[workload(r)], b.target)
			if j > 0 {
				longer[workload(r)] += cmp.Compare(b.epoch, reached[i][j-1].epoch)
			}
		}
	}
	for i := range runs {
		r := &runs[i]
		higher, unit := longer[workload(*r)] >= 0, 1.0
		if higher && top[workload(*r)] > 1 {
			unit = 100
		}
		if !higher {
			slices.Reverse(reached[i])
		}
		addZeusValidations(r, reached[i], higher, unit)
	}
}

// addZeusValidations lists every target reached, easier ones first. The last of
// them is the run's accuracy, and its epoch the one after which the run no
// longer improved: what follows was never reached.
func addZeusValidations(r *profile.Run, reached []zeusReached, higher bool, unit float64) {
	const metric = "target metric"
	epoch := 0
	for _, x := range reached {
		if math.IsInf(x.epoch, 1) {
			continue
		}
		epoch = max(epoch, int(x.epoch)-1)
		r.Validations = append(r.Validations, profile.Validation{Epoch: epoch, Metric: metric, Value: new(x.target / unit),
			HigherIsBetter: higher})
	}
	if n := len(r.Validations); n > 0 {
		r.Accuracy = &profile.Accuracy{Metric: metric, Value: *r.Validations[n-1].Value, HigherIsBetter: higher,
			Basis: r.Basis}
		r.Epochs = new(float64(epoch + 1))
	}
}

func zeusEpochTimes(folder fs.FS, file string, set *profile.Set) error {
	name := strings.TrimPrefix(strings.TrimSuffix(path.Base(file), ".csv"), "summary_power_")
	gpu := strings.ToUpper(name)
	at, limit := map[string]int{}, map[string]float64{}
	return eachRow(folder, file, func(row table) error {
		seconds, ok := row.number("time_per_epoch")
		if !ok || seconds == 0 {
			return row.wrong("time_per_epoch", "is no time")
		}
		watts, ok := row.number("power_limit")
		if !ok || watts == 0 {
			return row.wrong("power_limit", "is no power limit")
		}
		key := row.key("dataset", "network", "batch_size", "optimizer")
		i, seen := at[key]
		if seen && watts <= limit[key] {
			return nil
		}
		r, err := zeusRun(set, row)
		if err != nil {
			return err
		}
		r.InstanceType, r.GPU, r.GPUCount = gpu, gpu, 1
		if price, known := zeusPrice[gpu]; known {
			r.USDPerHour = &price
		}
		r.Epochs, r.TotalS = new(1.0), &seconds
		r.Source = fmt.Sprintf("Zeus (NSDI 2023), %s, power limit %g W", row.file, watts)
		if !seen {
			i = len(set.Runs)
			set.Runs = append(set.Runs, profile.Run{})
		}
		at[key], limit[key], set.Runs[i] = i, watts, r
		return nil
	})
}

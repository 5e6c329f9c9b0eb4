package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/energy"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// Power asks for the mean power of GPUs on which it was measured: at batch sizes between
// the smallest, the middle and the largest, and on a GPU where the model was never run.
func Power(mode profile.Mode) []Question {
	between := named(mode, "power-batch", "power at another batch size, from the least, the middle and the largest")
	between.jobs = powerJobs(mode, func(asked []profile.Run, r profile.Run) bool {
		a := asked[0]
		known := smallestMiddleLargest(batchesOf(asked))
		return r.GPU == a.GPU && transfer.SubjectOf(r.Model, r.Variant) == transfer.SubjectOf(a.Model, a.Variant) &&
			!slices.Contains(known, r.BatchSize)
	}, nearestPower)
	elsewhere := named(mode, "power-vm", "power on a GPU where the model was never run, from the others")
	elsewhere.jobs = powerJobs(mode, func(asked []profile.Run, r profile.Run) bool {
		return r.Model == asked[0].Model && r.GPU == asked[0].GPU
	}, byDesignPower)
	return []Question{between, elsewhere}
}

// powerJobs hides some runs' power for each subject and GPU, whose own are given, and asks
// for it.
func powerJobs(mode profile.Mode, hides func(asked []profile.Run, r profile.Run) bool,
	plain func(rest *profile.Set, r profile.Run) float64) func(*known) []job {
	return func(k *known) (out []job) {
		type curve struct {
			subject transfer.Subject
			gpu     string
		}
		var order []curve
		runs := map[curve][]profile.Run{}
		for _, r := range k.set.Runs {
			if r.Mode != mode || r.AveragePowerW == nil || r.EnergyOf != profile.EnergyOfGPUs || r.PowerLimitW != nil ||
				r.GPU == "" {
				continue
			}
			c := curve{transfer.SubjectOf(r.Model, r.Variant), r.GPU}
			if runs[c] == nil {
				order = append(order, c)
			}
			runs[c] = append(runs[c], r)
		}
		for _, c := range order {
			if asked := runs[c]; len(batchesOf(asked)) > 2 {
				out = append(out, job{len(asked), func() []Case { return powerCases(k.set, asked, hides, plain) }})
			}
		}
		return out
	}
}

func batchesOf(runs []profile.Run) []int {
	var out []int
	for _, r := range runs {
		out = append(out, r.BatchSize)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func powerCases(set *profile.Set, asked []profile.Run, hides func([]profile.Run, profile.Run) bool,
	plain func(*profile.Set, profile.Run) float64) (out []Case) {
	rest := *set
	rest.Runs = slices.Clone(set.Runs)
	for i := range rest.Runs {
		if hides(asked, rest.Runs[i]) {
			rest.Runs[i].AveragePowerW = nil
		}
	}
	powers := energy.NewPowers(&rest, asked[0].Mode)
	for _, r := range asked {
		baseline := plain(&rest, r)
		if !hides(asked, r) || math.IsNaN(baseline) {
			continue
		}
		e, _ := powers.Of(transfer.SubjectOf(r.Model, r.Variant), r.GPU, max(r.GPUCount, 1), r.BatchSize, r.Mode)
		out = append(out, Case{Of: fmt.Sprintf("%s on %s at batch %d", r.Model, r.GPU, r.BatchSize), Group: r.Model,
			Truth: *r.AveragePowerW, Predicted: e, Plain: baseline})
	}
	return out
}

// nearestPower is the baseline for another batch size: the power at the nearest one.
func nearestPower(rest *profile.Set, asked profile.Run) float64 {
	best, away := math.NaN(), math.Inf(1)
	for _, r := range rest.Runs {
		same := r.GPU == asked.GPU && transfer.SubjectOf(r.Model, r.Variant) == transfer.SubjectOf(asked.Model, asked.Variant)
		d := math.Abs(math.Log(float64(r.BatchSize) / float64(asked.BatchSize)))
		if same && r.AveragePowerW != nil && d < away {
			best, away = *r.AveragePowerW, d
		}
	}
	return best
}

// byDesignPower is the baseline for another GPU: the power on others at the same batch
// size, scaled by the thermal design powers.
func byDesignPower(rest *profile.Set, asked profile.Run) float64 {
	tdp := func(gpu string) float64 {
		if g, known := rest.GPUSpec(gpu); known && g.TDPWatts != nil {
			return *g.TDPWatts
		}
		return math.NaN()
	}
	var logs []float64
	for _, r := range rest.Runs {
		same := r.GPU != asked.GPU && r.BatchSize == asked.BatchSize && cmp.Or(r.GPUCount, 1) == cmp.Or(asked.GPUCount, 1) &&
			transfer.SubjectOf(r.Model, r.Variant) == transfer.SubjectOf(asked.Model, asked.Variant)
		if same && r.AveragePowerW != nil {
			logs = append(logs, math.Log(*r.AveragePowerW*tdp(asked.GPU)/tdp(r.GPU)))
		}
	}
	return math.Exp(mean(logs))
}

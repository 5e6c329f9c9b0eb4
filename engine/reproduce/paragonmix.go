package reproduce

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
)

// Bounds on the kinds of request of a pool's mix, and its load: that on which settings are
// varied.
const (
	mostKinds  = 40
	mixSeconds = 3600
	mixRate    = 600 // queries per second, of all kinds, with a crowd of four times that
)

// trained are runs of the pre-trained models on the study's VM, a query at a time.
func trained(v serving.Variants, vm serving.VM) *profile.Set {
	set := &profile.Set{}
	for _, x := range v.List {
		if !(x.LatencyS > 0) || math.IsNaN(x.Accuracy) {
			continue
		}
		set.Models = append(set.Models, profile.Model{Name: x.Name})
		set.Runs = append(set.Runs, profile.Run{ID: int64(len(set.Runs) + 1), Model: x.Name, Mode: profile.Infer,
			Status: profile.Done, InstanceType: "m4.large", Count: 1, BatchSize: 1, USDPerHour: &vm.USDPerHour,
			Steady:   estimate.Exact(x.LatencyS, estimate.Published),
			Accuracy: &profile.Accuracy{Metric: "top-1", Value: x.Accuracy, HigherIsBetter: true}})
	}
	return set
}

// kinds are queries that ask for the accuracy of one variant within the latency of another,
// as many of each, evenly taken from all pairs that a variant keeps.
func kinds(v serving.Variants, models []string, functions map[string]serving.Memory) (all []serving.Kind) {
	for _, a := range v.List {
		for _, b := range v.List {
			if math.IsNaN(a.Accuracy) || !(b.LatencyS > 0) ||
				len(v.Within(serving.Limits{Accuracy: &a.Accuracy, LatencyS: &b.LatencyS}, serving.Cost)) == 0 {
				continue
			}
			floor := a.Accuracy
			all = append(all, serving.Kind{Name: fmt.Sprintf("%.4g within %.3g s", a.Accuracy, b.LatencyS),
				LimitS: b.LatencyS * (1 + 1e-9), Wanted: serving.Wanted{Models: models, MinAccuracy: &floor, Best: serving.Cost,
					Functions: functions}})
		}
	}
	if n := len(all); n > mostKinds {
		for k := range mostKinds {
			all[k] = all[k*n/mostKinds]
		}
		all = all[:mostKinds]
	}
	for k := range all {
		all[k].Share = 1 / float64(len(all))
	}
	return all
}

// workload2 simulates a pool's mix of queries: what all of them cost with the cheapest model
// that keeps each one's limits, and with the most accurate.
func (o relations) workload2(p pool, r *reading) (*serving.MixAnswer, int) {
	v, settings := p.of(r), o.loads.settings
	set := trained(v, settings.VM)
	var models []string
	functions := map[string]serving.Memory{}
	for _, run := range set.Runs {
		models = append(models, run.Model)
		functions[run.Model] = serving.MemoryOf(run.Steady.Value, settings.Function.MemoryGiB)
	}
	all := kinds(v, models, functions)
	m := serving.Mix{Trace: serving.CrowdLoad.Generate(mixSeconds, mixRate, 1), Kinds: all, Settings: settings,
		MaxViolations: acceptedViolations}
	a, err := m.Answer(set)
	if err != nil {
		return nil, len(all)
	}
	return a, len(all)
}

// mixRows are section 4's second workload as a mix of queries on a synthetic load. The
// study does not plot its result: "up to 20 %" is all there is to set beside it.
func (o relations) mixRows(s sheet) (rows []Row) {
	at := slices.IndexFunc(o.pools, func(p pool) bool { return p.name == preTrainedPool })
	if o.loads == nil || at < 0 || !slices.ContainsFunc(o.cells, func(c Cell) bool { return c.Key == savesOverNaive }) {
		return nil
	}
	p, n := o.pools[at], 0
	var answer *serving.MixAnswer
	got, ok := s.value(func(r *reading) float64 {
		if answer, n = o.workload2(p, r); answer == nil || answer.Naive == nil {
			return math.NaN()
		}
		return 100 * saving(answer.Outcomes[answer.Pick].USD, *answer.Naive)
	})
	if !ok {
		return nil
	}
	note := fmt.Sprintf("section 4: up to 20 %% over a naive selection, results not plotted, so nothing of the study can "+
		"be held against ours but that number; ours is a simulated hour of %d kinds of request, each with an accuracy and a "+
		"latency that models of the pool have, served by %d groups of VMs under %s, against the most accurate model that "+
		"keeps the same limits; %s", n, len(answer.Groups), answer.Outcomes[answer.Pick].Scheme, p.words)
	return []Row{claim{"section 4, workload-2", p.name + " saves_over_naive_percent", got.value, new(got.value > 0), note,
		"the cheapest models cost no less", ""}.row(Paragon, got.used)}
}

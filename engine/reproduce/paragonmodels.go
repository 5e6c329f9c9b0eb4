package reproduce

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
)

// pool is models to choose from that are not the study's.
type pool struct {
	name, words string
	of          func(*reading) serving.Variants
}

const (
	poolsSuffix = ", other models"
	mostModels  = 100 // every pair of them is a question
)

// poolsOf are the pre-trained models among the cells, and what was measured with
// this program on machines like the study's VM.
func poolsOf(in Inputs) []pool {
	var names []string
	for _, c := range in.Cells {
		if c.Table == modelsTable && c.Column == modelMilliseconds && len(names) < mostModels {
			names = append(names, c.Application)
		}
	}
	var pools []pool
	vm := serving.Defaults().VM
	if len(names) > 1 {
		pools = append(pools, pool{
			"pre-trained", fmt.Sprintf("pool: %d pre-trained ImageNet models with the accuracies and CPU times that Keras "+
				"publishes, costs in proportion to the times", len(names)),
			func(r *reading) serving.Variants { return preTrained(r, names, vm) },
		})
	}
	if in.Own == nil {
		return pools
	}
	measured := &profile.Set{VMTypes: in.Own.VMTypes}
	for i := range in.Own.Runs {
		if in.Own.Runs[i].Basis == estimate.Measured {
			measured.Runs = append(measured.Runs, in.Own.Runs[i])
		}
	}
	for _, model := range prunedModels(measured) {
		offers := serving.Offers(measured, []string{model}, vm.USDPerHour)
		pools = append(pools, pool{
			model, fmt.Sprintf("pool: variants of %s measured with this program, on VMs at their price or $%.2f/h", model,
				vm.USDPerHour),
			func(r *reading) serving.Variants { return measuredVariants(offers, r.at(limitMS)/1000) },
		})
	}
	return pools
}

func preTrained(r *reading, names []string, vm serving.VM) serving.Variants {
	var v serving.Variants
	for _, name := range names {
		at := Key{Table: modelsTable, Application: name}
		seconds := r.at(at.in(modelMilliseconds)) / 1000
		v.List = append(v.List, serving.Variant{
			Name: name, Accuracy: r.at(at.in(modelAccuracy)) / 100, LatencyS: seconds,
			USDPerMillion: 1e6 * vm.USDPerHour / 3600 * seconds,
		})
	}
	return v
}

// measuredVariants are the offers of which everything is known, each at the batch
// size that costs least.
func measuredVariants(offers []serving.Offer, limitS float64) serving.Variants {
	all, served := serving.Choose(offers, limitS, 0)
	known := serving.Variants{LowerIsBetter: all.LowerIsBetter}
	for i := range offers {
		best := -1
		for k, v := range all.List {
			if served[k].Offer == i && !math.IsNaN(v.Accuracy) && (best < 0 || v.USDPerMillion < all.List[best].USDPerMillion) {
				best = k
			}
		}
		if best >= 0 && len(known.List) < mostModels {
			known.List = append(known.List, all.List[best])
		}
	}
	return known
}

// chosen are the costs of the questions of [ask], summed up, by how they are answered.
type chosen struct {
	asked                 int
	best, naive, accurate float64
}

// ask asks a pool for every accuracy and latency that two of its models have:
// the cheapest that keeps both, any of those that do, the most accurate of them.
func ask(v serving.Variants) (c chosen) {
	for _, a := range v.List {
		for _, b := range v.List {
			limits := serving.Limits{Accuracy: &a.Accuracy, LatencyS: &b.LatencyS}
			best, ok, err := v.Best(limits)
			if err != nil || !ok {
				continue
			}
			kept := v.Within(limits, serving.Accuracy)
			mean := 0.0
			for _, i := range kept {
				mean += v.List[i].USDPerMillion / float64(len(kept))
			}
			c.asked++
			c.best += v.List[best].USDPerMillion
			c.naive += mean
			c.accurate += v.List[kept[0]].USDPerMillion
		}
	}
	return c
}

// poolRows are Observation 1 and section 4's second workload in other pools.
// Nothing is judged on the study's number: it rests on its own pool.
func (o relations) poolRows(s sheet) (rows []Row) {
	for _, c := range o.cells {
		if c.Key != savesOverNaive {
			continue
		}
		for _, p := range o.pools {
			shown := c
			shown.Table += poolsSuffix
			shown.Application = p.name
			saves := func(r *reading) float64 { a := ask(p.of(r)); return 100 * saving(a.best, a.naive) }
			row := s.row(Paragon, shown, computation{
				note: "the cheapest model that keeps accuracy and latency, against any that does (naive: oblivious to cost); " +
					p.words,
				formula: saves, partial: "how much depends on the pool, which is not the study's",
				other:    func(r *reading) float64 { a := ask(p.of(r)); return 100 * saving(a.best, a.accurate) },
				otherway: "against the most accurate that keeps both it is %s",
			}, nil)
			row.Key = c.Key
			rows = append(rows, row)
			if got, ok := s.value(saves); ok {
				note := fmt.Sprintf("Observation 1: model selection should meet the cost requirement without compromising on "+
					"the constraints; asked for every accuracy and latency that two models of the pool have; %s", p.words)
				rows = append(rows, claimed("section 4"+poolsSuffix, p.name+" choosing the model saves", got.value, got.value > 0,
					unless(got.value > 0, note, "no two models keep the same limits"), got.used))
			}
		}
	}
	return rows
}

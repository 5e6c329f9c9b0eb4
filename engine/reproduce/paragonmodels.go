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
	poolsSuffix    = ", other models"
	preTrainedPool = "pre-trained"
	mostModels     = 100 // every pair of them is a question
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
			preTrainedPool, fmt.Sprintf("pool: %d pre-trained ImageNet models with the accuracies and CPU times that Keras "+
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
			kept, cheapest := v.Within(limits, serving.Accuracy), v.Within(limits, serving.Cost)
			if len(kept) == 0 {
				continue
			}
			mean := 0.0
			for _, i := range kept {
				mean += v.List[i].USDPerMillion / float64(len(kept))
			}
			c.asked++
			c.best += v.List[cheapest[0]].USDPerMillion
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
			rows = append(rows, s.against(Paragon, c.Key, shown, computation{
				note: "the cheapest model that keeps accuracy and latency, against any that does (naive: oblivious to cost); " +
					p.words,
				formula: saves, partial: "how much depends on the pool, which is not the study's",
				other:    func(r *reading) float64 { a := ask(p.of(r)); return 100 * saving(a.best, a.accurate) },
				otherway: "against the most accurate that keeps both it is %s",
			}, ""))
			if got, ok := s.value(saves); ok {
				rows = append(rows, claim{"section 4" + poolsSuffix, p.name + " choosing the model saves", got.value,
					new(got.value > 0), "Observation 1: model selection should meet the cost requirement without compromising on " +
						"the constraints; asked for every accuracy and latency that two models of the pool have; " + p.words,
					"no two models keep the same limits", ""}.row(Paragon, got.used))
			}
		}
	}
	return rows
}

// timesSuffix ends the names of tables on models whose times are assumed.
const timesSuffix = ", assumed times"

// Bounds on what the cells may ask to be simulated.
const (
	mostRates   = 20
	mostRate    = 10_000 // queries per second
	mostHours   = 24
	mostKneeGiB = 100
)

// isoLatency are the times of models within the limit of figure 2a, seconds of
// one query on one core; the study does not print its own.
var isoLatency = [...]float64{0.1, 0.2, 0.3, 0.4, 0.5}

const (
	coresOfVM  = 2 // of an m4.large
	isoMemory  = 2 // GB of their functions
	vmSizes    = 8 // the largest VM, of smallest ones
	costsGrain = 1e-9
)

func (t *Traffic) constantIsSane() bool {
	for _, rate := range t.rates {
		if rate < 1 || rate > mostRate {
			return false
		}
	}
	for _, m := range t.memories {
		if !(m.KneeGiB > m.MinGiB && m.MaxGiB >= m.KneeGiB && m.MaxGiB <= mostKneeGiB) {
			return false
		}
	}
	return len(t.rates) > 0 && len(t.rates) <= mostRates && t.hours > 0 && t.hours <= mostHours
}

// constant is Observation 2 at the study's rates: by the closed form, which the
// simulation must give too.
func (o relations) constant() (claims []claim) {
	t := o.loads
	seconds := int(t.hours * 3600)
	for _, rate := range t.rates {
		least := math.Inf(1)
		for _, one := range isoLatency {
			s := t.settings
			s.VM.RequestsPerSecond, s.VM.LatencyS = coresOfVM/one, one
			s.Function.MemoryGiB, s.Function.Seconds = isoMemory, one
			cost := serving.CostOfConstant(rate, seconds, s)
			least = min(least, cost.FunctionsUSD/cost.VMUSD)
		}
		claims = append(claims, claim{constantTable, fmt.Sprintf("%d queries/s functions_over_vms", rate), least,
			new(least > 1), fmt.Sprintf("section 2.2: VMs are always cheaper; ours is what functions cost over VMs, by the "+
				"closed form, the least of models that take %g to %g s on a core", isoLatency[0], isoLatency[len(isoLatency)-1]),
			"a VM is mostly idle at this rate", ""})
	}
	for _, rate := range t.rates {
		closed, tr := serving.CostOfConstant(rate, seconds, t.settings), serving.Constant(seconds, float64(rate))
		claims = append(claims, o.simulated(tr, rate, serving.Reactive, "vms_usd", closed.VMUSD),
			o.simulated(tr, rate, serving.FunctionsOnly, "functions_usd", closed.FunctionsUSD))
	}
	return append(claims, o.biggerVMs())
}

// constantTable holds what is said of constant loads.
const constantTable = "figure 3" + timesSuffix

// simulated holds a simulation against the closed form.
func (o relations) simulated(tr serving.Trace, rate int, scheme serving.Scheme, column string, closed float64) claim {
	usd := math.NaN()
	if out, err := serving.Simulate(tr, o.loads.settings, scheme); err == nil {
		usd = out.USD
	}
	return claim{constantTable, fmt.Sprintf("%d queries/s %s simulated", rate, column), usd,
		new(math.Abs(usd-closed) <= costsGrain*(1+closed)),
		fmt.Sprintf("the simulation of %s; the closed form gives $%.4f", scheme, closed), "they contradict each other", ""}
}

// biggerVMs compares VMs whose price is linear in their size, at a load that
// fills them.
func (o relations) biggerVMs() claim {
	t := o.loads
	cost := func(size, rate int) float64 {
		s := t.settings
		s.VM.USDPerHour *= float64(size)
		s.VM.RequestsPerSecond *= float64(size)
		return serving.CostOfConstant(rate, int(t.hours*3600), s).VMUSD
	}
	filled := int(math.Ceil(t.settings.VM.RequestsPerSecond)) * vmSizes
	off := 0.0
	for size := 1; size <= vmSizes; size *= 2 {
		off = max(off, math.Abs(cost(size, filled)/cost(1, filled)-1))
	}
	return claim{constantTable, "bigger VMs cost the same per query", off, new(off <= costsGrain),
		fmt.Sprintf("section 2.2: bigger VMs cost about the same per query; ours is the largest difference of VMs up to "+
			"%d times the size at %d queries/s, which fills them, as prices are linear; at %d queries/s the largest costs "+
			"%.0f times what small ones do, being mostly idle",
			vmSizes, filled, t.rates[0], cost(vmSizes, t.rates[0])/cost(1, t.rates[0])), "whole VMs do not fit the load", ""}
}

// functionModel is how the time of a model on a function falls with memory.
type functionModel struct {
	name string
	serving.Memory
}

// functionModels are models like figure 7's, whose times are not printed: of a
// small one the knee is, the others use all the memory there is.
func functionModels(kneeGiB, mostGiB float64) []functionModel {
	return []functionModel{
		{"squeezenet", serving.Memory{FixedS: 0.02, ScalingS: 0.05, KneeGiB: kneeGiB, MinGiB: 0.5, MaxGiB: mostGiB}},
		{"a medium model", serving.Memory{FixedS: 0.05, ScalingS: 0.2, KneeGiB: mostGiB, MinGiB: 0.75, MaxGiB: mostGiB}},
		{"a large model", serving.Memory{FixedS: 0.05, ScalingS: 0.35, KneeGiB: mostGiB, MinGiB: 1.5, MaxGiB: mostGiB}},
	}
}

// memory is Observation 5.
func (o relations) memory() (claims []claim) {
	for _, m := range o.loads.memories {
		choices := m.Choices(o.loads.settings.Function.Prices)
		words := fmt.Sprintf("assumed time of %g + %g · %g/min(GB, %g) s, from %g to %g GB", m.FixedS, m.ScalingS, m.KneeGiB,
			m.KneeGiB, m.MinGiB, m.MaxGiB)
		add := func(what string, ours float64, holds bool, note, why string) {
			claims = append(claims, claim{"figure 7" + timesSuffix, m.name + " " + what, ours, &holds, note, why, words})
		}
		first, last := choices[0], choices[len(choices)-1]
		faster, dearer := o.overMemory(m, choices)
		add("time falls with memory up to the knee", m.Seconds(m.KneeGiB)/first.Seconds, faster, "section 2.5; ours is "+
			"the time at the knee over that at the least memory", "somewhere more memory is no faster")
		add("cost rises with memory", last.USDPerMillion/first.USDPerMillion, dearer, "section 2.5; ours is the cost "+
			"of a million queries at the most memory over that at the least",
			"somewhere more memory is cheaper by more than the billed millisecond")
		if m.KneeGiB < m.MaxGiB {
			at := serving.Function{MemoryGiB: m.KneeGiB, Seconds: m.Seconds(m.KneeGiB), Prices: o.loads.settings.Function.Prices}
			rises := last.USDPerMillion / (at.USDPerRequest() * 1e6)
			add("beyond the knee only the cost rises", rises, rises > 1 && last.Seconds == at.Seconds, "footnote 1; ours "+
				"is the cost at the most memory over that at the knee, where the time is the same", "it is faster beyond the knee")
		}
		best, ok := m.Cheapest(o.loads.settings.StrictLimitS, o.loads.settings.Function.Prices)
		ours := math.NaN()
		if ok {
			ours = best.MemoryGiB
		}
		add("cheapest_within_limit_gb", ours, ok && isCheapest(best, choices, o.loads.settings.StrictLimitS), fmt.Sprintf(
			"Observation 5: the right memory satisfies cost and latency; within %g s it takes %.3f s and $%.2f a million",
			o.loads.settings.StrictLimitS, best.Seconds, best.USDPerMillion), "another size within the limit is cheaper")
	}
	return claims
}

// overMemory tells whether every step of memory up to the knee is faster, and
// whether none is cheaper by more than the rounding to a billed millisecond.
func (o relations) overMemory(m functionModel, choices []serving.Choice) (faster, dearer bool) {
	faster, dearer = true, choices[len(choices)-1].USDPerMillion > choices[0].USDPerMillion
	for i := 1; i < len(choices); i++ {
		a, b := choices[i-1], choices[i]
		millisecond := serving.Function{MemoryGiB: b.MemoryGiB, Seconds: 0.001,
			Prices: serving.Prices{USDPerGBSecond: o.loads.settings.Function.USDPerGBSecond}}
		faster = faster && (a.MemoryGiB >= m.KneeGiB || b.Seconds < a.Seconds)
		dearer = dearer && b.USDPerMillion >= a.USDPerMillion-1e6*millisecond.USDPerRequest()
	}
	return faster, dearer
}

func isCheapest(best serving.Choice, choices []serving.Choice, limitS float64) bool {
	for _, c := range choices {
		if c.Seconds <= limitS && c.USDPerMillion < best.USDPerMillion {
			return false
		}
	}
	return best.Seconds <= limitS
}

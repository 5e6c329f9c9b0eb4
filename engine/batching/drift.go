package batching

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/engine/estimate"
)

// A server that shares its machine with other work is slower at one time than at another, and a later
// load meets it at a time of its own. Parts of a log, one after the other, show by how much: the
// level of a part is how much longer its requests took per token than in the fit of all.
const (
	mostParts = 8
	fewParts  = 3 // fewer show nothing
)

// drift is how far the level of a later load may be from that of the log.
type drift struct {
	sigma float64 // of its logarithm; 0 where the log shows none
	parts int     // that it was seen in
}

// drift compares the levels of parts with each other. What differs within a part, which chance
// alone puts between parts too, is taken off.
func (f *fitter) drift(a attempt) drift {
	simulated, err := f.simulate(a)
	if err != nil {
		return drift{}
	}
	type level struct{ atS, off float64 }
	var levels []level
	for i, o := range f.seen {
		if off := math.Log(o.TPOT() / simulated[i].TPOT()); o.Complete() && !math.IsNaN(off) && !math.IsInf(off, 0) {
			levels = append(levels, level{(o.FirstS + o.LastS) / 2, off})
		}
	}
	d := drift{parts: min(mostParts, len(levels)/fewest)}
	if d.parts < fewParts {
		return drift{}
	}
	slices.SortStableFunc(levels, func(a, b level) int { return cmp.Compare(a.atS, b.atS) })
	var medians []float64
	chance := 0.0
	for k := range d.parts {
		var off []float64
		for _, l := range levels[k*len(levels)/d.parts : (k+1)*len(levels)/d.parts] {
			off = append(off, l.off)
		}
		median, standardError := middle(off)
		medians = append(medians, median)
		chance += standardError * standardError / float64(d.parts)
	}
	d.sigma = math.Sqrt(max(stat.Variance(medians, nil)-chance, 0))
	return d
}

// middle is the median of values, and its standard error if they are normal and independent.
func middle(values []float64) (median, standardError float64) {
	median = estimate.Median(values)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - median)
	}
	const normal = 1.4826 // standard deviation, as a multiple of the median distance
	return median, math.Sqrt(math.Pi/2/float64(len(values))) * normal * estimate.Median(away)
}

// levels are n as likely ones of a later load, as factors of step times: those of one more part, were
// their logarithms normal. They are even quantiles, in random order.
func (d drift) levels(n int, rng *rand.Rand) []float64 {
	out := slices.Repeat([]float64{1}, n)
	if d.sigma == 0 {
		return out
	}
	of := distuv.StudentsT{Mu: 0, Sigma: d.sigma * math.Sqrt(1+1/float64(d.parts)), Nu: float64(d.parts - 1)}
	for i, k := range rng.Perm(n) {
		out[i] = math.Exp(of.Quantile((float64(k) + 0.5) / float64(n)))
	}
	return out
}

// slower is the times multiplied by a factor.
func (t Times) slower(factor float64) Times {
	var x [terms]float64
	for i, seconds := range t.list() {
		x[i] = factor * seconds
	}
	return timesOf(x)
}

package tokens

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"sweetspot/engine/estimate"
)

// pool is a weighted average of regressions and of the plain rule. Each group in turn
// is left out: how far off each is then weighs it, and how far off the average is
// calibrates the interval (conformal prediction; Vovk and others, 2005).
type pool struct {
	spread  float64 // root mean square of the deviations; 0 where too few tell it
	members []*regression
	weights []float64 // of the members and, last, of the plain rule; they sum to 1
	scale   float64   // half-width of the 90 % interval, in standard deviations
}

const (
	// leastGroups is how many groups it takes to learn from others: fewer agree by chance.
	leastGroups = 4
	// unlearned is the standard deviation of the plain rule's logarithm where it is
	// unknown: the plain rules' mean misses on published measurements are 5 to 20 %.
	unlearned = 0.2
	// leastSpread keeps deviations that are all 0 from being divided by it.
	leastSpread = 1e-4
	// plainShare is the weight of the plain rule at first: it needs no evidence.
	plainShare = 0.5
	// votesPerGroup is the power of the miss by which each group reduces a weight, and
	// mostVoters how many vote: of many, a hair would decide.
	votesPerGroup = 1
	mostVoters    = 40
	// minWeight is the weight below which a regression is not asked, to save time.
	minWeight = 0.02
	// mostShare bounds the share of the cases that are to lie inside their intervals: few
	// groups would ask for more than all.
	mostShare = 0.95
	// mostKnown bounds the time of a regression, which grows with the third power.
	mostKnown = 600
)

// bounded are at most mostKnown of the cases: whole groups, drawn at random but the
// same every time.
func bounded(known []Known) []Known {
	if len(known) <= mostKnown {
		return known
	}
	groups := groupsOf(known)
	var out []Known
	for _, g := range rand.New(rand.NewPCG(1, 2)).Perm(len(groups)) {
		if len(out)+len(groups[g]) <= mostKnown {
			for _, i := range groups[g] {
				out = append(out, known[i])
			}
		}
	}
	return out
}

// groupsOf lists the places of each group's cases, in the order of its first one.
func groupsOf(known []Known) [][]int {
	var out [][]int
	at := map[string]int{}
	for i, k := range known {
		g, seen := at[k.Group]
		if !seen {
			g = len(out)
			at[k.Group], out = g, append(out, nil)
		}
		out[g] = append(out[g], i)
	}
	return out
}

// trial is what a member says of each case without its group.
type trial struct {
	member      *regression // nil for the plain rule
	predictions []prediction
}

func newPool(known []Known) *pool {
	groups := groupsOf(known)
	if len(groups) < leastGroups {
		return &pool{weights: []float64{1}, scale: estimate.Z90}
	}
	y, squares := make([]float64, len(known)), 0.0
	for i, k := range known {
		y[i] = k.deviation()
		squares += y[i] * y[i]
	}
	p := &pool{spread: math.Max(leastSpread, math.Sqrt(squares/float64(len(y))))}
	floats.Scale(1/p.spread, y)
	var trials []trial
	odd := oddity(known, y, groups)
	for _, k := range kernels {
		noise := slices.Clone(odd)
		floats.Scale(k.noise, noise)
		if r, ok := newRegression(known, y, k, noise); ok {
			trials = append(trials, trial{r, withoutEach(r, groups, y)})
		}
	}
	plain := trial{predictions: make([]prediction, len(y))}
	for i := range y {
		plain.predictions[i].sd = 1
	}
	trials = append(trials, plain)
	p.weigh(trials, groups, y)
	p.calibrate(trials, y, len(groups))
	return p
}

func withoutEach(r *regression, groups [][]int, y []float64) []prediction {
	out := make([]prediction, len(y))
	for _, g := range groups {
		for i, x := range r.without(g, y) {
			out[g[i]] = x
		}
	}
	return out
}

// oddity is by how much the noise of each case exceeds the usual: where the others
// predict it worse than is usual. What is odd about one says nothing about the next.
func oddity(known []Known, y []float64, groups [][]int) []float64 {
	out := slices.Repeat([]float64{1}, len(y))
	r, ok := newRegression(known, y, judge, slices.Repeat([]float64{judge.noise}, len(y)))
	if !ok {
		return out
	}
	excess, mean := make([]float64, len(y)), 0.0
	for i, x := range withoutEach(r, groups, y) {
		z := (y[i] - x.mean) / x.sd
		excess[i] = z * z
		mean += excess[i] / float64(len(y))
	}
	for i := range out {
		out[i] = math.Max(1, excess[i]/math.Max(mean, 1e-9))
	}
	return out
}

// weigh weights each by how likely its misses are, where these have a Laplace
// distribution of unknown spread.
func (p *pool) weigh(trials []trial, groups [][]int, y []float64) {
	votes := votesPerGroup * float64(min(len(groups), mostVoters))
	misses := make([]float64, len(trials))
	for m, t := range trials {
		for i := range y {
			misses[m] += math.Abs(y[i]-t.predictions[i].mean) / float64(len(y))
		}
	}
	least := floats.Min(misses) + 1e-9
	weights := make([]float64, len(trials))
	for m := range trials {
		weights[m] = math.Pow((misses[m]+1e-9)/least, -votes)
		if m < len(trials)-1 {
			weights[m] *= (1 - plainShare) / plainShare / float64(len(trials)-1)
		}
	}
	sum := floats.Sum(weights)
	for m := range weights[:len(weights)-1] {
		if weights[m] < minWeight*sum {
			weights[m] = 0
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	for m, t := range trials {
		if last := m == len(trials)-1; last || weights[m] > 0 {
			p.weights = append(p.weights, weights[m])
			if !last {
				p.members = append(p.members, t.member)
			}
		}
	}
	for m := range trials {
		if m < len(trials)-1 && weights[m] == 0 {
			trials[m].predictions = nil
		}
	}
}

// calibrate sets the scale so that nine tenths of the cases, each without its group,
// lie inside their intervals; a little more, as those of a group err alike and there are
// only so many groups.
func (p *pool) calibrate(trials []trial, y []float64, groups int) {
	trials = slices.DeleteFunc(trials, func(t trial) bool { return t.predictions == nil })
	z := make([]float64, len(y))
	for i := range y {
		a := p.average(func(m int) prediction { return trials[m].predictions[i] })
		z[i] = math.Abs(y[i]-a.mean) / a.sd
	}
	slices.Sort(z)
	share := math.Min(0.9*(1+1/float64(groups)), mostShare)
	p.scale = z[int(math.Ceil(share*float64(len(z))))-1]
}

// average is the weighted mean, with a standard deviation that includes the
// differences between the members.
func (p *pool) average(of func(member int) prediction) prediction {
	mean, squares := 0.0, 0.0
	for m, w := range p.weights {
		x := of(m)
		mean += w * x.mean
		squares += w * (x.mean*x.mean + x.sd*x.sd)
	}
	return prediction{mean, math.Sqrt(math.Max(squares-mean*mean, 1e-12))}
}

// predict returns the expected deviation and the half-width of its 90 % interval.
func (p *pool) predict(q Case) (mean, half float64) {
	a := p.average(func(m int) prediction {
		if m < len(p.members) {
			return p.members[m].at(&q)
		}
		return prediction{0, 1}
	})
	spread := cmp.Or(p.spread, q.Spread, unlearned)
	return a.mean * spread, p.scale * a.sd * spread
}

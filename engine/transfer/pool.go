package transfer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"sweetspot/engine/estimate"
	"sweetspot/engine/steady"
)

// prediction is an expected deviation and its standard deviation, in the unit of the
// observations.
type prediction struct{ mean, sd float64 }

// method is one way to predict deviations.
type method interface {
	// at predicts the deviation at x, given the similarity of x to itself and to the
	// observations.
	at(x *observation, self float64, similarities []float64) prediction
	// without predicts the observations of a group, as if they were not known.
	without(group []int) []prediction
}

// pool is a weighted average of methods: regressions that trust the similarity of
// models more or less, and plain ones. Each model in turn is left out, as the one
// asked about is not known; how far off each method then is weights it, and how far
// off the average is calibrates the interval.
type pool struct {
	observations []observation
	kernel       kernel
	methods      []method
	weights      []float64 // of the methods, summing to 1
	scales       []float64 // of their standard deviations
	scale        float64   // of the average's
	models       int       // that were left out
	z90          float64   // half-width of the 90 % interval in standard deviations
}

const (
	// priorModels is the weight, in models, of the expected spread (a scale of 1)
	// against the spread found by leaving models out.
	priorModels = 2.0
	// plainModels is the weight of the baseline at first, in models: of two, which may
	// agree by chance, the regressions are believed by a third. With half each Zeus' mean
	// error on VM types never probed is 8.4 % instead of 8.3 %, PROFET's 10.1 instead of 9.9 %.
	plainModels = 4.0
	// votesPerModel is the power of the miss of a method by which each model beyond the
	// second reduces its weight. Two models alone agree or differ by chance. With 1.5 or
	// 6 PROFET's mean errors without a probe change by up to 0.5 point, others less.
	votesPerModel = 3
	// mostVoters bounds how many models vote. Of very many the method that is best by a
	// hair would be left alone.
	mostVoters = 20
	// leastMiss is added to each miss, in the unit of the observations, so that a
	// method without any has a finite weight.
	leastMiss = 1e-3
	// minWeight is the weight below which a method is not asked, to save time.
	minWeight = 0.02
)

// newPool weights the last method, a plain one, as so many models, until the trials of the
// models say otherwise. unchecked scales the spread where there are fewer than two models.
func newPool(observations []observation, k kernel, trials [][]trial, unchecked float64, methods ...method) *pool {
	plain := 1.0
	if n := float64(len(groupsOf(observations))); n > 0 {
		plain = plainModels / (plainModels + n)
	}
	p := &pool{
		observations: observations, kernel: k, methods: methods, models: len(trials), scale: unchecked, z90: estimate.Z90,
		scales: slices.Repeat([]float64{1}, len(methods)),
	}
	for range methods[1:] {
		p.weights = append(p.weights, (1-plain)/float64(len(methods)-1))
	}
	p.weights = append(p.weights, plain)
	if p.models < 2 {
		return p
	}
	all := p.try(trials)
	p.weigh(all)
	p.calibrate(all)
	return p
}

// tried is an observation that was asked for: its truth, its share of its model, and
// what each method says.
type tried struct {
	y, share    float64
	predictions []prediction
}

// try asks the methods for all that the trials leave out.
func (p *pool) try(models [][]trial) []tried {
	var out []tried
	for _, trials := range models {
		n := 0
		for _, t := range trials {
			n += len(t.asked)
		}
		for _, t := range trials {
			first := len(out)
			for _, i := range t.asked {
				out = append(out, tried{p.observations[t.left[i]].y, 1 / float64(n), make([]prediction, len(p.methods))})
			}
			for m, method := range p.methods {
				all := method.without(t.left)
				for k, i := range t.asked {
					out[first+k].predictions[m] = all[i]
				}
			}
		}
	}
	return out
}

// weigh multiplies the weight of each method by how likely its misses are, where
// these have a Laplace distribution of unknown spread: a model that all miss by far
// decides nothing.
func (p *pool) weigh(all []tried) {
	n := float64(p.models)
	votes := votesPerModel * math.Min(n-2, mostVoters)
	for m := range p.methods {
		miss, square := 0.0, 0.0
		for _, t := range all {
			r := t.y - t.predictions[m].mean
			miss += t.share * math.Abs(r) / n
			square += t.share * (r / t.predictions[m].sd) * (r / t.predictions[m].sd)
		}
		p.weights[m] *= math.Pow(miss+leastMiss, -votes)
		p.scales[m] = math.Sqrt((priorModels + square) / (priorModels + n))
	}
	p.normalise()
}

// normalise makes the weights sum to 1, without the methods that hardly count.
func (p *pool) normalise() {
	sum := floats.Sum(p.weights)
	for m, w := range p.weights {
		if w < minWeight*sum {
			p.weights[m] = 0
		}
	}
	floats.Scale(1/floats.Sum(p.weights), p.weights)
}

// calibrate sets the scale so that nine tenths of what was asked for, each model
// counting alike, lie inside the 90 % interval.
func (p *pool) calibrate(all []tried) {
	type miss struct{ z, share float64 }
	misses := make([]miss, len(all))
	for i, t := range all {
		a := p.average(func(m int) prediction { return t.predictions[m] })
		misses[i] = miss{math.Abs(t.y-a.mean) / a.sd, t.share}
	}
	slices.SortFunc(misses, func(a, b miss) int { return cmp.Compare(a.z, b.z) })
	found, sum, n := 0.0, 0.0, float64(p.models)
	for _, m := range misses {
		if sum += m.share; sum >= 0.9*n {
			found = m.z / estimate.Z90
			break
		}
	}
	p.scale = math.Sqrt((priorModels + n*found*found) / (priorModels + n))
	p.z90 = steady.T90(p.models + 1)
}

// average is the weighted mean, with a standard deviation that includes the
// differences between the methods.
func (p *pool) average(of func(method int) prediction) prediction {
	mean, squares := 0.0, 0.0
	for m, w := range p.weights {
		if w > 0 {
			x := of(m)
			sd := x.sd * p.scales[m]
			mean += w * x.mean
			squares += w * (x.mean*x.mean + sd*sd)
		}
	}
	return prediction{mean, p.scale * math.Sqrt(math.Max(squares-mean*mean, 1e-12))}
}

// predict returns the expected deviation at x and its standard deviation.
func (p *pool) predict(x *observation) prediction {
	similarities, self := p.kernel.vector(x, p.observations), p.kernel(x, x)
	return p.average(func(m int) prediction { return p.methods[m].at(x, self, similarities) })
}

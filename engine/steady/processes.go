package steady

import (
	"math"

	"sweetspot/engine/estimate"
)

// Processes is the variance analysis of several runs of the same thing in fresh
// processes, in the unit of the runs. Two runs of a program differ by more than
// the noise within one (memory layout, clocks, neighbours), which a single run,
// however long, cannot show.
type Processes struct {
	N int
	// Within is the standard deviation of one run's mean, from the runs' own
	// intervals; Between is that between processes beyond it, nil where none shows
	// and for fewer than two.
	Within  float64
	Between *float64
	Mean    estimate.Estimate // the mean over processes
	Next    estimate.Estimate // the mean of one more process, as the user's own run will be
}

// Between separates the variance between processes from the variance within one,
// by the random-effects model of means m + between + within. The intervals are
// Student's t with N-1 degrees of freedom on the standard deviation of the runs'
// means, so that two runs give a wide one. That of the next process (a prediction
// interval) attributes all of the variance to the processes, since few runs cannot
// tell how much of it is not. They are never narrower than the runs' own errors.
func Between(runs []estimate.Estimate) Processes {
	p := Processes{N: len(runs)}
	switch len(runs) {
	case 0:
		return p
	case 1:
		p.Mean, p.Next = runs[0], runs[0]
		p.Within = sigma(runs[0])
		return p
	}
	n := float64(len(runs))
	var all moments
	var variance, down, up float64
	bases := make([]estimate.Basis, len(runs))
	for i, e := range runs {
		all = all.plus(moments{1, e.Value, 0})
		variance += sigma(e) * sigma(e) / n
		down += (e.Value - e.Low) * (e.Value - e.Low)
		up += (e.High - e.Value) * (e.High - e.Value)
		bases[i] = e.Basis
	}
	total := all.m2 / (n - 1) // of the means: within and between together
	p.Within = math.Sqrt(variance)
	if total > variance { // else the spread within one explains all there is
		p.Between = new(math.Sqrt(total - variance))
	}
	t := T90(len(runs) - 1)
	basis := estimate.Weakest(bases...)
	own := func(half float64) estimate.Estimate {
		e := estimate.Estimate{
			Value: all.mean, Basis: basis,
			Low:  all.mean - max(half, math.Sqrt(down)/n),
			High: all.mean + max(half, math.Sqrt(up)/n),
		}
		if all.mean > 0 {
			e.Low = max(e.Low, all.mean*all.mean/e.High) // a time errs by a factor
		}
		return e
	}
	p.Mean = own(t * math.Sqrt(total/n))
	p.Next = own(t * math.Sqrt(total*(1+1/n)))
	return p
}

// sigma is the standard deviation behind a 90 % interval.
func sigma(e estimate.Estimate) float64 { return (e.High - e.Low) / (2 * estimate.Z90) }

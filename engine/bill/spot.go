package bill

import (
	"math"

	"sweetspot/engine/estimate"
)

// What is assumed of the rate of interruptions where the user does not tell it:
// nine of ten VMs within a factor of the median. The ends are what was seen of
// GPU VMs: AWS's Spot Instance Advisor calls its worst class "more than 20 % a
// month", 0.0003 an hour; the p3.2xlarge of Wu et al. (NSDI 2024, spot-traces,
// us-east-1c in April 2023) were taken away once in two hours of work.
const (
	UsualInterruptions = 0.01 // an hour, the median
	RateFactor         = 40
)

// assumedRates are rates per second of one VM: the middles of seven equally likely parts.
// They leave out its far end, where no job would ever end and the mean of all
// rates has no value.
var assumedRates = func() (out [7]float64) {
	sigma := math.Log(RateFactor) / estimate.Z90
	for k := range out {
		p := (float64(k) + 0.5) / float64(len(out))
		out[k] = UsualInterruptions / 3600 * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*p-1))
	}
	return out
}()

// slowdown is by how much interruptions stretch a job: the expected time with
// them over that without, and between which factors nine of ten jobs end.
// Interruptions come at a constant rate; each takes the work since the last
// checkpoint, and the restart, which may itself be interrupted. The mean is
// Daly's (A higher order estimate of the optimum checkpoint interval, 2006,
// equation 13) without the time of a checkpoint, which runs show as a pause. The
// time without a VM, waiting for another, is not counted: it is not paid.
//
// Of the distribution the chance of no interruption is exact; the rest is taken
// as a gamma distribution of the right mean and variance.
func (b Bill) slowdown(j Job) estimate.Estimate {
	work := j.Seconds.Value
	segment := j.SavedEveryS
	if b.CheckpointS != nil {
		segment = *b.CheckpointS
	}
	if !(segment > 0) || segment > work {
		segment = work
	}
	segment = math.Max(segment, work/mostSegments)
	together := 1.0
	if j.Together {
		together = float64(j.VMs)
	}
	rates := assumedRates[:]
	if b.Interruptions != nil {
		rates = []float64{*b.Interruptions / 3600}
	}
	var none, mean, square float64 // of the time lost over the work
	for _, rate := range rates {
		rate *= together
		m, v := lost(rate, segment, j.RestartS+b.StartupS)
		n := work / segment
		m, v = m*n/work, v*n/(work*work)
		none += math.Exp(-rate * work)
		mean += m
		square += v + m*m
	}
	k := float64(len(rates))
	return interval(none/k, mean/k, square/k, j.Seconds.Basis)
}

// mostExponent bounds what is computed of jobs that would hardly ever end, and
// mostSegments of those that are saved at every instant.
const (
	mostExponent = 60
	mostSegments = 1e9
)

// lost is the mean and the variance of the seconds that interruptions cost a
// segment of work, which after each begins again behind a restart.
func lost(rate, segment, restart float64) (mean, variance float64) {
	if !(rate > 0) {
		return 0, 0
	}
	x := math.Min(rate*segment, mostExponent)
	again := math.Min(rate*(segment+restart), mostExponent)
	// From an interruption on: until a restart and a segment pass undisturbed.
	retry := math.Expm1(again) / rate
	retryVar := math.Max(0, math.Exp(2*again)-1-2*again*math.Exp(again)) / (rate * rate)
	if again < 1e-3 {
		retryVar = again * again * again / 3 / (rate * rate) // the difference above has no digits left
	}
	// Up to the first: with probability p, after m1 on average of all.
	p := -math.Expm1(-x)
	m1, m2 := x*x/2-x*x*x/3, x*x*x/3-x*x*x*x/4
	if x > 1e-3 {
		m1 = 1 - math.Exp(-x)*(1+x)
		m2 = 2 - math.Exp(-x)*(2+2*x+x*x)
	}
	m1, m2 = m1/rate, m2/(rate*rate)
	// What is lost beside the segment itself, where there is an interruption at
	// all: what was done before it, and the retry less the segment.
	rest := retry - segment
	mean = m1 + p*rest
	square := m2 + 2*m1*rest + p*(rest*rest+retryVar)
	return mean, math.Max(0, square-mean*mean)
}

// interval is 1 + what is lost, with the quantiles of a mixture: nothing with
// probability none, else a gamma distribution, by the cube root of Wilson and
// Hilferty.
func interval(none, mean, square float64, basis estimate.Basis) estimate.Estimate {
	e := estimate.Exact(1+mean, basis)
	some := 1 - none
	if !(some > 0) || !(mean > 0) {
		return e
	}
	m := mean / some
	spread := math.Max(0, square/some/(m*m)-1) / 9 // 1/9 of the inverse of the gamma's shape
	quantile := func(p float64) float64 {
		if p <= none {
			return 0
		}
		z := math.Sqrt2 * math.Erfinv(2*(p-none)/some-1)
		return m * math.Pow(math.Max(0, 1-spread+z*math.Sqrt(spread)), 3)
	}
	e.Low = math.Min(e.Value, 1+quantile(0.05))
	e.High = math.Max(e.Value, 1+quantile(0.95))
	return e
}

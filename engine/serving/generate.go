package serving

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Constant returns a trace with a mean of exactly perSecond queries per second;
// fractions are carried over to the next second.
func Constant(seconds int, perSecond float64) Trace {
	tr := make(Trace, max(seconds, 0))
	for t := range tr {
		tr[t] = int(math.Floor(float64(t+1)*perSecond)) - int(math.Floor(float64(t)*perSecond))
	}
	return tr
}

// Poisson returns a trace of independent arrivals with a mean of rate(t) queries in
// second t; a negative rate counts as 0. Equal seeds give equal traces.
func Poisson(seconds int, rate func(t int) float64, seed uint64) Trace {
	tr := make(Trace, max(seconds, 0))
	arrivals := distuv.Poisson{Src: rand.NewPCG(seed, 0x5eed)}
	for t := range tr {
		if arrivals.Lambda = rate(t); arrivals.Lambda > 0 {
			tr[t] = min(int(arrivals.Rand()), MaxPerSecond)
		}
	}
	return tr
}

// Steady is a constant rate, for [Poisson].
func Steady(perSecond float64) func(t int) float64 {
	return func(int) float64 { return perSecond }
}

// Diurnal is a load that rises and falls once a period, as a cosine.
type Diurnal struct {
	Mean      float64 // queries per second
	Amplitude float64 // of the mean, in [0,1]: the peak is Mean·(1+Amplitude)
	PeriodS   float64 // seconds
	PeakS     float64 // the second of a peak
}

// Rate returns the mean arrivals per second at second t.
func (d Diurnal) Rate(t int) float64 {
	return d.Mean * (1 + d.Amplitude*math.Cos(2*math.Pi*(float64(t)-d.PeakS)/d.PeriodS))
}

// FlashCrowd is a steady load to which a crowd comes once: it rises linearly,
// stays, and falls exponentially.
type FlashCrowd struct {
	Base   float64 // queries per second
	Factor float64 // the crowd's peak is Base·Factor
	AtS    float64 // the second in which it begins
	RiseS  float64 // seconds to its peak
	HoldS  float64 // seconds at the peak
	DecayS float64 // seconds in which it then falls to 1/e
}

// Rate returns the mean arrivals per second at second t.
func (f FlashCrowd) Rate(t int) float64 {
	since, share := float64(t)-f.AtS, 0.0
	switch {
	case since < 0:
	case since < f.RiseS:
		share = since / f.RiseS
	case since < f.RiseS+f.HoldS:
		share = 1
	case f.DecayS > 0:
		share = math.Exp(-(since - f.RiseS - f.HoldS) / f.DecayS)
	}
	return f.Base * (1 + (f.Factor-1)*share)
}

// Bursty is a Markov-modulated Poisson process of two states, calm and burst,
// whose lengths are exponential.
type Bursty struct {
	Calm, Burst   float64 // queries per second in each state
	CalmS, BurstS float64 // mean length of each state, seconds, above 0
}

// Trace returns a trace that begins calm. Equal seeds give equal traces.
func (b Bursty) Trace(seconds int, seed uint64) Trace {
	rng := rand.New(rand.NewPCG(seed, 0xb0057))
	rates := make([]float64, max(seconds, 0))
	burst, until := false, rng.ExpFloat64()*b.CalmS
	for t := range rates {
		// What of the second each state has.
		at, end, queries := float64(t), float64(t+1), 0.0
		for at < end {
			to := min(until, end)
			queries += (to - at) * b.rate(burst)
			if at = to; at == until {
				burst = !burst
				until += max(rng.ExpFloat64()*b.length(burst), 1e-3)
			}
		}
		rates[t] = queries
	}
	return Poisson(seconds, func(t int) float64 { return rates[t] }, rng.Uint64())
}

func (b Bursty) rate(burst bool) float64 {
	if burst {
		return b.Burst
	}
	return b.Calm
}

func (b Bursty) length(burst bool) float64 {
	if burst {
		return b.BurstS
	}
	return b.CalmS
}

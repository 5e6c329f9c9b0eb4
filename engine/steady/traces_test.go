package steady

import (
	"math"
	"math/rand/v2"
)

// The synthetic traces are those of the published comparison of warm-up
// rules: a first step of 30 times the steady one, then what each name says,
// with 2 % noise. Their long-run mean is known.

const step = 0.1

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

type trace struct {
	name string
	mean float64 // long-run mean of the steady state
	at   func(i int, r *rand.Rand) float64
}

func noise(r *rand.Rand) float64 { return 1 + 0.02*r.NormFloat64() }

var traces = []trace{
	{"warm-up", step, func(i int, r *rand.Rand) float64 {
		return step * (1 + 2*math.Exp(-float64(i)/3)) * noise(r)
	}},
	{"autotune spikes", step, func(i int, r *rand.Rand) float64 {
		if i < 25 && r.Float64() < 0.3 {
			return step * (2 + 4*r.Float64())
		}
		return step * noise(r)
	}},
	{"periodic stall", step * 1.1, func(i int, r *rand.Rand) float64 {
		if i%20 == 19 {
			return 3 * step * noise(r)
		}
		return step * noise(r)
	}},
	{"thermal drift", step * 1.05, func(i int, r *rand.Rand) float64 {
		return step * (1 + 0.05*(1-math.Exp(-float64(i)/60))) * noise(r)
	}},
}

func (t trace) take(n int, seed uint64) []float64 {
	r := source(seed)
	out := make([]float64, n)
	for i := range out {
		out[i] = t.at(i, r)
	}
	out[0] = 30 * step
	return out
}

// ar1 is a series around step whose noise keeps rho of its last value.
func ar1(n int, rho, sigma float64, seed uint64) []float64 {
	r := source(seed)
	out := make([]float64, n)
	e := r.NormFloat64()
	for i := range out {
		out[i] = step * (1 + sigma*e)
		e = rho*e + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return out
}

package batching

import (
	"math"
	"math/rand/v2"
)

// Lengths are how long synthetic requests are: log-normal, as those of public
// traces nearly are.
type Lengths struct {
	Input, Output float64 // mean tokens
	Spread        float64 // standard deviation of their logarithms; 0 makes all alike
}

// Draw makes the tokens of a request.
func (l Lengths) Draw(rng *rand.Rand) (input, output int) {
	draw := func(mean float64) int {
		x := mean * math.Exp(l.Spread*rng.NormFloat64()-l.Spread*l.Spread/2)
		return int(min(max(math.Round(x), 1), MaxTokens))
	}
	return draw(l.Input), draw(l.Output)
}

// Synthetic makes n independent arrivals at a rate per second. Equal seeds make
// equal requests.
func Synthetic(l Lengths, n int, perSecond float64, seed uint64) []Request {
	rng := rand.New(rand.NewPCG(seed, 0x11a))
	requests, at := make([]Request, n), 0.0
	for i := range requests {
		at += rng.ExpFloat64() / perSecond
		input, output := l.Draw(rng)
		requests[i] = Request{at, input, output}
	}
	return requests
}

package batching

import "math"

// Prices of tokens, in US dollars per million.
type Prices struct{ Input, Output float64 }

// USD is what tokens cost at these prices.
func (p Prices) USD(input, output int64) float64 {
	return (p.Input*float64(input) + p.Output*float64(output)) / 1e6
}

// Cost is what it costs to serve a trace.
type Cost struct {
	USD        float64
	PerMillion Prices // its parts by the time that prompts and decoding took
	PerToken   float64
}

// CostOf is the cost of a load on replicas at a price per hour each, paid from the
// first arrival to the last token, over the tokens that were served. Time in which
// replicas were idle is shared as the rest. Per million tokens NaN where none is served.
func (l *Load) CostOf(usdPerHour float64) Cost {
	usd := usdPerHour * float64(l.Replicas) * l.SpanS / 3600
	c := Cost{USD: usd, PerMillion: Prices{math.NaN(), math.NaN()}, PerToken: math.NaN()}
	if busy := l.PromptS + l.DecodeS; busy > 0 {
		input, output := l.served()
		c.PerMillion = Prices{
			usd * l.PromptS / busy / float64(input) * 1e6, usd * l.DecodeS / busy / float64(output) * 1e6,
		}
		c.PerToken = usd / float64(input+output)
	}
	return c
}

// served are the tokens of the requests that were not rejected.
func (l *Load) served() (input, output int64) {
	for _, o := range l.Seen {
		if !math.IsNaN(o.FirstS) {
			input, output = input+int64(o.Input), output+int64(o.Output)
		}
	}
	return input, output
}

// BreakEven is the load in requests per second above which a replica at a price
// per hour costs less than an API at prices per token, for requests like those of
// the load; +Inf where the API is free.
func (l *Load) BreakEven(usdPerHour float64, api Prices) float64 {
	perRequest := api.USD(l.Input, l.Output) / float64(len(l.Seen))
	return usdPerHour / 3600 / perRequest
}

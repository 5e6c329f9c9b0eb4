package batching

import (
	"math"
	"slices"

	"sweetspot/engine/estimate"
)

// Percentiles are the values in seconds that a half, 90, 95 and 99 % of all do not
// exceed (nearest rank); NaN where there are none.
type Percentiles struct{ P50, P90, P95, P99 float64 }

// PercentilesOf returns those of values, of which NaN are left out.
func PercentilesOf(values []float64) Percentiles {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	at := func(p float64) float64 { return estimate.Quantile(values, p) }
	return Percentiles{at(0.5), at(0.9), at(0.95), at(0.99)}
}

// Latencies are those of a set of requests.
type Latencies struct {
	TTFT  Percentiles // time to first token
	TPOT  Percentiles // time per output token, the mean of a request
	ITL   Percentiles // inter-token latency: each time between two tokens of a request
	Queue Percentiles // until a request begins its first step
}

// LatenciesOf returns those of requests; where no gaps are known, without those
// between tokens.
func LatenciesOf(seen []Observed, gaps *Gaps) Latencies {
	ttft, tpot, queue := make([]float64, 0, len(seen)), make([]float64, 0, len(seen)), make([]float64, 0, len(seen))
	for _, o := range seen {
		ttft, tpot, queue = append(ttft, o.TTFT()), append(tpot, o.TPOT()), append(queue, o.AdmittedS-o.ArrivalS)
	}
	l := Latencies{TTFT: PercentilesOf(ttft), TPOT: PercentilesOf(tpot), Queue: PercentilesOf(queue)}
	l.ITL = Percentiles{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if gaps != nil {
		l.ITL = Percentiles{gaps.Quantile(0.5), gaps.Quantile(0.9), gaps.Quantile(0.95), gaps.Quantile(0.99)}
	}
	return l
}

// Limits are what a request is to keep (a service-level objective). One that keeps
// both counts as goodput.
type Limits struct {
	TTFTS, TPOTS float64 // seconds; +Inf is no limit
	Share        float64 // of the requests that keep them, in (0,1]
}

// Within is the share of the requests that keep both limits. A request without a
// first token keeps none; one of a single token has no TPOT to keep.
func (l Limits) Within(seen []Observed) float64 {
	kept := 0
	for _, o := range seen {
		if o.TTFT() <= l.TTFTS && (o.Output < 2 || o.TPOT() <= l.TPOTS) {
			kept++
		}
	}
	return float64(kept) / float64(len(seen))
}

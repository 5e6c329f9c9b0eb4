package batching

import (
	"errors"
	"math"
)

// Load is how a number of replicas serve a trace. Requests go to them in turn.
type Load struct {
	Replicas  int
	PerSecond float64 // requests that arrive in all, on average
	Latencies Latencies
	Within    float64 // share of the requests that keep the limits
	Seen      []Observed

	SpanS         float64 // from the first arrival to the last token
	PromptS       float64 // seconds that replicas spent on prompts, all together
	DecodeS       float64 // and on decoding
	Preemptions   int64
	Rejected      int   // requests that no cache has room for
	MostRunning   int   // sequences at once on one replica
	MostCached    int   // tokens at once in the cache of one
	Input, Output int64 // tokens of all requests, the rejected ones included
}

// Serve serves a trace with some replicas, each request going to the next.
func Serve(requests []Request, s Server, replicas int, l Limits) (*Load, error) {
	if err := Check(requests); err != nil {
		return nil, err
	}
	if replicas < 1 || replicas > MostReplicas {
		return nil, errTooMany
	}
	out := &Load{Replicas: replicas, PerSecond: rate(requests)}
	gaps := &Gaps{tokens: make([]int64, gapBins)}
	first, end := requests[0].ArrivalS, math.Inf(-1)
	for k := range min(replicas, len(requests)) {
		part := requests
		if replicas > 1 {
			part = part[:0:0]
			for i := k; i < len(requests); i += replicas {
				part = append(part, requests[i])
			}
		}
		o, err := Simulate(part, s)
		if err != nil {
			return nil, err
		}
		out.Seen = append(out.Seen, o.Observe(part)...)
		gaps.merge(&o.Gaps)
		out.count(o)
		end = math.Max(end, o.EndS)
	}
	for _, r := range requests {
		out.Input, out.Output = out.Input+int64(r.Input), out.Output+int64(r.Output)
	}
	out.SpanS = end - first
	out.Latencies, out.Within = LatenciesOf(out.Seen, gaps), l.Within(out.Seen)
	return out, nil
}

func (l *Load) count(o *Outcome) {
	l.PromptS, l.DecodeS = l.PromptS+o.PromptS, l.DecodeS+o.DecodeS
	l.Preemptions, l.Rejected = l.Preemptions+o.Preemptions, l.Rejected+o.Rejected
	l.MostRunning, l.MostCached = max(l.MostRunning, o.MostRunning), max(l.MostCached, o.MostCached)
}

// rate is the mean arrivals per second; NaN where all arrive at once.
func rate(requests []Request) float64 {
	n := len(requests)
	if span := requests[n-1].ArrivalS - requests[0].ArrivalS; span > 0 {
		return float64(n-1) / span
	}
	return math.NaN()
}

// MostReplicas bounds the search.
const MostReplicas = 100_000

var errTooMany = errors.New("give from 1 to 100,000 replicas")

// Quicker is the trace with all times between arrivals divided by a factor: the
// same requests in the same bursts, at factor times the load.
func Quicker(requests []Request, factor float64) []Request {
	out := make([]Request, len(requests))
	for i, r := range requests {
		r.ArrivalS = (r.ArrivalS - requests[0].ArrivalS) / factor
		out[i] = r
	}
	return out
}

// Repeated is the trace again and again, until it has a number of requests.
func Repeated(requests []Request, atLeast int) []Request {
	n := len(requests)
	if n >= atLeast || n < 2 {
		return requests
	}
	span := requests[n-1].ArrivalS - requests[0].ArrivalS
	period := span * float64(n) / float64(n-1) // with a mean wait after the last
	out := make([]Request, 0, atLeast+n)
	for k := 0; len(out) < atLeast; k++ {
		for _, r := range requests {
			r.ArrivalS += float64(k) * period
			out = append(out, r)
		}
	}
	return out
}

const (
	precision = 1.01 // of the most load, as a factor
	sustained = 2000 // requests that it is held for at least, so that a short trace doesn't end before a queue forms
)

// Most is the greatest load, as a factor of the trace's, at which one replica
// serves the trace within the limits, again and again if it is short, and how it
// does; nil where it does not keep them even at a thousandth of the load, and where
// all requests arrive at once, so that there is no load to change.
func Most(requests []Request, s Server, l Limits) (factor float64, at *Load, err error) {
	const least, most = 1e-3, 1e6
	if err := Check(requests); err != nil || math.IsNaN(rate(requests)) {
		return 0, nil, err
	}
	requests = Repeated(requests, sustained)
	try := func(factor float64) (*Load, error) { return Serve(Quicker(requests, factor), s, 1, l) }
	low, high := 0.0, math.Inf(1)
	for f := 1.0; ; {
		load, err := try(f)
		if err != nil {
			return 0, nil, err
		}
		if load.Within >= l.Share {
			low, at = f, load
		} else {
			high = f
		}
		switch {
		case low == 0 && f > least:
			f /= 2
		case low == 0:
			return 0, nil, nil
		case math.IsInf(high, 1) && f < most:
			f *= 2
		case math.IsInf(high, 1) || high/low < precision:
			return low, at, nil
		default:
			f = math.Sqrt(low * high)
		}
	}
}

// Replicas is the least number of replicas that serve the trace within the limits,
// and how they do; nil where a replica for each request does not either.
func Replicas(requests []Request, s Server, l Limits) (*Load, error) {
	low, high := 0, 1 // low does not do
	var at *Load
	for {
		load, err := Serve(requests, s, high, l)
		if err != nil {
			return nil, err
		}
		if load.Within >= l.Share {
			at = load
			break
		}
		if high >= min(len(requests), MostReplicas) {
			return nil, nil
		}
		low, high = high, min(2*high, len(requests), MostReplicas)
	}
	for high-low > 1 {
		middle := (low + high) / 2
		load, err := Serve(requests, s, middle, l)
		if err != nil {
			return nil, err
		}
		if load.Within >= l.Share {
			high, at = middle, load
		} else {
			low = middle
		}
	}
	return at, nil
}

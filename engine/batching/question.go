package batching

import (
	"context"
	"math"

	"sweetspot/engine/estimate"
)

// Question is what is asked of a server for a trace.
type Question struct {
	Requests []Request
	Of       Fitted // without draws where the times are given, not fitted
	Limits   Limits
	Replicas int // 0 takes the fewest that keep the limits
}

// Answer is what comes of it.
type Answer struct {
	// Alone is the most load that one replica serves within the limits, and Most its
	// requests per second; nil and unknown where it keeps them at no load, and where
	// all requests arrive at once.
	Alone  *Load
	Factor float64 // of the trace's load; 0 where Alone is nil
	Most   estimate.Estimate

	Load  *Load // of the trace on the replicas
	Keeps bool  // they keep the limits
	TTFT  Spread
	TPOT  Spread
}

// Spread are percentiles with intervals; without draws they have none.
type Spread struct{ P50, P95, P99 estimate.Estimate }

// sampled is the number of requests that intervals are computed with: the first of
// the trace.
const sampled = 5000

// Answer simulates, with intervals.
func (q Question) Answer() (*Answer, error) {
	a, err := q.Simulate()
	if err != nil {
		return nil, err
	}
	return q.Intervals(context.Background(), a)
}

// Simulate answers without intervals, which take longer.
func (q Question) Simulate() (*Answer, error) {
	a := &Answer{}
	var err error
	if a.Factor, a.Alone, err = Most(q.Requests, q.Of.Server, q.Limits); err != nil {
		return nil, err
	}
	if err := q.serve(a); err != nil {
		return nil, err
	}
	found := q.bare(spreads(a.Load))
	a.TTFT, a.TPOT = spreadsOf(found)
	if a.Alone != nil {
		a.Most = q.bare([]float64{a.Alone.PerSecond})[0]
	}
	return a, nil
}

// serve serves the trace with the replicas asked for, or as few as do.
func (q Question) serve(a *Answer) (err error) {
	replicas := q.Replicas
	if replicas == 0 {
		if a.Load, err = Replicas(q.Requests, q.Of.Server, q.Limits); a.Load != nil || err != nil {
			a.Keeps = err == nil
			return err
		}
		replicas = min(len(q.Requests), MostReplicas)
	}
	a.Load, err = Serve(q.Requests, q.Of.Server, replicas, q.Limits)
	a.Keeps = err == nil && a.Load.Within >= q.Limits.Share
	return err
}

// Intervals is the answer with those of the most load and of the latencies.
func (q Question) Intervals(ctx context.Context, simulated *Answer) (*Answer, error) {
	a := *simulated
	first := q.Requests[:min(len(q.Requests), sampled*a.Load.Replicas, 4*sampled)]
	found, err := q.around(ctx, spreads(a.Load), func(s Server) ([]float64, error) {
		load, err := Serve(first, s, a.Load.Replicas, q.Limits)
		if err != nil {
			return nil, err
		}
		return spreads(load), nil
	})
	if err != nil {
		return nil, err
	}
	a.TTFT, a.TPOT = spreadsOf(found)
	if a.Alone == nil {
		return &a, nil
	}
	part := q.Requests[:min(len(q.Requests), sampled)]
	found, err = q.around(ctx, []float64{a.Alone.PerSecond}, func(s Server) ([]float64, error) {
		factor, _, err := Most(part, s, q.Limits)
		return []float64{factor}, err
	})
	if err != nil {
		return nil, err
	}
	a.Most = found[0]
	return &a, nil
}

// spreads are the percentiles that have intervals.
func spreads(l *Load) []float64 {
	t, p := l.Latencies.TTFT, l.Latencies.TPOT
	return []float64{t.P50, t.P95, t.P99, p.P50, p.P95, p.P99}
}

// spreadsOf are the estimates of [spreads].
func spreadsOf(e []estimate.Estimate) (ttft, tpot Spread) {
	return Spread{e[0], e[1], e[2]}, Spread{e[3], e[4], e[5]}
}

// bare are values without intervals. NaN stays unknown.
func (q Question) bare(values []float64) []estimate.Estimate {
	out, basis := make([]estimate.Estimate, len(values)), estimate.Spec
	if len(q.Of.Draws) > 0 {
		basis = estimate.OtherBatch
	}
	for i, v := range values {
		if !math.IsNaN(v) {
			out[i] = estimate.Exact(v, basis)
		}
	}
	return out
}

// around gives values of all requests intervals as wide as those of what is computed
// of some. Where the times are given, not fitted, there are none, and nothing is computed.
func (q Question) around(ctx context.Context, values []float64,
	of func(Server) ([]float64, error)) ([]estimate.Estimate, error) {
	if len(q.Of.Draws) == 0 {
		return q.bare(values), nil
	}
	found, err := q.Of.Estimate(func(s Server) ([]float64, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return of(s)
	})
	if err != nil {
		return nil, err
	}
	out := make([]estimate.Estimate, len(values))
	for i, v := range values {
		out[i] = scaled(found[i], v)
	}
	return out, nil
}

// scaled is an estimate of a part scaled to the value of the whole.
func scaled(e estimate.Estimate, v float64) estimate.Estimate {
	switch {
	case math.IsNaN(v) || !e.Known():
		return estimate.Estimate{}
	case e.Value == 0:
		return estimate.Estimate{Value: v, Low: 0, High: max(v, e.High), Basis: e.Basis}
	}
	return e.Times(v / e.Value)
}

package batching

import (
	"context"
	"math"

	"sweetspot/engine/estimate"
)

// Curve is how one replica serves the trace at several loads.
type Curve struct {
	OfMost bool     // [Shares] are of the most load within the limits, else of what the replica can compute at all
	Loads  []*Load  // of each share; none where all requests arrive at once
	TTFT   []Spread // of each load
	TPOT   []Spread
}

// Shares are the loads of a curve.
var Shares = [...]float64{0.25, 0.5, 0.75, 0.9, AtMost: 1, 1.1, 1.5}

// AtMost is the load of a curve whose share is 1.
const AtMost = 4

// Curve serves the trace, again and again if it is short, on one replica: at loads
// around the most that it holds within the limits, or where it keeps them at none, that it
// can compute. It is empty where all requests arrive at once. Intervals are left out.
func (q Question) Curve(a *Answer) (*Curve, error) {
	c, per := &Curve{OfMost: a.Alone != nil}, a.Factor
	if math.IsNaN(rate(q.Requests)) {
		return c, nil
	}
	requests := Repeated(q.Requests, sustained)
	if !c.OfMost {
		flooded, err := q.alone(requests, saturating)
		if err != nil {
			return nil, err
		}
		per = float64(len(requests)) / flooded.SpanS / rate(requests)
	}
	for _, share := range Shares {
		load := a.Alone
		if !c.OfMost || share != 1 {
			var err error
			if load, err = q.alone(requests, share*per); err != nil {
				return nil, err
			}
		}
		c.Loads = append(c.Loads, load)
	}
	c.spread(q.bare(c.percentiles()))
	return c, nil
}

// saturating is the factor of a trace at which its requests come as good as at once.
const saturating = 1e6

// alone serves requests faster by a factor on one replica.
func (q Question) alone(requests []Request, factor float64) (*Load, error) {
	return Serve(Quicker(requests, factor), q.Of.Server, 1, q.Limits)
}

// percentiles are those of all loads, one after the other.
func (c *Curve) percentiles() (out []float64) {
	for _, l := range c.Loads {
		out = append(out, spreads(l)...)
	}
	return out
}

// spread takes the estimates of the percentiles.
func (c *Curve) spread(found []estimate.Estimate) {
	c.TTFT, c.TPOT = make([]Spread, len(c.Loads)), make([]Spread, len(c.Loads))
	for i := range c.Loads {
		c.TTFT[i], c.TPOT[i] = spreadsOf(found[6*i:])
	}
}

// Intervals is the curve with those of its latencies.
func (c *Curve) Intervals(ctx context.Context, q Question) (*Curve, error) {
	out := *c
	requests := Repeated(q.Requests, sustained)
	requests = requests[:min(len(requests), sampled)]
	found, err := q.around(ctx, c.percentiles(), func(s Server) (values []float64, err error) {
		drawn := q
		drawn.Of.Server = s
		for _, l := range c.Loads {
			load, err := drawn.alone(requests, l.PerSecond/rate(requests))
			if err != nil {
				return nil, err
			}
			values = append(values, spreads(load)...)
		}
		return values, nil
	})
	if err != nil {
		return nil, err
	}
	out.spread(found)
	return &out, nil
}

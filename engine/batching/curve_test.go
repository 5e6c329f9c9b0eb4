package batching

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
)

// The loads of a curve are shares of the most load, where the replica just keeps the limits;
// each is what a replica serves at that load.
func TestCurve(t *testing.T) {
	requests, s := example()
	q := Question{Requests: requests, Of: Fitted{Server: s}, Limits: Limits{0.5, 0.03, 0.95}}
	a, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	c, err := q.Curve(a)
	if err != nil || !c.OfMost || len(c.Loads) != len(Shares) || c.Loads[AtMost] != a.Alone || Shares[AtMost] != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	for i, l := range c.Loads {
		if math.Abs(l.PerSecond/(Shares[i]*a.Alone.PerSecond)-1) > 1e-9 || (l.Within >= 0.95) != (i <= AtMost) {
			t.Errorf("load %d: %g of %g requests/s, %.3f in time", i, l.PerSecond, a.Alone.PerSecond, l.Within)
		}
		if c.TTFT[i].P95.Value != l.Latencies.TTFT.P95 || c.TPOT[i].P50.Value != l.Latencies.TPOT.P50 ||
			c.TTFT[i].P95.Basis != estimate.Spec {
			t.Errorf("load %d: %+v and %+v of %+v", i, c.TTFT[i], c.TPOT[i], l.Latencies)
		}
	}
	again, err := Serve(Quicker(requests, 0.5*a.Factor), s, 1, q.Limits)
	if err != nil || again.Latencies != c.Loads[1].Latencies {
		t.Errorf("half of the most load: %+v, not %+v, %v", c.Loads[1].Latencies, again.Latencies, err)
	}
}

// Where no load keeps the limits, loads are shares of what the replica can compute: at the
// whole of it the queue grows.
func TestCurveOfNoLoad(t *testing.T) {
	requests, s := example()
	q := Question{Requests: requests, Of: Fitted{Server: s}, Limits: Limits{0.001, 1, 0.9}}
	a, err := q.Simulate()
	if err != nil || a.Alone != nil || a.Keeps {
		t.Fatalf("%+v, %v", a, err)
	}
	c, err := q.Curve(a)
	if err != nil || c.OfMost || len(c.Loads) != len(Shares) {
		t.Fatalf("%+v, %v", c, err)
	}
	light, full, over := c.Loads[0], c.Loads[AtMost], c.Loads[len(Shares)-1]
	if done := float64(len(full.Seen)) / over.SpanS; math.Abs(done/full.PerSecond-1) > 0.1 {
		t.Errorf("flooded it does %g requests/s, the curve takes %g for the most", done, full.PerSecond)
	}
	if light.Latencies.TTFT.P95 > 0.5*over.Latencies.TTFT.P95 {
		t.Errorf("no queue grows: %+v, %+v", light.Latencies.TTFT, over.Latencies.TTFT)
	}
	at := Question{Requests: []Request{{5, 9, 9}, {5, 9, 9}}, Of: Fitted{Server: s}, Limits: q.Limits}
	if a, err = at.Simulate(); err != nil {
		t.Fatal(err)
	}
	if c, err = at.Curve(a); err != nil || len(c.Loads) != 0 {
		t.Errorf("requests at once: %+v, %v", c, err)
	}
	if c, err = c.Intervals(t.Context(), at); err != nil || len(c.Loads) != 0 {
		t.Errorf("requests at once: %+v, %v", c, err)
	}
}

// Intervals hold what they are around, and change no value.
func TestIntervals(t *testing.T) {
	requests, s := example()
	of := Fitted{Server: s, Off: 0.02, Used: 100}
	for _, f := range []float64{0.9, 0.95, 1.05, 1.1} {
		d := s
		d.StepS, d.PromptS = f*s.StepS, f*s.PromptS
		of.Draws = append(of.Draws, d)
	}
	q := Question{Requests: requests[:500], Of: of, Limits: Limits{0.5, 0.03, 0.95}}
	bare, err := q.Simulate()
	if err != nil {
		t.Fatal(err)
	}
	full, err := q.Intervals(t.Context(), bare)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := q.Curve(bare)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := curve.Intervals(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	pairs := [][2]estimate.Estimate{{bare.Most, full.Most}, {bare.TTFT.P95, full.TTFT.P95}, {bare.TPOT.P50, full.TPOT.P50}}
	for i := range curve.Loads {
		pairs = append(pairs, [2]estimate.Estimate{curve.TTFT[i].P95, wide.TTFT[i].P95},
			[2]estimate.Estimate{curve.TPOT[i].P99, wide.TPOT[i].P99})
	}
	for i, p := range pairs {
		if p[0].Low != p[0].High || math.Abs(p[1].Value/p[0].Value-1) > 1e-9 ||
			!(p[1].Low < p[1].Value && p[1].Value < p[1].High) || p[1].Basis != estimate.OtherBatch {
			t.Errorf("pair %d: %+v, with an interval %+v", i, p[0], p[1])
		}
	}
	if tpot := wide.TPOT[0].P50; tpot.High/tpot.Low < 1.1 {
		t.Errorf("steps that may take a tenth more or less leave %+v", tpot)
	}
}

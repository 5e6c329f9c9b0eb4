package transfer

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
)

func near2(a, b, rel float64) bool { return math.Abs(a-b) <= rel*math.Abs(b) }

func points(t func(b float64) float64, batches ...float64) []Point {
	var out []Point
	for _, b := range batches {
		out = append(out, Point{b, t(b)})
	}
	return out
}

func TestCurvesWithKnownAnswers(t *testing.T) {
	line := func(b float64) float64 { return 0.02 + 0.001*b }
	bend := func(b float64) float64 { // before which the time drifts up
		x := 0.02 * b
		return 0.01 * math.Cbrt(math.Pow(b/8, 3*0.02)+x*x*x)
	}
	for name, c := range map[string]struct {
		measured []Point
		truth    func(b float64) float64
		within   float64
	}{
		"a line from two":   {points(line, 16, 256), line, 1e-9},
		"a line from four":  {points(line, 8, 32, 64, 512), line, 1e-3},
		"a bend from three": {points(bend, 8, 64, 512), bend, 0.02},
		"no growth": {points(func(float64) float64 { return 3 }, 1, 64),
			func(float64) float64 { return 3 }, 1e-9},
		"in proportion": {points(func(b float64) float64 { return b }, 2, 16),
			func(b float64) float64 { return b }, 1e-9},
		"repeats count as their mean": {[]Point{{16, 0.9}, {16, 1 / 0.9}, {32, 2}},
			func(b float64) float64 { return b / 16 }, 1e-9},
	} {
		curve := BatchCurve(c.measured)
		for _, b := range []float64{4, 16, 24, 100, 256, 1000} {
			if got := curve.Predict(b); !near2(got.Value, c.truth(b), c.within) || got.Basis != estimate.OtherBatch {
				t.Errorf("%s: %g at %g, want %g", name, got.Value, b, c.truth(b))
			}
		}
	}
}

func TestOneBatchSizeIsWide(t *testing.T) {
	e := BatchCurve([]Point{{32, 1}}).Predict(128)
	if e.Low > 1.02 || e.High < 3.98 || e.Value < 1 || e.Value > 4 {
		t.Errorf("four times the batch takes between as long and four times as long: %+v", e)
	}
}

func TestNothingMeasured(t *testing.T) {
	for _, bad := range [][]Point{nil, {{0, 1}}, {{4, 0}, {8, math.NaN()}, {math.Inf(1), 1}, {8, math.Inf(1)}, {-1, 2}}} {
		if c := BatchCurve(bad); c != nil {
			t.Errorf("%v: a curve through nothing: %+v", bad, c)
		}
	}
}

// measured draws times that never fall as the batch grows, nor grow faster.
func measured(t *rapid.T) []Point {
	b := rapid.Float64Range(1, 64).Draw(t, "batch")
	s := rapid.Float64Range(1e-3, 10).Draw(t, "seconds")
	out := []Point{{b, s}}
	for range rapid.IntRange(0, 5).Draw(t, "more") {
		step := rapid.Float64Range(1.2, 8).Draw(t, "step")
		b, s = b*step, s*math.Pow(step, rapid.Float64Range(0, 1).Draw(t, "growth"))
		out = append(out, Point{b, s})
	}
	return out
}

func TestCurveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pts := measured(t)
		c := BatchCurve(pts)
		for _, p := range pts {
			if !near2(c.At(p.Batch), p.Seconds, 1e-9) {
				t.Fatalf("%g at %g, measured %g", c.At(p.Batch), p.Batch, p.Seconds)
			}
		}
		x := rapid.Float64Range(0.5, 1e5).Draw(t, "x")
		y := x * rapid.Float64Range(1, 10).Draw(t, "times")
		ex, ey := c.Predict(x), c.Predict(y)
		if !(ex.Low > 0) || !(ex.Low <= ex.Value && ex.Value <= ex.High) {
			t.Fatalf("%+v", ex)
		}
		if ex.Value > ey.Value*(1+1e-9) {
			t.Fatalf("%g at %g, but %g at %g", ex.Value, x, ey.Value, y)
		}
		if last := pts[len(pts)-1].Batch; x >= last && ex.HalfWidth() > ey.HalfWidth()+1e-12 {
			t.Fatalf("surer further away: %g at %g, %g at %g", ex.HalfWidth(), x, ey.HalfWidth(), y)
		}
		k := rapid.Float64Range(1e-3, 1e3).Draw(t, "unit")
		scaled := make([]Point, len(pts))
		for i, p := range pts {
			scaled[i] = Point{p.Batch, p.Seconds * k}
		}
		if got := BatchCurve(scaled).Predict(x); !near2(got.Value, ex.Value*k, 1e-6) || !near2(got.High, ex.High*k, 1e-6) {
			t.Fatalf("in another unit %+v, not %+v times %g", got, ex, k)
		}
	})
}

func TestMemory(t *testing.T) {
	line := func(b float64) float64 { return 2e9 + 50e6*b }
	if MemoryLine(points(line, 32)) != nil || MemoryLine([]Point{{32, 1}, {32, 2}}) != nil {
		t.Error("one batch size makes no line")
	}
	m := MemoryLine(points(line, 16, 64))
	if e := m.At(200); !near2(e.Value, line(200), 1e-9) || e.Low >= e.Value || e.High <= e.Value {
		t.Errorf("%+v", e)
	}
}

package training

import (
	"math"
	"testing"

	"pgregory.net/rapid"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Repeats give a total its interval. Equal ones were rounded, and know no more than one.
func TestIntervalOfRepeatedTotals(t *testing.T) {
	repeated := func(deviation float64, n int) profile.Run {
		return profile.Run{TotalS: new(100.0), TotalStdDevS: &deviation, TotalN: n, Basis: estimate.Measured}
	}
	once := AsPublished(profile.Run{TotalS: new(100.0), Basis: estimate.Measured}, nil)
	for _, r := range []profile.Run{repeated(0, 3), repeated(4, 1)} {
		if got := AsPublished(r, nil); got != once || got.HalfWidth() < 0.04 {
			t.Errorf("%d totals that differ by %g: %+v, of one %+v", r.TotalN, *r.TotalStdDevS, got, once)
		}
	}
	// Student's t of 2 degrees of freedom is 2.92 at 95 %, and the next total is one draw.
	if got, want := AsPublished(repeated(4, 3), nil), 100+2.91999*4*math.Sqrt(1+1.0/3); math.Abs(got.High-want) > 1e-3 {
		t.Errorf("up to %g, want %g", got.High, want)
	}
}

// Table 5.2 of the thesis: seismic on p2.xlarge, average epoch as the second.
func TestMethod1HoldsTable52(t *testing.T) {
	for _, c := range []struct{ init, first, average, epochs, printed float64 }{
		{0.18, 13.69, 11.05, 13, 146.47},
		{0.19, 14.22, 9.96, 11, 114.01},
		{0.20, 18.95, 10.05, 12, 129.7},
		{0.19, 33.06, 15.6, 16, 267.25},
	} {
		got := Method1(Epochs{c.init, c.first, c.average}, c.epochs)
		if math.Abs(got-c.printed) > 0.01 {
			t.Errorf("%g epochs: got %.3f s, table 5.2 prints %.2f", c.epochs, got, c.printed)
		}
	}
}

// Tables 5.3 and 5.4: the same runs with and without validation. Iteration
// times are printed to 0.01 s, so the tolerance is half of that per iteration.
func TestMethod2HoldsTables53And54(t *testing.T) {
	for _, c := range []struct{ init, first, second, perEpoch, epochs, val1, val2, with, without float64 }{
		{0.63, 14.0, 0.08, 158.25, 13, 0.17, 0.2, 170.6, 170.3},
		{0.19, 3.41, 0.13, 79.125, 14, 0.17, 0.2, 148.95, 148.6},
		{0.20, 5.62, 0.25, 39.5625, 14, 0.18, 0.2, 144.4, 144.0},
		{0.18, 10.2, 0.74, 19.78125, 16, 0.18, 0.2, 243.95, 243.5},
	} {
		tol := 0.005*c.perEpoch*c.epochs + 0.05*c.epochs
		it := Iterations{Startup: c.init + c.first, Steady: c.second, PerEpoch: c.perEpoch}
		if got := Method2(it, c.epochs); math.Abs(got-c.without) > tol {
			t.Errorf("without validation: got %.2f, printed %.2f ± %.2f", got, c.without, tol)
		}
		it.FirstValidation, it.Validation = c.val1, c.val2
		if got := Method2(it, c.epochs); math.Abs(got-c.with) > tol+0.05*c.epochs+3 {
			t.Errorf("with validation: got %.2f, printed %.2f", got, c.with)
		}
	}
}

func TestTrainingKeepsOneOffsApart(t *testing.T) {
	r := profile.Run{
		Mode: profile.Train, Basis: estimate.Measured, IterationsPerEpoch: new(100.0),
		InitS: new(3.0), FirstIterationS: new(2.0), ValidationS: new(1.5), FirstValidationS: new(2.5),
		WarmupExtraS: new(0.2), ExitS: new(0.8),
		Steady: estimate.Around(0.1, 0.002, estimate.Measured),
	}
	got := Training(r, 4, nil)
	want := 5 + 0.2 + 0.1*(400-1) + 2.5 + 3*1.5 + 0.8
	if math.Abs(got.Value-want) > 1e-9 {
		t.Errorf("got %v, want %v", got.Value, want)
	}
	if !(got.Low < got.Value && got.Value < got.High) || got.Basis != estimate.Measured {
		t.Errorf("no interval: %+v", got)
	}
	if r.IterationsPerEpoch = nil; Training(r, 4, nil).Known() {
		t.Error("iterations per epoch unknown, yet a total")
	}
}

func TestLoneNumberGetsTheSpreadOfItsKind(t *testing.T) {
	kinds := map[estimate.Basis]profile.Kind{estimate.Reconstructed: {Rel: 0.1}}
	r := profile.Run{
		Mode: profile.Train, Basis: estimate.Reconstructed, IterationsPerEpoch: new(10.0),
		StartupS: new(1.0), Steady: estimate.Exact(1, estimate.Reconstructed),
	}
	got := Training(r, 1, kinds)
	if want := estimate.Spread(10, 0.1, estimate.Reconstructed); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCrossoversAgreeWithTheLowestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "lines")
		lines := make([]Line, n)
		for i := range lines {
			lines[i] = Line{rapid.Float64Range(0, 100).Draw(t, "at0"), rapid.Float64Range(0, 10).Draw(t, "slope")}
		}
		crossings := Crossovers(lines, 1, 50)
		current := lowest(lines, 1)
		from := 1.0
		check := func(to float64) {
			x := (from + to) / 2
			if got, best := lines[current].At(x), lines[lowest(lines, x)].At(x); got > best+1e-6 {
				t.Fatalf("at %g line %d costs %g, the lowest %g", x, current, got, best)
			}
		}
		for _, c := range crossings {
			if c.From != current || c.At < from || c.At > 50 {
				t.Fatalf("crossover %+v does not continue from line %d at %g", c, current, from)
			}
			check(c.At)
			current, from = c.To, c.At
		}
		check(50)
	})
}

// A mean without an interval is known no better than the iterations behind it tell.
func TestIterationOfFewHasAWideInterval(t *testing.T) {
	half := func(r profile.Run) float64 { return math.Round(100 * (Iteration(r, nil).High/r.Steady.Value - 1)) }
	r := profile.Run{Steady: estimate.Exact(1e20, estimate.Measured), Basis: estimate.Measured}
	for n, want := range map[int]float64{0: 5, 1: 50, 4: 25, 10_000: 5} {
		if r.SteadyN = n; half(r) != want {
			t.Errorf("of %d iterations ±%g %%, want ±%g %%", n, half(r), want)
		}
	}
	r.Steady = estimate.Around(1, 0.01, estimate.Measured)
	if r.SteadyN = 1; half(r) != 1 {
		t.Errorf("its own interval is ±%g %%", half(r))
	}
}

func TestStabilisationPoint(t *testing.T) {
	values := []float64{0.5, 0.7, 0.8, 0.79, 0.8, 0.78, 0.77, 0.79}
	if got := StabilisationPoint(values, true, 5); got != 2 {
		t.Errorf("got epoch %d, want 2", got)
	}
	if got := StabilisationPoint(values[:6], true, 5); got != -1 {
		t.Errorf("five epochs without gain not seen yet, got %d", got)
	}
	if n, ok := FirstReaching([]float64{3, 2, 1}, 2, false); n != 2 || !ok {
		t.Errorf("lower is better: got %d, %v", n, ok)
	}
}

func TestPoolAddsTheSpreadBetweenRuns(t *testing.T) {
	one := estimate.Around(10, 0.1, estimate.Measured)
	if got := Pool([]estimate.Estimate{one}); got != one {
		t.Errorf("a single run changed: %+v", got)
	}
	far := Pool([]estimate.Estimate{one, estimate.Around(14, 0.1, estimate.Measured)})
	if far.Value != 12 || far.HalfWidth() < 0.3 {
		t.Errorf("two runs 40 %% apart give %+v", far)
	}
}

// Whatever part of a total was start-up, up to the largest that is allowed for,
// the total of another number of epochs lies in the interval.
func TestStretchedTotals(t *testing.T) {
	const total, of = 1000.0, 10.0
	r := profile.Run{Mode: profile.Train, TotalS: new(total), Epochs: new(of), Basis: estimate.Measured}
	if got := Scaled(r, of, nil); got != AsPublished(r, nil) {
		t.Errorf("of its own epochs it is %+v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Float64Range(0.5, 500).Draw(t, "epochs")
		startup := total * rapid.Float64Range(0, HiddenStartup).Draw(t, "share of the start-up")
		truth := startup + (total-startup)*n/of
		got := Scaled(r, n, nil)
		if got.Low > truth || got.High < truth || math.Abs(got.Value-total*n/of) > 1e-9*got.Value {
			t.Fatalf("%g epochs take %g, said %+v", n, truth, got)
		}
	})
	for name, bad := range map[string]profile.Run{"no total": {Epochs: new(1.0)}, "no epochs": {TotalS: new(1.0)},
		"0 epochs": {TotalS: new(1.0), Epochs: new(0.0)}} {
		if Scaled(bad, 3, nil).Known() {
			t.Errorf("%s answers", name)
		}
	}
}

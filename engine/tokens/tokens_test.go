package tokens

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"sweetspot/engine/estimate"
)

// database is a number of models, each measured at loads from 1 to 64 and asked by a
// line. Their times bend by as much as bend says, and scatter.
func database(seed uint64, models int, bend, scatter float64) []Known {
	draw := rand.New(rand.NewPCG(seed, 7))
	var out []Known
	for m := range models {
		fixed, slope, power := math.Exp(draw.NormFloat64()), math.Exp(draw.NormFloat64()), 1+bend*draw.Float64()
		time := func(x float64) float64 {
			return math.Pow(math.Pow(fixed*20, power)+math.Pow(slope*x, power), 1/power)
		}
		low, high := Point{1, time(1)}, Point{64, time(64)}
		for x := 2.0; x < 64; x *= 2 {
			k := Known{Seconds: time(x) * math.Exp(scatter*draw.NormFloat64())}
			k.Plain, k.Shape = Line(low, high, x)
			k.Kind, k.Group, k.Tags = "k", fmt.Sprint(m), []string{fmt.Sprint(m % 3)}
			out = append(out, k)
		}
	}
	return out
}

// outcome is how well half of a database predicts the other half.
type outcome struct{ n, off, plain, inside float64 }

func halves(known []Known) (o outcome) {
	half := len(known) / 2
	learned := Learn(known[:half])
	for _, k := range known[half:] {
		e := learned.Predict(k.Case)
		o.n++
		o.off += math.Abs(e.Value/k.Seconds - 1)
		o.plain += math.Abs(k.Plain/k.Seconds - 1)
		if e.Low <= k.Seconds && k.Seconds <= e.High {
			o.inside++
		}
	}
	return o
}

// Where times bend alike, others tell by how much: what is left of the error is the
// scatter. The intervals hold nine of ten.
func TestCorrectsAndCovers(t *testing.T) {
	var all outcome
	for seed := range uint64(8) {
		o := halves(database(seed, 60, 3, 0.02))
		all = outcome{all.n + o.n, all.off + o.off, all.plain + o.plain, all.inside + o.inside}
	}
	t.Logf("mean error %.3f, by the line %.3f, %.3f inside", all.off/all.n, all.plain/all.n, all.inside/all.n)
	if all.off > 0.6*all.plain {
		t.Errorf("the error is %.3f of the line's", all.off/all.plain)
	}
	if c := all.inside / all.n; c < 0.85 || c > 0.96 {
		t.Errorf("%.3f are inside", c)
	}
}

// Where there is nothing to learn, the plain rule is left as it is.
func TestNeverWorseThanPlain(t *testing.T) {
	for _, models := range []int{6, 10, 20, 60} {
		var all outcome
		for seed := range uint64(12) {
			o := halves(database(100+seed, models, 0, 0.1))
			all = outcome{all.n + o.n, all.off + o.off, all.plain + o.plain, all.inside + o.inside}
		}
		t.Logf("%d models: mean error %.4f, by the line %.4f, %.3f inside", models, all.off/all.n, all.plain/all.n,
			all.inside/all.n)
		if all.off > 1.04*all.plain {
			t.Errorf("%d models: the error is %.3f of the line's", models, all.off/all.plain)
		}
		if c := all.inside / all.n; c < 0.8 {
			t.Errorf("%d models: %.3f are inside", models, c)
		}
	}
}

// Data that follow the plain rule are predicted exactly.
func TestExactWhereTheRuleHolds(t *testing.T) {
	known := database(5, 20, 0, 0)
	learned := Learn(known[:50])
	for _, k := range known[50:] {
		if e := learned.Predict(k.Case); math.Abs(e.Value/k.Seconds-1) > 1e-6 {
			t.Fatalf("%v instead of %v", e, k.Seconds)
		}
	}
}

// Few others, or others of another kind, tell nothing: the plain answer comes with a
// wide interval.
func TestLittleIsKnown(t *testing.T) {
	known := database(1, 30, 3, 0.02)
	for name, learned := range map[string]*Corrections{"nothing": Learn(nil), "three models": Learn(known[:15])} {
		e := learned.Predict(known[20].Case)
		if math.Abs(e.Value/known[20].Plain-1) > 1e-12 || e.High/e.Value < 1.3 {
			t.Errorf("%s known: %v, plain %v", name, e, known[20].Plain)
		}
	}
	other := known[20].Case
	other.Kind = "another"
	if e := Learn(known).Predict(other); e.Value != other.Plain {
		t.Errorf("another kind: %v, plain %v", e, other.Plain)
	}
}

// What cannot be computed with is unknown, and left out of what is learned.
func TestUnusable(t *testing.T) {
	known := database(1, 30, 3, 0.02)
	want := Learn(known).Predict(known[3].Case)
	for _, bad := range []float64{math.NaN(), math.Inf(1), 0, -1, 1e300} {
		spoiled := known[4]
		spoiled.Seconds = bad
		odd := known[5]
		odd.Plain = bad
		if got := Learn(append([]Known{spoiled, odd}, known...)).Predict(known[3].Case); got != want {
			t.Errorf("with %v: %v instead of %v", bad, got, want)
		}
		if e := Learn(known).Predict(odd.Case); e.Known() {
			t.Errorf("a plain answer of %v: %v", bad, e)
		}
	}
	odd := known[5].Case
	odd.Shape = []float64{math.NaN()}
	if e := Learn(known).Predict(odd); e.Basis != estimate.Unknown {
		t.Errorf("a shape that is not a number: %v", e)
	}
}

// Of very many cases whole groups are kept, the same every time.
func TestBounded(t *testing.T) {
	known := database(1, 400, 0, 0.1)
	some := bounded(known)
	if len(some) > mostKnown || len(some) < mostKnown-5 {
		t.Errorf("%d cases are kept", len(some))
	}
	for _, g := range groupsOf(some) {
		if len(g) != 5 {
			t.Errorf("a group of 5 was cut to %d", len(g))
		}
	}
	if again := bounded(known); again[7].Plain != some[7].Plain {
		t.Error("another time others are kept")
	}
}

// Leaving a group out by the inverse of the whole is as fitting again without it.
func TestWithoutIsARefit(t *testing.T) {
	known := database(3, 12, 3, 0.02)
	k := kernels[2]
	y, noise := make([]float64, len(known)), make([]float64, len(known))
	for i := range known {
		y[i], noise[i] = known[i].deviation(), k.noise
	}
	whole, ok := newRegression(known, y, k, noise)
	if !ok {
		t.Fatal("no inverse")
	}
	group := groupsOf(known)[0]
	rest, ok := newRegression(known[len(group):], y[len(group):], k, noise[len(group):])
	if !ok {
		t.Fatal("no inverse")
	}
	for i, p := range whole.without(group, y) {
		want := rest.at(&known[group[i]].Case)
		if math.Abs(p.mean-want.mean) > 1e-9 || math.Abs(p.sd-want.sd) > 1e-9 {
			t.Errorf("%v instead of %v", p, want)
		}
	}
}

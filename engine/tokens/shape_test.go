package tokens

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got/want-1) < 1e-9) {
		t.Errorf("%s: %v instead of %v", what, got, want)
	}
}

// Each plain rule is exact where its law holds.
func TestRulesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		positive := func(name string) float64 { return rapid.Float64Range(1e-3, 1e3).Draw(t, name) }
		a, b, c := positive("a"), positive("b"), rapid.Float64Range(-0.1, 0.1).Draw(t, "c")
		low := rapid.Float64Range(1, 10).Draw(t, "low")
		at := low * rapid.Float64Range(1.1, 4).Draw(t, "at")
		high := at * rapid.Float64Range(1.1, 4).Draw(t, "high")
		point := func(f func(float64) float64, x float64) Point { return Point{x, f(x)} }

		line := func(x float64) float64 { return a + b*x }
		got, _ := Line(point(line, low), point(line, high), at)
		near(t, "a line", got, line(at))

		squares := func(x float64) float64 { return a*x + b*x*x }
		got, _ = Squares(point(squares, low), point(squares, high), at)
		near(t, "a length and its square", got, squares(at))

		parabola := func(x float64) float64 { return a * math.Exp(c*math.Log(x)*math.Log(x)) * math.Pow(x, 0.3) }
		middle := math.Sqrt(low * high)
		if math.Abs(middle/at-1) < 0.01 {
			return
		}
		got, _ = Parabola(point(parabola, low), point(parabola, middle), point(parabola, high), at)
		near(t, "a parabola", got, parabola(at))

		got, _ = Ratio(line(low), b*line(low), line(at))
		near(t, "a ratio", got, b*line(at))
	})
}

// The middle is by factors, and never an end.
func TestMiddle(t *testing.T) {
	points := []Point{{At: 1}, {At: 2}, {At: 16}, {At: 128}, {At: 256}}
	if m := Middle(points); m != 2 {
		t.Errorf("the middle one is %v", points[m])
	}
	if m := Middle(points[:3]); m != 1 {
		t.Errorf("the only one between is %v", points[m])
	}
}

package plot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/estimate"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// The range shows the bulk: no first iteration and no outlier stretches it, and
// noise of a percent does not look wild.
func TestTheRangeOfIterationTimes(t *testing.T) {
	ramp := make([]float64, 100)
	for i := range ramp {
		ramp[i] = 1 + float64(i)/100
	}
	for name, c := range map[string]struct {
		seconds []float64
		steady  estimate.Estimate
		lo, hi  float64 // without the margin above
	}{
		"equal":                       {seconds: []float64{2, 2, 2}, lo: 1.9, hi: 2.1},
		"equal and small":             {seconds: []float64{0.02}, lo: 0.019, hi: 0.021},
		"a short one":                 {seconds: []float64{4, 4, 4, 0.1, 6, 4}, lo: 2, hi: 4},
		"two":                         {seconds: []float64{9, 1}, lo: 1, hi: 9},
		"a long first one":            {seconds: []float64{90, 1, 1.2, 1.5}, lo: 1, hi: 1.5},
		"nineteen of them":            {seconds: append([]float64{90}, ramp[:18]...), lo: 1, hi: 1.17},
		"many":                        {seconds: ramp, lo: 1, hi: 1.94},
		"none that is finite but one": {seconds: []float64{math.NaN(), 3, math.Inf(1)}, lo: 2.85, hi: 3.15},
		"a steady interval reaches on": {seconds: ramp, steady: estimate.Estimate{Value: 2, Low: 0.5, High: 3,
			Basis: estimate.Measured}, lo: 0.5, hi: 3},
	} {
		l := NewLive(theme.New("", true, false))
		l.SetData(1, c.seconds, 1, c.steady)
		lo, hi, ok := l.span()
		if want := c.hi + (c.hi-c.lo)*0.15; !ok || math.Abs(lo-c.lo) > 1e-9 || math.Abs(hi-want) > 1e-9 {
			t.Errorf("%s: from %g to %g, not %g to %g", name, lo, hi, c.lo, want)
		}
	}
	l := NewLive(theme.New("", true, false))
	l.SetData(1, []float64{math.NaN(), math.Inf(1)}, 0, estimate.Estimate{})
	if _, _, ok := l.span(); ok {
		t.Error("nothing finite has a range")
	}
}

// Of very many times a sample is judged, which is spread over all of them.
func TestTheRangeOfVeryManyTimes(t *testing.T) {
	seconds := make([]float64, 5*samples)
	for i := range seconds {
		seconds[i] = 1 + float64(i)/float64(len(seconds))
	}
	l := NewLive(theme.New("", true, false))
	l.SetData(1, seconds, 0, estimate.Estimate{})
	if lo, _, ok := l.span(); !ok || lo != 1 || len(l.sample) > samples || len(l.sample) < samples/2 {
		t.Errorf("from %g by %d of %d", lo, len(l.sample), len(seconds))
	}
	if last := l.sample[len(l.sample)-1]; last < 1.99 {
		t.Errorf("the sample ends at %g", last)
	}
}

func TestLabelsOfIterations(t *testing.T) {
	for n, want := range map[int]float64{1: 20, 20: 20, 21: 30, 30: 30, 31: 50, 51: 75, 75: 75, 76: 100, 101: 150,
		151:     200,
		100_000: 100_000, 100_001: 150_000} {
		if got := chartEnd(n); got != want {
			t.Errorf("of %d the chart ends at %g, not %g", n, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 9999: "9999", 9000: "9000", 10000: "10k", 12500: "12500",
		150000: "150k"} {
		if got := count(v, 1); got != want {
			t.Errorf("%g is %s, not %s", v, got, want)
		}
	}
	for top, want := range map[float64]string{10: "0.5 s", 9.99: "500 ms", 1e-3: "500 ms", 0.99e-3: "500000 µs"} {
		if got := strings.ReplaceAll(secondsLabel(top)(0.5, 0.25), "5e+05", "500000"); got != want {
			t.Errorf("up to %g half a second is %s, not %s", top, got, want)
		}
	}
}

// A span is named where the word fits, in its last cells too.
func TestSpansAreNamedWhereTheyFit(t *testing.T) {
	l := NewLive(theme.New("", true, false))
	l.SetSize(60, 12)
	l.SetData(1, slices.Repeat([]float64{0.1, 0.11}, 20), 0, estimate.Estimate{})
	for room := range 12 {
		l.View()
		l.frame.gw, l.frame.gutter = 40, 10
		l.canvas.reset(60, 12)
		from := 40 - room
		for y := range 12 {
			for x := range 60 {
				if x >= l.frame.gutter+from && x < l.frame.gutter+38 || y > 0 {
					l.canvas.set(x, y, ' ', penPlain)
				} else {
					l.canvas.set(x, y, '#', penPlain)
				}
			}
		}
		l.name(&l.frame, "abcd", from, 40)
		if named := strings.Contains(ansi.Strip(l.canvas.String()), " abcd "); named != (room >= 6) {
			t.Errorf("%d cells: named %v", room, named)
		}
		l.mark(staleFrame)
	}
}

// A missing time parts the line.
func TestMissingTimesAreAGap(t *testing.T) {
	seconds := make([]float64, 60)
	for i := range seconds {
		seconds[i] = 0.1
		if i >= 20 && i < 40 {
			seconds[i] = math.NaN()
		}
	}
	for _, c := range []struct {
		from, to int
		drawn    bool
	}{{0, 20, true}, {20, 40, false}, {40, 60, true}} {
		l := NewLive(theme.New("", true, false))
		l.SetSize(80, 12)
		l.SetData(1, seconds, 0, estimate.Estimate{})
		l.View()
		marks := 0
		from, to := l.frame.column(float64(c.from))+1, l.frame.column(float64(c.to))-1
		for x := from; x < to; x++ {
			for y := range l.frame.gh {
				if l.canvas.pens[y*l.canvas.w+l.frame.gutter+x] == penSeries+1 {
					marks++
				}
			}
		}
		if drawn := marks > (to-from)/2; drawn != c.drawn || !c.drawn && marks > 0 {
			t.Errorf("from %d to %d %d of %d columns are drawn:\n%s", c.from, c.to, marks, to-from, ansi.Strip(l.View()))
		}
	}
}

func TestTheSteadyMeanIsInItsBand(t *testing.T) {
	seconds := slices.Repeat([]float64{0.10, 0.11}, 60)
	l := NewLive(theme.New("", true, false))
	l.SetSize(100, 24)
	l.SetData(1, seconds, 40, estimate.Estimate{Value: 0.105, Low: 0.101, High: 0.108, Basis: estimate.Measured})
	lines := text.Lines(ansi.Strip(l.View()))
	first, top, bottom, mean := math.MaxInt, -1, -1, -1
	for y, line := range lines {
		x := strings.IndexAny(line, "═┈")
		if x < 0 {
			continue
		}
		first = min(first, len([]rune(line[:x])))
		if top < 0 {
			top = y
		}
		if bottom = y; strings.Contains(line, "═") {
			mean = y
		}
	}
	f := &l.frame
	row := func(v float64) int { return f.gh - 1 - cellOf(f.y.frac(v), f.gh) }
	if top != row(0.108) || bottom != row(0.101) || mean != row(0.105) || first < f.gutter+f.column(40) {
		t.Errorf("the band is %d to %d with the mean on %d from column %d:\n%s", top, bottom, mean, first,
			strings.Join(lines, "\n"))
	}
	shaded := strings.Count(strings.Join(lines, ""), "░")
	if most := f.gh * f.column(40); shaded == 0 || shaded > most {
		t.Errorf("%d cells of at most %d are shaded", shaded, most)
	}
	if !strings.Contains(strings.Join(lines, ""), " warm-up ") || !strings.Contains(strings.Join(lines, ""), " steady ") {
		t.Errorf("the spans are not named:\n%s", strings.Join(lines, "\n"))
	}
	if l.SetData(2, seconds, 0, estimate.Estimate{}); strings.ContainsAny(ansi.Strip(l.View()), "░═") {
		t.Error("without a warm-up something is shaded")
	}
	before := l.View()
	if l.SetData(2, seconds, 9, estimate.Estimate{}); l.View() != before {
		t.Error("the same version is drawn again")
	}
}

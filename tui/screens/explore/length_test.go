package explore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/training"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

func TestLowestLinesAreTheLowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		value := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 1, 50, math.NaN()}))
		lines, feasible := make([]training.Line, n), rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "feasible")
		for i := range lines {
			lines[i] = training.Line{At0: value.Draw(t, "at 0"), Slope: value.Draw(t, "slope")}
		}
		var x [lengthPoints]float64
		for k := range x {
			x[k] = float64(k + 1)
		}
		for k, got := range lowestLines(lines, pareto.Where(n, func(i int) bool { return feasible[i] }), x) {
			want := math.NaN()
			for i, l := range lines {
				if v := l.At(x[k]); feasible[i] && !(v >= want) && !math.IsNaN(v) {
					want = v
				}
			}
			switch {
			case math.IsNaN(want) && got >= 0, !math.IsNaN(want) && (got < 0 || !feasible[got] || lines[got].At(x[k]) != want):
				t.Fatalf("at %g line %d, the lowest is at %g", x[k], got, want)
			}
		}
	})
}

// inferred is a space of batch inference without accuracies: n times of a batch,
// one VM each.
func inferred(t testing.TB, n int) *rank.Space {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	units := 1e6
	candidates := make([]candidate.Candidate, n)
	for i := range candidates {
		seconds := 100 + 1000*rng.Float64()
		candidates[i] = candidate.Candidate{
			ID: fmt.Sprint(i), Mode: profile.Infer, Units: &units, BatchSize: 32,
			Configuration: []candidate.Part{{VM: profile.VMType{GPU: []string{"T4", "V100"}[i%2]}, Count: 1}},
			Time:          estimate.Around(seconds, 1, estimate.Measured), Cost: estimate.Around(seconds*(0.5+rng.Float64()), 1,
				estimate.Measured),
		}
	}
	return rank.NewSpace(candidate.ListOf(candidates...))
}

func TestLengthPlotOfManyCandidatesStaysSmall(t *testing.T) {
	const n = 25_000
	s := inferred(t, n)
	d, title := newLengthPlot(s, make([]uint8, n), objective.Cost, question.Workload{})
	if title != "units" {
		t.Errorf("over %q", title)
	}
	if most := (groundLines + 4) * lengthPoints; len(d.of) > most {
		t.Errorf("%d points for %d candidates, more than %d", len(d.of), n, most)
	}
	if note := d.note(theme.New("", true, false)); !strings.Contains(note, "1 in 25 others") {
		t.Errorf("the note is %q", note)
	}
	cheapest, dearest := 0, 0
	for i, v := range s.Values(objective.Cost) {
		if v < s.Values(objective.Cost)[cheapest] {
			cheapest = i
		}
		if v > s.Values(objective.Cost)[dearest] {
			dearest = i
		}
	}
	if !slices.Contains(d.of[:d.ground], cheapest) || !slices.Contains(d.of[:d.ground], dearest) {
		t.Error("the axes don't reach over all lines")
	}
	p := plot.NewScatter(theme.New("", true, false))
	p.SetSize(60, 20)
	r := &rank.Result{Space: s, Feasible: pareto.NewSet(n)}
	for i := range n {
		r.Feasible.Put(i, i != cheapest)
	}
	d.show(p, r, 1, 1, 17)
	before := p.View()
	second := d.of[d.ground+lengthPoints]
	for i, v := range s.Values(objective.Cost) {
		if i != cheapest && v < s.Values(objective.Cost)[second] {
			t.Fatalf("candidate %d is drawn as the lowest, %d is below it", second, i)
		}
	}
	if got := d.points.Y[d.ground+d.stepAt(1e6)]; math.Abs(got-s.Values(objective.Cost)[17]) > 1e-9*got {
		t.Errorf("the selected line is at %g where %g is asked", got, s.Values(objective.Cost)[17])
	}
	d.show(p, r, 1, 1, 18)
	if p.View() == before {
		t.Error("another selection, the same frame")
	}
}

// BenchmarkLengthPlot is a slider's step on the plot over the length.
func BenchmarkLengthPlot(b *testing.B) {
	const n = 1_000_000
	s := inferred(b, n)
	d, _ := newLengthPlot(s, make([]uint8, n), objective.Cost, question.Workload{})
	p := plot.NewScatter(theme.New("", true, false))
	p.SetSize(57, 20)
	r := &rank.Result{Space: s, Feasible: pareto.NewSet(n)}
	for i := range n {
		r.Feasible.Put(i, s.Values(objective.Cost)[i] > 300)
	}
	b.ReportAllocs()
	seq := 0
	for b.Loop() {
		seq++
		d.show(p, r, seq, 1, seq%1000)
		p.View()
	}
}

package rank

import (
	"maps"
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
)

// timed is a candidate of a timing cell that takes about v seconds and costs a
// dollar a second.
func timed(cell int, v, rel float64) candidate.Candidate {
	c := candidate.Candidate{Cell: cell, Time: estimate.Spread(v, rel, estimate.Measured)}
	c.Cost = c.Time
	return c
}

func ask(candidates ...candidate.Candidate) *Result {
	return Evaluate(NewSpace(candidate.ListOf(candidates...)), question.Query{})
}

func TestBestProbabilityIsADistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := spaces().Draw(t, "space"), queries().Draw(t, "query")
		r := Evaluate(s, q)
		for _, o := range []objective.Name{objective.Time, objective.Cost} {
			p := r.BestProbability(o)
			known := 0
			for _, i := range r.Order() {
				if math.IsNaN(r.Chance(p, o, i)) == (s.At(i).Of(o).Known()) {
					t.Fatalf("of candidate %d's %+v %g is said", i, s.At(i).Of(o), r.Chance(p, o, i))
				}
				if s.At(i).Of(o).Known() {
					known++
				}
			}
			if (p == nil) != (known == 0) {
				t.Fatalf("of %d known values of %s %v is said", known, o, p)
			}
			if p == nil {
				continue
			}
			var sum float64
			for i, x := range p {
				if !r.Feasible.Has(i) || x < 0 || x > 1+1e-9 {
					t.Fatalf("candidate %d, feasible %v: %g", i, r.Feasible.Has(i), x)
				}
				sum += x
			}
			if len(p) > known || math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%d probabilities of %d candidates add up to %g", len(p), r.Count(), sum)
			}
			if !maps.Equal(p, Evaluate(s, q).BestProbability(o)) {
				t.Fatal("asked twice, answered differently")
			}
		}
	})
}

// Of two log-normals of equal spread, the probability has a closed form.
func TestBestProbabilityOfTwo(t *testing.T) {
	for _, factor := range []float64{1, 1.05, 1.2, 1.5, 3} {
		const rel = 0.2
		p := ask(timed(1, 10, rel), timed(2, 10*factor, rel)).BestProbability(objective.Time)
		sigma := math.Log(1+rel) / estimate.Z90
		want := 0.5 * math.Erfc(-math.Log(factor)/(2*sigma))
		if math.Abs(p[0]-want) > 4*0.0221 { // four standard errors of 512 draws
			t.Errorf("%g times faster: %.3f, want %.3f", factor, p[0], want)
		}
	}
}

func TestBestProbabilityOfEquals(t *testing.T) {
	// Candidates of one cell err together, so equal ones always tie and the
	// slower of two never wins, however wide the interval.
	p := ask(timed(7, 10, 0.5), timed(7, 10, 0.5), timed(7, 10.1, 0.5)).BestProbability(objective.Time)
	if math.Abs(p[0]-0.5) > 1e-9 || math.Abs(p[1]-0.5) > 1e-9 || p[2] != 0 {
		t.Errorf("got %v, want a half, a half and 0", p)
	}
}

func TestBestProbabilityNeedsIntervals(t *testing.T) {
	bare := candidate.Candidate{Time: estimate.Exact(99, estimate.Published)}
	if p := ask(timed(1, 10, 0.1), bare).BestProbability(objective.Time); p != nil {
		t.Errorf("a competitor has no interval, yet %v", p)
	}
	if p := ask().BestProbability(objective.Time); p != nil {
		t.Errorf("nobody competes, yet %v", p)
	}
	unpriced := timed(2, 10, 0.1)
	unpriced.Cost = estimate.Estimate{}
	r := ask(timed(1, 10, 0.1), unpriced, timed(3, 11, 0.1))
	p := r.BestProbability(objective.Cost)
	if sum := p[0] + p[2]; len(p) != 2 || math.Abs(sum-1) > 1e-9 || !math.IsNaN(r.Chance(p, objective.Cost, 1)) {
		t.Errorf("what has no price is no competitor: %v", p)
	}
	free := timed(2, 100, 0.1)
	free.Cost = estimate.Exact(0, estimate.Measured)
	if p := ask(timed(1, 10, 0.1), free).BestProbability(objective.Cost); p[0] != 0 || p[1] != 1 {
		t.Errorf("nothing is cheaper than what is free: %v", p)
	}
}

// Ten thousand that are as good take no more memory than a few: resamples are not kept.
func TestBestProbabilityOfVeryMany(t *testing.T) {
	all := make([]candidate.Candidate, 10_000)
	for k := range all {
		all[k] = timed(k%10, 10, 0.5)
	}
	r := ask(all...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := r.BestProbability(objective.Time)
	runtime.ReadMemStats(&after)
	if made := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(all)); made > 512 || len(p) != len(all) {
		t.Errorf("%.0f bytes a candidate for %d probabilities", made, len(p))
	}
}

package advice

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
)

// pruned is a candidate on the axis of the whole model.
func pruned(ratio, seconds, accuracy float64) candidate.Candidate {
	c := candidate.Candidate{
		Model: "net", Mode: profile.Infer, BatchSize: 64, Configuration: []candidate.Part{{Count: 1}},
		Time: estimate.Spread(seconds, 0.02, estimate.Measured),
	}
	if !math.IsNaN(accuracy) {
		c.Quality = &candidate.Quality{Metric: "top-1", Estimate: estimate.Around(accuracy, 0.002, estimate.Measured),
			HigherIsBetter: true}
	}
	if ratio > 0 {
		c.Variant.Name, c.Variant.Pruning = "pruned", &profile.Pruning{Kind: "filters by L1 norm", Ratio: &ratio}
	}
	return c
}

func TestSweetSpot(t *testing.T) {
	layer := func(name string, fraction, seconds, accuracy float64) candidate.Candidate {
		c := pruned(0, seconds, accuracy)
		c.Variant.Name, c.Variant.Pruning = name, &profile.Pruning{Layers: map[string]float64{name: fraction}}
		return c
	}
	unsure := pruned(0, 10, 0.9)
	unsure.Quality.Estimate = estimate.Around(0.9, 0.03, estimate.Measured)
	named := pruned(0, 10, 0.9)
	named.Variant.Name = "distilled"
	for _, c := range []struct {
		name  string
		of    []candidate.Candidate
		words []string
	}{
		{"within a point", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.1, 9, 0.899), pruned(0.3, 7.8, 0.896),
			pruned(0.5, 6, 0.86)},
			[]string{"pruned 30 % is 22 % faster for 0.4 points of top-1"}},
		{"as printed in any order", []candidate.Candidate{pruned(0.3, 7.8, 0.896), pruned(0.5, 6, 0.86), pruned(0, 10, 0.9)},
			[]string{"pruned 30 % is 22 % faster for 0.4 points of top-1"}},
		{"better", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.3, 9.5, 0.905)},
			[]string{"pruned 30 % is 5.0 % faster and 0.5 points better in top-1"}},
		{"the same", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.3, 9.5, 0.9)},
			[]string{"pruned 30 % is 5.0 % faster at the same top-1"}},
		{"an unsure accuracy is its own tolerance", []candidate.Candidate{unsure, pruned(0.3, 8, 0.875)},
			[]string{"pruned 30 % is 20 % faster for 2.5 points of top-1"}},
		{"no faster", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.3, 9.97, 0.9)}, nil},
		{"slower in between ends it", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.1, 9, 0.9), pruned(0.2, 9.5, 0.9),
			pruned(0.3, 5, 0.9)},
			[]string{"pruned 10 % is 10 % faster at the same top-1"}},
		{"level in between does not", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.1, 10.01, 0.9), pruned(0.2, 9, 0.9)},
			[]string{"pruned 20 % is 10 % faster at the same top-1"}},
		{"a fall of accuracy in between ends it", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.1, 9, 0.8),
			pruned(0.2, 8, 0.9)}, nil},
		{"no unpruned one", []candidate.Candidate{pruned(0.1, 10, 0.9), pruned(0.3, 8, 0.9)}, nil},
		{"another model without pruning", []candidate.Candidate{named, pruned(0.3, 8, 0.9)}, nil},
		{"unknown accuracy", []candidate.Candidate{pruned(0, 10, 0.9), pruned(0.3, 8, math.NaN())}, nil},
		{"two layers, each an axis", []candidate.Candidate{pruned(0, 10, 0.9), layer("conv1", 0.3, 9, 0.9),
			layer("conv2", 0.5, 8, 0.895), layer("conv2", 0.9, 5, 0.2)},
			[]string{"conv1 pruned 30 % is 10 % faster at the same top-1",
				"conv2 pruned 50 % is 20 % faster for 0.5 points of top-1"}},
	} {
		spots := SweetSpots(rank.NewSpace(candidate.ListOf(c.of...)))
		if len(spots) != len(c.words) {
			t.Errorf("%s: %+v, want %q", c.name, spots, c.words)
			continue
		}
		for i, s := range spots {
			if s.Words() != c.words[i] {
				t.Errorf("%s: %q, want %q", c.name, s.Words(), c.words[i])
			}
		}
	}
}

// The definition, over every stretch from the unpruned one: all of it holds the
// accuracy and never takes longer than before, its end is faster than
// all before, and no longer stretch does so.
func TestSweetSpotByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := []candidate.Candidate{pruned(0, float64(rapid.IntRange(3, 6).Draw(t, "unpruned")), 0.9)}
		n := rapid.IntRange(0, 6).Draw(t, "pruned ones")
		for i := range n {
			of = append(of, pruned(float64(i+1)/10, float64(rapid.IntRange(1, 6).Draw(t, "seconds")),
				0.9-float64(rapid.IntRange(-1, 3).Draw(t, "lost"))/125))
		}
		want := 0
		for end := 1; end <= n; end++ {
			holds := true
			for i := 1; i <= end; i++ {
				holds = holds && of[0].Quality.Estimate.Value-of[i].Quality.Estimate.Value <= Point
				for j := range i {
					holds = holds && of[i].Time.Value <= of[j].Time.Value
				}
			}
			if holds && of[end].Time.Value < of[end-1].Time.Value {
				want = end
			}
		}
		spots := SweetSpots(rank.NewSpace(candidate.ListOf(of...)))
		if want == 0 {
			if len(spots) != 0 {
				t.Fatalf("%+v, want none", spots)
			}
			return
		}
		if len(spots) != 1 || spots[0].Candidate != want || spots[0].Unpruned != 0 ||
			math.Abs(spots[0].Saved-(1-of[want].Time.Value/of[0].Time.Value)) > 1e-12 {
			t.Fatalf("%+v, want candidate %d", spots, want)
		}
	})
}

// Another VM, batch size or precision is another axis.
func TestSweetSpotsKeepAxesApart(t *testing.T) {
	other := func(change func(*candidate.Candidate)) candidate.Candidate {
		c := pruned(0.3, 5, 0.9)
		change(&c)
		return c
	}
	s := rank.NewSpace(candidate.ListOf([]candidate.Candidate{
		pruned(0, 10, 0.9),
		other(func(c *candidate.Candidate) { c.BatchSize = 128 }),
		other(func(c *candidate.Candidate) { c.Variant.Precision = "int8" }),
		other(func(c *candidate.Candidate) { c.Configuration[0].Count = 2 }),
		other(func(c *candidate.Candidate) { c.Configuration[0].VM.InstanceType = "p2.xlarge" }),
		other(func(c *candidate.Candidate) { c.Model = "another" }),
	}...))
	if spots := SweetSpots(s); len(spots) != 0 {
		t.Errorf("%+v", spots)
	}
}

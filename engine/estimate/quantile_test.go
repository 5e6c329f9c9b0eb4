package estimate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The values are those of numpy.quantile.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		p    float64
		want float64
	}{
		{[]float64{7}, 0.9, 7}, {[]float64{1, 2}, 0.5, 1.5}, {[]float64{1, 2, 3, 10}, 0.5, 2.5},
		{[]float64{1, 2, 3}, 0.5, 2}, {[]float64{1, 2, 3, 10}, 0.9, 7.9}, {[]float64{1, 2, 3, 10}, 1, 10},
		{[]float64{1, 2, 3, 10}, 0, 1}, {[]float64{1, math.Inf(1), math.Inf(1)}, 0.9, math.Inf(1)},
	} {
		if got := Quantile(c.of, c.p); got != c.want && !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("quantile %g of %v is %g, not %g", c.p, c.of, got, c.want)
		}
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("of nothing: %g", got)
	}
}

// As many values are above a median as below it, in whatever order they come, and quantiles rise.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "values")
		before := slices.Clone(values)
		middle := Median(values)
		if !slices.Equal(before, values) {
			t.Fatal("the values were moved")
		}
		below, above := 0, 0
		for _, v := range values {
			if v < middle {
				below++
			}
			if v > middle {
				above++
			}
		}
		if half := len(values) / 2; below > half || above > half {
			t.Fatalf("%d below, %d above %g of %v", below, above, middle, values)
		}
		sorted := slices.Sorted(slices.Values(values))
		if p := rapid.Float64Range(0, 1).Draw(t, "p"); Quantile(sorted, p/2) > Quantile(sorted, p) {
			t.Fatalf("quantile %g is above quantile %g", p/2, p)
		}
	})
}

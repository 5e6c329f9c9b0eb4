package pareto

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSetIsAListOfBools(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		want := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "in")
		s := Where(n, func(i int) bool { return want[i] })
		for range rapid.IntRange(0, min(n, 20)).Draw(t, "changes") {
			i, in := rapid.IntRange(0, n-1).Draw(t, "point"), rapid.Bool().Draw(t, "in")
			want[i] = in
			s.Put(i, in)
		}
		var all []int
		for i, in := range want {
			if s.Has(i) != in {
				t.Fatalf("point %d: %v", i, s.Has(i))
			}
			if in {
				all = append(all, i)
			}
		}
		if got := slices.Collect(s.All()); !slices.Equal(got, all) {
			t.Fatalf("the points are %v, not %v", got, all)
		}
		other, differing := NewSet(n), []int(nil)
		for i := range n {
			in := rapid.Bool().Draw(t, "in the other")
			if other.Put(i, in); in != want[i] {
				differing = append(differing, i)
			}
		}
		if got := slices.Collect(s.Differing(other)); !slices.Equal(got, differing) {
			t.Fatalf("those in one alone are %v, not %v", got, differing)
		}
		s.Fill(n)
		if got := slices.Collect(s.All()); len(got) != n || n > 0 && got[n-1] != n-1 {
			t.Fatalf("all of %d are %v", n, got)
		}
	})
}

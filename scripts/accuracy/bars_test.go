package main

import (
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// sets is where published measurements lie beside the project. They are no part
// of it, so tests of them skip where they are absent.
const sets = "../../../shared/data"

// published reads a set the way main does.
func published(t *testing.T, name string) *profile.Set {
	t.Helper()
	for _, s := range convert.Sets() {
		if s.Name != name {
			continue
		}
		set, err := load(t.Context(), s, sets, "")
		if convert.Absent(err) {
			t.Skipf("the published measurements %s are not in %s", name, sets)
		}
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	t.Fatalf("no converter is called %s", name)
	return nil
}

// ask asks a question of a set.
func ask(t *testing.T, question string, set *profile.Set) validate.Summary {
	t.Helper()
	for _, q := range validate.Questions() {
		if q.Name == question {
			s := validate.Summarise(q.Cases(set))
			t.Logf("%d cases: median %.2f %%, mean %.2f %%, p90 %.2f %%, coverage %.1f %%, half-width %.2f %%; plain %.2f "+
				"%%, %.2f %%",
				s.N, 100*s.Median, 100*s.Mean, 100*s.P90, 100*s.Coverage, 100*s.MedianHalfWidth, 100*s.PlainMedian, 100*s.Plain)
			return s
		}
	}
	t.Fatalf("no question is called %s", question)
	return validate.Summary{}
}

// worstOf is the error of the worst case of a question, and which that is.
func worstOf(t *testing.T, question string, set *profile.Set) (float64, string) {
	t.Helper()
	for _, q := range validate.Questions() {
		if q.Name == question {
			c, ok := worst(q.Cases(set))
			if !ok {
				t.Fatalf("%s has no cases", question)
			}
			t.Logf("worst %.1f %%: %s", 100*c.Error(), c.Of)
			return c.Error(), c.Of
		}
	}
	t.Fatalf("no question is called %s", question)
	return 0, ""
}

// sure holds the intervals of a question to what they promise: 90 % of the
// true values inside, and no wider than needed.
func sure(t *testing.T, s validate.Summary) {
	t.Helper()
	if s.Coverage < 0.85 || s.Coverage > 0.95 {
		t.Errorf("%.1f %% of the true values lie in the 90 %% intervals", 100*s.Coverage)
	}
	if s.MedianHalfWidth > 4*s.Median {
		t.Errorf("intervals of ± %.2f %% for errors of %.2f %%", 100*s.MedianHalfWidth, 100*s.Median)
	}
}

package validate

import (
	"fmt"
	"testing"
)

// A sample holds about as many cases as are asked for, the same each time, and all are
// asked where none are too many.
func TestAskSamples(t *testing.T) {
	set, questions := networksOnTwoGPUs(40), Questions()
	all, again := Ask(set, questions, 0), Ask(set, questions, 1000)
	some := Ask(set, questions, 10)
	for k, q := range questions {
		if want := Summarise(q.Cases(set)); !same(all[k], want) || !same(all[k], again[k]) {
			t.Errorf("%s: %+v, %+v, want %+v", q.Name, all[k], again[k], want)
		}
		if n := some[k].N + some[k].Unanswered; some[k].Sampled != (all[k].N > 10) || some[k].Sampled && n != 10 {
			t.Errorf("%s: %d of %d, sampled %t", q.Name, n, all[k].N, some[k].Sampled)
		}
	}
	for k, s := range Ask(set, questions, 10) {
		if !same(s, some[k]) {
			t.Errorf("%+v, then %+v", some[k], s)
		}
	}
}

// same compares summaries, in which NaN is unknown.
func same(a, b Summary) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

package hook

import "testing"

// What watching takes between steps is in no iteration, and is told: without it a training that
// went to its own end took so much less.
func TestTellsWhatWatchingTook(t *testing.T) {
	r := run(t, "plain_loop.py")
	if len(r.overheads) != 1 || len(r.iterations) < 2 {
		t.Fatalf("told %v, %d iterations", r.overheads, len(r.iterations))
	}
	first, last := r.iterations[0], r.iterations[len(r.iterations)-1]
	between := *last.T - *first.T
	for _, i := range r.iterations[1:] {
		between -= i.Seconds
	}
	for _, v := range r.validations {
		between -= v.Seconds
	}
	const begun = 1.0 // it also took something before the first step, and after the last
	if told := r.overheads[0]; between < 1e-3 || told < between-1e-3 || told > between+begun {
		t.Errorf("told %g s, of which %g s are between the iterations", told, between)
	}
}

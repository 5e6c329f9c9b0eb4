package validate

import (
	"fmt"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// How much of a set is looked at beside other work: each case is predicted
// anew, without what it must not know.
const (
	mostTotals = 2000 // trainings to predict the total of, or from
	mostTimes  = 500  // runs with times of iterations, likewise
	enough     = 30   // cases of a question
)

// Estimates are those of one basis: the totals of trainings from their first
// epochs where it is measured, times of iterations of a mode where it is weaker.
type Estimates struct {
	Mode  profile.Mode
	Basis estimate.Basis
}

// Tested is how well predictions did on a set's own runs.
type Tested map[Estimates]Summary

// ByBasis back-tests the predictions of the wanted bases on the set itself, of
// all if none is named, for the words beside a number. Of a large set a sample
// is tested, the same one every time, and [Summary.Sampled] says so. What no run
// can test is missing.
func ByBasis(set *profile.Set, wanted ...estimate.Basis) Tested {
	out := Tested{}
	if wants(wanted, estimate.Measured) {
		whole := func(r *profile.Run) bool { return len(r.EpochStartsS) >= totalEpochs && training.IsComplete(*r) }
		few, all := thinned(set, mostTotals, whole)
		out.test(Estimates{profile.Train, estimate.Measured}, total("total", 2, true), &known{set: few}, all)
	}
	weaker := []estimate.Basis{estimate.OtherBatch, estimate.Transferred, estimate.Spec}
	weaker = slices.DeleteFunc(weaker, func(b estimate.Basis) bool { return !wants(wanted, b) })
	for _, mode := range []profile.Mode{profile.Train, profile.Infer} {
		if len(weaker) == 0 {
			break
		}
		timed := func(r *profile.Run) bool {
			return r.Mode == mode && r.BatchSize > 0 && (r.Steady.Known() || r.TotalS != nil && r.Epochs != nil)
		}
		few, all := thinned(set, mostTimes, timed)
		k := &known{set: few}
		questions := map[estimate.Basis]Question{
			estimate.OtherBatch: fromTwoBatches(mode), estimate.Transferred: neverProbed(mode), estimate.Spec: neverSeen(mode),
		}
		for _, basis := range weaker {
			out.test(Estimates{mode, basis}, questions[basis], k, all)
		}
	}
	return out
}

func wants(wanted []estimate.Basis, b estimate.Basis) bool {
	return len(wanted) == 0 || slices.Contains(wanted, b)
}

// test asks a question of a sample of its cases.
func (t Tested) test(of Estimates, q Question, k *known, all bool) {
	jobs := q.jobs(k)
	some := sample(jobs, enough)
	if s := Summarise(do(some)); s.N > 0 {
		s.Sampled = !all || len(some) < len(jobs)
		t[of] = s
	}
}

// Of is how well estimates of such a time did; ok is false where nothing tells.
// fromEpochs says that it was made from the first epochs of a training, as those
// tested were: iterations that were measured there are multiplied, not
// predicted.
func (t Tested) Of(mode profile.Mode, b estimate.Basis, fromEpochs bool) (s Summary, ok bool) {
	if b < estimate.OtherBatch {
		if !fromEpochs {
			return Summary{}, false
		}
		b = estimate.Measured
	}
	s, ok = t[Estimates{mode, b}]
	return s, ok
}

// For is the same of a candidate. Where only the epochs it takes to a target are
// weaker than measured, no time of an iteration was predicted.
func (t Tested) For(c *candidate.Candidate) (s Summary, ok bool) {
	if c.Time.Basis >= estimate.OtherBatch && !c.IsPredicted() {
		return Summary{}, false
	}
	return t.Of(c.Mode, c.Time.Basis, c.FromEpochs)
}

// Words is the end of a sentence about estimates that were tested.
func (s Summary) Words() string {
	on := "these runs"
	if s.Sampled {
		on = "a sample of these runs"
	}
	return fmt.Sprintf("tested %d times on %s: off by %s median, %s p90", s.N, on, percent(s.Median), percent(s.P90))
}

// percent writes a fraction with two digits, and without a power of ten.
func percent(v float64) string {
	if v >= 0.995 {
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}

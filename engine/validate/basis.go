package validate

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/parallel"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// How much of a set is looked at beside other work: each case is predicted
// again, without what it must not know.
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
		if !slices.ContainsFunc(few.Runs, func(r profile.Run) bool { return timed(&r) }) {
			continue
		}
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

func (t Tested) test(of Estimates, q Question, k *known, all bool) {
	jobs := q.jobs(k)
	some := sample(jobs, enough)
	if s := Summarise(do(some)); s.N > 0 {
		s.Sampled = !all || len(some) < len(jobs)
		t[of] = s
	}
}

// Of is how well estimates of such a time did; ok is false where nothing shows it.
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
// weaker than measured, no time of an iteration was predicted. Of times told by the work of
// a network, or of a language model, no run of the set is a test.
func (t Tested) For(c *candidate.Candidate) (s Summary, ok bool) {
	if c.FromWork || c.Fit != nil || c.Time.Basis >= estimate.OtherBatch && !c.IsPredicted() {
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

// known is what questions are asked of.
type known struct {
	set        *profile.Set
	predictors map[profile.Mode]*transfer.Predictor
}

// transfer is the predictor that knows all runs of a mode but copies.
func (k *known) transfer(mode profile.Mode) *transfer.Predictor {
	if k.predictors[mode] == nil {
		if k.predictors == nil {
			k.predictors = map[profile.Mode]*transfer.Predictor{}
		}
		k.predictors[mode] = transfer.New(withoutCopies(k.set), mode)
	}
	return k.predictors[mode]
}

// withoutCopies leaves out the time of a GPU where it stands again, on another
// VM type: to predict it from itself is no test.
func withoutCopies(set *profile.Set) *profile.Set {
	type saying struct {
		subject transfer.Subject
		gpu     string
		batch   int
		seconds float64
	}
	first := map[saying]profile.VMKey{}
	isCopy := func(r profile.Run) bool {
		if !r.IsOfGPU() || !r.Steady.Known() {
			return false
		}
		s := saying{transfer.SubjectOf(r.Model, r.Variant), r.GPU, r.BatchSize, r.Steady.Value}
		if _, said := first[s]; !said {
			first[s] = r.VM()
		}
		return first[s] != r.VM()
	}
	if !slices.ContainsFunc(set.Runs, isCopy) { // as in most databases, which may be large
		return set
	}
	out := *set
	out.Runs = slices.DeleteFunc(slices.Clone(set.Runs), isCopy)
	return &out
}

// named is a question about iterations of a mode, still without its jobs.
func named(mode profile.Mode, name, asks string) Question {
	if mode == profile.Infer { // which has no epochs
		return Question{Name: "infer-" + name, Asks: "inference: " + strings.TrimPrefix(asks, "epoch or ")}
	}
	return Question{Name: name, Asks: asks}
}

// job is a part of a question that can be asked alone, from any goroutine.
type job struct {
	most  int // cases, at most
	cases func() []Case
}

// once is a question that is asked as a whole.
func once(cases func(set *profile.Set) []Case) func(k *known) []job {
	return func(k *known) []job { return []job{{len(k.set.Runs), func() []Case { return cases(k.set) }}} }
}

// do works the jobs off, several at a time, and returns their cases in order.
func do(jobs []job) []Case {
	found := make([][]Case, len(jobs))
	parallel.Each(len(jobs), runtime.GOMAXPROCS(0), func(i int) { found[i] = jobs[i].cases() })
	return slices.Concat(found...)
}

// sample draws jobs at random, always the same ones, until they hold enough
// cases.
func sample(jobs []job, enough int) []job {
	order := shuffled(len(jobs))
	n, cases := 0, 0
	for ; n < len(jobs) && cases < enough; n++ {
		cases += jobs[order[n]].most
	}
	slices.Sort(order[:n])
	out := make([]job, n)
	for i, at := range order[:n] {
		out[i] = jobs[at]
	}
	return out
}

// shuffled is a random order of n things that is the same every time: what a
// screen says of a database must not change from one look to the next.
func shuffled(n int) []int { return rand.New(rand.NewPCG(90, 10)).Perm(n) }

// thinned are at most so many of the runs that are of use. Repeats go first, then
// whole models drawn at random: what tells about one is the others' curves, not
// single cells of each.
func thinned(set *profile.Set, most int, use func(r *profile.Run) bool) (few *profile.Set, all bool) {
	repeats, useful := repeatsOf(set, use)
	if useful <= most {
		return set, true
	}
	left, keep := most, make([]bool, len(set.Runs))
	for _, again := range repeats {
		byModel := map[string][]int{}
		var models []string
		for _, i := range again {
			m := transfer.SubjectOf(set.Runs[i].Model, set.Runs[i].Variant).Model
			if byModel[m] == nil {
				models = append(models, m)
			}
			byModel[m] = append(byModel[m], i)
		}
		for _, m := range shuffled(len(models)) {
			runs := byModel[models[m]]
			runs = runs[:min(left, len(runs))]
			left -= len(runs)
			for _, i := range runs {
				keep[i] = true
			}
		}
	}
	out := *set
	out.Runs = make([]profile.Run, 0, most)
	for i := range set.Runs {
		if keep[i] {
			out.Runs = append(out.Runs, set.Runs[i])
		}
	}
	return &out, false
}

// repeatsOf are the runs that are of use by how often their cell was run before:
// the first of each cell, then the second ones and so on, by their places in the
// set.
func repeatsOf(set *profile.Set, use func(r *profile.Run) bool) (repeats [][]int, useful int) {
	type cell struct {
		subject            transfer.Subject
		vm                 profile.VMKey
		count, gpus, batch int
	}
	seed, seen := maphash.MakeSeed(), map[uint64]int{} // by the hash of a cell: there may be millions
	for i := range set.Runs {
		r := &set.Runs[i]
		if !use(r) {
			continue
		}
		c := maphash.Comparable(seed, cell{transfer.SubjectOf(r.Model, r.Variant), r.VM(), r.Count, r.GPUCount, r.BatchSize})
		n := seen[c]
		if n == len(repeats) {
			repeats = append(repeats, nil)
		}
		repeats[n] = append(repeats[n], i)
		seen[c]++
		useful++
	}
	return repeats, useful
}

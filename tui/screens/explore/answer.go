package explore

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/transfer"
	"sweetspot/engine/validate"
)

// Answer is what the screen shows of a question: immutable, numbered, made by
// [Ask] away from the update loop.
type Answer struct {
	Seq         int
	Question    question.Query
	Set         *profile.Set
	Result      *rank.Result
	Chances     contract.Chances // of being the best, by objective
	Relaxations []advice.Relaxation
	Crossovers  []advice.Crossover
	Decision    wording.Decision    // what to rent
	AsPublished bool                // no source says its epochs: totals answer as they were published
	probes      []advice.Probe      // to run next; none where no probe is expected to pay
	predictor   *transfer.Predictor // of the set and mode; nil until predictions are asked for
	Tested      validate.Tested     // how well predictions did on the set itself
	today       time.Time           // from which the age of prices is counted
	byID        []int32             // indices into Set.Runs by rising ID
	*laidOut
}

// Ask answers a question over a set. It reuses the candidates of the previous
// answer where only limits or the order changed.
func Ask(seq int, set *profile.Set, q question.Query, previous *Answer) *Answer {
	return (*Shared)(nil).Ask(seq, set, q, previous)
}

// Ask is [Ask] that takes what other screens have made already.
func (s *Shared) Ask(seq int, set *profile.Set, q question.Query, previous *Answer) *Answer {
	q.Workload = q.Whole(set)
	a := &Answer{Seq: seq, Question: q, Set: set}
	if previous != nil && previous.Set == set {
		a.byID = previous.byID
	} else {
		a.byID = make([]int32, len(set.Runs))
		for i := range a.byID {
			a.byID[i] = int32(i)
		}
		slices.SortFunc(a.byID, func(x, y int32) int { return cmp.Compare(set.Runs[x].ID, set.Runs[y].ID) })
	}
	a.predict(previous, s)
	if previous != nil && previous.Set == set && reflect.DeepEqual(previous.Question.Workload, q.Workload) {
		a.laidOut = previous.laidOut
		if a.AsPublished = previous.AsPublished; a.AsPublished {
			q.Epochs = nil
		}
		a.Result = previous.Result.Again(q)
	} else {
		tidy(len(set.Runs))
		a.laidOut = a.lay(q, s)
		if a.space.Len() == 0 && q.Epochs != nil {
			q.Epochs = nil
			a.laidOut = a.lay(q, s)
			a.AsPublished = a.space.Len() > 0
		}
		tidy(a.space.Len())
		a.Result = rank.Evaluate(a.space, q)
	}
	a.Chances = contract.NewChances(a.Result)
	a.Relaxations = advice.Relaxations(a.Result)
	a.Crossovers = advice.Crossovers(a.Result)
	a.probes = contract.Probes(a.Result, a.Chances)
	a.Decision = wording.Decide(a.Result, a.Chances.Of, a.Crossovers, a.probes)
	if a.AsPublished {
		a.Decision.Caveat = fmt.Sprintf("As published: no source gives the number of epochs behind its total, so the time "+
			"of %s is unknown.", quantity.Several(int(*a.Question.Epochs), "epoch"))
	}
	return a
}

// announcedBy is how long the trainings of one's own were to be, in epochs or steps as they are
// asked about: a run on half as many units counts each of its own epochs as half of one.
func announcedBy(set *profile.Set, w question.Workload) (lengths []float64) {
	if w.Mode != profile.Train {
		return nil
	}
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Model != w.Model || r.Mode != w.Mode || r.Command == nil || r.Epochs == nil {
			continue
		}
		if w.Steps != nil {
			if r.IterationsPerEpoch != nil {
				lengths = append(lengths, *r.Epochs**r.IterationsPerEpoch)
			}
			continue
		}
		times := 1.0
		if r.TrainSize != nil && w.TrainSize != nil {
			times = *r.TrainSize / *w.TrainSize
		}
		lengths = append(lengths, w.InLengthUnit(*r.Epochs*times))
	}
	return lengths
}

// lay lays out the candidates of a question.
func (a *Answer) lay(q question.Query, shared *Shared) *laidOut {
	return shared.lay(a.Set, q.Workload, func() *laidOut {
		var p candidate.Predictor
		if a.predictor != nil {
			p = a.predictor
		}
		space := rank.NewSpace(candidate.NewList(a.Set, q.Workload, p, filter(q.Words)))
		return &laidOut{space, sweetSpots(space), announcedBy(a.Set, q.Workload)}
	})
}

// manyRows is from where on what is left behind by reading or laying out so many
// is worth collecting at once: the next step would pile up as much.
const manyRows = 200_000

// tidy also lets memory be an eighth more than what is held then, if less is allowed:
// where more is held than allowed, garbage is collected without end.
func tidy(rows int) {
	if rows < manyRows {
		return
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	held := int64(m.Sys - m.HeapReleased)
	debug.SetMemoryLimit(max(debug.SetMemoryLimit(-1), held+held/8))
}

// predict makes the predictor where it is asked for, once for a set.
func (a *Answer) predict(previous *Answer, shared *Shared) {
	switch q := a.Question; {
	case !q.Predicted:
	case previous != nil && previous.predictor != nil && previous.Set == a.Set && previous.Question.Mode == q.Mode:
		a.predictor = previous.predictor
	default:
		a.predictor = shared.predictor(a.Set, q.Mode)
	}
}

func sweetSpots(s *rank.Space) map[int][]advice.SweetSpot {
	spots := map[int][]advice.SweetSpot{}
	for _, p := range advice.SweetSpots(s) {
		spots[p.Candidate] = append(spots[p.Candidate], p)
		spots[p.Unpruned] = append(spots[p.Unpruned], p)
	}
	return spots
}

// isSweet reports whether candidate i ends a stretch of pruning that costs no
// accuracy.
func (a *Answer) isSweet(i int) bool {
	return slices.ContainsFunc(a.spots[i], func(p advice.SweetSpot) bool { return p.Candidate == i })
}

// filter lets the candidates through in which every word occurs; nil for none.
func filter(words string) func(c *candidate.Candidate) bool {
	all := strings.Fields(strings.ToLower(words))
	if len(all) == 0 {
		return nil
	}
	return func(c *candidate.Candidate) bool {
		parts := []string{c.Variant.Name, c.Variant.Precision, c.Time.Basis.String()}
		for _, p := range c.Configuration {
			parts = append(parts, p.VM.Cloud, p.VM.Region, p.VM.InstanceType, p.VM.GPU)
		}
		text := strings.ToLower(strings.Join(parts, " "))
		return !slices.ContainsFunc(all, func(w string) bool { return !strings.Contains(text, w) })
	}
}

// combination says what each VM type of several does of the work.
func combination(c *candidate.Candidate) []string {
	if c.Other == nil {
		return nil
	}
	parts := make([]string, len(c.Configuration))
	for k, p := range c.Configuration {
		parts[k] = fmt.Sprintf("%d× %s %s of the work, batch %d, busy %s", p.Count, p.VM.InstanceType,
			quantity.Percent(p.Units / *c.Units), p.BatchSize, quantity.Duration(p.BusyS))
	}
	return []string{"in whole batches: " + strings.Join(parts, " · "),
		fmt.Sprintf("if the work could be split freely: %s, %s", quantity.Duration(c.Other.Seconds),
			quantity.Money(c.Other.USD))}
}

// neighbours says what the next faster and the next cheaper point of the
// time–cost frontier take, at no worse accuracy.
func neighbours(r *rank.Result, i int) string {
	s := r.Space
	if !r.Feasible.Has(i) || math.IsNaN(s.Values(objective.Cost)[i]) {
		return ""
	}
	name := func(j int) string {
		c := s.At(j)
		if c.Variant.Name != s.At(i).Variant.Name {
			return wording.VMs(c) + " " + wording.VariantLabel(c.Variant)
		}
		return wording.VMs(c)
	}
	var parts []string
	cheaper, faster := advice.Neighbours(r, i)
	for _, n := range []struct {
		what       string
		j          int
		give, save objective.Name
		least      float64 // that is given where not the same is
		same       string
	}{
		{"next faster", faster, objective.Cost, objective.Time, cent, "for the same cost"},
		{"next cheaper", cheaper, objective.Time, objective.Cost, 0, "in the same time"},
	} {
		if n.j < 0 {
			continue
		}
		given, _ := s.Objective(n.give)
		saved, _ := s.Objective(n.save)
		more := s.Values(n.give)[n.j] - s.Values(n.give)[i]
		less := saved.Write(s.Values(n.save)[i] - s.Values(n.save)[n.j])
		trade := "+" + given.Write(more) + " saves " + less
		if !(more > n.least) {
			trade = "saves " + less + " " + n.same
		}
		parts = append(parts, fmt.Sprintf("%s: %s (%s)", n.what, trade, name(n.j)))
	}
	return strings.Join(parts, " · ")
}

// cent is a difference in US dollars up to which two costs are the same.
const cent = 0.01

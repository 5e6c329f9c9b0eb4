package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"sweetspot/engine/bill"
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
	"sweetspot/tui/state"
)

// remember keeps the question for undo, once for a run of equal edits: a scrub
// is undone whole.
func (s *Screen) remember(edit string) {
	s.history.Remember(edit, undone{s.question, s.column})
}

// Undo returns to the question before the last edit.
func (s *Screen) Undo() (changed bool) {
	return s.goBack(s.history.Undo(undone{s.question, s.column}))
}

// Redo makes the last undone edit again.
func (s *Screen) Redo() (changed bool) {
	return s.goBack(s.history.Redo(undone{s.question, s.column}))
}

func (s *Screen) goBack(to undone, ok bool) bool {
	if ok {
		s.question, s.column = to.question, to.column
		s.constraints.load(s.question, s.unit())
	}
	return ok
}

// CanUndo reports whether there is anything to take back.
func (s *Screen) CanUndo() bool { return s.history.CanUndo() }

// CanRedo reports whether there is anything to redo.
func (s *Screen) CanRedo() bool { return s.history.CanRedo() }

// Reopen asks another question whole, of whose answer a candidate shall be
// selected.
func (s *Screen) Reopen(q state.Question, c *rank.Candidate) {
	s.remember("pick")
	s.history.Pause()
	s.question, s.wanted = q, c
	s.column, s.descending = string(q.Sort), false
	s.constraints.load(q, s.unit())
}

// Filter keeps the candidates in which every word of text occurs.
func (s *Screen) Filter(words string) (changed bool) {
	if s.question.Filter == words {
		return false
	}
	s.remember("filter")
	s.question.Filter = words
	return true
}

// Purchase turns to the next purchase option.
func (s *Screen) Purchase() (changed bool) {
	s.remember("purchase")
	k := slices.Index(profile.Purchases, s.question.Purchase)
	s.question.Purchase = profile.Purchases[(k+1)%len(profile.Purchases)]
	return true
}

// Bill sets what is paid beside the work.
func (s *Screen) Bill(b bill.Bill) (changed bool) {
	if s.question.Bill == b.String() {
		return false
	}
	s.remember("bill")
	s.history.Pause()
	s.question.Bill = b.String()
	return true
}

// Predict adds what was not probed, or takes it away.
func (s *Screen) Predict() (changed bool) {
	s.remember("predictions")
	s.question.Predicted = !s.question.Predicted
	return true
}

// Combine adds combinations of VM types, or takes them away.
func (s *Screen) Combine() (changed bool) {
	s.remember("combinations")
	s.question.Combined = !s.question.Combined
	return true
}

// NextProbe is the candidate that it is most worth to probe; ok is false where
// no probe is expected to pay, or none is known yet.
func (s *Screen) NextProbe() (c *rank.Candidate, ok bool) {
	if s.answer == nil || s.answer.next == nil {
		return nil, false
	}
	return s.answer.Result.Space.At(s.answer.next.Candidate), true
}

// Clear takes all limits and filters away.
func (s *Screen) Clear() (changed bool) {
	q := s.question
	now := state.Question{
		Model: q.Model, Mode: q.Mode, Epochs: q.Epochs, Units: q.Units,
		Purchase: q.Purchase, CostWeight: q.CostWeight, Sort: q.Sort, Predicted: q.Predicted, Combined: q.Combined, Bill: q.Bill,
	}
	if now == q {
		return false
	}
	s.remember("clear")
	s.question = now
	s.constraints.load(now, s.unit())
	return true
}

// Facet is a property that candidates can be narrowed to, one value at a time.
type Facet int

// The facets.
const (
	BatchSizes Facet = iota
	Clouds
	GPUs
	Variants
)

// Narrow turns to the next value of a facet that the model has runs of; after
// the last one to all of them.
func (s *Screen) Narrow(f Facet) (changed bool) {
	if s.set == nil {
		return false
	}
	var values []string
	for _, r := range s.set.Runs {
		if r.Model == s.question.Model && r.Mode == s.question.Mode {
			values = append(values, facet(f, r))
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	values = slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" || v == "0" })
	values = append([]string{""}, values...)
	s.remember(fmt.Sprint("narrow ", f))
	s.history.Pause()
	now := s.narrowed(f)
	next := values[(slices.Index(values, now)+1)%len(values)]
	switch f {
	case BatchSizes:
		s.question.BatchSize, _ = strconv.Atoi(next)
	case Clouds:
		s.question.Cloud = next
	case GPUs:
		s.question.GPU = next
	default:
		s.question.Variant = next
	}
	return next != now
}

func facet(f Facet, r profile.Run) string {
	switch f {
	case BatchSizes:
		return strconv.Itoa(r.BatchSize)
	case Clouds:
		return r.Cloud
	case GPUs:
		return r.GPU
	default:
		return r.Variant.Name
	}
}

// narrowed is the value a facet is narrowed to; "" for all.
func (s *Screen) narrowed(f Facet) string {
	switch q := &s.question; {
	case f == BatchSizes && q.BatchSize > 0:
		return strconv.Itoa(q.BatchSize)
	case f == Clouds:
		return q.Cloud
	case f == GPUs:
		return q.GPU
	case f == Variants:
		return q.Variant
	}
	return ""
}

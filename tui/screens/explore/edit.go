package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/bill"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/keys"
	"sweetspot/tui/state"
)

// edit changes the question by a key.
func (s *Screen) edit(action keys.Action) tea.Cmd {
	q := s.Question()
	switch action {
	case keys.Model:
		return s.turn(func(to, now question.Question) bool { return to.Model != now.Model })
	case keys.Workload:
		return s.turn(func(to, now question.Question) bool { return to.Model == now.Model })
	case keys.Batch:
		return s.Narrow(BatchSizes)
	case keys.Clouds:
		return s.Narrow(Clouds)
	case keys.GPUs:
		return s.Narrow(GPUs)
	case keys.Variants:
		return s.Narrow(Variants)
	case keys.Clear:
		return s.Clear()
	case keys.Purchase:
		k := slices.Index(profile.Purchases, q.Purchase)
		q.Purchase = profile.Purchases[(k+1)%len(profile.Purchases)]
	case keys.Predicted:
		q.Predicted = !q.Predicted
	case keys.Combined:
		q.Combined = !q.Combined
	default:
		return nil
	}
	return s.Change(string(action), q)
}

// turn goes to the next question of the set that accept takes.
func (s *Screen) turn(accept func(to, now question.Question) bool) tea.Cmd {
	if s.stored == nil {
		return nil
	}
	all := question.Questions(s.stored)
	q := s.Question()
	now := question.Question{Model: q.Model, Mode: q.Mode}
	at := slices.IndexFunc(all, func(x question.Question) bool { return x.Model == now.Model && x.Mode == now.Mode })
	for k := 1; k < len(all); k++ {
		if next := all[(at+k+len(all))%len(all)]; accept(next, now) {
			return s.Turn(next)
		}
	}
	return nil
}

// askFilter asks for words; the filter applies as it is typed.
func (s *Screen) askFilter() {
	s.Shell.Line.Ask(prompt.Question{Label: "/", Value: s.Question().Filter, Typed: s.Filter})
}

// Filter keeps the candidates in which every word of text occurs.
func (s *Screen) Filter(words string) tea.Cmd {
	q := s.Question()
	q.Filter = words
	return s.Change("filter", q)
}

// askBill asks what is paid beside the work. What cannot be read stays, to be
// mended.
func (s *Screen) askBill() {
	q := s.Question()
	s.Shell.Line.Ask(prompt.Question{Label: "bill", Value: q.Bill, Hint: "as " + bill.Words,
		Accept: func(words string) (tea.Cmd, error) {
			b, err := bill.Parse(words)
			if err != nil {
				return nil, err
			}
			q.Bill = b.String()
			return s.ChangeOnce("bill", q), nil
		}})
}

// Clear takes all limits and filters away.
func (s *Screen) Clear() tea.Cmd {
	q := s.Question()
	now := state.Question{
		Model: q.Model, Mode: q.Mode, Epochs: q.Epochs, Units: q.Units,
		Purchase: q.Purchase, CostWeight: q.CostWeight, Sort: q.Sort, Predicted: q.Predicted, Combined: q.Combined,
		Bill: q.Bill,
	}
	return s.Change("clear", now)
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
func (s *Screen) Narrow(f Facet) tea.Cmd {
	if s.set == nil {
		return nil
	}
	q := s.Question()
	var values []string
	for _, r := range s.set.Runs {
		if r.Model == q.Model && r.Mode == q.Mode {
			values = append(values, facet(f, r))
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	values = slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" || v == "0" })
	values = append([]string{""}, values...)
	next := values[(slices.Index(values, s.narrowed(f))+1)%len(values)]
	switch f {
	case BatchSizes:
		q.BatchSize, _ = strconv.Atoi(next)
	case Clouds:
		q.Cloud = next
	case GPUs:
		q.GPU = next
	default:
		q.Variant = next
	}
	return s.ChangeOnce(fmt.Sprint("narrow ", f), q)
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
	switch q := s.Question(); {
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

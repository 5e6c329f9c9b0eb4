package explore

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/bill"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/keys"
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
		return s.Narrow(question.BatchSizes)
	case keys.Clear:
		return s.Clear()
	case keys.Purchase:
		k := slices.Index(profile.Purchases, q.Purchase)
		q.Purchase = profile.Purchases[(k+1)%len(profile.Purchases)]
	case keys.Predicted:
		q.Predicted = !q.Predicted
	case keys.Combined:
		q.Combine = !q.Combine
	default: // the others are called as their filters
		return s.Narrow(string(action))
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
	s.Shell.Line.Ask(prompt.Question{Label: "/", Value: s.Question().Words, Typed: s.Filter})
}

// Filter keeps the candidates in which every word of text occurs.
func (s *Screen) Filter(words string) tea.Cmd {
	q := s.Question()
	q.Words = words
	return s.Change("filter", q)
}

// askBill asks what is paid in addition to the work. What cannot be read stays, to be
// mended.
func (s *Screen) askBill() {
	q := s.Question()
	s.Shell.Line.Ask(prompt.Question{Label: "bill", Value: q.Bill.String(), Hint: "as " + bill.Words,
		Accept: func(words string) (cmd tea.Cmd, err error) {
			if q.Bill, err = bill.Parse(words); err != nil {
				return nil, err
			}
			return s.ChangeOnce("bill", q), nil
		}})
}

// Clear takes all limits and filters away.
func (s *Screen) Clear() tea.Cmd {
	q := s.Question()
	q.Limits, q.Words = nil, ""
	for _, f := range question.Filters() {
		_ = f.Set(&q.Workload, nil) // none is always a choice
	}
	return s.Change("clear", q)
}

// Narrow turns to the next value of a filter that the model has runs of; after
// the last one to all of them.
func (s *Screen) Narrow(name string) tea.Cmd {
	q := s.Question()
	f, ok := question.ByName(name)
	if !ok || s.set == nil {
		return nil
	}
	values := append([]string{""}, f.Of(s.set.Runs, q.Model, q.Mode)...)
	next := values[(slices.Index(values, narrowedTo(f, q))+1)%len(values)]
	chosen := []string{next}
	if next == "" {
		chosen = nil
	}
	if f.Set(&q.Workload, chosen) != nil {
		return nil
	}
	return s.ChangeOnce("narrow "+name, q)
}

// narrowedTo is the value a filter is narrowed to; "" for all.
func narrowedTo(f question.Filter, q question.Query) string {
	return strings.Join(f.Values(&q.Workload), ",")
}

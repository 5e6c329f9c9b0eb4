package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/tui/components/chips"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/keys"
)

// turn goes to the next question of the set that accept takes.
func (s *Screen) turn(accept func(to, now question.Question) bool) tea.Cmd {
	if s.stored == nil {
		return nil
	}
	if to, ok := s.next(append(question.Questions(s.stored), question.LanguageModels(s.stored)...), accept); ok {
		return s.Turn(to)
	}
	return nil
}

// next is that of some questions which follows the present one and which accept takes.
func (s *Screen) next(all []question.Question, accept func(to, now question.Question) bool) (to question.Question,
	ok bool) {
	q := s.Question()
	now := question.Question{Model: q.Model, Mode: q.Mode}
	at := slices.IndexFunc(all, func(x question.Question) bool { return x.Model == now.Model && x.Mode == now.Mode })
	for k := 1; k < len(all); k++ {
		if to := all[(at+k+len(all))%len(all)]; accept(to, now) {
			return to, true
		}
	}
	return to, false
}

// chooseModel offers the models, the next one first; one's own stand before those of
// the built-in library, that of the newest run before all.
func (s *Screen) chooseModel() {
	if s.stored == nil {
		return
	}
	q, ran := s.Question(), question.Questions(s.stored)
	all := slices.Clone(ran)
	slices.SortStableFunc(all, func(a, b question.Question) int { return cmp.Compare(b.Newest, a.Newest) })
	all = append(all, question.LanguageModels(s.stored)...)
	var of []chooser.Choice
	for k, x := range all {
		note := fmt.Sprintf("%s %s", quantity.Several(x.Runs, "run"), x.Mode.Noun())
		switch {
		case x.Untried && x.Mode == profile.Infer:
			note = "inference of a corpus, by its architecture"
		case x.Untried:
			note = "fine-tuning, by its architecture"
		}
		if x.Newest > 0 {
			note = "yours, " + note
		}
		of = append(of, chooser.Choice{Values: []string{fmt.Sprint(k)}, Label: x.Model, Note: note,
			On: x.Model == q.Model && x.Mode == q.Mode})
	}
	if to, ok := s.next(ran, func(to, now question.Question) bool { return to.Model != now.Model }); ok {
		k := slices.Index(all, to)
		of = slices.Insert(of, 0, chooser.Choice{Values: []string{fmt.Sprint(k)}, Label: "next: " + to.Model, Always: true})
	}
	s.Shell.Offer(chooser.Question{Title: "Model", Choices: of}, func(values []string) tea.Cmd {
		var k int
		if _, err := fmt.Sscan(values[0], &k); err != nil {
			return nil
		}
		return s.Turn(all[k])
	})
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

// Clear takes all limits and filters away.
func (s *Screen) Clear() tea.Cmd {
	q := s.Question()
	q.Limits, q.Words = nil, ""
	for _, f := range question.Filters() {
		_ = f.Set(&q.Workload, nil) // none is always a choice
	}
	return s.Change("clear", q)
}

// filterOf names the filter that a key chooses.
var filterOf = map[keys.Action]string{keys.Batch: question.BatchSizes, keys.GPUs: question.GPUs,
	keys.Clouds: question.Clouds, keys.Variants: question.Variants}

// chooseFilter offers the values of a filter that the model has candidates of: first the
// one after what the filter is at, and all of them.
func (s *Screen) chooseFilter(name string) {
	f, ok := question.ByName(name)
	if !ok || s.set == nil {
		return
	}
	q := s.Question()
	values, now := f.Of(s.set, &q.Workload), f.Asked(&q.Workload)
	of := []chooser.Choice{{Label: "all: any " + f.Label, Always: true, On: len(now) == 0}}
	for _, v := range values {
		of = append(of, chooser.Choice{Values: []string{v}, Label: v, On: slices.Contains(now, v)})
	}
	if len(now) == 0 {
		of = of[1:]
	}
	if next := after(values, now); next != "" {
		of = slices.Insert(of, 0, chooser.Choice{Values: []string{next}, Label: "next: " + next, Always: true})
	}
	s.Shell.Offer(chooser.Question{Title: "Only this " + f.Label, Choices: of, Several: true},
		func(values []string) tea.Cmd {
			q := s.Question()
			if f.Ask(&q.Workload, values) != nil {
				return nil
			}
			return s.ChangeOnce("narrow "+name, q)
		})
}

// chooseMetric offers the metrics of the model's accuracies.
func (s *Screen) chooseMetric() {
	if s.answer == nil {
		return
	}
	metrics := s.answer.Result.Space.Metrics
	var of []chooser.Choice
	for _, m := range metrics {
		of = append(of, chooser.Choice{Values: []string{m}, Label: m, On: m == metrics[0]})
	}
	s.Shell.Offer(chooser.Question{Title: "Compare accuracies in", Choices: of}, func(values []string) tea.Cmd {
		q := s.Question()
		q.Metric = values[0]
		q.Limits = q.Limits.With(objective.Accuracy, nil) // which was in another metric
		return s.ChangeOnce("metric", q)
	})
}

// after is the value that follows the last of those that are on; "" behind the end, and
// where there is nothing to choose between.
func after(values, on []string) string {
	if len(values) < 2 {
		return ""
	}
	last := -1
	for _, v := range on {
		last = max(last, slices.Index(values, v))
	}
	if last+1 == len(values) {
		return ""
	}
	return values[last+1]
}

// The chips that are no filters of [question.Filters].
const (
	modelChip    = "model"
	purchaseChip = "purchase"
	wordsChip    = "words"
	metricChip   = "metric"
	billChip     = "bill"
	predictChip  = "predicted"
	combineChip  = "combined"
)

// chips are what is asked about and what narrows it: filters, limits, and what else
// changes which candidates there are or what they cost.
func (s *Screen) chips() []chips.Chip {
	q := s.Question()
	out := []chips.Chip{{ID: modelChip, Label: "model " + q.Model}, {ID: purchaseChip, Label: string(q.Purchase)}}
	narrow := func(id, label string) { out = append(out, chips.Chip{ID: id, Label: label, Narrow: true}) }
	for _, f := range question.Filters() {
		if v := f.Asked(&q.Workload); len(v) > 0 {
			narrow(f.Name, f.Label+": "+strings.Join(v, ", "))
		}
	}
	if q.Words != "" {
		narrow(wordsChip, "/"+q.Words)
	}
	for _, o := range s.constraints.limits {
		if limit := q.Limits.Get(o.Name); limit != nil {
			if of, ok := s.objective(o.Name); ok {
				o = of
			}
			narrow(string(o.Name), fmt.Sprintf("%s %s %s", o.Label, o.Sign(), o.Write(*limit)))
		}
	}
	if q.Metric != "" {
		narrow(metricChip, "in "+q.Metric)
	}
	if b := q.Bill.String(); b != "" {
		narrow(billChip, "bill "+b)
	}
	if q.Predicted {
		narrow(predictChip, "also predicted")
	}
	if q.Combine {
		narrow(combineChip, "also combined")
	}
	return out
}

// objective is one of those of the answer.
func (s *Screen) objective(name objective.Name) (o objective.Objective, ok bool) {
	if s.answer == nil {
		return o, false
	}
	return s.answer.Result.Space.Objective(name)
}

// lastNarrow is the last chip that can be taken away; "" without any.
func (s *Screen) lastNarrow() string {
	all := s.chips()
	if last := all[len(all)-1]; last.Narrow {
		return last.ID
	}
	return ""
}

// widen takes the filter or the limit of a chip away.
func (s *Screen) widen(id string) tea.Cmd {
	q := s.Question()
	switch id {
	case "":
		return nil
	case wordsChip:
		q.Words = ""
	case metricChip:
		q.Metric, q.Limits = "", q.Limits.With(objective.Accuracy, nil)
	case billChip:
		q.Bill = question.Default().Bill
	case predictChip:
		q.Predicted = false
	case combineChip:
		q.Combine = false
	default:
		if f, ok := question.ByName(id); ok {
			_ = f.Set(&q.Workload, nil) // none is always a choice
		} else {
			q.Limits = q.Limits.With(objective.Name(id), nil)
		}
	}
	return s.ChangeOnce("widen", q)
}

// clickChip opens what a chip offers, or takes away what it narrows to.
func (s *Screen) clickChip(c chips.Chip) tea.Cmd {
	switch {
	case c.Narrow:
		return s.widen(c.ID)
	case c.ID == modelChip:
		s.chooseModel()
		return nil
	}
	return s.edit(keys.Purchase)
}

// resting says on whose runs the model's candidates rest, for the line of chips.
func (s *Screen) resting() string {
	q := s.Question()
	if at := (restingOn{s.set, q.Model, q.Mode}); s.rests != at {
		s.rests, s.ownRuns, s.otherRuns = at, 0, 0
		for i := range s.set.Runs {
			switch r := &s.set.Runs[i]; {
			case r.Model != q.Model || r.Mode != q.Mode:
			case r.ID > 0:
				s.ownRuns++
			default:
				s.otherRuns++
			}
		}
	}
	var parts []string
	if s.ownRuns > 0 {
		parts = append(parts, quantity.Several(s.ownRuns, "run")+" of yours")
	}
	if s.otherRuns > 0 {
		parts = append(parts, quantity.Several(s.otherRuns, "built-in run"))
	}
	if s.answer != nil && len(s.answer.Result.Space.Unweighed) > 0 {
		parts = append(parts, "without "+strings.Join(s.answer.Result.Space.Unweighed, ", "))
	}
	return strings.Join(parts, " "+s.th.Symbols.Dot+" ")
}

// restingOn is what the runs of [Screen.resting] are counted for.
type restingOn struct {
	set   *profile.Set
	model string
	mode  profile.Mode
}

package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/validate"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

// edit changes the question by a key.
func (s *Screen) edit(action keys.Action) tea.Cmd {
	q := s.Question()
	switch action {
	case keys.Model:
		s.chooseModel()
		return nil
	case keys.Workload:
		return s.turn(func(to, now question.Question) bool { return to.Model == now.Model })
	case keys.Batch, keys.GPUs, keys.Clouds, keys.Variants:
		s.chooseFilter(filterOf[action])
		return nil
	case keys.Metric:
		s.chooseMetric()
		return nil
	case keys.Unfilter:
		return s.widen(s.lastNarrow())
	case keys.Clear:
		return s.Clear()
	case keys.Purchase:
		k := slices.Index(profile.Purchases, q.Purchase)
		q.Purchase = profile.Purchases[(k+1)%len(profile.Purchases)]
	case keys.Predicted:
		q.Predicted = !q.Predicted
	case keys.Combined:
		q.Combine = !q.Combine
	case keys.FixSteps:
		if q.Steps == nil { // as many steps at every batch size, or as many units
			q.Epochs, q.Steps = nil, new(math.Round(q.InLengthUnit(*q.Epochs)))
		} else {
			q.Epochs, q.Steps = new(*q.Steps/q.Counted.StepsPerEpoch), nil
		}
	}
	return s.Change(string(action), q)
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

// picked is the selected candidate as a pick.
func (s *Screen) picked() (contract.Pick, bool) {
	i, ok := s.Selected()
	if !ok {
		return contract.Pick{}, false
	}
	p := contract.NewPick(s.answer.Result, i, time.Now(), s.Shell.Version, s.answer.Tested)
	p.RunAs(s.set)
	return p, true
}

// pick keeps the selected candidate with its question.
func (s *Screen) pick() tea.Cmd {
	p, ok := s.picked()
	if !ok {
		return nil
	}
	if !p.Candidate.Feasible {
		return s.Shell.Note(toast.Warn, "this candidate violates a limit: loosen the limit to pick it")
	}
	ctx, ws := s.Shell.Ctx, s.Shell.Workspace
	return func() tea.Msg {
		if err := ws.SavePick(ctx, p); err != nil {
			return screen.Done{Words: screen.Words{Level: toast.Bad, Text: err.Error()}}
		}
		return screen.Done{Words: screen.Words{Level: toast.Good,
			Text: "saved as a pick in " + filepath.Base(ws.Path()) + ": e exports it"}, Reload: true}
	}
}

// export offers the forms of the selected candidate and of the ranking that it
// stands in.
func (s *Screen) export() tea.Cmd {
	p, ok := s.picked()
	if !ok {
		return s.Shell.Note(toast.Info, "no candidate is selected")
	}
	return s.Shell.ExportPick(p, &document.Ranked{Result: s.Ranking(), Tested: s.answer.Tested, At: time.Now(),
		Version: s.Shell.Version})
}

// copy copies the selected candidate in a line.
func (s *Screen) copy() tea.Cmd {
	i, ok := s.Selected()
	if !ok {
		return nil
	}
	c := s.answer.Result.Space.At(i)
	return s.Shell.Copy(fmt.Sprintf("%s\t%s\tbatch %d\t%s\t%s", wording.VMs(c), wording.VariantLabel(c.Variant),
		c.BatchSize, quantity.Duration(c.Time.Value), quantity.Money(c.Cost.Value)))
}

// reopen asks again what a pick was the answer to, and selects it if it is still
// one of the candidates.
func (s *Screen) reopen(p store.Pick) tea.Cmd {
	var asked question.Query
	var c contract.Candidate
	if json.Unmarshal(p.Query, &asked) != nil || json.Unmarshal(p.Candidate, &c) != nil || asked.Model == "" {
		return s.Shell.Note(toast.Bad, "this pick cannot be read")
	}
	if asked.Check() != nil {
		return s.Shell.Note(toast.Bad, "this pick's question cannot be asked: its limit, mode or order is not valid")
	}
	s.wanted = candidateOfPick(c)
	cmd := s.ChangeOnce("pick", asked)
	if s.OrderBy(string(asked.Sort.Loose())); cmd == nil {
		cmd = s.Ask()
	}
	return tea.Batch(s.Shell.Show(keys.Explore), cmd)
}

// candidateOfPick is as much of a candidate as it takes to find it again.
func candidateOfPick(c contract.Candidate) *candidate.Candidate {
	out := &candidate.Candidate{ID: c.ID, Variant: profile.Variant{Name: profile.VariantOfTitle(c.Variant)}}
	if c.BatchSize != nil {
		out.BatchSize = *c.BatchSize
	}
	for _, p := range c.Configuration {
		out.Configuration = append(out.Configuration, candidate.Part{VM: profile.VMType{InstanceType: p.Name()},
			Count: p.Count})
	}
	return out
}

// Receive takes what the database holds, what other screens want asked, and
// answers.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Opened:
		s.stored = nil
	case screen.Loaded:
		s.stored = msg.Set
		return tea.Batch(s.askSet(), s.test())
	case screen.Measured:
		return s.measured(msg.Runs)
	case screen.Ask:
		return tea.Batch(s.Shell.Show(keys.Explore), s.Turn(msg.Question))
	case screen.Reopen:
		return s.reopen(msg.Pick)
	case screen.ProbeSelected:
		return s.probe(msg.File)
	}
	if tested, _, ok := s.testing.Receive(msg); ok {
		s.setTested(tested)
		return nil
	}
	return s.Desk.Receive(msg)
}

// askSet asks the question of the stored runs and those of the running probes.
func (s *Screen) askSet() tea.Cmd {
	if s.stored == nil {
		return nil
	}
	s.setSet(withLive(s.stored, s.live))
	return s.Ask()
}

// withLive is a set with the running probes' runs in it.
func withLive(set *profile.Set, live []profile.Run) *profile.Set {
	if len(live) == 0 {
		return set
	}
	fresh := &profile.Set{Runs: live}
	isLive := make(map[int64]bool, len(live))
	for i := range live {
		r := &live[i]
		isLive[r.ID] = true
		fresh.Models = append(fresh.Models, profile.Model{Name: r.Model, Unit: r.Unit, Dataset: r.Dataset})
	}
	merged := set.Merge(fresh)
	runs := merged.Runs // stored copies of the live runs, which come last, go
	merged.Runs = make([]profile.Run, 0, len(runs))
	for i := range runs {
		if !isLive[runs[i].ID] || i >= len(runs)-len(live) {
			merged.Runs = append(merged.Runs, runs[i])
		}
	}
	return merged
}

// measured ranks the runs of the running probes beside the stored ones; with the
// first of them the question becomes one about their model.
func (s *Screen) measured(runs []profile.Run) tea.Cmd {
	first := len(s.live) == 0 && len(runs) > 0
	if s.live = runs; len(runs) == 0 || s.stored == nil {
		return nil
	}
	if !first {
		return s.askSet()
	}
	r := &runs[0]
	s.setSet(withLive(s.stored, runs)) // so that what the run says of itself is known
	turned := s.Turn(question.Question{Model: r.Model, Mode: r.Mode, Unit: r.Unit})
	if turned == nil {
		turned = s.Ask()
	}
	if s.Shell.Shown() == keys.Probe {
		return turned
	}
	return tea.Batch(turned, s.Shell.Note(toast.Info, "now asking about "+r.Model+": u goes back"))
}

// test finds out how well predictions do on the runs there are, away from
// everything that waits.
func (s *Screen) test() tea.Cmd {
	set, shared := s.stored, s.shared
	s.testing.Forget()
	return s.testing.AskAside(s.Shell.Ctx, func(context.Context) *validate.Tested { return shared.tested(set) })
}

// setTested says how well predictions did on the set's own runs.
func (s *Screen) setTested(tested *validate.Tested) {
	if tested == nil { // the program is ending
		return
	}
	s.tested = tested
	if s.answer != nil {
		a := *s.answer // the old one may be in use by a question under way
		a.Tested = *tested
		s.answer = &a
		s.refresh()
	}
}

// probe has the selected candidate probed; of a file's model, where one is named.
func (s *Screen) probe(file string) tea.Cmd {
	var c *candidate.Candidate
	if i, ok := s.Selected(); ok {
		c = s.answer.Result.Space.At(i)
	}
	return s.Shell.Tell(screen.ProbeCandidate{Candidate: c, File: file})
}

// NextProbe is the candidate whose probe is expected to save the most; ok is false
// where no probe is expected to pay, or none is known yet.
func (s *Screen) NextProbe() (c *candidate.Candidate, ok bool) {
	if s.answer == nil || len(s.answer.probes) == 0 {
		return nil, false
	}
	return s.answer.Result.Space.At(s.answer.probes[0].Candidate), true
}

// probeNext has the candidate probed whose probe is expected to save the most.
func (s *Screen) probeNext() tea.Cmd {
	c, _ := s.NextProbe()
	why := screen.Words{Level: toast.Good, Text: "no probe is expected to pay off: stop probing"}
	if !s.Question().Predicted {
		b, _ := s.Shell.Bindings.Lookup(keys.Predicted)
		why = screen.Words{Level: toast.Info, Text: "no probe of these candidates is expected to pay off; " +
			strings.Join(b.Keys, " or ") + " adds predicted ones"}
	}
	return s.Shell.Tell(screen.ProbeNext{Candidate: c, Why: why})
}

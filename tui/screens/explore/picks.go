package explore

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

// picked is the selected candidate as a pick.
func (s *Screen) picked() (contract.Pick, bool) {
	i, ok := s.Selected()
	if !ok {
		return contract.Pick{}, false
	}
	return contract.NewPick(s.answer.Result, i, time.Now(), s.Shell.Version, s.answer.Tested()), true
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
	return s.Shell.ExportPick(p, &document.Ranked{Result: s.Ranking(), Tested: s.answer.Tested(), At: time.Now(),
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
	if s.OrderBy(string(asked.Sort)); cmd == nil {
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

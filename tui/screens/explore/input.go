package explore

import (
	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/tui/keys"
)

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if s.actOnPlot(action) {
		return nil
	}
	if action == keys.Enter && s.OnTable() && !s.Reading() && s.open() {
		return nil
	}
	if action == keys.Back && !s.Reading() {
		if len(s.opened) > 0 {
			clear(s.opened)
			s.refresh()
			return nil
		}
		return s.Filter("")
	}
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.Filter:
		s.askFilter()
	case keys.Bill:
		s.askBill()
	case keys.Pin:
		s.Pin()
	case keys.Pick:
		return s.pick()
	case keys.Export:
		return s.export()
	case keys.Copy:
		return s.copy()
	case keys.ProbeThis:
		return s.probe("")
	case keys.NextProbe:
		return s.probeNext()
	case keys.Feasible:
		s.ToggleInfeasible()
	case keys.Plots:
		if s.answer != nil {
			s.plots.turn(s.answer, s.turned())
			s.showSelection()
		}
	case keys.Axes:
		s.ToggleLog()
	default:
		return s.edit(action)
	}
	return nil
}

// open shows the candidates that are the same choice as the selected one, below it; it
// reports whether there were any that were not shown.
func (s *Screen) open() bool {
	i, ok := s.Selected()
	if !ok || len(s.rows.merged.behind[i]) == 0 {
		return false
	}
	id := s.answer.Result.Space.At(i).ID
	if s.opened[id] {
		return false
	}
	s.opened[id] = true
	s.refresh()
	return true
}

// Disabled says why an action can't be done now.
func (s *Screen) Disabled(action keys.Action) string {
	switch action {
	case keys.Plots:
		if s.answer == nil || len(views(s.answer.Result.Space, s.turned())) < 2 {
			return "there is nothing else to plot"
		}
	case keys.Pick, keys.Export:
		if busy, _ := s.Asking(); busy {
			return "the ranking is out of date: wait for the new one"
		}
		fallthrough
	case keys.Pin, keys.Copy:
		if _, ok := s.Selected(); !ok {
			return "no candidate is selected"
		}
	case keys.Metric:
		if s.answer == nil || len(s.answer.Result.Space.Metrics) < 2 {
			return "the accuracies of this model are in one metric"
		}
	case keys.Combined:
		if s.Question().Mode == profile.Train {
			return "combinations of VM types are for inference only"
		}
	case keys.FixSteps:
		switch q := s.Question(); {
		case q.Mode != profile.Train || !q.Counted.InSteps():
			return "only a training whose script counts steps can keep them at every batch size"
		case q.Epochs == nil && q.Steps == nil:
			return "the target accuracy decides how many steps it takes"
		}
	}
	return s.Desk.Disabled(action)
}

// Region names where keys act.
func (s *Screen) Region() string {
	switch {
	case s.Reading():
		return keys.InInspector
	case s.Crossing():
		return keys.InCrosshair
	}
	return s.Desk.Region()
}

// hold keeps the cursor on its candidate from now on; on the first row it
// follows the best again.
func (s *Screen) hold() {
	row, _ := s.Table.Cursor()
	s.held = row > 0
	s.showSelection()
}

// choose puts the cursor on a candidate.
func (s *Screen) choose(i int) {
	if row := s.rows.row(i); row >= 0 {
		s.Table.SetCursor(row)
	}
	s.hold()
}

// Pin marks the selected candidate for comparison, or takes the mark away.
func (s *Screen) Pin() {
	i, ok := s.Selected()
	if !ok {
		return
	}
	c := s.answer.Result.Space.At(i)
	if s.pinned[c.ID] != nil {
		delete(s.pinned, c.ID)
	} else {
		s.pinned[c.ID] = c
	}
	s.refresh()
}

// ToggleInfeasible shows or hides the candidates that break a limit.
func (s *Screen) ToggleInfeasible() {
	s.feasibleOnly = !s.feasibleOnly
	s.refresh()
}

// ToggleLog switches the axes of time and cost between linear and logarithmic.
func (s *Screen) ToggleLog() {
	s.plots.log = !s.plots.log
	s.plots.space = nil
	s.showSelection()
}

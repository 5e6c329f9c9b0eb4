package library

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if s.list().table.Act(action) {
		return nil
	}
	switch action {
	case keys.FocusNext, keys.Right:
		s.Turn(1)
	case keys.FocusPrev, keys.Left:
		s.Turn(-1)
	case keys.Sort, keys.Reverse:
		s.Sort(action == keys.Reverse)
	case keys.Filter:
		s.Shell.Line.Ask(prompt.Question{Label: "/", Value: s.filter, Typed: func(words string) tea.Cmd {
			s.Filter(words)
			return nil
		}})
	case keys.Back:
		if s.stop() {
			return s.Shell.Note(toast.Info, "stopping the import at the next file…")
		}
		s.Filter("")
	case keys.Enter:
		return s.enter()
	case keys.ProbeThis:
		return s.Shell.Tell(screen.ProbeSelected{})
	case keys.Export:
		return s.export()
	default:
		return s.edit(action)
	}
	return nil
}

// enter has Explore ask about what is under the cursor.
func (s *Screen) enter() tea.Cmd {
	if p, ok := s.Pick(); ok {
		return s.Shell.Tell(screen.Reopen{Pick: p})
	}
	if q, ok := s.Question(); ok {
		return s.Shell.Tell(screen.Ask{Question: q})
	}
	return s.Shell.Note(toast.Info, "this row has no times to rank")
}

// export offers the forms of a pick made earlier.
func (s *Screen) export() tea.Cmd {
	kept, ok := s.Pick()
	if !ok {
		return s.Shell.Note(toast.Info, "only picks are exported from here: tab goes to them")
	}
	p, err := contract.ReadPick(kept.Query, kept.Candidate, kept.CreatedAt, s.Shell.Version)
	if err != nil {
		return s.Shell.Fail(err)
	}
	return s.Shell.ExportPick(p, nil)
}

// edit does what a key means for the database.
func (s *Screen) edit(action keys.Action) tea.Cmd {
	if s.set == nil {
		return nil // what is shown is of another database
	}
	switch action {
	case keys.Delete:
		return s.delete()
	case keys.Rename:
		return s.rename()
	case keys.Annotate:
		return s.annotate()
	case keys.Undo:
		return s.undo()
	case keys.Import:
		return s.Shell.ChooseSeveral("Import logs and tables", s.importFrom)
	case keys.Merge:
		return s.Shell.Choose("Merge another profile database into this one",
			append(slices.Clone(screen.DatabaseFiles), picker.Any), s.merge)
	case keys.Backup:
		return s.backup()
	}
	return nil
}

// Receive takes what the database holds, and what changes and imports come to.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Opened:
		s.set, s.changes.done, s.changes.waiting = nil, nil, nil
	case screen.Loaded:
		s.setContent(msg.Set, msg.Picks)
		if s.show != 0 {
			s.lists[Runs].table.Select(s.show)
			s.show = 0
		}
	case changedMsg:
		return s.changed(msg)
	case importMsg:
		return s.imported(msg)
	}
	return nil
}

// Busy is why the database can't be changed or left now.
func (s *Screen) Busy() string {
	switch {
	case s.changes.busy:
		return "the database is being changed: open another one when that is done"
	case s.importing():
		return "an import is running here: esc on its list stops it"
	}
	return ""
}

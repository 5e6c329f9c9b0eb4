// Package library is the screen that lists what is known: models, runs, VM
// types and picks, each row with where it comes from.
package library

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/table"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// List is one of the lists.
type List int

// The lists, in Tab order.
const (
	Models List = iota
	Runs
	VMTypes
	Picks
	Imports // of the last import, there once one was made
	lists
)

var listNames = [lists]string{"Models", "Runs", "VM types", "Picks", "Import"}

// Screen is the state of Library.
type Screen struct {
	screen.Base
	th      *theme.Theme
	w, h    int
	current List
	lists   [lists]*list
	filter  string

	set      *profile.Set // nil until the open database is read
	picks    []store.Pick
	changes  changes
	show     int64    // a run that the cursor goes to once it is read
	job      *job     // the import that goes on, or the last one
	progress *Import  // of it, nil before one
	mapping  *mapping // what an import asks, nil for nothing
}

// New returns an empty screen.
func New(sh *screen.Shell) *Screen {
	s := &Screen{Base: screen.Base{Shell: sh}, th: sh.Theme}
	for k := range s.lists {
		s.lists[k] = &list{table: table.New(listColumns[k])}
		s.lists[k].table.Empty = [lists]string{
			"no models: p probes one", "no runs: p probes a model", "no VM types",
			"no picks yet: x on Explore picks a candidate", "no file has been read yet",
		}[k]
	}
	return s
}

// Tab is the action that shows the screen.
func (s *Screen) Tab() keys.Action { return keys.Library }

// SetTheme changes colours and symbols.
func (s *Screen) SetTheme(th *theme.Theme) { s.th = th }

// SetSize changes the size in cells.
func (s *Screen) SetSize(w, h int) {
	s.w, s.h = w, h
	for k, l := range s.lists {
		l.table.SetSize(panel.Inner(w, h-headRows-s.detailRows(List(k))))
	}
}

const headRows = 2

// setContent shows other models, runs, VM types and picks.
func (s *Screen) setContent(set *profile.Set, picks []store.Pick) {
	s.set, s.picks = set, picks
	s.lists[Models].all = made(modelRows(set))
	s.lists[Runs].all = runRows(set)
	s.lists[VMTypes].all = made(vmRows(set))
	s.lists[Picks].all = made(pickRows(picks))
	for _, l := range s.lists {
		l.refresh(s.filter)
	}
}

func (s *Screen) list() *list { return s.lists[s.current] }

// Turn goes to the next list.
func (s *Screen) Turn(step int) {
	n := s.listCount()
	s.current = (s.current + List(step) + n) % n
}

// listCount is how many lists there are; Imports is the last.
func (s *Screen) listCount() List {
	if s.progress == nil {
		return Imports
	}
	return lists
}

// List is the list shown.
func (s *Screen) List() List { return s.current }

// Region is where keys act, by the list.
func (s *Screen) Region() string {
	if s.mapping != nil {
		return keys.InMapping
	}
	return [lists]string{keys.InModels, keys.InRuns, keys.InVMs, keys.InPicks, keys.InImport}[s.current]
}

// Sort sorts by the next column or turns the order round.
func (s *Screen) Sort(reverse bool) {
	l := s.list()
	if reverse {
		l.descending = !l.descending
	} else {
		all := l.table.Sortable()
		l.column, l.descending = all[(slices.Index(all, l.column)+1)%len(all)], false
	}
	l.refresh(s.filter)
}

// Filter keeps the rows in which every word occurs, on all lists.
func (s *Screen) Filter(words string) {
	s.filter = words
	for _, l := range s.lists {
		l.refresh(words)
	}
}

// Mouse chooses lists, rows and what to sort by, and scrolls.
func (s *Screen) Mouse(e pointer.Event) tea.Cmd {
	if s.mapping != nil {
		return nil
	}
	switch e.Kind {
	case pointer.Click:
		s.click(e.X, e.Y)
	case pointer.Wheel:
		s.list().table.Scroll(e.Steps * 3)
	}
	return nil
}

func (s *Screen) click(x, y int) {
	if y == 0 {
		at := 1
		for k, name := range listNames[:s.listCount()] {
			if x >= at && x < at+len(name)+2 {
				s.current = List(k)
			}
			at += len(name) + 3
		}
		return
	}
	l := s.list()
	switch row, column, ok := l.table.Hit(x-1, y-headRows-1); {
	case !ok:
	case row >= 0:
		l.table.SetCursor(row)
	default:
		l.descending = l.column == column && !l.descending
		l.column = column
		l.refresh(s.filter)
	}
}

// Question is the model under the cursor as something Explore can ask; ok is
// false where the row is of no model.
func (s *Screen) Question() (q question.Question, ok bool) {
	r := s.list().selected()
	if r == nil || r.question.Model == "" {
		return q, false
	}
	return r.question, true
}

// Run is the run under the cursor, nil without one.
func (s *Screen) Run() *profile.Run {
	r := s.list().selected()
	if s.current != Runs || r == nil {
		return nil
	}
	return r.run
}

// Pick is the pick under the cursor.
func (s *Screen) Pick() (p store.Pick, ok bool) {
	r := s.list().selected()
	if s.current != Picks || r == nil {
		return p, false
	}
	return r.pick, true
}

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	if s.w < 20 || s.h < headRows+4 {
		return text.Block([]string{fmt.Sprintf("needs 20×8, has %d×%d", s.w, s.h+2)}, s.w, s.h)
	}
	var tabs strings.Builder
	for k, name := range listNames[:s.listCount()] {
		pen := s.th.Tab
		if List(k) == s.current {
			pen = s.th.TabActive
		}
		tabs.WriteString(" " + pen.Render(" "+name+" "))
	}
	l := s.list()
	note := fmt.Sprintf("%d of %d", len(l.shown), l.all.n)
	if s.filter != "" {
		note += " · /" + text.Clean(s.filter)
	}
	l.table.Focused = true
	head := text.Block([]string{tabs.String(), " " + s.headline()}, s.w, headRows)
	if s.mapping != nil {
		return head + "\n" + s.mapping.view(s, s.w, s.h-headRows)
	}
	rows := s.detailRows(s.current)
	body := panel.Panel{Title: listNames[s.current], Note: note, Focused: true}.Render(s.th, l.table.View(s.th), s.w,
		s.h-headRows-rows)
	if rows == 0 {
		return head + "\n" + body
	}
	return head + "\n" + body + "\n" + s.details(rows)
}

// headline says what is open, or how an import goes.
func (s *Screen) headline() string {
	if s.current == Imports {
		return s.progress.headline(s.th)
	}
	return s.th.Dim.Render(text.Clean(s.Shell.Workspace.Label()) + " · runs are saved in " +
		text.Clean(s.Shell.Workspace.Path()))
}

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if s.mapping != nil {
		return s.keyMapping(action)
	}
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
	p.RunAs(s.set)
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
		s.set, s.changes.done, s.changes.waiting, s.mapping = nil, nil, nil, nil
	case screen.Loaded:
		s.setContent(msg.Set, msg.Picks)
		if line, ok := s.lists[Runs].place(s.show); ok {
			s.lists[Runs].table.SetCursor(line)
		}
		s.show = 0
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

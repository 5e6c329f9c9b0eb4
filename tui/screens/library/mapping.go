package library

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/data/imports/wide"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

// previewed is how many rows of a table are shown beside its columns.
const previewed = 3

// mapping is the form that asks what the columns of a table in no known format
// hold: a row for each column, and one for the mode.
type mapping struct {
	path     string // as it was chosen
	file     source.File
	sketch   *wide.Sketch
	meanings []string // of the columns, by name; "" is not used
	mode     string
	row      int
	ready    *source.Mapping // nil while something is missing
	why      string          // what is
}

// asking is the form for a table in no known format, filled in with what is likely;
// nil for other files.
func asking(path string, f source.File) *mapping {
	_, err := imports.Detect(f)
	if _, unknown := errors.AsType[*imports.Unrecognised](err); !unknown {
		return nil
	}
	sketch, err := wide.Preview(f, previewed)
	if err != nil {
		return nil
	}
	m := &mapping{path: path, file: f, sketch: sketch, meanings: sketch.Suggested, mode: sketch.Mode}
	m.check()
	return m
}

func (m *mapping) check() {
	ready, err := m.sketch.Mapping(m.file, m.meanings, m.mode)
	if m.ready, m.why = ready, ""; err != nil {
		m.ready, m.why = nil, text.Clean(err.Error())
	}
}

// step goes to another meaning of the row under the cursor.
func (m *mapping) step(by int) {
	value, all := &m.mode, []string{"", string(profile.Train), string(profile.Infer)}
	if m.row < len(m.meanings) {
		value, all = &m.meanings[m.row], []string{""}
		for _, w := range wide.Meanings {
			all = append(all, w.Name)
		}
	}
	*value = all[(slices.Index(all, *value)+by+len(all))%len(all)]
	m.check()
}

// keyMapping does what a key means on the form.
func (s *Screen) keyMapping(a keys.Action) tea.Cmd {
	m := s.mapping
	last := len(m.meanings)
	to := map[keys.Action]int{keys.Up: m.row - 1, keys.FocusPrev: m.row - 1, keys.Down: m.row + 1,
		keys.FocusNext: m.row + 1, keys.Top: 0, keys.PageUp: 0, keys.Bottom: last, keys.PageDown: last}
	switch row, moves := to[a]; {
	case moves:
		m.row = min(max(row, 0), last)
	case a == keys.Left || a == keys.BigLeft:
		m.step(-1)
	case a == keys.Right || a == keys.BigRight || a == keys.Pin:
		m.step(1)
	case a == keys.Back:
		s.mapping = nil
	case a == keys.Enter && m.ready == nil:
		return s.Shell.Note(toast.Warn, m.why)
	case a == keys.Enter:
		s.mapping = nil
		return s.importWith(m.path, m.ready)
	}
	return nil
}

// view draws the form in w × h cells.
func (m *mapping) view(s *Screen, w, h int) string {
	th := s.th
	iw, ih := panel.Inner(w, h)
	name := 8
	for _, c := range m.sketch.Columns {
		name = max(name, text.Width(c))
	}
	name = min(name, iw/3)
	meaning := min(36, max(iw-name-8, 0)/2)
	line := func(row int, column, means, cells string) string {
		mark := " "
		if row == m.row {
			mark = th.Symbols.Here
		}
		l := text.Fit(" "+mark+" "+text.Fit(column, name)+"  "+text.Fit(means, meaning)+"  "+th.Dim.Render(cells), iw)
		if row == m.row {
			return th.Selected.Over(l)
		}
		return l
	}
	var lines []string
	for i, c := range m.sketch.Columns {
		means := th.Dim.Render("not used")
		if k := slices.IndexFunc(wide.Meanings, func(x wide.Meaning) bool { return x.Name == m.meanings[i] }); k >= 0 {
			means = th.Title.Render(wide.Meanings[k].Title)
		}
		cells := plaintext.Join(m.sketch.Rows, " "+th.Symbols.Dot+" ", func(row []string) string { return row[i] })
		lines = append(lines, line(i, c, means, cells))
	}
	mode := th.Dim.Render("not said")
	switch {
	case m.mode != "":
		mode = th.Title.Render(m.mode)
	case slices.Contains(m.meanings, "mode"):
		mode = th.Dim.Render("as the column says")
	}
	lines = append(lines, line(len(m.meanings), "mode", mode, "of all rows"))
	below := th.Good.Wrap("Enter imports the table.", " ", iw)
	if m.ready == nil {
		below = th.Bad.Wrap(m.why, " ", iw)
	}
	room := max(ih-len(below)-2, 1)
	top := min(max(m.row-room/2, 0), max(len(lines)-room, 0))
	head := th.Dim.Render(line(-1, "column", "meaning", "first rows"))
	shown := slices.Concat([]string{head}, lines[top:min(top+room, len(lines))], []string{""}, below)
	box := panel.Panel{Title: "What do the columns hold?", Note: text.Clean(m.file.Base()), Focused: true}
	return box.Render(th, strings.Join(shown, "\n"), w, h)
}

package explore

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
)

// place lays the screen out for its size.
func (s *Screen) place() {
	s.layout = newLayout(s.w, s.h, len(s.Sliders.All))
	for k, b := range []panel.Box{s.layout.First, s.layout.Second} {
		s.plots.scatter[k].SetSize(b.Inner())
	}
	s.Place(s.layout.Sliders, s.layout.First, s.layout.Second, s.layout.Table)
	if s.answer != nil {
		s.setColumns(s.answer)
	}
}

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	if s.layout.Table.W == 0 {
		return text.Block([]string{fmt.Sprintf("needs %d×%d, has %d×%d", leastWidth, leastRows+2, s.w, s.h+2)}, s.w, s.h)
	}
	plot := func(k int) desk.Pane {
		return desk.Pane{Title: s.plots.title[k], Note: s.plotNote(k), Body: s.plots.scatter[k].Draw}
	}
	return s.Frame(s.th, s.w, s.h, &s.layout, desk.Panes{
		Sliders: desk.Pane{Title: "Constraints", Note: s.constraintsNote(), Body: s.filters},
		First:   plot(0),
		Second:  plot(1),
		Table:   desk.Pane{Title: s.rankingTitle(), Note: s.rankingNote()},
		Words:   desk.Pane{Title: "Why this one", Note: s.pinnedNote()},
		Reading: desk.Pane{Title: s.selectedTitle(), Note: s.pinnedNote()},
		Lines:   s.words,
	})
}

// filters are what else narrows the candidates, below the sliders where there is
// room.
func (s *Screen) filters(w, h int) string {
	if h < 2 {
		return ""
	}
	var lines []string
	for _, l := range text.Wrap(strings.Join(s.narrowing(), " "+s.th.Symbols.Dot+" "), w) {
		lines = append(lines, s.th.Dim.Render(l))
	}
	return "\n" + strings.Join(lines, "\n")
}

func (s *Screen) narrowing() []string {
	parts := []string{string(s.Question().Purchase)}
	q := s.Question()
	for _, f := range question.Filters() {
		if v := narrowedTo(f, q); v != "" {
			parts = append(parts, f.Label+text.Clean(v))
		}
	}
	slices.Sort(parts[1:])
	if b := q.Bill.String(); b != "" {
		parts = append(parts, "bill "+b)
	}
	if q.Words != "" {
		parts = append(parts, "/"+text.Clean(q.Words))
	}
	return parts
}

func (s *Screen) constraintsNote() string {
	ok, all := s.counts()
	return fmt.Sprintf("%s of %s", quantity.Count(float64(ok)), quantity.Count(float64(all)))
}

// plotNote is what a plot says beside its title: what it leaves out, and the
// legend. Where both don't fit, the first plot keeps the legend, which is of
// both, and the second what is left out.
func (s *Screen) plotNote(k int) string {
	note, legend := s.plots.note(k, s.th), s.legend()
	room := [...]int{s.layout.First.W, s.layout.Second.W}[k] - text.Width(s.plots.title[k]) - borderCells
	both := note + " " + s.th.Symbols.Dot + " " + legend
	switch {
	case note == "" || k == 0 && s.layout.Second.W > 0 && text.Width(both) > room:
		return legend
	case text.Width(both) <= room:
		return both
	case text.Width(note) > room:
		return strings.TrimSuffix(note, hidden)
	}
	return note
}

// borderCells are what a panel's top line has beside title and note.
const borderCells = 7

// legend names the point classes of a plot.
func (s *Screen) legend() string {
	var parts []string
	for i, name := range s.plots.classes {
		parts = append(parts, string(s.th.SeriesRune(i))+" "+text.Clean(name))
	}
	return strings.Join(parts, " ")
}

func (s *Screen) rankingTitle() string {
	title := "Ranking " + s.th.Symbols.Dot + " by " + question.Sort(s.Column).Label()
	if s.Late() {
		return title + " " + s.th.Symbols.Dot + " computing the new ranking…"
	}
	if by := s.Question().Sort; string(by) != s.Column {
		title += ", # by " + by.Label()
	}
	return title
}

func (s *Screen) rankingNote() string {
	ok, all := s.counts()
	note := fmt.Sprintf("%s of %s feasible %s %s", quantity.Count(float64(ok)), quantity.Count(float64(all)),
		s.th.Symbols.Dot, s.Question().Purchase)
	if s.answer == nil {
		return note
	}
	of := s.answer.Result.Space.Combinations
	if of.Configurations == 0 {
		return note
	}
	best := fmt.Sprintf("the best of %s combinations", quantity.Count(of.Configurations))
	if of.Resolution > 0 {
		best += " within " + quantity.Percent(of.Resolution)
	}
	return best + " " + s.th.Symbols.Dot + " " + note
}

func (s *Screen) pinnedNote() string {
	if n := len(s.pinned); n > 0 {
		return fmt.Sprintf("%d pinned", n)
	}
	return ""
}

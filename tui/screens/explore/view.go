package explore

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/text"
)

// place lays the screen out for its size.
func (s *Screen) place() {
	s.layout = lay(s.w, s.h)
	for k, p := range s.plots.scatter {
		p.SetSize(s.layout.region[int(FirstPlot)+k].Inner())
	}
	s.Place(s.layout.region[:]...)
	if s.answer != nil {
		s.setColumns(s.answer)
	}
}

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	l := &s.layout
	if !l.shows(Ranking) {
		return text.Block([]string{fmt.Sprintf("needs %d×%d, has %d×%d", leastWidth, leastRows+2, s.w, s.h+2)}, s.w, s.h)
	}
	if _, ok := s.Selected(); ok && s.Reading() {
		return s.viewInspection()
	}
	s.Table.SetFocused(s.OnTable())
	w, h := l.region[Constraints].Inner()
	sliders := s.constraints.View(s.th, w, h, s.Focused() == int(Constraints))
	ranking := s.Table.View(s.th)
	if l.bare() {
		return text.Block(append(text.Lines(text.Block(text.Lines(sliders), w, h)), text.Lines(ranking)...), s.w, s.h)
	}
	top := []string{s.panel(Constraints, "Constraints", s.constraintsNote(), s.padded(sliders, w, h))}
	for k, r := range []Region{FirstPlot, SecondPlot} {
		if l.shows(r) {
			top = append(top, s.panel(r, s.plots.title[k], s.plotNote(k), s.plots.scatter[k].View()))
		}
	}
	blocks := []string{text.Beside(top...), s.panel(Ranking, s.rankingTitle(), s.rankingNote(), ranking)}
	if b := l.inspector; b.H > 0 {
		blocks = append(blocks, panel.Panel{Title: "Why this one", Note: s.pinnedNote()}.Render(s.th, s.inspect(b.W-2, b.H-2), b.W, b.H))
	}
	return strings.Join(blocks, "\n")
}

// padded spreads the sliders over a taller panel: what else narrows the
// candidates stands below them.
func (s *Screen) padded(sliders string, w, h int) string {
	lines := text.Lines(sliders)
	if h > len(lines)+1 {
		lines = append(lines, "")
		for _, l := range text.Wrap(strings.Join(s.narrowing(), " "+s.th.Symbols.Dot+" "), w) {
			lines = append(lines, s.th.Dim.Render(l))
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Screen) narrowing() []string {
	parts := []string{string(s.Question().Purchase)}
	for f, name := range map[Facet]string{BatchSizes: "batch ", Clouds: "", GPUs: "", Variants: ""} {
		if v := s.narrowed(f); v != "" {
			parts = append(parts, name+text.Clean(v))
		}
	}
	slices.Sort(parts[1:])
	if b := s.Question().Bill; b != "" {
		parts = append(parts, "bill "+b)
	}
	if f := s.Question().Filter; f != "" {
		parts = append(parts, "/"+text.Clean(f))
	}
	return parts
}

func (s *Screen) panel(r Region, title, note, body string) string {
	b := s.layout.region[r]
	return panel.Panel{Title: title, Note: note, Focused: s.Focused() == int(r)}.Render(s.th, body, b.W, b.H)
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
	room := s.layout.region[int(FirstPlot)+k].W - text.Width(s.plots.title[k]) - borderCells
	both := note + " " + s.th.Symbols.Dot + " " + legend
	switch {
	case note == "" || k == 0 && s.layout.shows(SecondPlot) && text.Width(both) > room:
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
	title := "Ranking " + s.th.Symbols.Dot + " by " + s.Column
	if s.Late() {
		return title + " " + s.th.Symbols.Dot + " computing what is asked now…"
	}
	if by := string(s.Question().Sort); by != s.Column {
		title += ", # by " + by
	}
	return title
}

func (s *Screen) rankingNote() string {
	ok, all := s.counts()
	note := fmt.Sprintf("%s of %s feasible %s %s", quantity.Count(float64(ok)), quantity.Count(float64(all)), s.th.Symbols.Dot, s.Question().Purchase)
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

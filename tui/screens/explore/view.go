package explore

import (
	"fmt"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// place lays the screen out for its size.
func (s *Screen) place() {
	s.head = newHead(s.w, s.h)
	s.layout = newLayout(s.w, s.h-s.head.rows(), len(s.Sliders.All)).Below(s.head.rows())
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
	lines := append(s.decision(), s.Frame(s.th, s.w, s.h-s.head.rows(), &s.layout, desk.Panes{
		Sliders: desk.Pane{Title: "Constraints", Note: s.constraintsNote()},
		First:   plot(0),
		Second:  plot(1),
		Table:   desk.Pane{Title: s.rankingTitle(), Note: s.rankingNote()},
		Words:   desk.Pane{Title: "Why this one", Note: s.pinnedNote()},
		Reading: desk.Pane{Title: s.selectedTitle(), Note: s.pinnedNote()},
		Lines:   s.words,
	}))
	return strings.Join(lines, "\n")
}

func (s *Screen) constraintsNote() string {
	ok, all := s.counts()
	return fmt.Sprintf("%s of %s", quantity.Count(float64(ok)), quantity.Count(float64(all)))
}

// plotNote is what a plot says beside its title: what it leaves out, and the
// legend. Where both don't fit, the first plot keeps the legend, which is of
// both, and the second what is left out.
func (s *Screen) plotNote(k int) string {
	room := [...]int{s.layout.First.W, s.layout.Second.W}[k] - text.Width(s.plots.title[k]) - borderCells
	note, legend := s.plots.note(k, s.th), s.legend(room)
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

// legend names the point classes of a plot, the most frequent first, in so many cells;
// those that have no room are counted.
func (s *Screen) legend(room int) string {
	out := ""
	for i, name := range s.plots.classes {
		part := string(s.th.SeriesRune(i)) + " " + text.Clean(name)
		more := ""
		if rest := len(s.plots.classes) - i - 1; rest > 0 {
			more = fmt.Sprintf(" +%d", rest)
		}
		if i > 0 {
			part = " " + part
		}
		if text.Width(out+part+more) > room {
			return out + fmt.Sprintf(" +%d", len(s.plots.classes)-i)
		}
		out += part
	}
	return out
}

func (s *Screen) rankingTitle() string {
	title := "Ranking " + s.th.Symbols.Dot + " by " + question.Sort(s.Column).Label()
	if s.Late() {
		return title + " " + s.th.Symbols.Dot + " computing the new ranking…"
	}
	if by := s.Question().Sort; string(by.Loose()) != s.Column {
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

// The plots among the regions of the desk: the first ones behind the sliders.
const (
	FirstPlot  = 1
	SecondPlot = 2
)

// head are the lines above the panels: what to rent, and the chips below it.
type head struct{ decision, chips int }

func (h head) rows() int { return h.decision + h.chips }

// newHead gives the head its lines of w × h cells.
func newHead(w, h int) head {
	switch {
	case w < leastWidth || h < leastRows+2:
		return head{}
	case h < tallHead:
		return head{1, 1}
	}
	return head{2, 1}
}

// decision draws the head: the sentences that have room, then the chips.
func (s *Screen) decision() []string {
	if s.head.rows() == 0 {
		return nil
	}
	var lines []string
	if s.answer != nil {
		lines = s.fitDecision(s.w-2, s.head.decision)
	}
	out := make([]string, 0, s.head.rows())
	for k := range s.head.decision {
		line := ""
		if k < len(lines) {
			line = lines[k]
		}
		out = append(out, text.Fit(" "+line, s.w))
	}
	note := ""
	if s.set != nil {
		note = s.resting()
	}
	return append(out, s.chipLine.View(s.th, s.chips(), note, s.w))
}

// fitDecision is what to rent in so many lines of w cells, the answer as long as it
// fits and behind it the sentences that still do.
func (s *Screen) fitDecision(w, rows int) []string {
	d := s.answer.Decision
	if d.Settle != "" {
		if b, _ := s.Shell.Bindings.Lookup(keys.NextProbe); len(b.Keys) > 0 {
			d.Settle = strings.TrimSuffix(d.Settle, ".") + " (" + b.Keys[0] + ")."
		}
	}
	lines := text.Wrap(text.Clean(d.Answer), w)
	for _, shorter := range d.Shorter {
		if len(lines) > rows {
			lines = text.Wrap(text.Clean(shorter), w)
		}
	}
	if len(lines) > rows {
		lines = lines[:rows]
		lines[rows-1] = text.Truncate(lines[rows-1]+" "+s.th.Symbols.Ellipsis, w, s.th.Symbols.Ellipsis)
	}
	for k := range lines {
		lines[k] = s.th.Title.Render(lines[k])
	}
	for k, more := range d.Sentences() {
		if more = text.Clean(more); k == 0 {
			continue
		}
		switch last := len(lines) - 1; {
		case text.Width(lines[last])+2+text.Width(more) <= w:
			lines[last] += "  " + s.th.Text.Render(more)
		case len(lines) < rows && text.Width(more) <= w:
			lines = append(lines, s.th.Text.Render(more))
		}
	}
	return lines
}

// Sizes at which the screen is laid out, in cells.
const (
	leastWidth = 40
	leastRows  = 8
	tallHeight = 44 // from here on the plots get the greater part
	tallHead   = 30 // from here on the head takes three lines
)

// newLayout places everything on w × h cells; on fewer than the least it is empty.
func newLayout(w, h, sliders int) (l desk.Layout) {
	switch {
	case w < leastWidth || h < leastRows:
		return l
	case w < desk.NarrowWidth || h < desk.NarrowRows:
		return desk.SmallLayout(w, h)
	}
	words := inspectorRows(h)
	share := 45
	if h >= tallHeight {
		share = 56
	}
	top := max((h-words)*share/100, sliders*slider.Height+2)
	rest := h - top - words
	if rest < 5 {
		top -= 5 - rest
		rest = 5
	}
	l.Sliders, l.First = panel.Box{W: w, H: top}.Split(desk.SlidersWidth)
	if w >= desk.WideWidth {
		l.First, l.Second = l.First.Split(l.First.W / 2)
	}
	l.Table = panel.Box{Y: top, W: w, H: rest}
	if words > 0 {
		l.Words = panel.Box{Y: top + rest, W: w, H: words}
	}
	return l
}

func inspectorRows(h int) int {
	switch {
	case h >= 38:
		return 8
	case h >= 34:
		return 7
	case h >= 26:
		return 5
	default:
		return 0
	}
}

// selectedTitle names the selected candidate.
func (s *Screen) selectedTitle() string {
	i, ok := s.Selected()
	if !ok {
		return "Why this one"
	}
	c := s.answer.Result.Space.At(i)
	title := wording.VMs(c) + " " + s.th.Symbols.Dot + " " + wording.VariantLabel(c.Variant)
	if c.BatchSize > 0 {
		title += fmt.Sprintf(" %s batch %d", s.th.Symbols.Dot, c.BatchSize)
	}
	return title
}

// words are all there is to say about the selected candidate, wrapped.
func (s *Screen) words(width int) []string {
	if s.answer == nil {
		return nil
	}
	var lines []string
	i, ok := s.Selected()
	if s.answer.Result.Count() == 0 && s.answer.Result.Space.Len() > 0 {
		lines = append(lines, "nothing feasible: "+wording.WhyNothing(s.answer.Result))
		lines = append(lines, bought(s.answer))
	} else if ok {
		lines = append(lines, s.compared(i)...)
		lines = append(lines, why(s.answer, i)...)
	}
	var out []string
	for _, l := range lines {
		out = append(out, theme.Pen{}.Wrap(text.Clean(l), " ", width)...)
	}
	return out
}

// compared sets the selected candidate against the pinned ones.
func (s *Screen) compared(i int) []string {
	var lines []string
	r := s.answer.Result
	for _, k := range s.pins() {
		if c := r.Space.At(k); k != i && len(lines) < 2 {
			lines = append(lines, "against pinned "+wording.VMs(c)+" "+wording.VariantLabel(c.Variant)+": "+difference(r, i, k))
		}
	}
	return lines
}

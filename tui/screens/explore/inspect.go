package explore

import (
	"fmt"

	"sweetspot/data/wording"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

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
	if len(s.answer.Result.Order) == 0 && s.answer.Result.Space.Len() > 0 {
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

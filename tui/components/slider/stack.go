package slider

import (
	"strings"

	"sweetspot/tui/theme"
)

// Stack is sliders from top to bottom, one of which is active: keys move that one.
type Stack struct {
	All    []*Slider
	Active int
}

// Current is the active slider.
func (s *Stack) Current() *Slider { return s.All[s.Active] }

// Move makes another slider active.
func (s *Stack) Move(steps int) { s.Active = min(max(s.Active+steps, 0), len(s.All)-1) }

// Height is that of all sliders, one above the other.
func (s *Stack) Height() int { return len(s.All) * Height }

// View draws as many sliders as fit, the active one always among them.
func (s *Stack) View(th *theme.Theme, width, height int, focused bool) string {
	var lines []string
	first, last := s.Shown(height)
	for k := first; k < last; k++ {
		s.All[k].SetFocused(focused && k == s.Active)
		lines = append(lines, s.All[k].View(th, width))
	}
	return strings.Join(lines, "\n")
}

// Shown are the sliders that a view of so many lines shows, up to the last one.
func (s *Stack) Shown(height int) (first, last int) {
	n := min(max(height/Height, 1), len(s.All))
	first = min(max(s.Active-n+1, 0), len(s.All)-n)
	return first, first + n
}

// Hit returns the slider at a line of the view, and whether it is its track.
func (s *Stack) Hit(y, height int) (k int, track, ok bool) {
	first, last := s.Shown(height)
	k = first + y/Height
	return k, y%Height == trackLine, y >= 0 && k < last
}

// Step moves the active slider; it reports whether the value changed.
func (s *Stack) Step(steps int, big bool) (changed bool) {
	if big {
		return s.Current().BigMove(steps)
	}
	return s.Current().Move(steps)
}

// End moves the active slider to an end of its track.
func (s *Stack) End(last bool) (changed bool) {
	lo, hi := s.Current().Range()
	if last {
		return s.Current().Set(hi)
	}
	return s.Current().Set(lo)
}

// Press handles the mouse at a cell of a view of the given size; dragging stays
// on the slider where it began.
func (s *Stack) Press(x, y, width, height int, drag bool) (changed bool) {
	k, track, ok := s.Hit(y, height)
	if !ok || drag && k != s.Active {
		return false
	}
	s.Active = k
	return track && s.Current().Click(x, width)
}

// Wheel moves the slider at a line of the view.
func (s *Stack) Wheel(y, height, steps int) (changed bool) {
	k, _, ok := s.Hit(y, height)
	if !ok {
		return false
	}
	s.Active = k
	return s.Current().Move(-steps)
}

// Typing begins or ends typing a value on the active slider.
func (s *Stack) Typing(begin bool) {
	switch {
	case begin:
		s.Current().Begin()
	case s.IsTyping():
		s.Current().Cancel()
	}
}

// IsTyping reports whether keys are text for the active slider.
func (s *Stack) IsTyping() bool { return s.Current().Typing() }

// Of is a slider that always has a value, and the number of a question that it
// sets.
type Of[Q any] struct {
	Config
	At func(q *Q) *float64
}

// StackOf are the sliders of a question, from top to bottom.
func StackOf[Q any](sliders []Of[Q]) (s Stack) {
	for _, d := range sliders {
		s.All = append(s.All, NewExact(d.Config))
	}
	return s
}

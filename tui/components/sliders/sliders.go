// Package sliders is a stack of sliders of which one is active: that which keys
// move.
package sliders

import (
	"strings"

	"sweetspot/tui/components/slider"
	"sweetspot/tui/theme"
)

// Stack is the sliders from top to bottom.
type Stack struct {
	All    []*slider.Slider
	Active int
}

// Current is the active slider.
func (s *Stack) Current() *slider.Slider { return s.All[s.Active] }

// Move makes another slider active.
func (s *Stack) Move(steps int) { s.Active = min(max(s.Active+steps, 0), len(s.All)-1) }

// Height is that of all sliders, one above the other.
func (s *Stack) Height() int { return len(s.All) * slider.Height }

// View draws as many sliders as fit, the active one always among them.
func (s *Stack) View(th *theme.Theme, width, height int, focused bool) string {
	var lines []string
	first, last := s.visible(height)
	for k := first; k < last; k++ {
		s.All[k].SetFocused(focused && k == s.Active)
		lines = append(lines, s.All[k].View(th, width))
	}
	return strings.Join(lines, "\n")
}

func (s *Stack) visible(height int) (first, last int) {
	n := min(max(height/slider.Height, 1), len(s.All))
	first = min(max(s.Active-n+1, 0), len(s.All)-n)
	return first, first + n
}

// Hit returns the slider at a line of the view, and whether it is its track.
func (s *Stack) Hit(y, height int) (k int, track, ok bool) {
	first, last := s.visible(height)
	k = first + y/slider.Height
	return k, y%slider.Height == slider.TrackLine, y >= 0 && k < last
}

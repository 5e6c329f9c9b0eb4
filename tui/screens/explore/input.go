package explore

import (
	"slices"

	"sweetspot/engine/question"
	"sweetspot/tui/components/slider"
)

// Every method here reports whether the question changed, so that it must be
// asked again.

// Focus moves the keys to the next region that is on screen.
func (s *Screen) Focus(step int) {
	s.Typing(false)
	s.Inspect(false)
	for range int(regions) {
		s.focus = (s.focus + Region(step) + regions) % regions
		if s.layout.shows(s.focus) {
			break
		}
	}
	s.history.Pause()
}

// Typing ends or begins typing a value on the active slider.
func (s *Screen) Typing(begin bool) {
	sl := s.slider()
	switch {
	case begin && s.focus == Constraints:
		sl.Begin()
	case sl.Typing():
		sl.Cancel()
	}
}

// IsTyping reports whether keys are text for a slider.
func (s *Screen) IsTyping() bool { return s.slider().Typing() }

// Type gives text to the slider that is typed on.
func (s *Screen) Type(t string) { s.slider().Type(t) }

// Backspace takes the last typed character away.
func (s *Screen) Backspace() { s.slider().Backspace() }

// Commit takes the typed value over.
func (s *Screen) Commit() (changed bool) {
	k := s.constraints.Active
	before := s.question
	if changed, err := s.slider().Commit(); err != nil || !changed {
		return false
	}
	s.history.Pause()
	s.remember("typed")
	s.history.Pause()
	s.constraints.save(k, &s.question)
	return s.question != before
}

// TypingError is the sentence that says why the typed value can't be taken
// over, "" when there is nothing against it.
func (s *Screen) TypingError() string { return s.slider().Error() }

func (s *Screen) slider() *slider.Slider { return s.constraints.All[s.constraints.Active] }

// Horizontal is the left and right keys: a slider's value, or the next
// candidate along a plot's frontier.
func (s *Screen) Horizontal(steps int, big bool) (changed bool) {
	switch s.focus {
	case Constraints:
		return s.scrub(func(sl *slider.Slider) bool {
			if big {
				return sl.BigMove(steps)
			}
			return sl.Move(steps)
		})
	case FirstPlot, SecondPlot:
		if big {
			steps *= 5
		}
		if s.Crossing() {
			s.focused().MoveCrosshair(steps, 0)
			return false
		}
		s.alongFrontier(steps)
	default:
		if big {
			s.page(steps)
		}
	}
	return false
}

// scrub moves the active slider and writes its value into the question.
func (s *Screen) scrub(move func(*slider.Slider) bool) bool {
	k := s.constraints.Active
	before := s.question
	if !move(s.slider()) {
		return false
	}
	now := s.question
	s.constraints.save(k, &now)
	s.remember("slider " + s.slider().Label())
	s.question = now
	if now.Sort != before.Sort {
		s.column, s.descending = string(now.Sort), false
	}
	return true
}

// Vertical is the up and down keys: another slider, another row, or in a plot
// the next candidate of the ranking, or the crosshair.
func (s *Screen) Vertical(steps int) {
	if s.Crossing() {
		s.focused().MoveCrosshair(0, steps)
		return
	}
	if s.focus == Constraints {
		s.constraints.Active = min(max(s.constraints.Active+steps, 0), sliderCount-1)
		s.history.Pause()
		return
	}
	s.table.Move(steps)
	s.hold()
}

func (s *Screen) page(n int) {
	if s.inspection.open {
		s.inspection.top += n * max(s.h-4, 1)
		return
	}
	s.table.Page(n)
	s.hold()
}

// Ends moves to the first or last row, or to the ends of a slider.
func (s *Screen) Ends(last bool) (changed bool) {
	if s.focus == Constraints {
		return s.scrub(func(sl *slider.Slider) bool {
			lo, hi := sl.Range()
			if last {
				return sl.Set(hi)
			}
			return sl.Set(lo)
		})
	}
	if last {
		s.table.Bottom()
	} else {
		s.table.Top()
	}
	s.hold()
	return false
}

// Enter types a value on a slider, selects the point under a crosshair, and
// inspects a row of the ranking; in a plot it goes to the selected candidate's row.
func (s *Screen) Enter() {
	if s.focus == Ranking {
		s.Inspect(!s.inspection.open)
		return
	}
	if s.focus == Constraints {
		s.Typing(true)
		return
	}
	if s.Crossing() {
		if col, row, ok := s.focused().Crosshair(); ok {
			s.clickPlot(int(s.focus-FirstPlot), col, row)
		}
		return
	}
	s.focus = Ranking
}

// Focused is the region that has the keys.
func (s *Screen) Focused() Region { return s.focus }

// Page moves by a screenful of rows.
func (s *Screen) Page(n int) { s.page(n) }

// hold keeps the cursor on its candidate from now on; on the first row it
// follows the best again.
func (s *Screen) hold() {
	row, _ := s.table.Cursor()
	s.held = row > 0
	s.inspection.top = 0
	s.showSelection()
}

// alongFrontier selects the next candidate of the focused plot's frontier.
func (s *Screen) alongFrontier(steps int) {
	if s.answer == nil {
		return
	}
	front := s.frontierOf(s.focus)
	if len(front) == 0 {
		return
	}
	at := 0
	if i, ok := s.Selected(); ok {
		if k := slices.Index(front, i); k >= 0 {
			at = min(max(k+steps, 0), len(front)-1)
		}
	}
	s.choose(front[at])
}

func (s *Screen) frontierOf(plot Region) []int {
	r := s.answer.Result
	switch {
	case !r.Space.AccuracyVaries():
		return r.TimeCost
	case plot == SecondPlot:
		return r.CostAccuracy
	default:
		return r.TimeAccuracy
	}
}

// choose puts the cursor on a candidate.
func (s *Screen) choose(i int) {
	s.table.Select(s.names.id(s.answer.Result.Space, i))
	s.hold()
}

// Sort sorts the ranking by the next column, or turns the order around.
func (s *Screen) Sort(reverse bool) (changed bool) {
	if reverse {
		s.descending = !s.descending
		s.refresh()
		return false
	}
	all := s.table.Sortable()
	return s.sortBy(all[(slices.Index(all, s.column)+1)%len(all)])
}

func (s *Screen) sortBy(column string) (changed bool) {
	s.remember("sort")
	s.column, s.descending = column, false
	if order, err := question.ParseSort(column); err == nil {
		changed = s.question.Sort != order
		s.question.Sort = order
	}
	s.refresh()
	return changed
}

// Pin marks the selected candidate for comparison, or takes the mark away.
func (s *Screen) Pin() {
	if id, ok := s.table.SelectedID(); ok {
		if s.pinned[id] {
			delete(s.pinned, id)
		} else {
			s.pinned[id] = true
		}
		s.refresh()
	}
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

// Click handles the mouse at a cell of the screen; dragging repeats it.
func (s *Screen) Click(x, y int, drag bool) (changed bool) {
	if s.inspection.open || drag && s.drag(x, y) {
		return false
	}
	region, px, py, ok := s.layout.at(x, y)
	if !ok {
		return false
	}
	if !drag {
		s.focus = region
	}
	switch region {
	case Constraints:
		box := s.layout.inner(Constraints)
		k, track, ok := s.constraints.Hit(py, box.h)
		if !ok || (drag && k != s.constraints.Active) {
			return false
		}
		s.constraints.Active = k
		if !track {
			return false
		}
		return s.scrub(func(sl *slider.Slider) bool { return sl.Click(px, box.w) })
	case Ranking:
		return s.clickTable(px, py, drag)
	default:
		s.pressPlot(int(region-FirstPlot), px, py, drag)
		return false
	}
}

func (s *Screen) clickTable(x, y int, drag bool) (changed bool) {
	row, column, ok := s.table.Hit(x, y)
	switch {
	case !ok || drag:
		return false
	case row >= 0:
		s.table.SetCursor(row)
		s.hold()
		return false
	case column == s.column:
		return s.Sort(true)
	case slices.Contains(s.table.Sortable(), column):
		return s.sortBy(column)
	}
	return false
}

func (s *Screen) clickPlot(k, x, y int) {
	i, ok := s.plots.scatter[k].Hit(x, y)
	if !ok || s.answer == nil {
		return
	}
	if d := s.plots.dial; k == 1 && d != nil {
		i = d.of[i]
	}
	s.choose(i)
}

// Wheel scrolls what is under the pointer, and zooms a plot there.
func (s *Screen) Wheel(x, y, steps int) (changed bool) {
	if s.inspection.open {
		s.inspection.top += steps
		return false
	}
	region, px, py, ok := s.layout.at(x, y)
	if !ok {
		return false
	}
	if region == Ranking {
		s.table.Scroll(steps * 3)
		s.hold()
		return false
	}
	if region == Constraints {
		return s.scrub(func(sl *slider.Slider) bool { return sl.Move(-steps) })
	}
	s.wheelPlot(int(region-FirstPlot), px, py, steps)
	return false
}

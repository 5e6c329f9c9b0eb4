package traffic

import "slices"

// Every method here that reports changed asks for a new answer.

// Focus moves the keys to the next region.
func (s *Screen) Focus(step int) {
	s.Typing(false)
	s.focus = (s.focus + Region(step) + regions) % regions
	s.history.Pause()
}

// Typing ends or begins typing a value on the active slider.
func (s *Screen) Typing(begin bool) {
	if !begin || s.focus == Sliders {
		s.controls.Typing(begin)
	}
}

// IsTyping reports whether keys are text for a slider.
func (s *Screen) IsTyping() bool { return s.controls.IsTyping() }

// Type gives text to the slider that is typed on.
func (s *Screen) Type(t string) { s.controls.Current().Type(t) }

// Backspace takes the last typed character away.
func (s *Screen) Backspace() { s.controls.Current().Backspace() }

// Commit takes the typed value over.
func (s *Screen) Commit() (changed bool) {
	if changed, err := s.controls.Current().Commit(); err != nil || !changed {
		return false
	}
	s.history.Pause()
	defer s.history.Pause()
	return s.moved(true)
}

// Enter types a value.
func (s *Screen) Enter() { s.Typing(true) }

// Horizontal moves the active slider.
func (s *Screen) Horizontal(steps int, big bool) (changed bool) {
	return s.focus == Sliders && s.moved(s.controls.Step(steps, big))
}

// Ends moves the active slider to an end, or to the first or last scheme.
func (s *Screen) Ends(last bool) (changed bool) {
	if s.focus == Sliders {
		return s.moved(s.controls.End(last))
	}
	if last {
		s.table.Bottom()
	} else {
		s.table.Top()
	}
	s.refresh()
	return false
}

// moved writes the active slider into the question once it has moved.
func (s *Screen) moved(has bool) (changed bool) {
	if !has {
		return false
	}
	now := s.question
	s.controls.save(s.controls.Active, &now)
	changed = now != s.question
	s.change("slider "+s.controls.Current().Label(), now)
	return changed
}

// Vertical goes to another slider, or to another scheme, whose VMs are drawn.
func (s *Screen) Vertical(steps int) {
	if s.focus == Sliders {
		s.controls.Move(steps)
		s.history.Pause()
		return
	}
	s.table.Move(steps)
	s.refresh()
}

// change takes another question, which undo takes back.
func (s *Screen) change(edit string, q Question) {
	s.history.Remember(edit, s.question)
	s.question = q
}

// Undo returns to the question before the last edit.
func (s *Screen) Undo() (changed bool) { return s.turnTo(s.history.Undo(s.question)) }

// Redo makes the last undone edit again.
func (s *Screen) Redo() (changed bool) { return s.turnTo(s.history.Redo(s.question)) }

// CanUndo reports whether there is anything to take back.
func (s *Screen) CanUndo() bool { return s.history.CanUndo() }

// CanRedo reports whether there is anything to redo.
func (s *Screen) CanRedo() bool { return s.history.CanRedo() }

func (s *Screen) turnTo(q Question, ok bool) bool {
	if ok {
		s.question = q
		s.controls.load(q)
	}
	return ok
}

// Model goes to the next model whose runs say what a VM serves, and after the
// last one back to the study's VM.
func (s *Screen) Model() (changed bool) {
	if len(s.models) < 2 {
		return false
	}
	q := s.question
	q.Model = s.models[(slices.Index(s.models, q.Model)+1)%len(s.models)]
	q.MinAccuracy = 0
	s.change("model", q)
	if s.chart = memoryChart; q.Model != "" {
		s.chart = variantsChart
	}
	s.controls.load(q)
	return true
}

// Clear takes the floor of accuracy and the function's memory back to what is
// chosen for them.
func (s *Screen) Clear() (changed bool) {
	q := s.question
	q.MinAccuracy, q.MemoryGB = 0, 0
	if q == s.question {
		return false
	}
	s.change("clear", q)
	s.controls.load(q)
	return true
}

// Sort sorts the schemes by the next column, or turns the order round.
func (s *Screen) Sort(reverse bool) {
	if reverse {
		s.descending = !s.descending
	} else {
		all := s.table.Sortable()
		s.column, s.descending = all[(slices.Index(all, s.column)+1)%len(all)], false
	}
	s.refresh()
}

// Click handles the mouse at a cell of the screen; dragging repeats it.
func (s *Screen) Click(x, y int, drag bool) (changed bool) {
	if b := s.layout.sliders; b.Contains(x, y) {
		if !drag {
			s.focus = Sliders
		}
		px, py := b.Inside(x, y)
		w, h := b.Inner()
		return s.moved(s.controls.Press(px, py, w, h, drag))
	}
	if b := s.layout.schemes; b.Contains(x, y) && !drag {
		s.focus = Schemes
		px, py := b.Inside(x, y)
		if row, column, ok := s.table.Hit(px, py); ok && row >= 0 {
			s.table.SetCursor(row)
		} else if ok && slices.Contains(s.table.Sortable(), column) {
			s.descending = s.column == column && !s.descending
			s.column = column
		}
		s.refresh()
	}
	return false
}

// Wheel moves the slider under the pointer.
func (s *Screen) Wheel(x, y, steps int) (changed bool) {
	b := s.layout.sliders
	if !b.Contains(x, y) {
		return false
	}
	_, py := b.Inside(x, y)
	_, h := b.Inner()
	return s.moved(s.controls.Wheel(py, h, steps))
}

package desk

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

// Do does what a key means on every desk; handled is false for the keys that are
// a screen's own.
func (d *Desk[Q, A]) Do(action keys.Action) (cmd tea.Cmd, handled bool) {
	switch action {
	case keys.Left, keys.BigLeft:
		cmd = d.horizontal(-1, action == keys.BigLeft)
	case keys.Right, keys.BigRight:
		cmd = d.horizontal(1, action == keys.BigRight)
	case keys.Up, keys.Down, keys.PageUp, keys.PageDown, keys.Top, keys.Bottom:
		cmd = d.navigate(action)
	case keys.FocusNext:
		d.Focus(1)
	case keys.FocusPrev:
		d.Focus(-1)
	case keys.Enter:
		d.enter()
	case keys.Back:
		d.reading = false
	case keys.Sort, keys.Reverse:
		cmd = d.askIf(d.Sort(action == keys.Reverse))
	case keys.Undo:
		cmd = d.turnTo(d.history.Undo(step[Q]{d.question, d.Column}))
	case keys.Redo:
		cmd = d.turnTo(d.history.Redo(step[Q]{d.question, d.Column}))
	default:
		return nil, false
	}
	return cmd, true
}

// horizontal moves the active slider; big steps turn the pages of the table.
func (d *Desk[Q, A]) horizontal(steps int, big bool) tea.Cmd {
	if d.focus == 0 {
		return d.moved(d.Sliders.Step(steps, big))
	}
	if d.OnTable() && big {
		return d.navigate(map[int]keys.Action{-1: keys.PageUp, 1: keys.PageDown}[steps])
	}
	return nil
}

// moved writes the active slider into the question once it has moved.
func (d *Desk[Q, A]) moved(has bool) tea.Cmd {
	if !has {
		return nil
	}
	q := d.question
	d.Save(d.Sliders.Active, &q)
	return d.Change("slider "+d.Sliders.Current().Label(), q)
}

// navigate goes to another slider or an end of its track, else to another row.
// While the words have the screen, pages are theirs.
func (d *Desk[Q, A]) navigate(a keys.Action) tea.Cmd {
	pages := map[keys.Action]int{keys.PageUp: -1, keys.PageDown: 1}[a]
	switch {
	case pages != 0 && d.reading:
		d.top += pages * max(d.page-2, 1)
		return nil
	case d.focus == 0 && (a == keys.Top || a == keys.Bottom):
		return d.moved(d.Sliders.End(a == keys.Bottom))
	case d.focus == 0 && pages == 0:
		d.Sliders.Move(map[keys.Action]int{keys.Up: -1, keys.Down: 1}[a])
		d.history.Pause()
		return nil
	}
	d.top = 0
	d.history.Pause()
	d.Table.Act(a)
	d.Moved()
	return nil
}

// enter types a value on the active slider; on the table it gives the words about
// the answer the whole screen, and takes it back; on a chart it goes to the table.
func (d *Desk[Q, A]) enter() {
	switch {
	case d.focus == 0:
		d.SetTyping(true)
	case d.OnTable():
		_, ok := d.Table.Cursor()
		d.reading, d.top = ok && !d.reading, 0
	default:
		d.focus = d.last()
	}
}

// SetTyping begins or ends typing a value on the active slider.
func (d *Desk[Q, A]) SetTyping(on bool) {
	if !on || d.focus == 0 {
		d.Sliders.Typing(on)
	}
}

// Typing says whether keys are text for a slider.
func (d *Desk[Q, A]) Typing() screen.Typing {
	if d.Sliders.IsTyping() {
		return screen.TypingValue
	}
	return screen.NotTyping
}

// Key gives a key to the slider that is typed on.
func (d *Desk[Q, A]) Key(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "enter":
		if changed, err := d.Sliders.Current().Commit(); err != nil || !changed {
			return nil
		}
		d.history.Pause()
		defer d.history.Pause()
		return d.moved(true)
	case "esc":
		d.SetTyping(false)
	case "backspace":
		d.Sliders.Current().Backspace()
	default:
		d.Paste(msg.Text)
	}
	return nil
}

// Paste gives text to the slider that is typed on.
func (d *Desk[Q, A]) Paste(t string) { d.Sliders.Current().Type(t) }

// At is the region at a cell of the screen, and the cell inside its border.
func (d *Desk[Q, A]) At(x, y int) (region, px, py int, ok bool) {
	for region, b := range d.boxes {
		if w, h := b.Inner(); b.W > 0 {
			if px, py = b.Inside(x, y); px >= 0 && py >= 0 && px < w && py < h {
				return region, px, py, true
			}
		}
	}
	return 0, 0, 0, false
}

// Mouse presses and drags sliders, clicks rows and titles of the table, and turns
// what the wheel is over.
func (d *Desk[Q, A]) Mouse(e pointer.Event) tea.Cmd {
	region, x, y, ok := d.At(e.X, e.Y)
	switch {
	case d.reading && e.Kind == pointer.Wheel:
		d.top += e.Steps
		return nil
	case d.reading || !ok:
		return nil
	}
	w, h := d.boxes[region].Inner()
	switch {
	case e.Kind == pointer.Click || e.Kind == pointer.Drag:
		if e.Kind == pointer.Click {
			d.focus = region
		}
		if region == 0 {
			return d.moved(d.Sliders.Press(x, y, w, h, e.Kind == pointer.Drag))
		}
		if region == d.last() && e.Kind == pointer.Click {
			return d.clickTable(x, y)
		}
	case e.Kind == pointer.Wheel && region == 0:
		return d.moved(d.Sliders.Wheel(y, h, e.Steps))
	case e.Kind == pointer.Wheel && region == d.last():
		d.Table.Scroll(3 * e.Steps)
		d.Moved()
	}
	return nil
}

func (d *Desk[Q, A]) clickTable(x, y int) tea.Cmd {
	row, column, ok := d.Table.Hit(x, y)
	switch {
	case !ok:
	case row >= 0:
		d.history.Pause()
		d.Table.SetCursor(row)
		d.Moved()
	case column == d.Column:
		d.Sort(true)
	case slices.Contains(d.Table.Sortable(), column):
		return d.askIf(d.sortBy(column))
	}
	return nil
}

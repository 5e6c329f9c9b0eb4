// Package desk is what screens have in common whose question is moved by sliders
// and whose answer is a table: the keys between both, typing, undo, sorting, the
// mouse.
package desk

import (
	"slices"

	"sweetspot/tui/components/history"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/sliders"
	"sweetspot/tui/components/table"
)

// Config is what a desk is made of.
type Config[Q comparable] struct {
	Sliders *sliders.Stack
	Table   *table.Table
	Column  string            // that the table is sorted by at first
	Save    func(k int, q *Q) // writes slider k into a question
	Load    func(q Q)         // puts the sliders where a question has them
	Refresh func()            // draws table and charts anew, after a sort or a move in the table
}

// Desk is the state. Methods that report changed ask for a new answer.
type Desk[Q comparable] struct {
	Config[Q]
	question   Q
	history    history.History[Q]
	onTable    bool
	reading    bool
	descending bool
	sliders    panel.Box
	table      panel.Box
}

// New returns a desk that asks q.
func New[Q comparable](q Q, c Config[Q]) *Desk[Q] {
	d := &Desk[Q]{Config: c, question: q}
	c.Load(q)
	return d
}

// Place says where sliders and table stand on the screen.
func (d *Desk[Q]) Place(sliders, table panel.Box) {
	d.sliders, d.table = sliders, table
	d.Table.SetSize(table.Inner())
}

// Question is what is asked now.
func (d *Desk[Q]) Question() Q { return d.question }

// Sorted is the column the table is sorted by, and whether from its end.
func (d *Desk[Q]) Sorted() (column string, descending bool) { return d.Column, d.descending }

// OnTable reports whether the table has the keys.
func (d *Desk[Q]) OnTable() bool { return d.onTable }

// Change asks another question, which undo takes back; runs of edits of one name
// are one step.
func (d *Desk[Q]) Change(edit string, q Q) (changed bool) {
	if q == d.question {
		return false
	}
	d.history.Remember(edit, d.question)
	d.question = q
	d.Load(q)
	return true
}

// Reset forgets what could be undone.
func (d *Desk[Q]) Reset() { d.history = history.History[Q]{} }

// Begin replaces the question before anything was asked.
func (d *Desk[Q]) Begin(q Q) {
	d.question = q
	d.Load(q)
}

// Undo returns to the question before the last edit.
func (d *Desk[Q]) Undo() (changed bool) { return d.turnTo(d.history.Undo(d.question)) }

// Redo makes the last undone edit again.
func (d *Desk[Q]) Redo() (changed bool) { return d.turnTo(d.history.Redo(d.question)) }

// CanUndo reports whether there is anything to take back.
func (d *Desk[Q]) CanUndo() bool { return d.history.CanUndo() }

// CanRedo reports whether there is anything to redo.
func (d *Desk[Q]) CanRedo() bool { return d.history.CanRedo() }

func (d *Desk[Q]) turnTo(q Q, ok bool) bool {
	if ok {
		d.Begin(q)
	}
	return ok
}

// Focus moves the keys to the other part.
func (d *Desk[Q]) Focus() {
	d.Typing(false)
	d.onTable, d.reading = !d.onTable, false
	d.history.Pause()
}

// Typing ends or begins typing a value on the active slider.
func (d *Desk[Q]) Typing(begin bool) {
	if !begin || !d.onTable {
		d.Sliders.Typing(begin)
	}
}

// Enter types a value on the active slider; on the table it gives the words about
// the answer the whole screen, and takes it back.
func (d *Desk[Q]) Enter() {
	if d.onTable {
		d.reading = !d.reading
		return
	}
	d.Typing(true)
}

// Back takes the screen back from the words.
func (d *Desk[Q]) Back() { d.reading = false }

// Reading reports whether the words have the whole screen.
func (d *Desk[Q]) Reading() bool { return d.reading }

// IsTyping reports whether keys are text for a slider.
func (d *Desk[Q]) IsTyping() bool { return d.Sliders.IsTyping() }

// Type gives text to the slider that is typed on.
func (d *Desk[Q]) Type(t string) { d.Sliders.Current().Type(t) }

// Backspace takes the last typed character away.
func (d *Desk[Q]) Backspace() { d.Sliders.Current().Backspace() }

// Commit takes the typed value over.
func (d *Desk[Q]) Commit() (changed bool) {
	if changed, err := d.Sliders.Current().Commit(); err != nil || !changed {
		return false
	}
	d.history.Pause()
	defer d.history.Pause()
	return d.moved(true)
}

// Horizontal moves the active slider.
func (d *Desk[Q]) Horizontal(steps int, big bool) (changed bool) {
	return !d.onTable && d.moved(d.Sliders.Step(steps, big))
}

// moved writes the active slider into the question once it has moved.
func (d *Desk[Q]) moved(has bool) (changed bool) {
	if !has {
		return false
	}
	q := d.question
	d.Save(d.Sliders.Active, &q)
	return d.Change("slider "+d.Sliders.Current().Label(), q)
}

// Vertical goes to another slider or row.
func (d *Desk[Q]) Vertical(steps int) {
	if !d.onTable {
		d.Sliders.Move(steps)
		d.history.Pause()
		return
	}
	d.Table.Move(steps)
	d.Refresh()
}

// Ends moves the active slider to an end, or goes to the first or last row.
func (d *Desk[Q]) Ends(last bool) (changed bool) {
	switch {
	case !d.onTable:
		return d.moved(d.Sliders.End(last))
	case last:
		d.Table.Bottom()
	default:
		d.Table.Top()
	}
	d.Refresh()
	return false
}

// Sort sorts by the next column, or turns the order round.
func (d *Desk[Q]) Sort(reverse bool) {
	if reverse {
		d.descending = !d.descending
	} else {
		all := d.Table.Sortable()
		d.Column, d.descending = all[(slices.Index(all, d.Column)+1)%len(all)], false
	}
	d.Refresh()
}

// Click handles the mouse at a cell of the screen; dragging repeats it.
func (d *Desk[Q]) Click(x, y int, drag bool) (changed bool) {
	switch {
	case d.reading:
	case d.sliders.Contains(x, y):
		if !drag {
			d.onTable = false
		}
		px, py := d.sliders.Inside(x, y)
		w, h := d.sliders.Inner()
		return d.moved(d.Sliders.Press(px, py, w, h, drag))
	case d.table.Contains(x, y) && !drag:
		d.onTable = true
		d.clickTable(d.table.Inside(x, y))
	}
	return false
}

func (d *Desk[Q]) clickTable(x, y int) {
	row, column, ok := d.Table.Hit(x, y)
	switch {
	case ok && row >= 0:
		d.Table.SetCursor(row)
	case ok && slices.Contains(d.Table.Sortable(), column):
		d.descending = d.Column == column && !d.descending
		d.Column = column
	}
	d.Refresh()
}

// Wheel moves the slider under the pointer.
func (d *Desk[Q]) Wheel(x, y, steps int) (changed bool) {
	if !d.sliders.Contains(x, y) {
		return false
	}
	_, py := d.sliders.Inside(x, y)
	_, h := d.sliders.Inner()
	return d.moved(d.Sliders.Wheel(py, h, steps))
}

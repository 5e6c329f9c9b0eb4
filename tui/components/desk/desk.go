// Package desk is what Explore, Fleet and Traffic have in common: sliders that
// move a question, a table and charts that show its answer, and words about it.
// It has the keys between them, typing, undo, sorting and the mouse, and has the
// question answered away from the update loop.
package desk

import (
	"reflect"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Config is what a desk is made of.
type Config[Q, A any] struct {
	Sliders *slider.Stack
	Table   *table.Table
	Column  string             // that the table is sorted by at first
	Regions []string           // where keys act: on the sliders, on each chart that takes keys, on the table
	Save    func(k int, q *Q)  // writes slider k into a question
	Load    func(q Q)          // puts the sliders where a question has them
	Work    func() ask.Work[A] // that answers the present question; nil while there is nothing to ask
	Answer  func(a A) tea.Cmd  // shows an answer; nil and more work to do where there is some
	Refresh func()             // redraws table and charts
	Moved   func()             // the cursor of the table has moved; nil is Refresh
	Slow    time.Duration      // after which an answer is late; 0 is never

	// A question may have an order of its own: Order names the column of it, and
	// SetOrder writes the order of a column into it. nil where it has none.
	Order    func(q Q) (column string)
	SetOrder func(column string, q *Q)
}

// Desk is the state. It is most of a [screen.Screen].
type Desk[Q, A any] struct {
	screen.Base
	Config[Q, A]
	question   Q
	asking     ask.Loop[A]
	history    history[step[Q]]
	focus      int
	late       bool
	reading    bool
	top        int // first line of the words that is shown
	page       int // lines of them, as last drawn
	descending bool
	boxes      []panel.Box // of the regions
}

// step is what undo returns to.
type step[Q any] struct {
	question Q
	column   string
}

// New returns a desk that asks q.
func New[Q, A any](sh *screen.Shell, q Q, c Config[Q, A]) *Desk[Q, A] {
	d := &Desk[Q, A]{Base: screen.Base{Shell: sh}, Config: c, question: q, boxes: make([]panel.Box, len(c.Regions))}
	if d.Moved == nil {
		d.Moved = d.Refresh
	}
	c.Load(q)
	return d
}

// Place says where the regions stand on the screen; one of no size is left out.
func (d *Desk[Q, A]) Place(boxes ...panel.Box) {
	d.boxes = boxes
	d.Table.SetSize(boxes[d.last()].Inner())
	if boxes[d.focus].W == 0 {
		d.focus = 0
	}
}

func (d *Desk[Q, A]) last() int { return len(d.Regions) - 1 }

// Question is what is asked now.
func (d *Desk[Q, A]) Question() Q { return d.question }

// Sorted is the column the table is sorted by, and whether from its end.
func (d *Desk[Q, A]) Sorted() (column string, descending bool) { return d.Column, d.descending }

// Focused is the number of the region that has the keys.
func (d *Desk[Q, A]) Focused() int { return d.focus }

// OnTable reports whether the table has the keys.
func (d *Desk[Q, A]) OnTable() bool { return d.focus == d.last() }

// Region names where keys act.
func (d *Desk[Q, A]) Region() string { return d.Regions[d.focus] }

// Reading reports whether the words about the answer have the whole screen.
func (d *Desk[Q, A]) Reading() bool { return d.reading }

// Words draws lines of words about the answer, scrolled as far as was asked while
// they have the whole screen; more says whether some are below.
func (d *Desk[Q, A]) Words(th *theme.Theme, lines []string, w, h int) (body string, more bool) {
	if d.reading {
		d.page = h
		d.top = min(max(d.top, 0), max(len(lines)-h, 0))
		lines = lines[d.top:]
	}
	if more = len(lines) > h && h > 0; more {
		mark := " " + th.Symbols.Ellipsis
		lines = slices.Clone(lines[:h])
		last := lines[h-1]
		if room := w - text.Width(mark); text.Width(last) > room {
			last = text.Truncate(last, room, "")
			if space := strings.LastIndexByte(last, ' '); space > 0 && !strings.Contains(last, "\x1b") {
				last = last[:space] // no half of a word
			}
		}
		lines[h-1] = last + mark
	}
	return text.Block(lines, w, h), more
}

// Ask has the present question answered, one at a time: a key held down asks
// faster than a million candidates are answered.
func (d *Desk[Q, A]) Ask() tea.Cmd {
	var work ask.Work[A]
	if !d.asking.Busy() {
		if work = d.Work(); work == nil {
			return nil
		}
	}
	find := d.asking.Ask(d.Shell.Ctx, work)
	if find == nil || d.late || d.Slow == 0 {
		return find
	}
	number := d.asking.Number()
	return tea.Batch(find, d.Shell.After(d.Slow, func(time.Time) tea.Msg { return lateMsg[Q, A]{d, number} }))
}

// lateMsg says that an answer is a long time coming.
type lateMsg[Q, A any] struct {
	desk   *Desk[Q, A]
	number int
}

// Late reports whether the answer to what is asked is a long time coming: what is
// shown answers an older question.
func (d *Desk[Q, A]) Late() bool { return d.late }

// Asking reports whether an answer is on its way, and its number.
func (d *Desk[Q, A]) Asking() (busy bool, number int) { return d.asking.Busy(), d.asking.Number() }

// Forget drops the answer that is on its way and what could be undone.
func (d *Desk[Q, A]) Forget() {
	d.asking.Forget()
	d.history = history[step[Q]]{}
}

// Receive shows the answer, and asks on where the question has changed since.
func (d *Desk[Q, A]) Receive(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(lateMsg[Q, A]); ok && m.desk == d && m.number == d.asking.Number() {
		d.late = d.asking.Busy()
	}
	a, again, ok := d.asking.Receive(msg)
	if !ok {
		return nil
	}
	if again {
		return tea.Batch(d.Answer(a), d.Ask())
	}
	d.late = false
	return d.Answer(a)
}

// askIf asks where the question has changed.
func (d *Desk[Q, A]) askIf(changed bool) tea.Cmd {
	if !changed {
		return nil
	}
	return d.Ask()
}

// Change asks another question, which undo takes back; runs of edits of one name
// are one step.
func (d *Desk[Q, A]) Change(edit string, q Q) tea.Cmd { return d.askIf(d.change(edit, q)) }

func (d *Desk[Q, A]) change(edit string, q Q) (changed bool) {
	if reflect.DeepEqual(q, d.question) {
		return false
	}
	d.remember(edit)
	if d.Order != nil && d.Order(q) != d.Order(d.question) {
		d.Column, d.descending = d.Order(q), false
	}
	d.Begin(q)
	return true
}

// OrderBy sorts the table by a column, from its beginning.
func (d *Desk[Q, A]) OrderBy(column string) { d.Column, d.descending = column, false }

// ChangeOnce is Change where the next edit of the same name is a step of its own.
func (d *Desk[Q, A]) ChangeOnce(edit string, q Q) tea.Cmd {
	d.history.Pause()
	defer d.history.Pause()
	return d.Change(edit, q)
}

func (d *Desk[Q, A]) remember(edit string) {
	d.history.Remember(edit, step[Q]{d.question, d.Column})
}

// Begin replaces the question; undo does not return to the one before.
func (d *Desk[Q, A]) Begin(q Q) {
	d.question = q
	d.Load(q)
}

// Disabled says why nothing can be undone.
func (d *Desk[Q, A]) Disabled(a keys.Action) string {
	switch {
	case a == keys.Undo && len(d.history.undo) == 0:
		return "nothing to undo"
	case a == keys.Redo && len(d.history.redo) == 0:
		return "nothing to redo"
	}
	return ""
}

func (d *Desk[Q, A]) turnTo(to step[Q], ok bool) tea.Cmd {
	if !ok {
		return nil
	}
	d.Column = to.column
	d.Begin(to.question)
	d.Refresh()
	return d.Ask()
}

// Focus moves the keys to the next region on the screen, or the one before.
func (d *Desk[Q, A]) Focus(by int) {
	d.SetTyping(false)
	d.reading = false
	for n := len(d.Regions); n > 0; n-- {
		d.focus = (d.focus + by + len(d.Regions)) % len(d.Regions)
		if d.boxes[d.focus].W > 0 {
			break
		}
	}
	d.history.Pause()
}

// Sort sorts by the next column, or turns the order round.
func (d *Desk[Q, A]) Sort(reverse bool) (changed bool) {
	if reverse {
		d.descending = !d.descending
		d.Refresh()
		return false
	}
	all := d.Table.Sortable()
	return d.sortBy(all[(slices.Index(all, d.Column)+1)%len(all)])
}

func (d *Desk[Q, A]) sortBy(column string) (changed bool) {
	d.remember("sort")
	q := d.question
	if d.SetOrder != nil {
		d.SetOrder(column, &q)
	}
	changed = !reflect.DeepEqual(q, d.question)
	d.question, d.Column, d.descending = q, column, false
	d.Refresh()
	return changed
}

// mostSteps bounds how far back undo goes.
const mostSteps = 100

// history remembers questions for undo and redo. A run of equal edits, such as
// scrubbing a slider, is one step. The zero value is empty.
type history[Q any] struct {
	undo, redo []Q
	last       string // the edit that goes on
}

// Remember keeps the question before an edit, once for a run of edits of one
// name.
func (h *history[Q]) Remember(edit string, before Q) {
	h.redo = nil
	if edit == h.last {
		return
	}
	h.last = edit
	h.undo = append(h.undo, before)
	if len(h.undo) > mostSteps {
		h.undo = slices.Delete(h.undo, 0, 1)
	}
}

// Pause ends a run of equal edits.
func (h *history[Q]) Pause() { h.last = "" }

// Undo returns the question before the last edit.
func (h *history[Q]) Undo(now Q) (before Q, ok bool) { return h.travel(&h.undo, &h.redo, now) }

// Redo returns the question after the edit that was undone last.
func (h *history[Q]) Redo(now Q) (after Q, ok bool) { return h.travel(&h.redo, &h.undo, now) }

func (h *history[Q]) travel(from, to *[]Q, now Q) (target Q, ok bool) {
	n := len(*from)
	if n == 0 {
		return target, false
	}
	target = (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, now)
	h.last = ""
	return target, true
}

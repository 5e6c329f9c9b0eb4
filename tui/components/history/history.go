// Package history remembers questions for undo and redo. A run of equal edits,
// such as scrubbing a slider, is one step.
package history

import "slices"

// most bounds how far back undo goes.
const most = 100

// History is what can be undone and redone. Its zero value is empty.
type History[Q any] struct {
	undo, redo []Q
	last       string // the edit that goes on
}

// Remember keeps the question before an edit, once for a run of edits of one
// name.
func (h *History[Q]) Remember(edit string, before Q) {
	h.redo = nil
	if edit == h.last {
		return
	}
	h.last = edit
	h.undo = append(h.undo, before)
	if len(h.undo) > most {
		h.undo = slices.Delete(h.undo, 0, 1)
	}
}

// Pause ends a run of equal edits.
func (h *History[Q]) Pause() { h.last = "" }

// Undo returns the question before the last edit.
func (h *History[Q]) Undo(now Q) (before Q, ok bool) { return h.travel(&h.undo, &h.redo, now) }

// Redo returns the question after the edit that was undone last.
func (h *History[Q]) Redo(now Q) (after Q, ok bool) { return h.travel(&h.redo, &h.undo, now) }

func (h *History[Q]) travel(from, to *[]Q, now Q) (target Q, ok bool) {
	n := len(*from)
	if n == 0 {
		return target, false
	}
	target = (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, now)
	h.last = ""
	return target, true
}

// CanUndo reports whether there is anything to undo.
func (h *History[Q]) CanUndo() bool { return len(h.undo) > 0 }

// CanRedo reports whether there is anything to redo.
func (h *History[Q]) CanRedo() bool { return len(h.redo) > 0 }

package desk

import "slices"

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

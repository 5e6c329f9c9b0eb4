package history

import "testing"

func TestRunsAreOneStep(t *testing.T) {
	var h History[int]
	if _, ok := h.Undo(0); ok || h.CanUndo() {
		t.Fatal("an empty history was undone")
	}
	h.Remember("scrub", 0) // 0 → 1
	h.Remember("scrub", 1) // 1 → 2, the same run
	h.Pause()
	h.Remember("scrub", 2) // 2 → 3, another
	if q, ok := h.Undo(3); !ok || q != 2 {
		t.Fatalf("undo leads to %d", q)
	}
	if q, ok := h.Undo(2); !ok || q != 0 || h.CanUndo() {
		t.Fatalf("undo leads to %d", q)
	}
	if q, ok := h.Redo(0); !ok || q != 2 || !h.CanRedo() {
		t.Fatalf("redo leads to %d", q)
	}
	h.Remember("other", 2)
	if h.CanRedo() {
		t.Error("an edit leaves something to redo")
	}
	for i := range 3 * most {
		h.Remember(string(rune('a'+i%2)), i)
	}
	n := 0
	for q, ok := h.Undo(0); ok; q, ok = h.Undo(q) {
		n++
	}
	if n != most {
		t.Errorf("%d steps back, want %d", n, most)
	}
}

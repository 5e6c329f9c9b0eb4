package desk

import "testing"

func TestRunsOfEditsAreOneStep(t *testing.T) {
	var h history[int]
	if _, ok := h.Undo(0); ok || len(h.undo) > 0 {
		t.Fatal("an empty history was undone")
	}
	h.Remember("scrub", 0) // 0 → 1
	h.Remember("scrub", 1) // 1 → 2, the same run
	h.Pause()
	h.Remember("scrub", 2) // 2 → 3, another
	if q, ok := h.Undo(3); !ok || q != 2 {
		t.Fatalf("undo leads to %d", q)
	}
	if q, ok := h.Undo(2); !ok || q != 0 || len(h.undo) > 0 {
		t.Fatalf("undo leads to %d", q)
	}
	if q, ok := h.Redo(0); !ok || q != 2 || len(h.redo) == 0 {
		t.Fatalf("redo leads to %d", q)
	}
	h.Remember("other", 2)
	if len(h.redo) > 0 {
		t.Error("an edit leaves something to redo")
	}
	for i := range 3 * mostSteps {
		h.Remember(string(rune('a'+i%2)), i)
	}
	n := 0
	for q, ok := h.Undo(0); ok; q, ok = h.Undo(q) {
		n++
	}
	if n != mostSteps {
		t.Errorf("%d steps back, want %d", n, mostSteps)
	}
}

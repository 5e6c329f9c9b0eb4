package mix

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/data/arrivals"
	"sweetspot/data/workload"
	"sweetspot/engine/serving"
)

// Whatever is added, removed and moved, shares add up to all, and the question before stays as it was.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := firstQuestion()
		q.Kinds = []serving.Kind{newKind("a", "m")}
		for range rapid.IntRange(1, 15).Draw(t, "edits") {
			before, was := q, append([]serving.Kind(nil), q.Kinds...)
			k := rapid.IntRange(0, len(q.Kinds)-1).Draw(t, "kind")
			switch rapid.IntRange(0, 2).Draw(t, "edit") {
			case 0:
				w := newKind(q.freeName(), "m")
				w.Share = rapid.Float64Range(0, 1).Draw(t, "share")
				q = q.add(w)
			case 1:
				if len(q.Kinds) > 1 {
					q = q.remove(k)
				}
			default:
				q = q.reshare(k, rapid.Float64Range(0, 1).Draw(t, "to"))
			}
			for i, w := range before.Kinds {
				if w.Share != was[i].Share || w.Name != was[i].Name {
					t.Fatalf("an edit changes what undo returns to: %v to %v", was[i], w)
				}
			}
			m := serving.Mix{Kinds: q.Kinds}
			if err := m.Check(); err != nil {
				t.Fatalf("%v: %v", q.shares(), err)
			}
			names := map[string]bool{}
			for _, w := range q.Kinds {
				names[w.Name] = true
			}
			if len(names) != len(q.Kinds) {
				t.Fatalf("two kinds have one name: %+v", q.Kinds)
			}
		}
	})
}

// A trace with models brings its kinds, with what was asked of them before; without, or with too many,
// the kinds stay.
func TestKindsOfATrace(t *testing.T) {
	q := firstQuestion()
	old := newKind("b", "m")
	old.LimitS = 7
	q.Kinds = []serving.Kind{old}
	kind := func(name string, n int) arrivals.Kind {
		return arrivals.Kind{Model: name, Trace: serving.Trace{n, 0}}
	}
	isModel := func(name string) bool { return name == "a" }
	named := workload.Requests{Arrivals: serving.Trace{8, 0}, Kinds: []arrivals.Kind{kind("a", 6), kind("b", 2)}}
	got, note := q.named(named, isModel)
	if note != "" || !got.FromTrace || len(got.Kinds) != 2 || got.Kinds[0].Share != 0.75 || got.Kinds[0].Models[0] != "a" ||
		got.Kinds[1].LimitS != 7 || math.Abs(got.Kinds[1].Share-0.25) > 1e-12 {
		t.Errorf("%+v, %s", got, note)
	}
	if got, _ := got.named(workload.Requests{Arrivals: serving.Trace{1}}, isModel); got.FromTrace || len(got.Kinds) != 2 {
		t.Errorf("without models: %+v", got)
	}
	partly := named
	partly.Kinds = []arrivals.Kind{kind("", 1), kind("a", 6)}
	if got, note := q.named(partly, isModel); got.FromTrace || note == "" || len(got.Kinds) != 1 {
		t.Errorf("partly named: %+v, %q", got, note)
	}
	many := named
	many.Kinds = make([]arrivals.Kind, mostKinds+1)
	for i := range many.Kinds {
		many.Kinds[i] = kind(string(rune('a'+i)), 1)
	}
	if got, note := q.named(many, isModel); got.FromTrace || note == "" {
		t.Errorf("too many: %+v, %q", got, note)
	}
}

package ask

import (
	"context"
	"testing"
)

func of(v int) Work[int] { return func(context.Context) int { return v } }

func TestOneAtATimeAndTheNewestNext(t *testing.T) {
	var l Loop[int]
	first := l.Ask(t.Context(), of(1))
	if first == nil || !l.Busy() {
		t.Fatal("nothing is asked")
	}
	for v := range 3 {
		if l.Ask(t.Context(), of(v)) != nil {
			t.Fatal("asked while an answer was on its way")
		}
	}
	v, again, ok := l.Receive(first())
	if v != 1 || !again || !ok || l.Busy() {
		t.Errorf("%d, again %v, ok %v", v, again, ok)
	}
	second := l.Ask(t.Context(), of(2))
	if _, _, ok := l.Receive(first()); ok {
		t.Error("the first answer is taken for the second")
	}
	if v, again, ok = l.Receive(second()); v != 2 || again || !ok {
		t.Errorf("%d, again %v, ok %v", v, again, ok)
	}
	if _, _, ok := l.Receive(second()); ok {
		t.Error("an answer is taken twice")
	}
}

func TestWhatIsForgottenNeverArrives(t *testing.T) {
	var l, other Loop[int]
	ended := make(chan error, 1)
	old := l.Ask(t.Context(), func(ctx context.Context) int {
		ended <- ctx.Err()
		return 1
	})
	l.Forget()
	now := l.Ask(t.Context(), of(2))
	if now == nil {
		t.Fatal("what is forgotten still holds up the next question")
	}
	if _, _, ok := l.Receive(old()); ok {
		t.Error("a forgotten answer arrives")
	}
	if <-ended == nil {
		t.Error("forgotten work goes on")
	}
	msg := now()
	if _, _, ok := other.Receive(msg); ok {
		t.Error("another loop takes the answer")
	}
	if v, _, ok := l.Receive(msg); v != 2 || !ok {
		t.Errorf("%d, %v", v, ok)
	}
}

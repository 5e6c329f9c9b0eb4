package ask

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"
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

// joined is a context of a session that takes turns.
func joined(t *Turns) context.Context {
	ctx, _ := t.Join(context.Background())
	return ctx
}

// Of what is done aside, one session's waits for another's, unless nobody wants it any more.
func TestWorkAsideTakesTurns(t *testing.T) {
	ctx, cancel := context.WithCancel(joined(NewTurns()))
	var first, second, third Loop[string]
	begun, finish := make(chan bool), make(chan bool)
	going := make(chan tea.Msg)
	cmd := first.AskAside(ctx, func(context.Context) string { begun <- true; <-finish; return "first" })
	go func() { going <- cmd() }()
	<-begun
	waiting := second.AskAside(ctx, func(context.Context) string { return "second" })
	late := make(chan tea.Msg, 1)
	go func() { late <- waiting() }()
	own := third.AskAside(context.Background(), func(context.Context) string { return "third" })
	if v, _, ok := third.Receive(own()); !ok || v != "third" {
		t.Errorf("a program without a session waits: %q", v)
	}
	select {
	case <-late:
		t.Error("two work at a time")
	default:
	}
	finish <- true
	if v, _, ok := first.Receive(<-going); !ok || v != "first" {
		t.Errorf("%q", v)
	}
	if v, _, ok := second.Receive(<-late); !ok || v != "second" {
		t.Errorf("%q", v)
	}
	again := first.AskAside(ctx, func(context.Context) string { begun <- true; <-finish; return "again" })
	go func() { going <- again() }()
	<-begun
	unwanted := second.AskAside(ctx, func(context.Context) string { return "unwanted" })
	cancel()
	if v, _, _ := second.Receive(unwanted()); v != "" {
		t.Errorf("%q was worked out for nobody", v)
	}
	finish <- true
	<-going
}

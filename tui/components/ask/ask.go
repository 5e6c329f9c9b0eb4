// Package ask has questions answered away from the update loop: one at a time,
// the newest next, and nothing that is stale ever arrives.
package ask

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Work answers a question in a command: it may take long, should end early with
// its context, and must not touch what the update loop owns.
type Work[A any] func(ctx context.Context) A

// Loop is what is under way for one kind of question. Its zero value is idle.
type Loop[A any] struct {
	number int // of the question asked last, and of the answer that is awaited
	busy   bool
	again  bool // the question has changed while its answer was on its way
	cancel context.CancelFunc
}

// answer is the message that a command brings back.
type answer[A any] struct {
	loop   *Loop[A]
	number int
	value  A
}

// Ask returns the command that does the work, or nil while another answer is on
// its way: [Loop.Receive] then says that it is time to ask again. The work that
// is on its way is cancelled. Of several sessions in one process a few work at a
// time, see [Turns].
func (l *Loop[A]) Ask(ctx context.Context, work Work[A]) tea.Cmd {
	session := sessionOf(ctx)
	return l.ask(ctx, func(ctx context.Context) A {
		defer session.Take()()
		return work(ctx)
	})
}

// AskAside is Ask for work that takes seconds of all processors and that nothing waits for.
func (l *Loop[A]) AskAside(ctx context.Context, work Work[A]) tea.Cmd {
	session := sessionOf(ctx)
	return l.ask(ctx, func(ctx context.Context) (none A) {
		done, ok := session.takeAside(ctx)
		if !ok {
			return none
		}
		defer done()
		return work(ctx)
	})
}

func (l *Loop[A]) ask(ctx context.Context, work Work[A]) tea.Cmd {
	if l.busy {
		l.again = true
		l.cancel()
		return nil
	}
	l.number++
	l.busy, l.again = true, false
	ctx, l.cancel = context.WithCancel(ctx)
	number, cancel := l.number, l.cancel
	return func() tea.Msg {
		defer cancel()
		return answer[A]{l, number, work(ctx)}
	}
}

// Busy reports whether an answer is on its way.
func (l *Loop[A]) Busy() bool { return l.busy }

// Number is that of the question asked last.
func (l *Loop[A]) Number() int { return l.number }

// Forget drops the answer that is on its way, as when it is about something else
// than what is shown now; another question can be asked at once.
func (l *Loop[A]) Forget() {
	if l.busy {
		l.cancel()
	}
	l.number++
	l.busy, l.again = false, false
}

// Receive takes a message; ok reports whether it is the awaited answer. Where the
// question has changed meanwhile, again says that it must be asked again.
func (l *Loop[A]) Receive(msg tea.Msg) (value A, again, ok bool) {
	m, ok := msg.(answer[A])
	if !ok || m.loop != l || m.number != l.number || !l.busy {
		return value, false, false
	}
	l.busy = false
	return m.value, l.again, true
}

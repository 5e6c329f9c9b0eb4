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
// is on its way is cancelled.
func (l *Loop[A]) Ask(ctx context.Context, work Work[A]) tea.Cmd {
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

// AskAside is Ask for work that takes seconds of all processors and that nothing waits for.
// Of several programs in one process only some do such work at a time; see [Aside].
func (l *Loop[A]) AskAside(ctx context.Context, work Work[A]) tea.Cmd {
	turns, limited := ctx.Value(turnsKey{}).(chan struct{})
	if !limited {
		return l.Ask(ctx, work)
	}
	return l.Ask(ctx, func(ctx context.Context) (none A) {
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return none // nobody wants it any more
		}
		defer func() { <-turns }()
		return work(ctx)
	})
}

// turnsKey is under which a context has the turns of [Loop.AskAside], a channel that holds
// one for each that is taken.
type turnsKey struct{}

// Aside is a function that lets as many at a time as it is given work aside, of all whose
// contexts it makes.
func Aside(most int) func(context.Context) context.Context {
	turns := make(chan struct{}, most)
	return func(ctx context.Context) context.Context { return context.WithValue(ctx, turnsKey{}, turns) }
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

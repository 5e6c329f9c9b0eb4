package ask

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Turns shares processors among the programs of one process: of those who have work, a few
// compute at a time, in the order in which they asked. Otherwise everything that takes
// little, such as logging in or reading a key, would wait behind all of them.
type Turns struct {
	aside chan struct{} // holds one for each that works aside

	mu      sync.Mutex
	free    int
	waiting [2][]chan struct{} // those who have seen nothing yet, and the others
	last    int                // of which of the two the last one was that had waited
}

// NewTurns leaves a processor for what takes no turn, if there are several. One program at
// a time works aside, see [Loop.AskAside].
func NewTurns() *Turns { return newTurns(max(runtime.GOMAXPROCS(0)-1, 1)) }

func newTurns(most int) *Turns { return &Turns{aside: make(chan struct{}, 1), free: most} }

// Seat is a program among those that take turns. Nil waits for nobody.
type Seat struct {
	turns   *Turns
	settled atomic.Bool
}

// Seat is one for a program whose context is to be the one that is returned.
func (t *Turns) Seat(ctx context.Context) (context.Context, *Seat) {
	s := &Seat{turns: t}
	return context.WithValue(ctx, seatKey{}, s), s
}

// seatKey is under which a context has its [Seat].
type seatKey struct{}

func seatOf(ctx context.Context) *Seat {
	s, _ := ctx.Value(seatKey{}).(*Seat)
	return s
}

// Settle says that this program has shown something. Those who wait for their first sight are
// few as a rule, so that each of them comes soon.
func (s *Seat) Settle() { s.settled.Store(true) }

// turnLasts is how long a turn lasts at most. Who computes on holds up nobody any more: all
// then share the processors as the scheduler has it.
const turnLasts = 25 * time.Millisecond

// Take waits for a turn; done ends it.
func (s *Seat) Take() (done func()) {
	if s == nil {
		return func() {}
	}
	s.turns.take(s.settled.Load())
	end := sync.OnceFunc(s.turns.pass)
	late := time.AfterFunc(turnLasts, end)
	return func() {
		late.Stop()
		end()
	}
}

func (t *Turns) take(settled bool) {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return
	}
	class, mine := 0, make(chan struct{})
	if settled {
		class = 1
	}
	t.waiting[class] = append(t.waiting[class], mine)
	t.mu.Unlock()
	<-mine
}

// pass gives the turn to the next: where both wait, to one who has seen nothing and to
// another in turn.
func (t *Turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, class := range [2]int{1 - t.last, t.last} {
		if all := t.waiting[class]; len(all) > 0 {
			close(all[0])
			t.waiting[class], t.last = all[1:], class
			return
		}
	}
	t.free++
}

// takeAside waits for a turn of work aside; ok is false where nobody wants it any more.
func (s *Seat) takeAside(ctx context.Context) (done func(), ok bool) {
	if s == nil {
		return func() {}, true
	}
	select {
	case s.turns.aside <- struct{}{}:
		return func() { <-s.turns.aside }, true
	case <-ctx.Done():
		return nil, false
	}
}

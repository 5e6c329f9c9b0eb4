package ask

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Turns shares processors among the sessions of one process: of those with work, a few
// compute at a time, in the order in which they asked. Otherwise everything that takes
// little, such as logging in or reading a key, would wait behind all of them.
type Turns struct {
	aside chan struct{} // holds one for each that works aside

	mu      sync.Mutex
	free    int
	waiting [2][]chan struct{} // queues of new sessions and of those in use
	last    int                // the queue that was served last
}

// The queues.
const (
	fresh = iota // their users have pressed no key yet
	inUse
)

// NewTurns leaves a processor for what takes no turn, if there are several. One session at
// a time works aside, see [Loop.AskAside].
func NewTurns() *Turns { return newTurns(max(runtime.GOMAXPROCS(0)-1, 1)) }

func newTurns(most int) *Turns { return &Turns{aside: make(chan struct{}, 1), free: most} }

// Session is one of those that take turns. Nil waits for nobody.
type Session struct {
	turns *Turns
	inUse atomic.Bool
}

// Join adds a session, whose program is to have the context that is returned.
func (t *Turns) Join(ctx context.Context) (context.Context, *Session) {
	s := &Session{turns: t}
	return context.WithValue(ctx, sessionKey{}, s), s
}

// sessionKey is the key of the [Session] in a context.
type sessionKey struct{}

func sessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// InUse says that the user of this session has pressed a key. New sessions, which are few as a
// rule, have a queue of their own, so that each of them soon shows something.
func (s *Session) InUse() { s.inUse.Store(true) }

// turnLasts is how long a turn lasts at most. A session that computes on no longer makes others
// wait: the scheduler then shares the processors among them.
const turnLasts = 25 * time.Millisecond

// Take waits for a turn; done ends it.
func (s *Session) Take() (done func()) {
	if s == nil {
		return func() {}
	}
	queue := fresh
	if s.inUse.Load() {
		queue = inUse
	}
	s.turns.take(queue)
	end := sync.OnceFunc(s.turns.pass)
	late := time.AfterFunc(turnLasts, end)
	return func() {
		late.Stop()
		end()
	}
}

func (t *Turns) take(queue int) {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return
	}
	mine := make(chan struct{})
	t.waiting[queue] = append(t.waiting[queue], mine)
	t.mu.Unlock()
	<-mine
}

// pass gives the turn to the next: from the two queues alternately, where both have sessions.
func (t *Turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range [2]int{1 - t.last, t.last} {
		if all := t.waiting[queue]; len(all) > 0 {
			close(all[0])
			t.waiting[queue], t.last = all[1:], queue
			return
		}
	}
	t.free++
}

// takeAside waits for a turn of work aside; ok is false where the work was cancelled.
func (s *Session) takeAside(ctx context.Context) (done func(), ok bool) {
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

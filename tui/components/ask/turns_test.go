package ask

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// Turns are taken in the order in which they were asked for, by new sessions and by those in
// use alternately.
func TestTurnsGoRound(t *testing.T) {
	turns := newTurns(1)
	turns.take(inUse)
	var all sync.WaitGroup
	var came []string
	for k, who := range []struct {
		name  string
		queue int
	}{{"old 1", inUse}, {"old 2", inUse}, {"old 3", inUse}, {"new 1", fresh}, {"new 2", fresh}} {
		all.Go(func() {
			turns.take(who.queue)
			came = append(came, who.name) // one at a time
			turns.pass()
		})
		for waiting := 0; waiting <= k; runtime.Gosched() {
			turns.mu.Lock()
			waiting = len(turns.waiting[0]) + len(turns.waiting[1])
			turns.mu.Unlock()
		}
	}
	turns.pass()
	all.Wait()
	if want := []string{"old 1", "new 1", "old 2", "new 2", "old 3"}; !slices.Equal(came, want) {
		t.Errorf("came %v", came)
	}
	if turns.free != 1 {
		t.Errorf("%d turns are free", turns.free)
	}
}

// No more compute at a time than may, and each of many gets its turn.
func TestTurnsAreLimited(t *testing.T) {
	turns := newTurns(2)
	var all sync.WaitGroup
	var now, most, taken atomic.Int32
	for k := range 20 {
		all.Go(func() {
			for range 50 {
				turns.take(k % 2)
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				runtime.Gosched()
				taken.Add(1)
				now.Add(-1)
				turns.pass()
			}
		})
	}
	all.Wait()
	if most.Load() > 2 || taken.Load() != 1000 || turns.free != 2 {
		t.Errorf("%d at a time, %d turns, %d free", most.Load(), taken.Load(), turns.free)
	}
}

// A session that computes for long makes nobody wait, and a turn that was passed on is not passed on again.
func TestLongTurnsEnd(t *testing.T) {
	turns := newTurns(1)
	_, one := turns.Join(context.Background())
	_, other := turns.Join(context.Background())
	late := one.Take()
	done := other.Take() // comes though the first does not end
	late()
	late()
	done()
	done()
	turns.take(inUse)
	if turns.free != 0 {
		t.Errorf("%d turns are free", turns.free)
	}
}

// An answer takes a turn, and ends it; a program without a session takes none.
func TestAnswersTakeTurns(t *testing.T) {
	turns := newTurns(1)
	free := func() int {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		return turns.free
	}
	var l, alone Loop[int]
	during := l.Ask(joined(turns), func(context.Context) int { return free() })
	if v, _, ok := l.Receive(during()); !ok || v != 0 || free() != 1 {
		t.Errorf("%d turns are free meanwhile, %d afterwards", v, free())
	}
	if v, _, ok := alone.Receive(alone.Ask(context.Background(), of(1))()); !ok || v != 1 {
		t.Errorf("%d", v)
	}
}

// Package parallel does the parts of a computation side by side.
package parallel

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Group is a [sync.WaitGroup] whose waiter gets the panics of its parts: a bare goroutine's
// would end the program, and with it the screens of everybody it serves.
type Group struct {
	parts sync.WaitGroup
	once  sync.Once
	fault *Fault
}

// Fault is what a part panicked with, the first one if several did.
type Fault struct {
	Value any
	Stack []byte // of that part
}

func (f *Fault) Error() string { return fmt.Sprintf("%v\n%s", f.Value, f.Stack) }

// Go begins a part.
func (g *Group) Go(part func()) {
	g.parts.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.once.Do(func() { g.fault = &Fault{r, debug.Stack()} })
			}
		}()
		part()
	})
}

// Each does n parts, each known by its number below n, at most so many at a time, and
// returns when all have ended. It panics as [Group.Wait] does.
func Each(n, atATime int, part func(i int)) {
	if atATime = min(n, atATime); atATime < 2 {
		for i := range n {
			part(i)
		}
		return
	}
	var next atomic.Int64
	var all Group
	for range atATime {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				part(i)
			}
		})
	}
	all.Wait()
}

// Wait returns when all parts have ended. It panics with a [Fault] if one of them panicked.
func (g *Group) Wait() {
	g.parts.Wait()
	if g.fault != nil {
		panic(g.fault)
	}
}

package parallel

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestGroupWaitsForAllParts(t *testing.T) {
	var g Group
	var done atomic.Int32
	for range 100 {
		g.Go(func() { done.Add(1) })
	}
	if g.Wait(); done.Load() != 100 {
		t.Errorf("%d of 100 parts have ended", done.Load())
	}
}

func TestWaiterGetsThePanic(t *testing.T) {
	var g Group
	var done atomic.Int32
	for k := range 10 {
		g.Go(func() {
			if k == 3 {
				panicking()
			}
			done.Add(1)
		})
	}
	defer func() {
		f, ok := recover().(*Fault)
		if !ok || f.Value != "odd" || !strings.Contains(f.Error(), "panicking") {
			t.Errorf("%v", f)
		}
		if done.Load() != 9 {
			t.Errorf("%d of 9 parts have ended", done.Load())
		}
	}()
	g.Wait()
	t.Error("Wait returned")
}

func panicking() { panic("odd") }

func TestEachDoesEveryPartOnce(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100} {
		for _, atATime := range []int{-1, 0, 1, 3, 1000} {
			done := make([]atomic.Int32, n)
			var now, most atomic.Int32
			Each(n, atATime, func(i int) {
				for m := now.Add(1); m > most.Load(); {
					most.Store(m)
				}
				done[i].Add(1)
				now.Add(-1)
			})
			for i := range done {
				if done[i].Load() != 1 {
					t.Errorf("%d at a time: part %d of %d was done %d times", atATime, i, n, done[i].Load())
				}
			}
			if int(most.Load()) > max(atATime, 1) {
				t.Errorf("%d at a time: %d were", atATime, most.Load())
			}
		}
	}
}

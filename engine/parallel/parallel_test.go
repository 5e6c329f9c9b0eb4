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

package tui

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/tui/screens/explore"
)

// driveShared is a program over a set that shares with others.
func driveShared(t testing.TB, set *profile.Set, shared *explore.Shared) *driver {
	d := drive(t, 120, 40, &shelf{set: set})
	d.app = New(context.Background(), Options{Workspace: &shelf{set: set}, Traces: madeUp, Loads: madeUpLoad,
		Symbols: d.app.opts.Symbols, Theme: "dark", Version: "test", Shared: shared})
	d.app.shell.After = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.run(d.app.Init())
	for d.explore().Answer() == nil {
		d.send(<-d.late)
	}
	return d
}

// Programs over one set hold the same candidates, look at them at once, and each at its own.
func TestProgramsShareCandidates(t *testing.T) {
	set, shared := grid(6, 8, 3), &explore.Shared{}
	alone := drive(t, 120, 40, &shelf{set: set})
	var all sync.WaitGroup
	programs := make([]*driver, 4)
	for k := range programs {
		programs[k] = driveShared(t, set, shared)
	}
	space := programs[0].explore().Answer().Result.Space
	if alone.explore().Answer().Result.Space == space {
		t.Error("a program of its own shares")
	}
	for k, d := range programs {
		if d.explore().Answer().Result.Space != space {
			t.Fatalf("program %d has candidates of its own", k)
		}
		all.Go(func() {
			d.app.Update(press("down"))
			for i := range 20 + k {
				_, cmd := d.app.Update(press([]string{"[", "left", "right", "]"}[(i+k)%4]))
				if cmd != nil {
					d.app.Update(answerOf(cmd))
				}
				_ = d.app.View()
			}
		})
	}
	all.Wait()
	frames := map[string]bool{}
	for k, d := range programs { // each as if it were alone
		own := driveShared(t, set, nil)
		own.app.Update(press("down"))
		for i := range 20 + k {
			if _, cmd := own.app.Update(press([]string{"[", "left", "right", "]"}[(i+k)%4])); cmd != nil {
				own.app.Update(answerOf(cmd))
			}
		}
		if frame := d.app.View().Content; frame != own.app.View().Content {
			t.Errorf("program %d:\n%s\nalone:\n%s", k, d.screen(), own.screen())
		} else {
			frames[frame] = true
		}
	}
	if len(frames) < 2 {
		t.Error("all programs look at the same")
	}
}

// What nobody looks at any more is not kept.
func TestSharedCandidatesAreFreed(t *testing.T) {
	set, shared := grid(3, 4, 2), &explore.Shared{}
	freed := make(chan bool, 1)
	func() {
		d := driveShared(t, set, shared)
		runtime.AddCleanup(d.explore().Answer().Result.Space, func(int) { freed <- true }, 0)
	}()
	for deadline := time.Now().Add(30 * time.Second); ; {
		runtime.GC()
		select {
		case <-freed:
			return
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("the candidates are still held")
		}
	}
}

// BenchmarkServeScrub is BenchmarkScrub of as many people at once over one set, each with a
// slider's key held down: ten steps a second.
func BenchmarkServeScrub(b *testing.B) {
	for _, size := range []struct {
		name                   string
		variants, vms, batches int
	}{{"1k", 10, 25, 1}, {"100k", 50, 100, 5}, {"1M", 100, 500, 5}} {
		set := grid(size.variants, size.vms, size.batches)
		for _, people := range []int{1, 20} {
			b.Run(fmt.Sprintf("%s/%d", size.name, people), func(b *testing.B) {
				shared := &explore.Shared{}
				all := make([]*driver, people)
				for k := range all {
					all[k] = driveShared(b, set, shared)
					all[k].app.Update(press("down"))
					for range 4 {
						all[k].scrub(press("["))
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = append(took, scrubTogether(all)...)
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// scrubTogether has everybody take four steps, at moments of their own, and returns how long
// each took until its frame.
func scrubTogether(all []*driver) []time.Duration {
	var working sync.WaitGroup
	took := make([]time.Duration, 4*len(all))
	for k, d := range all {
		working.Go(func() {
			time.Sleep(time.Duration(k) * 100 * time.Millisecond / time.Duration(len(all)))
			for i, key := range []string{"left", "left", "right", "right"} {
				began := time.Now()
				d.scrub(press(key))
				took[4*k+i] = time.Since(began)
				time.Sleep(100*time.Millisecond - took[4*k+i])
			}
		})
	}
	working.Wait()
	return took
}

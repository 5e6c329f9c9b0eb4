package server

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkServeFirstFrame is from dialling to the ranking of the opening question on the
// guest's terminal: alone, beside nineteen others who hold a slider's key, and beside as many
// who press it again as soon as its step is drawn.
func BenchmarkServeFirstFrame(b *testing.B) {
	for _, by := range []struct {
		name   string
		others int
		pause  time.Duration
	}{{"beside0", 0, 0}, {"beside19", 19, held}, {"beside19tireless", 19, 0}} {
		b.Run(by.name, func(b *testing.B) {
			s := serve(b, nil)
			leave := s.company(b, by.others, by.pause)
			defer leave()
			var sum, worst time.Duration
			worked := processor(b)
			for b.Loop() {
				g, err := s.visit("guest", 120, 40)
				if err != nil {
					b.Fatal(err)
				}
				sum, worst = sum+g.took, max(worst, g.took)
				if err := g.quit(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), "ns/op") // without the leaving
			b.ReportMetric(float64(worst.Milliseconds()), "ms-worst")
			if by.others == 0 { // of both ends, and of the predictions that come later
				b.ReportMetric(float64((processor(b)-worked).Milliseconds())/float64(b.N), "cpu-ms/op")
			}
		})
	}
}

// processor is the time that this process has computed for.
func processor(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// company are guests who step a slider, each some time after the last step or, without a
// pause, after its drawing; the function has them leave.
func (s *served) company(b *testing.B, n int, pause time.Duration) (leave func()) {
	var all sync.WaitGroup
	over := make(chan struct{})
	for k := range n {
		g, err := s.visit(fmt.Sprint("other ", k), 120, 40)
		if err != nil {
			b.Fatal(err)
		}
		all.Go(func() {
			defer func() { _ = g.quit() }()
			for i := k; ; i++ {
				select {
				case <-over:
					return
				case <-time.After(pause):
				}
				key := [...]string{"\x1b[D", "\x1b[C"}[i/4%2]
				if pause == 0 {
					_, _ = g.step(key)
				} else {
					_, _ = io.WriteString(g.in, key)
				}
			}
		})
	}
	return func() {
		close(over)
		all.Wait()
	}
}

// held is the time between two steps of a slider whose key is held.
const held = 100 * time.Millisecond

// BenchmarkServeStep is from a guest's key to the drawing on their terminal, over SSH, where
// that many scrub at once. It holds the wait for the next of 120 frames a second.
func BenchmarkServeStep(b *testing.B) {
	debug.SetMemoryLimit(300 << 20)
	for _, guests := range []int{1, 20} {
		b.Run(fmt.Sprint(guests), func(b *testing.B) {
			s := serve(b, func(c *Config) { c.Screens.FPS = 120 })
			leave := s.company(b, guests-1, held)
			defer leave()
			g, err := s.visit("guest", 120, 40)
			if err != nil {
				b.Fatal(err)
			}
			time.Sleep(2 * time.Second) // until predictions are ranked too
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				time.Sleep(held)
				select {
				case <-g.tap.drawn:
				default:
				}
				began := time.Now()
				if _, err := io.WriteString(g.in, [...]string{"\x1b[D", "\x1b[C"}[i/4%2]); err != nil {
					b.Fatal(err)
				}
				select {
				case <-g.tap.drawn:
				case <-time.After(waits):
					b.Fatal("nothing is drawn")
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
			b.ReportMetric(0, "ns/op")
			if err := g.quit(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

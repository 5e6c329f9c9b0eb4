package server

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

var soak = flag.Duration("soak", 8*time.Second, "how long TestSoak goes on")

// tap is a client's terminal that keeps only what is drawn until its first ranking, and
// tells of that and of every drawing.
type tap struct {
	words  []string // of the ranking
	seen   []byte
	ranked chan struct{}
	over   bool
	drawn  chan struct{} // holds one
}

func (t *tap) Write(p []byte) (int, error) {
	if !t.over {
		t.seen = append(t.seen, p...)
		if !slices.ContainsFunc(t.words, func(w string) bool { return !bytes.Contains(t.seen, []byte(w)) }) {
			close(t.ranked)
			t.over, t.seen = true, nil
		}
	}
	select {
	case t.drawn <- struct{}{}:
	default:
	}
	return len(p), nil
}

// guest is a client for many sessions.
type guest struct {
	conn  *gossh.Client
	sess  *gossh.Session
	in    io.WriteCloser
	tap   *tap
	err   strings.Builder
	over  chan error
	took  time.Duration // from dialling to the first ranking
	shown time.Duration // from asking for the screen, once logged in
}

// visit logs in and waits for the first ranking.
func (s *served) visit(name string, w, h int) (*guest, error) {
	began := time.Now()
	conn, err := s.dial(name, s.signer)
	if err != nil {
		return nil, err
	}
	words := []string{opening}
	if w < 40 { // too narrow for anything but the beginning of why
		words = []string{"n"}
	}
	g := &guest{conn: conn, over: make(chan error, 1), tap: &tap{words: words, ranked: make(chan struct{}),
		drawn: make(chan struct{}, 1)}}
	if g.sess, err = conn.NewSession(); err != nil {
		return g, err
	}
	if err = g.sess.RequestPty("xterm-256color", h, w, nil); err != nil {
		return g, err
	}
	if g.in, err = g.sess.StdinPipe(); err != nil {
		return g, err
	}
	g.sess.Stdout, g.sess.Stderr = g.tap, &g.err
	asked := time.Now()
	if err = g.sess.Shell(); err != nil {
		return g, err
	}
	go func() { g.over <- g.sess.Wait() }()
	select {
	case <-g.tap.ranked:
	case err := <-g.over:
		return g, fmt.Errorf("ended before its first ranking: %w: %s", err, g.err.String())
	case <-time.After(waits):
		return g, fmt.Errorf("no first ranking in %s", waits)
	}
	g.took, g.shown = time.Since(began), time.Since(asked)
	return g, nil
}

// quit leaves as people do.
func (g *guest) quit() error {
	defer func() { _ = g.conn.Close() }()
	if _, err := io.WriteString(g.in, "\x03"); err != nil {
		return err
	}
	select {
	case err := <-g.over:
		return err
	case <-time.After(waits):
		return fmt.Errorf("it does not end")
	}
}

// scrubs are the keys of people who look around; most of them move sliders.
var scrubs = slices.Concat(slices.Repeat([]string{"\x1b[D", "\x1b[C", "[", "]", "\x1b[A", "\x1b[B"}, 12), []string{"\t",
	"s", "f",
	"a", "t", "5", "1", "2", "1", "?", "\x1b", "m", "\x1b", "3", "1", "4", "1", "$", "u", "z", "=", "i", "\x1b"})

// TestSoak is a team's day in a short while: twenty at once, of whom one meets a fault, one
// is killed, one has a window of a cell, and all others must not notice.
func TestSoak(t *testing.T) {
	before := runtime.NumGoroutine()
	s := serve(t, nil)
	s.around = panics
	if g, err := s.visit("first", 120, 40); err != nil || g.quit() != nil { // until everything has begun
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	serving := runtime.NumGoroutine()
	end := time.Now().Add(*soak)
	var all sync.WaitGroup
	var mu sync.Mutex
	var frames, shown, steps []time.Duration
	faulty, killed := 0, 0
	stepped := func(took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		steps = append(steps, took)
	}
	met := func(g *guest) {
		mu.Lock()
		defer mu.Unlock()
		frames, shown = append(frames, g.took), append(shown, g.shown)
	}
	for k := range 17 { // who only look
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(k)))
			time.Sleep(time.Duration(k) * min(*soak/40, 300*time.Millisecond)) // people come one after the other
			for time.Now().Before(end) {
				g, err := s.visit(fmt.Sprint("guest ", k), 120, 40)
				if err != nil {
					t.Errorf("guest %d: %v", k, err)
					return
				}
				met(g)
				for i := range 10 { // while the keys are known to change the screen
					took, err := g.step([]string{"]", "["}[i%2])
					if err != nil {
						t.Errorf("guest %d: %v: %s", k, err, g.err.String())
						return
					}
					stepped(took)
					time.Sleep(time.Duration(100+rng.IntN(200)) * time.Millisecond)
				}
				stays := time.Now().Add(time.Duration(5+rng.IntN(60)) * time.Second)
				for time.Now().Before(end) && time.Now().Before(stays) {
					if _, err := io.WriteString(g.in, scrubs[rng.IntN(len(scrubs))]); err != nil {
						t.Errorf("guest %d: %v: %s", k, err, g.err.String())
						return
					}
					if rng.IntN(50) == 0 {
						_ = g.sess.WindowChange(20+rng.IntN(30), 60+rng.IntN(100))
					}
					time.Sleep(time.Duration(100+rng.IntN(400)) * time.Millisecond)
				}
				if err := g.quit(); err != nil {
					t.Errorf("guest %d left with %v: %s", k, err, g.err.String())
					return
				}
			}
		})
	}
	all.Go(func() { // who meets faults
		keys := []string{faults["Update"], faults["View"], faults["a command"]}
		for ; time.Now().Before(end); faulty++ {
			g, err := s.visit("faulty", 120, 40)
			if err != nil {
				t.Errorf("faulty: %v", err)
				return
			}
			met(g)
			_, _ = io.WriteString(g.in, "]"+keys[faulty%len(keys)]+"[[[")
			select {
			case err = <-g.over:
			case <-time.After(waits):
			}
			if err == nil {
				t.Error("a fault does not end its session")
			}
			if !strings.Contains(g.err.String(), "a fault of sweetspot") {
				t.Errorf("faulty was told %q", g.err.String())
			}
			_ = g.conn.Close()
			time.Sleep(time.Second)
		}
	})
	all.Go(func() { // who is killed
		for ; time.Now().Before(end); killed++ {
			g, err := s.visit("killed", 120, 40)
			if err != nil {
				t.Errorf("killed: %v", err)
				return
			}
			met(g)
			_, _ = io.WriteString(g.in, "[]s[]35")
			time.Sleep(time.Second)
			_ = g.conn.Close()
			time.Sleep(time.Second)
		}
	})
	all.Go(func() { // whose window is a cell
		g, err := s.visit("cell", 1, 1)
		if err != nil {
			t.Errorf("cell: %v", err)
			return
		}
		for time.Now().Before(end) {
			_, _ = io.WriteString(g.in, "]")
			time.Sleep(200 * time.Millisecond)
		}
		if err := g.quit(); err != nil {
			t.Errorf("cell left with %v: %s", err, g.err.String())
		}
	})
	held := watchMemory(t, s, end)
	all.Wait()
	for deadline := time.Now().Add(waits); s.Sessions() > 0 || runtime.NumGoroutine() > serving; {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d sessions and %d goroutines are left, of %d at first\n%.20000s", s.Sessions(),
				runtime.NumGoroutine(), serving, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(50 * time.Millisecond)
	}
	if faulty == 0 || killed == 0 {
		t.Errorf("%d faults, %d kills", faulty, killed)
	}
	// What is held does not grow: not much more at any time of the last third than in the second.
	middle, last := slices.Max(held[len(held)/3:2*len(held)/3]), slices.Max(held[2*len(held)/3:])
	if last > 2*middle+64<<20 {
		t.Errorf("%d MiB are held in the last third, %d in the one before", last>>20, middle>>20)
	}
	t.Logf("%d sessions, %d faults, %d killed; %d goroutines at first, %d while serving nobody", len(frames), faulty,
		killed, before, serving)
	t.Logf("first ranking after %s, of which after the login %s; a key's drawing after %s", spread(frames),
		spread(shown), spread(steps))
}

// spread is how long things took.
func spread(took []time.Duration) string {
	if len(took) == 0 {
		return "nothing"
	}
	slices.Sort(took)
	at := func(q float64) time.Duration { return took[int(q*float64(len(took)-1))].Round(time.Millisecond) }
	return fmt.Sprintf("p50 %s, p90 %s, p99 %s, most %s of %d", at(0.5), at(0.9), at(0.99), at(1), len(took))
}

// step presses a key that changes the screen, and is how long it takes until something is drawn.
func (g *guest) step(key string) (took time.Duration, err error) {
	select {
	case <-g.tap.drawn:
	default:
	}
	began := time.Now()
	if _, err := io.WriteString(g.in, key); err != nil {
		return 0, err
	}
	select {
	case <-g.tap.drawn:
		return time.Since(began), nil
	case <-time.After(waits):
		return 0, fmt.Errorf("nothing is drawn in %s", waits)
	}
}

// watchMemory notes what the process holds until the end, and logs it twenty times.
func watchMemory(t *testing.T, s *served, end time.Time) (held []int) {
	every := max(*soak/20, 200*time.Millisecond)
	for time.Now().Before(end) {
		time.Sleep(every)
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		held = append(held, int(m.HeapAlloc))
		var size, resident int
		if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
			_, _ = fmt.Sscan(string(statm), &size, &resident)
		}
		t.Logf("heap %d MiB, resident %d MiB, %d sessions, %d goroutines", m.HeapAlloc>>20,
			resident*os.Getpagesize()>>20, s.Sessions(), runtime.NumGoroutine())
	}
	return held
}

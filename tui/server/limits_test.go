package server

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"sweetspot/engine/quantity"
)

func TestHostileTerminals(t *testing.T) {
	s := serve(t, nil)
	long := strings.Repeat("A", 30_000)
	for name, of := range map[string]struct {
		term string
		w, h int
		vars []string
		says string
	}{
		"one cell":         {"xterm", 1, 1, nil, "n"},
		"no size":          {"xterm", 0, 0, nil, ranked},
		"a huge window":    {"xterm-256color", 100_000, 100_000, nil, ranked},
		"a path":           {"../../../../etc/passwd", 120, 40, nil, ranked},
		"a long name":      {long, 120, 40, nil, ranked},
		"control sequence": {"\x1b[31mxterm\x00\n", 120, 40, nil, ranked},
		"variables": {"xterm", 120, 40, []string{"TMUX", "/tmp/x", "LD_PRELOAD", "/x.so", "COLORTERM", long, "TERMINFO",
			"/etc",
			"LANG", "\x1b[31m"}, ranked},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := s.dial("alice", s.signer)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			c := &client{t: t, conn: conn, w: of.w, h: of.h, over: make(chan struct{})}
			if err := c.begin(of.term, of.vars...); err != nil {
				t.Fatal(err)
			}
			c.wait(of.says)
			if err := c.sess.WindowChange(1<<31-1, 1<<31-1); err != nil {
				t.Error(err)
			}
			c.press("q")
			if code := c.ended(); code != 0 {
				t.Errorf("ended with %d: %s", code, c.sentence())
			}
		})
	}
	// More variables than anybody has, and more sessions on a connection.
	conn, err := s.dial("alice", s.signer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	sess, err := conn.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	set := 0
	for range 3 * mostVars {
		if sess.Setenv("LANG", "C") == nil {
			set++
		}
	}
	if set != mostVars {
		t.Errorf("%d variables are set", set)
	}
	opened := 1
	for range 3 * mostChannels {
		if _, err := conn.NewSession(); err == nil {
			opened++
		}
	}
	if opened != mostChannels {
		t.Errorf("%d sessions are open on a connection", opened)
	}
}

// A long paste ends nothing and holds no memory to speak of.
func TestLongPastes(t *testing.T) {
	s := serve(t, nil)
	c := s.open(t, "alice", 120, 40)
	c.wait(opening, ranked)
	c.press("/\x1b[200~")
	chunk := strings.Repeat("paste of many bytes ", 5000)
	for range 100 << 20 / len(chunk) {
		c.press(chunk)
	}
	c.press("\x1b[201~\x1b")
	time.Sleep(100 * time.Millisecond)
	c.press("\x1b")
	c.shows(ranked)
	c.press("\x03")
	if code := c.ended(); code != 0 {
		t.Errorf("ended with %d: %s", code, c.sentence())
	}
}

func TestPanicsEndOneSession(t *testing.T) {
	for where, key := range faults {
		t.Run(where, func(t *testing.T) {
			s := serve(t, nil)
			s.around = panics
			a, b := s.open(t, "alice", 120, 40), s.open(t, "bob", 120, 40)
			a.wait(opening)
			b.wait(opening)
			a.press(key)
			if code := a.ended(); code != 1 || !a.sane() || !strings.Contains(a.sentence(), "a fault of sweetspot") {
				t.Errorf("ended with %d, sane %t: %s", code, a.sane(), a.sentence())
			}
			if strings.Contains(a.raw()+a.sentence(), "goroutine ") {
				t.Error("a guest sees the stack")
			}
			if log := s.log.String(); !strings.Contains(log, "in "+where) || !strings.Contains(log, "client_test.go") {
				t.Errorf("the log does not say where:\n%s", log)
			}
			b.press("5")
			b.shows("VM types")
			b.press("q")
			if code := b.ended(); code != 0 {
				t.Errorf("the other ended with %d", code)
			}
		})
	}
}

func TestMostSessions(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxSessions = 2 })
	s.open(t, "alice", 80, 24).wait(ranked)
	s.open(t, "bob", 80, 24).wait(ranked)
	third := s.open(t, "carol", 80, 24)
	if code := third.ended(); code != 1 || !strings.Contains(third.sentence(), "all 2 sessions") {
		t.Errorf("a third ended with %d: %s", code, third.sentence())
	}
}

// Who presses keys stays, and who does not leaves. What else the machine does may hold up the
// keys, or the first screen, for the whole of a limit; four times, each twice as long, it does not.
func TestIdleSessions(t *testing.T) {
	for limit := time.Second; ; limit *= 2 {
		wrong := idles(t, limit)
		if wrong == "" {
			return
		}
		if t.Log(wrong); limit == 8*time.Second {
			t.Fatal("four times wrong, or held up")
		}
	}
}

// idles has one client press keys until another, that presses none, has been ended: what was
// wrong then.
func idles(t *testing.T, limit time.Duration) string {
	t.Helper()
	s := serve(t, func(c *Config) { c.Idle = limit })
	busy, idle := s.open(t, "alice", 80, 24), s.open(t, "bob", 80, 24)
	for pressing := true; pressing; {
		_, _ = io.WriteString(busy.in, "j")
		select {
		case <-idle.over:
			pressing = false
		case <-time.After(limit / 8):
		}
	}
	if code := idle.ended(); code != 1 || !idle.sane() ||
		!strings.Contains(idle.sentence(), "no key was pressed for "+quantity.Duration(limit.Seconds())) {
		return fmt.Sprintf("an idle session ended with %d, sane %t: %s", code, idle.sane(), idle.sentence())
	}
	select {
	case <-busy.over:
		return fmt.Sprintf("whoever pressed keys was ended before another was idle for %s: %s", limit, busy.sentence())
	default:
		return ""
	}
}

// A client that is gone, or that reads nothing, leaves nothing behind; the others go on.
func TestLostClients(t *testing.T) {
	s := serve(t, func(c *Config) { c.Idle = 3 * time.Second })
	gone := s.open(t, "gone", 120, 40)
	gone.wait(opening)
	_ = gone.conn.Close()
	s.deaf(t)
	for deadline := time.Now().Add(waits); s.Sessions() > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions are left:\n%s", s.Sessions(), s.log)
		}
	}
	if log := s.log.String(); !strings.Contains(log, "the client is gone") ||
		!strings.Contains(log, "no key was pressed") {
		t.Errorf("the log:\n%s", log)
	}
}

// deaf is a client that never reads, and has the server draw until it cannot.
func (s *served) deaf(t *testing.T) {
	t.Helper()
	conn, err := s.dial("deaf", s.signer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	sess, err := conn.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := sess.RequestPty("xterm-256color", 200, 500, nil); err != nil {
		t.Fatal(err)
	}
	in, err := sess.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sess.StdoutPipe(); err != nil { // nobody reads it
		t.Fatal(err)
	}
	if err := sess.Shell(); err != nil {
		t.Fatal(err)
	}
	for k := range 60 {
		if err := sess.WindowChange(100+k, 400+k); err != nil {
			break
		}
		if _, err := io.WriteString(in, fmt.Sprint(1+k%5)); err != nil {
			break
		}
		time.Sleep(40 * time.Millisecond)
	}
}

func TestStopsGracefully(t *testing.T) {
	s := serve(t, nil)
	var all []*client
	for k := range 3 {
		c := s.open(t, fmt.Sprint("guest ", k), 120, 40)
		c.wait(ranked)
		all = append(all, c)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	for _, c := range all {
		if code := c.ended(); code != 1 || !c.sane() || !strings.Contains(c.sentence(), "the server is being stopped") {
			t.Errorf("ended with %d, sane %t: %s", code, c.sane(), c.sentence())
		}
	}
	if _, err := s.dial("late", s.signer); err == nil {
		t.Error("it still listens")
	}
}

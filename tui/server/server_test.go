package server

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"sweetspot/tui/screen"
)

func TestLogsInByKey(t *testing.T) {
	s := serve(t, nil)
	c := s.open(t, "alice\x1b[31m", 120, 40)
	c.wait(opening, ranked, "built-in library")
	c.press("q")
	if code := c.ended(); code != 0 || !c.sane() || c.sentence() != "" {
		t.Errorf("left with %d, sane %t: %s", code, c.sane(), c.sentence())
	}
	stranger, _ := newKey(t)
	if _, err := s.dial("alice", stranger); err == nil {
		t.Error("a stranger is in")
	}
	for _, method := range []gossh.AuthMethod{gossh.Password("alice"), gossh.KeyboardInteractive(
		func(string, string, []string, []bool) ([]string, error) { return nil, nil })} {
		config := &gossh.ClientConfig{User: "alice", Auth: []gossh.AuthMethod{method},
			HostKeyCallback: gossh.InsecureIgnoreHostKey()}
		if _, err := gossh.Dial("tcp", s.Address(), config); err == nil {
			t.Error("somebody is in without a key")
		}
	}
	log := s.log.String()
	if strings.Contains(log, "\x1b") || !strings.Contains(log, `"alice`) || !strings.Contains(log, "may not log in") {
		t.Errorf("the log:\n%s", log)
	}
}

// A key that is taken away, and a file that others could write, let nobody in from then on.
func TestKeysAreReadAtEveryLogin(t *testing.T) {
	s := serve(t, nil)
	c := s.open(t, "alice", 80, 24)
	c.wait(ranked)
	_, other := newKey(t)
	write(t, s.config.Authorised, other, 0o600)
	if _, err := s.dial("alice", s.signer); err == nil {
		t.Error("a key that was taken away lets in")
	}
	write(t, s.config.Authorised, string(gossh.MarshalAuthorizedKey(s.signer.PublicKey())), 0o606)
	if _, err := s.dial("alice", s.signer); err == nil {
		t.Error("a file that anybody can write lets in")
	}
	write(t, s.config.Authorised, string(gossh.MarshalAuthorizedKey(s.signer.PublicKey())), 0o600)
	if conn, err := s.dial("alice", s.signer); err != nil {
		t.Error(err)
	} else {
		_ = conn.Close()
	}
}

// What is no terminal of a guest gets one sentence.
func TestOnlyScreens(t *testing.T) {
	s := serve(t, nil)
	conn, err := s.dial("alice", s.signer)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	try := func(what, says string, start func(*gossh.Session) error) {
		t.Helper()
		sess, err := conn.NewSession()
		if err != nil {
			t.Fatal(what, err)
		}
		defer sess.Close()
		var out, errors bytes.Buffer
		sess.Stdout, sess.Stderr = &out, &errors
		if err := start(sess); err != nil {
			t.Fatal(what, err)
		}
		exit, ok := sess.Wait().(*gossh.ExitError)
		said := strings.TrimSpace(errors.String())
		if !ok || exit.ExitStatus() != 1 || !strings.Contains(said, says) || strings.Count(said, "\n") > 0 || out.Len() > 0 {
			t.Errorf("%s: %v, %q, %q", what, exit, said, out.String())
		}
	}
	try("a command", `runs no commands: log in without "rank --json"`, func(s *gossh.Session) error {
		return s.Start("rank --json")
	})
	try("no terminal", "ssh -t", func(s *gossh.Session) error { return s.Shell() })
	try("a dumb terminal", "set TERM", func(s *gossh.Session) error {
		_ = s.RequestPty("dumb", 24, 80, nil)
		return s.Shell()
	})
	if _, err := conn.Dial("tcp", "127.0.0.1:22"); err == nil {
		t.Error("a port is forwarded")
	}
	if _, err := conn.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("a port is forwarded back")
	}
	for _, request := range []string{"x11-req", "auth-agent-req@openssh.com"} {
		sess, err := conn.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := sess.SendRequest(request, true, nil); ok {
			t.Errorf("%s is granted", request)
		}
		_ = sess.Close()
	}
}

func TestEachHasTheirOwnScreens(t *testing.T) {
	s := serve(t, func(c *Config) {
		c.Denied = screen.AllRights &^ screen.Picking
		c.States = filepath.Join(filepath.Dir(c.HostKey), "states")
	})
	a, b := s.open(t, "alice", 120, 40), s.open(t, "bob", 90, 30)
	a.wait(opening, ranked)
	b.wait(ranked)
	a.press("5")
	a.shows("VM types")
	b.shows(ranked)
	a.press("1")
	a.shows(ranked)
	a.until("x", "saved as a pick") // not before the ranking has its predictions
	b.press("5\t\t\t")
	b.shows("╭ Picks", "1 of 1")
	a.press("q")
	a.ended()
	b.press("q")
	b.ended()
	if files, err := filepath.Glob(filepath.Join(s.config.States, "*.json")); err != nil || len(files) != 1 {
		t.Errorf("one key is remembered in %v, %v", files, err)
	} else if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Guests do what the owner allows, and get a sentence about the rest.
func TestGuestsOnlyLook(t *testing.T) {
	s := serve(t, nil)
	c := s.open(t, "alice", 160, 40)
	c.wait(opening, ranked)
	for _, try := range []struct{ screen, has, key, says string }{
		{"1", ranked, "x", "allows no picks"}, {"1", ranked, "o", "allows no files"},
		{"1", ranked, "N", "allows no probes"}, {"3", "reserved", "o", "allows no files"},
		{"4", "requests", "o", "allows no files"}, {"5", "VM types", "D", "allows no edits"},
		{"5", "VM types", "u", "allows no edits"}, {"5", "VM types", "I", "allows no edits and no files"},
		{"5", "VM types", "W", "allows no files"}, {"5", "VM types", "J", "allows no edits and no files"},
		{"2", "command", "p", "allows no probes"},
	} {
		c.press(try.screen)
		c.shows(try.has)
		c.press(try.key)
		c.shows(try.says)
	}
	c.press("1e")
	c.shows("╭ Export")
	c.press("\r")
	c.shows("allows no files", "copies to your clipboard")
	if files, err := filepath.Glob(filepath.Join(s.folder, "*")); err != nil || len(files) != 2 {
		t.Errorf("the server's folder has %v, %v", files, err) // authorized_keys and state
	}
}

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
		"variables": {"xterm", 120, 40, []string{"TMUX", "/tmp/x", "LD_PRELOAD", "/x.so", "COLORTERM", long, "TERMINFO", "/etc",
			"LANG", "\x1b[31m"}, ranked},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := s.dial("alice", s.signer)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
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
	defer conn.Close()
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

func TestLimits(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxSessions, c.Idle = 2, 2*time.Second })
	a, b := s.open(t, "alice", 80, 24), s.open(t, "bob", 80, 24)
	a.wait(ranked)
	b.wait(ranked)
	third := s.open(t, "carol", 80, 24)
	if code := third.ended(); code != 1 || !strings.Contains(third.sentence(), "all 2 sessions") {
		t.Errorf("a third ended with %d: %s", code, third.sentence())
	}
	busy := time.Now()
	for range 12 { // who presses keys stays
		a.press("j")
		time.Sleep(300 * time.Millisecond)
	}
	if code := b.ended(); code != 1 || !b.sane() || !strings.Contains(b.sentence(), "no key was pressed for 2") {
		t.Errorf("an idle session ended with %d, sane %t: %s", code, b.sane(), b.sentence())
	}
	select {
	case <-a.over:
		t.Errorf("a busy session ended after %s: %s", time.Since(busy), a.sentence())
	default:
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
	if log := s.log.String(); !strings.Contains(log, "the client is gone") || !strings.Contains(log, "no key was pressed") {
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

// The client that people have.
func TestOpenSSH(t *testing.T) {
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("ssh of OpenSSH is missing")
		}
		t.Skip("ssh of OpenSSH is missing")
	}
	s := serve(t, nil)
	key := filepath.Join(t.TempDir(), "id")
	data := pemOf(t)
	write(t, key, string(data), 0o600)
	signer, err := gossh.ParsePrivateKey(data)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.config.Authorised, string(gossh.MarshalAuthorizedKey(signer.PublicKey())), 0o600)
	host, port, _ := strings.Cut(s.Address(), ":")
	run := func(keys func(io.Writer), more ...string) (out, errors string, err error) {
		cmd := exec.CommandContext(t.Context(), ssh, append([]string{"-F", "none", "-p", port, "-i", key, "-o", "IdentitiesOnly=yes",
			"-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "-o", "UserKnownHostsFile=" + key + ".hosts", host}, more...)...)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var o, e bytes.Buffer
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		keys(in)
		err = cmd.Wait()
		return o.String(), e.String(), err
	}
	out, errors, err := run(func(in io.Writer) {
		for deadline := time.Now().Add(waits); s.Sessions() == 0 && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(500 * time.Millisecond)
		_, _ = io.WriteString(in, "q")
	}, "-tt")
	if err != nil || !strings.Contains(out, "\x1b[?1049h") {
		t.Errorf("%v, %q, %.300q", err, errors, out)
	}
	_, errors, err = run(func(io.Writer) {}, "rank")
	if err == nil || !strings.Contains(errors, "runs no commands") {
		t.Errorf("%v, %q", err, errors)
	}
	_, errors, err = run(func(io.Writer) {}, "-s", "sftp")
	if err == nil || !strings.Contains(errors, "no files to fetch") {
		t.Errorf("%v, %q", err, errors)
	}
}

package server

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	gossh "golang.org/x/crypto/ssh"

	"sweetspot/data/workload"
	"sweetspot/data/workspace"
	"sweetspot/tui"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

// served is a server under test, with the key of its guests.
type served struct {
	*Server
	signer gossh.Signer
	log    *lines
	folder string
	stop   func() error // ends it as SIGTERM does
}

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newKey makes a key, and its line of an authorized_keys file.
func newKey(t testing.TB) (gossh.Signer, string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer, string(gossh.MarshalAuthorizedKey(signer.PublicKey()))
}

// serve starts a server over the built-in library and a database of its own.
func serve(t testing.TB, change func(*Config)) *served {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("XDG_DATA_HOME", folder)
	ws, err := workspace.Open(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	signer, line := newKey(t)
	s := &served{signer: signer, log: &lines{}, folder: folder}
	symbols, err := theme.SymbolSet("braille")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Address: "127.0.0.1:0", Authorised: filepath.Join(folder, "authorized_keys"),
		HostKey: filepath.Join(folder, "state", "host_key"), MaxSessions: 40, Denied: screen.AllRights, Workspace: ws,
		Log: s.log, Screens: tui.Options{Theme: "dark", Symbols: symbols, Version: "test",
			Traces: func(_ context.Context, path string) (workload.Jobs, error) { return workload.ReadJobs(path) },
			Loads:  func(_ context.Context, path string) (workload.Requests, error) { return workload.ReadRequests(path) }}}
	write(t, c.Authorised, line, 0o600)
	if change != nil {
		change(&c)
	}
	if s.Server, err = New(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-over
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		_ = ws.Close()
	})
	return s
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// client is a terminal that has logged in.
type client struct {
	t    testing.TB
	conn *gossh.Client
	sess *gossh.Session
	in   io.WriteCloser
	w, h int

	mu     sync.Mutex
	out    bytes.Buffer
	errors bytes.Buffer
	over   chan struct{} // closed at the end of the session
	status error         // then
}

// dial logs in as somebody.
func (s *served) dial(name string, signer gossh.Signer) (*gossh.Client, error) {
	return gossh.Dial("tcp", s.Address(), &gossh.ClientConfig{User: name, Timeout: waits,
		Auth: []gossh.AuthMethod{gossh.PublicKeys(signer)}, HostKeyCallback: gossh.InsecureIgnoreHostKey()})
}

// waits is how long a test waits for what a busy machine is slow to do.
const waits = 90 * time.Second

// connect logs in and asks for screens.
func (s *served) connect(name string, w, h int, vars ...string) (*client, error) {
	conn, err := s.dial(name, s.signer)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, w: w, h: h, over: make(chan struct{})}
	return c, c.begin("xterm-256color", vars...)
}

func (c *client) begin(term string, vars ...string) (err error) {
	if c.sess, err = c.conn.NewSession(); err != nil {
		return err
	}
	for k := 0; k+1 < len(vars); k += 2 {
		_ = c.sess.Setenv(vars[k], vars[k+1]) // the server refuses most
	}
	if err = c.sess.RequestPty(term, c.h, c.w, gossh.TerminalModes{}); err != nil {
		return err
	}
	if c.in, err = c.sess.StdinPipe(); err != nil {
		return err
	}
	c.sess.Stdout, c.sess.Stderr = &locked{&c.mu, &c.out}, &locked{&c.mu, &c.errors}
	if err = c.sess.Shell(); err != nil {
		return err
	}
	go func() {
		c.status = c.sess.Wait()
		close(c.over)
	}()
	return nil
}

type locked struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// open is a client that must get screens.
func (s *served) open(t testing.TB, name string, w, h int, vars ...string) *client {
	t.Helper()
	c, err := s.connect(name, w, h, vars...)
	if err != nil {
		t.Fatal(err)
	}
	c.t = t
	t.Cleanup(func() { _ = c.conn.Close() })
	return c
}

// seen is what was drawn since the beginning or the last redrawing.
func (c *client) seen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ansi.Strip(c.out.String())
}

func (c *client) raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

func (c *client) sentence() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(c.errors.String())
}

// wait waits until something is drawn.
func (c *client) wait(words ...string) {
	c.t.Helper()
	for deadline := time.Now().Add(waits); ; time.Sleep(20 * time.Millisecond) {
		seen := c.seen()
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(seen, w) }) {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%q is not drawn: %q; %s", words, seen, c.sentence())
		}
	}
}

// redraw forgets what was drawn and has all drawn again, a row higher or lower. Otherwise
// only what differs is drawn, in which no word is whole.
func (c *client) redraw() {
	c.mu.Lock()
	c.out.Reset()
	c.mu.Unlock()
	c.h ^= 1
	_ = c.sess.WindowChange(c.h, c.w)
}

// shows waits until the screen has some words.
func (c *client) shows(words ...string) {
	c.t.Helper()
	for deadline := time.Now().Add(waits); ; {
		c.redraw()
		for range 10 {
			time.Sleep(20 * time.Millisecond)
			seen := c.seen()
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(seen, w) }) {
				return
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%q is not shown: %s; %s", words, c.seen(), c.sentence())
		}
	}
}

func (c *client) press(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, keys); err != nil {
		c.t.Fatal(err)
	}
}

// until presses a key now and then, until the screen has some words.
func (c *client) until(key, words string) {
	c.t.Helper()
	for deadline := time.Now().Add(waits); ; {
		c.press(key)
		for range 5 {
			c.redraw()
			if time.Sleep(100 * time.Millisecond); strings.Contains(c.seen(), words) {
				return
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%q is not shown: %s; %s", words, c.seen(), c.sentence())
		}
	}
}

// ended waits for the end of the session and returns its exit status.
func (c *client) ended() int {
	c.t.Helper()
	select {
	case <-c.over:
	case <-time.After(waits):
		c.t.Fatalf("the session goes on: %q", c.seen())
	}
	exit, failed := c.status.(*gossh.ExitError)
	switch {
	case c.status == nil:
		return 0
	case failed:
		return exit.ExitStatus()
	}
	return -1
}

// sane reports whether the terminal was put back: the usual screen, the cursor, no mouse.
func (c *client) sane() bool {
	raw := c.raw()
	after := func(on, off string) bool { return strings.LastIndex(raw, off) > strings.LastIndex(raw, on) }
	return after("\x1b[?1049h", "\x1b[?1049l") && after("\x1b[?25l", "\x1b[?25h") &&
		after("\x1b[?2004h", "\x1b[?2004l") && (!strings.Contains(raw, "\x1b[?1003h") || after("\x1b[?1003h", "\x1b[?1003l"))
}

// The words of the first ranking.
const (
	opening = "levit_256"
	ranked  = "Ranking"
)

// panics are screens that panic at a key that no table has, as a fault of ours would.
func panics(_ *session, screens tea.Model) tea.Model { return &panicking{Model: screens} }

type panicking struct {
	tea.Model
	next bool
}

func (p *panicking) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "f20":
			panic("in Update")
		case "f19":
			p.next = true
		case "f18":
			return p, func() tea.Msg { panic("in a command") }
		}
	}
	var cmd tea.Cmd
	p.Model, cmd = p.Model.Update(msg)
	return p, cmd
}

func (p *panicking) View() tea.View {
	if p.next {
		panic("in View")
	}
	return p.Model.View()
}

// faults are the keys of [panicking] as a terminal sends them.
var faults = map[string]string{"Update": "\x1b[34~", "View": "\x1b[33~", "a command": "\x1b[32~"}

// pemOf is a private key as a file has it.
func pemOf(t testing.TB) []byte {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := gossh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

// Package background keeps probes running without the terminal that started
// them. A process in a session of its own runs them and serves their state at a
// Unix socket to the clients that attach.
package background

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/matrix"
)

// Client watches a background probe and may stop it.
type Client struct {
	entry   Entry
	conn    net.Conn
	updates chan matrix.Update
	ended   chan struct{}
	last    matrix.Update // once ended
	err     error         // once ended

	mu   sync.Mutex
	left bool
}

// Dial attaches to the background probe of that name.
func Dial(name string) (*Client, error) {
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("there is no background probe called %q; sweetspot attach lists them", plaintext.Clean(name))
	}
	c, in, err := greet(name)
	if err != nil {
		return nil, fmt.Errorf("the background probe %s has ended; what it measured is in its database", name)
	}
	go c.receive(in)
	return c, nil
}

func greet(name string) (*Client, *json.Decoder, error) {
	if Directory() == "" {
		return nil, nil, os.ErrNotExist
	}
	conn, err := net.DialTimeout("unix", socketPath(name), time.Second)
	if err != nil {
		return nil, nil, err
	}
	c := &Client{conn: conn, updates: make(chan matrix.Update, 1), ended: make(chan struct{})}
	in := json.NewDecoder(conn)
	err = errors.Join(conn.SetReadDeadline(time.Now().Add(clientTimeout)), in.Decode(&c.entry),
		conn.SetReadDeadline(time.Time{}))
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return c, in, nil
}

func (c *Client) receive(in *json.Decoder) {
	defer close(c.updates)
	defer close(c.ended)
	defer func() { _ = c.conn.Close() }()
	var have [][]float64
	for !c.last.Done {
		var s state
		err := in.Decode(&s)
		if err == nil {
			c.last, err = unpack(s, &have)
		}
		if err != nil {
			c.err = c.why(err)
			return
		}
		select {
		case <-c.updates: // not read yet
		default:
		}
		c.updates <- c.last
	}
}

func (c *Client) why(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the background probe %s ended unexpectedly; what it measured until then is in %s", c.entry.Name,
			plaintext.Clean(c.entry.Database))
	case errors.Is(err, errOtherVersion):
		return err
	}
	return fmt.Errorf("%w (%s)", errOtherVersion, plaintext.Line(err.Error(), 200))
}

// Entry describes the probe.
func (c *Client) Entry() Entry { return c.entry }

// Updates delivers the newest state; states the reader was too slow for are
// dropped. It is closed after the last one, or when the probe is gone.
func (c *Client) Updates() <-chan matrix.Update { return c.updates }

// Stop ends the probe and saves it.
func (c *Client) Stop() { c.ask(doStop) }

// KeepRunning lets the running probes keep running after the stop rule is met.
func (c *Client) KeepRunning() { c.ask(doKeepRunning) }

// Cancel ends the probe and forgets it.
func (c *Client) Cancel() { c.ask(doCancel) }

func (c *Client) ask(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(clientTimeout))
	_ = json.NewEncoder(c.conn).Encode(request{what}) // a probe that has ended needs no request
}

// Leave disconnects; the probe goes on.
func (c *Client) Leave() {
	c.mu.Lock()
	c.left = true
	c.mu.Unlock()
	_ = c.conn.Close()
}

// Wait returns the last update that came.
func (c *Client) Wait() matrix.Update {
	<-c.ended
	return c.last
}

// Err says, once the updates have ended, why the last one did not come; nil
// where it did, and after [Client.Leave].
func (c *Client) Err() error {
	<-c.ended
	return c.err
}

// List returns the background probes that run, the oldest first. What a killed
// one left behind is removed.
func List() ([]Entry, error) {
	if Directory() == "" {
		return nil, nil // none can have been started
	}
	paths, err := filepath.Glob(filepath.Join(Directory(), "*.sock"))
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".sock")
		c, _, err := greet(name)
		if err != nil {
			if isStale(path, err) {
				_ = os.Remove(path)
			}
			continue
		}
		_ = c.conn.Close()
		all = append(all, c.entry)
	}
	slices.SortFunc(all, func(a, b Entry) int { return a.Started.Compare(b.Started) })
	return all, nil
}

// Variable is the environment variable that tells a process to run in the background, and under which name.
const Variable = "SWEETSPOT_BACKGROUND"

// longestSocket is the longest socket path that every Unix accepts.
const longestSocket = 100

// Directory holds the sockets and logs of background probes:
// $XDG_STATE_HOME/sweetspot/probes. It is not below $XDG_RUNTIME_DIR, which is
// removed when the user's last login ends: nobody could attach after that. It is
// "" without a home: in a folder that others can write to, they could pretend to
// be a probe.
func Directory() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home := os.Getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sweetspot", "probes")
}

func socketPath(name string) string { return filepath.Join(Directory(), name+".sock") }
func logPath(name string) string    { return filepath.Join(Directory(), name+".log") }

var nameForm = regexp.MustCompile(`^[0-9a-f]{6}$`)

func makeDirectory() error {
	if Directory() == "" {
		return errors.New("a background probe has no place for its socket, because HOME is not set; set it, or " +
			"XDG_STATE_HOME " +
			"to a folder of your own, or leave out --detach")
	}
	if err := os.MkdirAll(Directory(), 0o700); err != nil {
		return fmt.Errorf("the directory %s can't be created (%w); set XDG_STATE_HOME to another",
			plaintext.Clean(Directory()), errors.Unwrap(err))
	}
	return nil
}

// Child reports whether this process is to run its probes in the background,
// and under which name. A process that does outlives its terminal.
func Child() (name string, ok bool) {
	name = os.Getenv(Variable)
	if !nameForm.MatchString(name) {
		return "", false
	}
	_ = os.Unsetenv(Variable) // not for the script
	// Received and dropped: the script would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	return name, true
}

// Spawn starts the command in a session of its own, with env added to its
// environment, and waits until it serves. If it ends before that, the error is
// the last line it wrote. If ctx ends before that, the command is ended.
func Spawn(ctx context.Context, argv, env []string) (name string, err error) {
	var random [3]byte
	_, _ = rand.Read(random[:]) // never fails
	name = hex.EncodeToString(random[:])
	if err := makeDirectory(); err != nil {
		return "", err
	}
	log, err := os.OpenFile(logPath(name), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return "", fmt.Errorf("the log of the background probe can't be created: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(append(os.Environ(), env...), Variable+"="+name)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = os.Remove(logPath(name))
		return "", fmt.Errorf("the background probe can't be started: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its log says more
		close(ended)
	}()
	if err := awaitService(ctx, name, cmd, ended); err != nil {
		return "", err
	}
	return name, nil
}

func awaitService(ctx context.Context, name string, cmd *exec.Cmd, ended <-chan struct{}) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if c, _, err := greet(name); err == nil {
				return c.conn.Close()
			}
		case <-ended:
			return startError(name)
		case <-ctx.Done():
			_ = cmd.Process.Signal(syscall.SIGTERM)
			<-ended
			return ctx.Err()
		}
	}
}

// startError says why a child never served, and removes its log.
func startError(name string) error {
	text, err := os.ReadFile(logPath(name))
	_ = os.Remove(logPath(name))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := strings.TrimPrefix(plaintext.Line(lines[len(lines)-1], 1000), "sweetspot: ")
	if err != nil || last == "" {
		return errors.New("the background probe ended at once and said nothing; run it without --detach to see why")
	}
	return errors.New(last)
}

// removeLog removes a log that nobody needs to read.
func removeLog(name string) {
	if info, err := os.Stat(logPath(name)); err == nil && info.Size() == 0 {
		_ = os.Remove(logPath(name))
	}
}

// isStale reports whether nobody listens at the socket or is about to.
func isStale(path string, dialed error) bool {
	info, err := os.Stat(path)
	return err == nil && errors.Is(dialed, syscall.ECONNREFUSED) && time.Since(info.ModTime()) > 5*time.Second
}

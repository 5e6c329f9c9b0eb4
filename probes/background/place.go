// Package background keeps probes running without the terminal that started
// them. A process in a session of its own runs them and serves their state at a
// Unix socket to the clients that attach.
package background

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"sweetspot/engine/plaintext"
)

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
		return errors.New("a background probe has no place for its socket, because HOME is not set; set it, or XDG_STATE_HOME " +
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

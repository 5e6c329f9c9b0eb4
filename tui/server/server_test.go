package server

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"sweetspot/probes/queue"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
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

// What is not a terminal of a guest gets one sentence.
func TestOnlyScreens(t *testing.T) {
	s := serve(t, nil)
	conn, err := s.dial("alice", s.signer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	try := func(what, says string, start func(*gossh.Session) error) {
		t.Helper()
		sess, err := conn.NewSession()
		if err != nil {
			t.Fatal(what, err)
		}
		defer func() { _ = sess.Close() }()
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
	b.shows("╭ Picks", "▸ 20") // its date: where an answer is slow, the key is pressed again and there are two
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

// asking are queues that note when they are asked.
type asking struct {
	probe.Queues
	asked atomic.Bool
}

func (*asking) Names() []string { return []string{"slurm"} }

func (*asking) Left(context.Context, screen.Workspace) ([]probe.Left, error) { return nil, nil }

func (a *asking) Offers(context.Context, screen.Workspace, string) ([]queue.Offer, error) {
	a.asked.Store(true)
	return nil, nil
}

// Asking a queue runs commands, and logs in to the host that a guest names.
func TestOnlyWhoMayProbeAsksQueues(t *testing.T) {
	for _, denied := range []screen.Rights{screen.AllRights, screen.AllRights &^ screen.Probing} {
		queues := &asking{}
		s := serve(t, func(c *Config) { c.Denied, c.Screens.Queues = denied, queues })
		c := s.open(t, "alice", 80, 24) // where only the field of the cursor has its hint
		c.wait(ranked)
		c.press("2")
		c.until("\x1b[B", "here, user@vm over SSH")
		c.press("\x1b[C")
		c.press("1")
		c.shows(ranked)
		if may := denied&screen.Probing == 0; queues.asked.Load() != may {
			t.Errorf("allowed to probe: %v; asked: %v", may, !may)
		}
	}
}

// The client that people have.
func TestOpenSSH(t *testing.T) {
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		if os.Getenv("CI") == "true" {
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
		args := []string{"-F", "none", "-p", port, "-i", key, "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no",
			"-o", "LogLevel=ERROR", "-o", "UserKnownHostsFile=" + key + ".hosts", host}
		cmd := exec.CommandContext(t.Context(), ssh, append(args, more...)...)
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

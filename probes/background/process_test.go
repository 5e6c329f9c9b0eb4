package background

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// role makes the test binary one of the processes of a test.
const role = "SWEETSPOT_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "probe":
		if err := probe(os.Getenv("DB"), os.Getenv("SCRIPT")); err != nil {
			fmt.Fprintln(os.Stderr, "sweetspot: "+err.Error())
			os.Exit(1)
		}
	case "foreground":
		foreground()
	default:
		os.Exit(m.Run())
	}
}

// probe is a child as the program makes one: a matrix of one script, served.
func probe(path, script string) error {
	name, ok := Child()
	if !ok {
		return errors.New("not in the background")
	}
	if script == "" {
		return errors.New("there is nothing to probe; name it")
	}
	ctx := context.Background()
	s, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	m, err := matrix.Start(ctx, matrix.Options{Cells: []matrix.Cell{{}},
		Probe: func(context.Context, matrix.Cell) (session.Options, error) {
			return session.Options{
				Command: []string{"/bin/sh", "-c", script}, Rule: steady.DefaultRule(), KeepRunning: true, Store: s,
				Description: store.Description{Model: profile.Model{Name: "shell"}, Mode: profile.Train},
			}, nil
		}})
	if err != nil {
		return err
	}
	return Serve(m, name, path)
}

// foreground starts one and then waits to be killed.
func foreground() {
	name, err := Spawn(context.Background(), []string{os.Args[0]}, []string{role + "=probe"})
	fmt.Println(name, err)
	select {}
}

const stepping = `i=0; while [ $i -lt %d ]; do echo ` +
	`"{\"sweetspot\":1,\"event\":\"iteration\",\"index\":$i,\"seconds\":0.5}" >&3; i=$((i+1)); sleep 0.01; done`

func setUp(t *testing.T, script string) (db string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bg") // short: a socket's path is not long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("XDG_STATE_HOME", dir)
	db = filepath.Join(dir, "profiles.db")
	t.Setenv("DB", db)
	t.Setenv("SCRIPT", script)
	return db
}

func spawn(t *testing.T) string {
	t.Helper()
	name, err := Spawn(t.Context(), []string{os.Args[0]}, []string{role + "=probe"})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func dial(t *testing.T, name string) *Client {
	t.Helper()
	c, err := Dial(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// upTo reads updates until the probe has n steps.
func upTo(t *testing.T, c *Client, n int) matrix.Update {
	t.Helper()
	for u := range c.Updates() {
		if len(u.Rows[0].Update.Seconds) >= n {
			return u
		}
	}
	t.Fatalf("ended before %d steps: %v", n, c.Err())
	return matrix.Update{}
}

// The process that started it is killed with everything in its group and
// session; the probe goes on, and whoever attaches sees the run whole.
func TestOutlivesTheForeground(t *testing.T) {
	db := setUp(t, fmt.Sprintf(stepping, 150))
	front := exec.Command(os.Args[0])
	front.Env = append(os.Environ(), role+"=foreground")
	front.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := front.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := front.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	name, said, _ := strings.Cut(strings.TrimSpace(line), " ")
	if err != nil || said != "<nil>" {
		t.Fatalf("%q, %v", line, err)
	}
	upTo(t, dial(t, name), 5)
	if err := syscall.Kill(-front.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = front.Wait() // killed, as asked

	all, err := List()
	if err != nil || len(all) != 1 || all[0].Name != name || all[0].Database != db || len(all[0].Runs) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := syscall.Kill(all[0].PID, syscall.SIGHUP); err != nil { // as a terminal that closes would
		t.Fatal(err)
	}
	left := dial(t, name)
	upTo(t, left, 20)
	left.Leave()
	if err := left.Err(); err != nil {
		t.Errorf("after leaving: %v", err)
	}
	last := dial(t, name)
	for range last.Updates() {
	}
	u := last.Wait()
	if err := last.Err(); err != nil || !u.Done || u.Rows[0].State != matrix.Done || len(u.Rows[0].Update.Seconds) != 150 {
		t.Fatalf("%+v, %v", u, err)
	}
	s, err := store.OpenExisting(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	its, err := s.Iterations(t.Context(), all[0].Runs[0])
	if err != nil || len(its) != 150 {
		t.Errorf("%d steps saved, %v", len(its), err)
	}
	waitFor(t, "the socket and the log to go", func() bool {
		rest, _ := os.ReadDir(Directory())
		return len(rest) == 0
	})
	if _, err := Dial(name); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("attached to what ended: %v", err)
	}
}

func TestStopAndCancel(t *testing.T) {
	for _, c := range []struct {
		ask  func(*Client)
		runs int
	}{{(*Client).Stop, 1}, {(*Client).Cancel, 0}} {
		db := setUp(t, fmt.Sprintf(stepping, 100000))
		name := spawn(t)
		one, other := dial(t, name), dial(t, name)
		upTo(t, one, 5)
		c.ask(one)
		for _, client := range []*Client{one, other} {
			for range client.Updates() {
			}
			if u := client.Wait(); !u.Done || client.Err() != nil {
				t.Errorf("%+v, %v", u, client.Err())
			}
		}
		s, err := store.OpenExisting(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		set, err := s.Load(t.Context())
		if err != nil || len(set.Runs) != c.runs {
			t.Errorf("%d runs, want %d; %v", len(set.Runs), c.runs, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A background probe that is killed is missed by its clients and no longer
// listed.
func TestKilledInTheBackground(t *testing.T) {
	setUp(t, fmt.Sprintf(stepping, 100000))
	name := spawn(t)
	c := dial(t, name)
	upTo(t, c, 5)
	if err := syscall.Kill(c.Entry().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range c.Updates() {
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "ended unexpectedly") {
		t.Errorf("%v", err)
	}
	if all, err := List(); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(socketPath(name), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := List(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(socketPath(name)); err == nil {
		t.Error("the socket of a killed probe stays")
	}
}

func TestCannotStart(t *testing.T) {
	setUp(t, "")
	if _, err := Spawn(t.Context(), []string{os.Args[0]}, []string{role + "=probe"}); err == nil ||
		err.Error() != "there is nothing to probe; name it" {
		t.Errorf("%v", err)
	}
	if _, err := Spawn(t.Context(), []string{"/nowhere/program"}, nil); err == nil ||
		!strings.Contains(err.Error(), "can't be started") {
		t.Errorf("%v", err)
	}
	if rest, err := os.ReadDir(Directory()); err != nil || len(rest) != 0 {
		t.Errorf("left behind: %v, %v", rest, err)
	}
	if _, err := Dial("../etc"); err == nil || !strings.Contains(err.Error(), "no background probe called") {
		t.Errorf("%v", err)
	}
}

// Without a home nothing is put where others could put a socket first.
func TestNoHome(t *testing.T) {
	setUp(t, fmt.Sprintf(stepping, 1))
	for _, home := range []string{"", "relative"} {
		t.Setenv("XDG_STATE_HOME", "")
		t.Setenv("HOME", home)
		t.Setenv("TMPDIR", t.TempDir())
		t.Chdir(t.TempDir())
		name, err := Spawn(t.Context(), []string{os.Args[0]}, []string{role + "=probe"})
		if err == nil || !strings.Contains(err.Error(), "HOME is not set; set it") {
			t.Errorf("%q, %v", name, err)
		}
		if err := Serve(nil, "abcdef", "x.db"); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
			t.Errorf("%v", err)
		}
		if all, err := List(); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
		if _, err := Dial("abcdef"); err == nil {
			t.Error("attached to a socket in nobody's folder")
		}
		for _, dir := range []string{os.Getenv("TMPDIR"), "."} {
			if rest, err := os.ReadDir(dir); err != nil || len(rest) != 0 {
				t.Errorf("left in %s: %v, %v", dir, rest, err)
			}
		}
	}
}

// What answers at a socket and is no probe of ours ends in a sentence.
func TestForeignSocket(t *testing.T) {
	setUp(t, "")
	if err := makeDirectory(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socketPath("abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, "{\"Name\":\"abcdef\"}\n{\"Seq\":1,\"Rows\":[{}]}\n\x1b[31mrubbish\n")
			_ = conn.Close()
		}
	}()
	c := dial(t, "abcdef")
	for range c.Updates() {
	}
	if err := c.Err(); !errors.Is(err, errOtherVersion) {
		t.Errorf("%v", err)
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited 30 s for %s", what)
}

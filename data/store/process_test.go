package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// roleVar makes the test binary play another process.
const roleVar = "SWEETSPOT_STORE_TEST_ROLE"

func TestMain(m *testing.M) {
	roles := map[string]func(path string) error{"recorder": playRecorder, "reader without rights": playReader}
	for name := range works {
		roles[name] = playWork(name)
	}
	if role, path, ok := strings.Cut(os.Getenv(roleVar), ":"); ok {
		if err := roles[role](path); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// player starts the test binary in a role and returns its output.
func player(t *testing.T, role, path string) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+role+":"+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	return cmd, out
}

// playRecorder makes an iteration every few milliseconds, as a training script
// would, saves what has come twice a second at least, and prints how many it
// has made and saved, and when.
func playRecorder(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	rec, err := s.Start(ctx, description())
	if err != nil {
		return err
	}
	fmt.Println("run", rec.ID())
	var waiting []Iteration
	saved := time.Now()
	for n := 0; ; n++ {
		waiting = append(waiting, Iteration{Index: n, Seconds: 0.003, Units: 32, T: float64(n)})
		fmt.Println("made", n+1, time.Now().UnixNano())
		if time.Since(saved) > time.Duration(100+rand.IntN(300))*time.Millisecond {
			if err := rec.Append(ctx, Batch{Iterations: waiting, Log: []LogLine{{Text: "still here"}}}); err != nil {
				return err
			}
			waiting, saved = waiting[:0], time.Now()
			fmt.Println("saved", n+1, saved.UnixNano())
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// life is what a killed recorder said while it lived.
type life struct {
	run    int64
	made   []made
	saved  int       // iterations whose save it saw done
	seen   time.Time // its last word
	killed time.Time
}

// made is how many iterations a recorder had made at a time.
type made struct {
	at time.Time
	n  int
}

func (l *life) hear(line string) error {
	var word string
	var n, nano int64
	if _, err := fmt.Sscanf(line, "run %d", &l.run); err == nil {
		return nil
	}
	if _, err := fmt.Sscanf(line, "%s %d %d", &word, &n, &nano); err != nil {
		return fmt.Errorf("the recorder says %q", line)
	}
	l.seen = time.Unix(0, nano)
	if word == "saved" {
		l.saved = int(n)
	} else {
		l.made = append(l.made, made{l.seen, int(n)})
	}
	return nil
}

// due is how many iterations must be there: all whose save was done, and all
// made a second before the kill, unless the machine itself held the recorder
// up (it speaks every few milliseconds).
func (l *life) due() int {
	due := l.saved
	if l.killed.Sub(l.seen) > 300*time.Millisecond {
		return due
	}
	for _, m := range l.made {
		if l.killed.Sub(m.at) >= time.Second {
			due = max(due, m.n)
		}
	}
	return due
}

// recordAndKill runs a recorder on path and kills it after some time.
func recordAndKill(t *testing.T, path string, after time.Duration) (life, error) {
	cmd, out := player(t, "recorder", path)
	if err := cmd.Start(); err != nil {
		return life{}, err
	}
	var l life
	var odd error
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return // a line the kill cut off counts for nothing
			}
			odd = errors.Join(odd, l.hear(strings.TrimSpace(line)))
		}
	}()
	time.Sleep(after)
	killed := time.Now()
	err := cmd.Process.Kill()
	<-done
	_ = cmd.Wait()
	l.killed = killed
	return l, errors.Join(err, odd)
}

// Fifty recorders are killed at random moments, several in turn on the same
// file. Each time the database opens, is sound, and holds everything made up
// to a second before the kill.
func TestKilledRecorders(t *testing.T) {
	const files, kills = 10, 5
	var wg sync.WaitGroup
	for f := range files {
		path := filepath.Join(t.TempDir(), "killed.db")
		wg.Go(func() {
			for k := range kills {
				after := time.Duration(20+rand.IntN(1700)) * time.Millisecond
				if k == 0 && f < 3 {
					after = time.Duration(rand.IntN(20)) * time.Millisecond // while the file is being made
				}
				l, err := recordAndKill(t, path, after)
				if err = errors.Join(err, checkAfterKill(path, l)); err != nil {
					t.Errorf("file %d, killed after %s: %v", f, after, err)
				}
			}
		})
	}
	wg.Wait()
}

func checkAfterKill(path string, l life) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	var verdict string
	if err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		return fmt.Errorf("integrity check: %s, %w", verdict, err)
	}
	if _, err := s.Load(ctx); err != nil || l.run == 0 { // no number: killed before the run began
		return err
	}
	its, err := s.Iterations(ctx, l.run)
	if err != nil {
		return err
	}
	if due := l.due(); len(its) < due {
		return fmt.Errorf("%d iterations are there, %d had been made a second before", len(its), due)
	}
	for i, it := range its {
		if it.Index != i {
			return fmt.Errorf("iteration %d is number %d: something in between is lost", i, it.Index)
		}
	}
	return nil
}

// One process writes while this one reads: every read is sound and complete
// up to its moment, and DataVersion tells of the commits.
func TestReaderBesideWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.db")
	reader := openAt(t, path)
	cmd, out := player(t, "recorder", path)
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if _, err := fmt.Fscanf(out, "run 1\n"); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()

	ctx := t.Context()
	version, err := reader.DataVersion(ctx)
	must(t, err)
	changes, last := 0, 0
	for deadline := time.Now().Add(30 * time.Second); changes < 4 &&
		time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		now, err := reader.DataVersion(ctx)
		must(t, err)
		if now == version {
			continue
		}
		version = now
		changes++
		set := loadSet(t, reader)
		its, err := reader.Iterations(ctx, 1)
		must(t, err)
		if len(set.Runs) != 1 || len(its) < last {
			t.Fatalf("%d runs, %d iterations after %d", len(set.Runs), len(its), last)
		}
		last = len(its)
	}
	if changes < 4 || last == 0 {
		t.Errorf("saw %d commits and %d iterations of the other process", changes, last)
	}
	// Both may write: a pick while the probe goes on.
	if _, err := reader.SavePick(ctx, Pick{Query: []byte("{}"), Candidate: []byte("{}")}); err != nil {
		t.Error(err)
	}
}

// playReader opens a database it may only read and says what it could do.
func playReader(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		fmt.Println("open:", err)
		return nil
	}
	defer s.Close()
	set, err := s.Load(ctx)
	if err != nil {
		fmt.Println("load:", err)
		return nil
	}
	_, err = s.Start(ctx, description())
	fmt.Printf("loaded %d runs; start: %v\n", len(set.Runs), err)
	return nil
}

// asNobody runs a role as a user without rights: root is bound by none.
func asNobody(t *testing.T, role, path string) string {
	t.Helper()
	cmd, out := player(t, role, path)
	if os.Geteuid() == 0 {
		exe := filepath.Join(filepath.Dir(path), "..", "store.test")
		text, err := os.ReadFile(cmd.Path)
		must(t, err)
		must(t, os.WriteFile(exe, text, 0o755))
		cmd.Path = exe
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	err := cmd.Start()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this root may not become another user (CAP_SETUID), so read-only files can't be tried")
	}
	must(t, err)
	said, err := io.ReadAll(out)
	must(t, err)
	must(t, cmd.Wait())
	return string(said)
}

// openToAll is a directory that other users can enter, below one for the
// program they run.
func openToAll(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("", "sweetspot-store")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	must(t, os.Chmod(base, 0o755))
	dir := filepath.Join(base, "db")
	must(t, os.Mkdir(dir, 0o755))
	return dir
}

func TestReadOnly(t *testing.T) {
	dir := openToAll(t)
	path := filepath.Join(dir, "sound.db")
	s := openAt(t, path)
	rec, err := s.Start(t.Context(), description())
	must(t, err)
	must(t, rec.Append(t.Context(), Batch{Iterations: series(10)}))

	// A copy made while the log was not yet folded into the file.
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + suffix)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "torn.db")+suffix, text, 0o444))
	}
	must(t, s.Close())
	must(t, os.Chmod(path, 0o444))
	must(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })

	if got := asNobody(t, "reader without rights", path); !strings.Contains(got, "loaded 1 runs") ||
		!strings.Contains(got, "read-only") {
		t.Errorf("a sound read-only database: %s", got)
	}
	if got := asNobody(t, "reader without rights", filepath.Join(dir, "torn.db")); !strings.Contains(got,
		"loaded 1 runs") && !strings.Contains(got, "-wal file") {
		t.Errorf("a read-only database with a log: %s", got)
	}
	if got := asNobody(t, "reader without rights", filepath.Join(dir, "new.db")); !strings.Contains(got,
		"can't be created") || !strings.Contains(got, "--db") {
		t.Errorf("a new database in a read-only directory: %s", got)
	}
	if got := asNobody(t, "reader without rights", filepath.Join(dir, "sub", "new.db")); !strings.Contains(got,
		"can't be created") || !strings.Contains(got, "--db") {
		t.Errorf("a new directory in a read-only one: %s", got)
	}
	must(t, os.Chmod(path, 0o600))
	if os.Geteuid() == 0 {
		if got := asNobody(t, "reader without rights", path); !strings.Contains(got, "permission") {
			t.Errorf("an unreadable database: %s", got)
		}
	}
}

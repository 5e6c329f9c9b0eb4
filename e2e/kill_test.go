package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// sent is how many iterations a script had sent at a moment.
type sent struct {
	at time.Time
	n  int
}

// due is how many iterations must be kept: all that were sent a second before
// the kill. Where the machine itself held the script up until the kill (it
// speaks every few milliseconds), it may have held up the program as well, and
// nothing can be said.
func due(diary []sent, killed time.Time) int {
	if len(diary) == 0 || killed.Sub(diary[len(diary)-1].at) > 300*time.Millisecond {
		return 0
	}
	n := 0
	for _, s := range diary {
		if killed.Sub(s.at) >= time.Second {
			n = max(n, s.n)
		}
	}
	return n
}

// readDiary reads what an emitter noted; a line the kill cut off is not there.
func readDiary(path string) (pid int, diary []sent) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, nil // killed before it was made
	}
	for line := range strings.Lines(string(text)) {
		var n int
		var nano int64
		switch {
		case !strings.HasSuffix(line, "\n"):
		case strings.HasPrefix(line, "pid"):
			_, _ = fmt.Sscanf(line, "pid %d", &pid)
		default:
			if _, err := fmt.Sscanf(line, "sent %d %d", &n, &nano); err == nil {
				diary = append(diary, sent{time.Unix(0, nano), n})
			}
		}
	}
	return pid, diary
}

// keeps checks that the newest run of a database holds at least so many
// iterations, and those without a gap.
func keeps(path string, want int) error {
	db, err := database(path)
	if errors.Is(err, os.ErrNotExist) && want == 0 {
		return nil // killed before the file was made
	}
	if err != nil {
		return err
	}
	defer db.Close()
	var tables int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name IN ('runs', 'iterations')").Scan(
		&tables); err != nil || tables == 0 && want == 0 {
		return err
	}
	var have, last int
	if err := db.QueryRow("SELECT count(*), coalesce(max(seq) + 1, 0) FROM iterations WHERE run_id = (SELECT "+
		"max(id) FROM runs)").Scan(&have, &last); err != nil {
		return err
	}
	if have < want || have != last {
		return fmt.Errorf("%d iterations are kept, the last is number %d, and %d had been sent a second before",
			have, last, want)
	}
	return nil
}

func probeCommand(user home, db, diary string, flags ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	args := append([]string{"probe", "--db", db, "--no-tui"}, flags...)
	cmd := exec.Command(program, append(args, "--", self)...)
	cmd.Env = user.env(roleVar + "=emitter:" + diary)
	return cmd
}

// probeAndKill starts a probe, kills the program some time after its start, or after its
// script's first iteration, and checks what is left. It returns how many iterations had to
// be there.
func probeAndKill(user home, db, diary string, after time.Duration, begun bool) (int, error) {
	cmd := probeCommand(user, db, diary, "--keep-running")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	for deadline := time.Now().Add(timeout); begun && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, notes := readDiary(diary); len(notes) > 0 {
			break
		}
	}
	time.Sleep(after)
	killed := time.Now()
	err := cmd.Process.Kill()
	state, _ := cmd.Process.Wait()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && !status.Signaled() {
		return 0, fmt.Errorf("it ended before the kill: %s", said.String())
	}
	pid, notes := readDiary(diary)
	for deadline := time.Now().Add(timeout); pid != 0 && alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return 0, errors.New("the script runs on")
		}
	}
	want := due(notes, killed)
	return want, errors.Join(err, keeps(db, want))
}

// Forty-four probes are killed from the command line at random moments, four
// in turn on the same file. Each time the database is sound and holds
// everything sent up to a second before, and the next probe goes on with it.
func TestKilledProbes(t *testing.T) {
	t.Parallel()
	const files, kills, atOnce = 11, 4, 4
	var wg sync.WaitGroup
	var judged atomic.Int32
	slots := make(chan struct{}, atOnce)
	for range files {
		user := newHome(t)
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			db := filepath.Join(user.dir, "killed.db")
			for k := range kills {
				begun, after := k > 0, time.Duration(500+rand.IntN(1500))*time.Millisecond
				if !begun {
					after = time.Duration(rand.IntN(80)) * time.Millisecond // while file and script are being made
				}
				want, err := probeAndKill(user, db, filepath.Join(user.dir, fmt.Sprint("diary", k)), after, begun)
				if err != nil {
					t.Errorf("killed after %s: %v", after, err)
				}
				if want > 0 {
					judged.Add(1)
				}
			}
			if out, err := probeCommand(user, db, filepath.Join(user.dir, "diary"), "--max-steps",
				"30").CombinedOutput(); err != nil {
				t.Errorf("no probe after the kills: %v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if n := judged.Load(); n < 15 {
		t.Errorf("only %d kills came late enough for anything to be due", n)
	}
}

// Six more kills: of the screens while a probe with real PyTorch runs. What
// the screen had counted a second before must be kept.
func TestKilledScreens(t *testing.T) {
	t.Parallel()
	needTorch(t)
	const kills, atOnce = 6, 2
	slots := make(chan struct{}, atOnce)
	for range kills {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			s := start(t, 120, 40)
			s.probing()
			var seen []sent
			end := time.Now().Add(time.Duration(900+rand.IntN(1700)) * time.Millisecond)
			for time.Now().Before(end) {
				if n := iterations(s.screen()); n > 0 {
					seen = append(seen, sent{time.Now(), n})
				}
				time.Sleep(20 * time.Millisecond)
			}
			pid := s.pid()
			probe := children(t, pid)
			killed := time.Now()
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			gone(t, append(probe, pid))
			if err := keeps(s.home.profiles(), due(seen, killed)); err != nil {
				t.Error(err)
			}
			again := startAt(t, s.home, nil, 80, 24)
			again.waitFor("168 of 168", timeout)
			again.keys("q")
			again.left(0)
		})
	}
}

// A probe whose output nobody reads any more goes on and is saved. Its script is
// ended by a closed pipe as usual.
func TestProbeOutlivesItsReader(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	db := filepath.Join(user.dir, "piped.db")
	const script = `echo one; echo two; yes | head -n 1 >/dev/null; for i in 1 2 3 4 5 6 7 8 9; do echo $i; ` +
		`echo '{"sweetspot":1,"event":"iteration","seconds":0.01}'; sleep 0.1; done`
	cmd := exec.Command("sh", "-c", `"$0" probe --db "$1" -- sh -c "$2" 2>&1 | head -n 1`, program, db, script)
	if got := finish(t, cmd, user.env()); !strings.Contains(got.out, "one") {
		t.Errorf("%+v", got)
	}
	if err := keeps(db, 9); err != nil {
		t.Error(err)
	}
	opened, err := database(db)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var status string
	var broken int
	if err := opened.QueryRow("SELECT status, (SELECT count(*) FROM log_lines WHERE text LIKE '%pipe%') FROM runs").Scan(
		&status, &broken); err != nil || status != "done" || broken != 0 {
		t.Errorf("status %q, %d lines about the pipe, %v", status, broken, err)
	}
}

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a file system of its own with so many bytes free.
func smallDisk(t testing.TB, free int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); errors.Is(err, syscall.EPERM) ||
		errors.Is(err, syscall.EACCES) {
		t.Skip("this user may not mount a small file system (CAP_SYS_ADMIN), so a full disk can't be tried")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 1<<20-free), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sentence checks that a command failed with one sentence on its last line.
func sentence(t testing.TB, s said, holds ...string) {
	t.Helper()
	all := strings.Split(strings.TrimSpace(s.stderr), "\n")
	last := all[len(all)-1]
	if s.code != 1 || strings.Contains(s.stderr, "panic") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	for _, want := range holds {
		if !strings.Contains(last, want) {
			t.Errorf("the last line has no %q: %s", want, s.stderr)
		}
	}
}

// The disk fills up while a probe runs: it ends with a sentence, what was saved
// before is kept and sound, and with space again the next probe goes on in the
// same file.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	disk := smallDisk(t, 420<<10)
	db := filepath.Join(disk, "runs.db")
	cmd := probeCommand(user, db, filepath.Join(user.dir, "diary"), "--keep-running", "--max-seconds", "120s")
	sentence(t, finish(t, cmd, cmd.Env), "disk", "full", "space")
	file := sound(t, db)
	kept := single[int](t, file, "SELECT count(*) FROM iterations")
	if last := single[int](t, file, "SELECT coalesce(max(seq) + 1, 0) FROM iterations"); kept == 0 || kept != last {
		t.Errorf("%d iterations are kept, the last is number %d", kept, last)
	}
	if err := os.Remove(filepath.Join(disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	cmd = probeCommand(user, db, filepath.Join(user.dir, "diary"), "--max-steps", "30")
	if s := finish(t, cmd, cmd.Env); s.code != 0 {
		t.Errorf("no probe once there was space again: %+v", s)
	}
	if n := single[int](t, file, "SELECT count(*) FROM runs WHERE status = 'done'"); n != 1 {
		t.Errorf("%d runs are done", n)
	}
	if n := single[int](t, file, "SELECT count(*) FROM iterations WHERE run_id = 1"); n != kept {
		t.Errorf("of %d iterations %d are left", kept, n)
	}
}

// There is no space from the start.
func TestFullDiskAtStart(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	cmd := probeCommand(user, filepath.Join(smallDisk(t, 8<<10), "runs.db"), filepath.Join(user.dir, "diary"))
	sentence(t, finish(t, cmd, cmd.Env), "full", "space")
}

// hostileScripts are what a harness may do wrong; each says whether the probe
// still comes to an answer, and what is said of it.
var hostileScripts = map[string]struct {
	script string
	code   int
	says   []string
}{
	"nothing but garbage": {`head -c 300000 /dev/urandom >&3; head -c 300000 /dev/urandom; exit 0`, 1,
		[]string{"and no iteration was seen"}},
	"NaN and worse": {`i=0; while [ $i -lt 30 ]; do for v in NaN Infinity -1 1e400 '"0.1"' null; do
		echo "{\"sweetspot\":1,\"event\":\"iteration\",\"seconds\":$v}" >&3; done; i=$((i+1)); done`, 1,
		[]string{"and no iteration was seen"}},
	"NaN between sound events": {`i=0; while [ $i -lt 40 ]; do echo '{"sweetspot":1,"event":"iteration","seconds":NaN}' >&3
		echo '{"sweetspot":1,"event":"iteration","seconds":0.01}' >&3; i=$((i+1)); done`, 0, []string{"NaN"}},
	"lines of 2 MiB": {`head -c 2097152 /dev/zero | tr '\0' x >&3; echo >&3
		head -c 2097152 /dev/zero | tr '\0' x; echo
		printf '{"sweetspot":1,"event":"model","name":"' >&3; head -c 2097152 /dev/zero | tr '\0' y >&3; echo '"}' >&3
		i=0; while [ $i -lt 40 ]; do echo '{"sweetspot":1,"event":"iteration","seconds":0.01}' >&3; i=$((i+1)); done`, 0,
		[]string{"longer than 1 MiB"}},
	"control characters": {`printf '{"sweetspot":1,"event":"model","name":"\\u001b]0;owned\\u0007evil"}\n' >&3; printf '\033]0;owned\007\033[2J\n'
		i=0; while [ $i -lt 40 ]; do echo '{"sweetspot":1,"event":"iteration","seconds":0.01}' >&3; i=$((i+1)); done`, 0,
		[]string{"\x1b]0;owned\a\x1b[2J\n"}}, // its own output, as it would be without a probe
	"it kills itself": {`i=0; while [ $i -lt 9 ]; do echo '{"sweetspot":1,"event":"iteration","seconds":0.01}' >&3; ` +
		`i=$((i+1)); done; kill -9 $$`, 1, []string{"SIGKILL"}},
}

func TestHostileScripts(t *testing.T) {
	t.Parallel()
	for name, c := range hostileScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := newHome(t)
			s := finish(t, exec.Command(program, "probe", "--json", "--", "sh", "-c", c.script), user.env())
			if s.code != c.code || strings.Contains(s.out+s.stderr, "panic") || strings.ContainsAny(s.out, "\x1b\x07") {
				t.Errorf("exit code %d: %.600q", s.code, s.out+s.stderr)
			}
			for _, want := range c.says {
				if !strings.Contains(s.out+s.stderr, want) {
					t.Errorf("nothing says %q: %.600s", want, s.stderr)
				}
			}
			if s.out != "" && !json.Valid([]byte(s.out)) {
				t.Errorf("no JSON: %.300s", s.out)
			}
			db := sound(t, user.profiles())
			want := map[int]string{0: "done", 1: "failed"}[c.code]
			if status := single[string](t, db, "SELECT status FROM runs"); status != want {
				t.Errorf("the run is %s, not %s", status, want)
			}
		})
	}
}

// A cap that comes before the first iteration leaves nothing to go by.
func TestCapBeforeTheFirstIteration(t *testing.T) {
	t.Parallel()
	user := newHome(t)
	sentence(t, run(t, user, "probe", "--max-seconds", "1s", "--", "sleep", "60"), "cap",
		"before the end of the first iteration", "--pattern")
	if status := single[string](t, sound(t, user.profiles()), "SELECT status FROM runs"); status != "failed" {
		t.Errorf("the run is %s", status)
	}
}

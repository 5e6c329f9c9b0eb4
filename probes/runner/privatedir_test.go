package runner

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

func filed(t *testing.T, script string, grace time.Duration) (p *Process, dir string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	files := fstest.MapFS{"bin/greet": {Data: []byte("echo '{\"greeting\":1}' >> \"$SWEETSPOT_EVENTS_PATH\"\n")}}
	p, err := Start(t.Context(), Command{
		Argv: []string{"/bin/sh", "-c", script, "sh", Directory}, Env: []string{"PLACE=" + Directory + "/bin"}, Files: files,
		Grace: grace,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, p.dir.dir
}

func TestFilesAreThereWhileTheCommandRuns(t *testing.T) {
	p, dir := filed(t, `[ "$PLACE" = "$1/bin" ] && echo one >&3 && exec 3>&- && sh "$PLACE/greet" && sh "$PLACE/greet"`, 0)
	go func() { _, _ = io.Copy(io.Discard, p.Stderr()) }()
	go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }()
	events, err := io.ReadAll(p.Events())
	if err != nil || string(events) != "one\n"+strings.Repeat("{\"greeting\":1}\n", 2) {
		t.Errorf("events %q, %v", events, err)
	}
	if exit := p.Wait(); exit.Code != 0 {
		t.Errorf("exit %+v", exit)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", dir, err)
	}
}

// A script that watches the control file ends by itself; one that does not is
// interrupted at once.
func TestControlComesBeforeSignals(t *testing.T) {
	watch := `printf '\001' | dd of="$SWEETSPOT_CONTROL" bs=1 seek=1 conv=notrunc 2>/dev/null
trap 'exit 9' INT; echo ready
		while [ "$(od -An -tu1 -N1 "$SWEETSPOT_CONTROL" | tr -d ' ')" = 0 ]; do sleep 0.02; done; exit 4`
	ignore := `trap 'exit 9' INT; echo ready; while :; do sleep 0.02; done`
	for name, c := range map[string]struct {
		script string
		want   int
	}{"watched": {watch, 4}, "not watched": {ignore, 9}} {
		t.Run(name, func(t *testing.T) {
			p, _ := filed(t, c.script, 0)
			go func() { _, _ = io.Copy(io.Discard, p.Events()) }()
			go func() { _, _ = io.Copy(io.Discard, p.Stderr()) }()
			one := make([]byte, 6)
			if _, err := io.ReadFull(p.Stdout(), one); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }()
			p.StopWithin(5 * time.Second)
			if exit := p.Wait(); exit.Code != c.want {
				t.Errorf("exit %+v, want %d", exit, c.want)
			}
		})
	}
}

// A directory whose lock nobody holds is stale.
func TestRoomsOfTheKilledAreSwept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	living, err := newPrivateDir(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	defer living.remove()
	dead, err := newPrivateDir(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.lock.Close() // as a kill does
	young := filepath.Join(os.TempDir(), dirPrefix+"young")
	if err := os.Mkdir(young, 0o700); err != nil {
		t.Fatal(err)
	}
	removeStale()
	for dir, want := range map[string]bool{living.dir: true, dead.dir: false, young: true} {
		if _, err := os.Stat(dir); os.IsNotExist(err) == want {
			t.Errorf("%s: %v, should be there: %t", dir, err, want)
		}
	}
}

// A directory that is being made is never taken for a stale one, however many others look for these.
func TestManyMakeDirectoriesAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	files := fstest.MapFS{"steps.py": {Data: []byte("pass\n")}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				d, err := newPrivateDir(files)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(filepath.Join(d.dir, "steps.py")); err != nil {
					t.Error(err)
				}
				d.remove()
			}
		})
	}
	all.Wait()
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	_, err := Start(t.Context(), Command{Argv: []string{"true"}, Files: fstest.MapFS{}})
	if err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("%v", err)
	}
}

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Control is the layout of the file, 16 bytes, that sweetspot shares with a
// script it hooks into. At [ControlStop] sweetspot writes 1 to request a stop;
// at [ControlWatched] the script writes 1 once it checks for that at every step
// boundary. At [ControlStep] data-parallel rank 0 writes the step after which
// all ranks end, as a little-endian 64-bit number.
type Control [16]byte

// Offsets in [Control].
const (
	ControlStop    = 0
	ControlWatched = 1
	ControlStep    = 8
)

const (
	dirPrefix = "sweetspot-probe-"
	lockName  = "lock"
	// Directory in the arguments and the environment of a command stands for
	// the directory of its files. No user writes it by chance.
	Directory = "{sweetspot-dir}"
)

// privateDir is the private directory of a command with its own files. A nil
// one is empty.
type privateDir struct {
	dir  string
	lock *os.File // held while the directory is used
}

// newPrivateDir writes the files and creates the FIFO for events and the control file.
func newPrivateDir(files fs.FS) (d *privateDir, err error) {
	removeStale()
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return nil, fmt.Errorf("can't create a temporary directory for the probe: %w; set TMPDIR to a writable one", err)
	}
	d = &privateDir{dir: dir}
	d.lock, err = newLock(dir)
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err == nil {
		err = syscall.Mkfifo(d.fifo(), 0o600)
	}
	if err == nil {
		var empty Control
		err = os.WriteFile(d.control(), empty[:], 0o600)
	}
	if err != nil {
		d.remove()
		return nil, fmt.Errorf("the files of the probe could not be written to %s: %w; free space there or set TMPDIR",
			filepath.Dir(dir), err)
	}
	return d, nil
}

// newLock makes the lock of a directory. It gets its name once it is held:
// [removeStale], of another process, would take it for one that was released.
func newLock(dir string) (*os.File, error) {
	unnamed := filepath.Join(dir, lockName+".new")
	f, err := takeLock(unnamed, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(unnamed, filepath.Join(dir, lockName)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// takeLock opens a file and locks it, unless another process has.
func takeLock(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeStale removes the directories of processes that were killed: their
// locks are released.
func removeStale() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	for _, dir := range found {
		if f, err := takeLock(filepath.Join(dir, lockName), 0); err == nil {
			_ = os.RemoveAll(dir)
			_ = f.Close()
		}
	}
}

func (d *privateDir) fifo() string    { return filepath.Join(d.dir, "events") }
func (d *privateDir) control() string { return filepath.Join(d.dir, "control") }

func (d *privateDir) env() []string {
	if d == nil {
		return nil
	}
	return []string{PathVariable + "=" + d.fifo(), ControlVariable + "=" + d.control()}
}

// place replaces [Directory] in the words.
func (d *privateDir) place(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(w, Directory, d.dir)
	}
	return out
}

// askToStop writes the request and reports whether the command watches for it.
func (d *privateDir) askToStop() bool {
	if d == nil {
		return false
	}
	f, err := os.OpenFile(d.control(), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	var c Control
	if _, err := f.ReadAt(c[:], 0); err != nil {
		return false
	}
	_, err = f.WriteAt([]byte{1}, ControlStop)
	return err == nil && c[ControlWatched] == 1
}

func (d *privateDir) remove() {
	if d == nil {
		return
	}
	_ = os.RemoveAll(d.dir)
	if d.lock != nil {
		_ = d.lock.Close()
	}
}

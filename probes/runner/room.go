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

// Control is the layout of the file that sweetspot and a script it hooks into
// share, 16 bytes. At [ControlStop] sweetspot writes 1 to ask for a stop; at
// [ControlWatched] the script writes 1 once it looks for that at every step
// boundary. At [ControlStep] data-parallel rank 0 writes, as a little-endian
// 64-bit number, the step after which all ranks end.
type Control [16]byte

// Offsets in [Control].
const (
	ControlStop    = 0
	ControlWatched = 1
	ControlStep    = 8
)

const (
	roomPrefix = "sweetspot-probe-"
	lockName   = "lock"
	// Directory in the words and the environment of a command stands for the
	// directory of its files. No user writes it by chance.
	Directory = "{sweetspot-dir}"
)

// room is the private directory of a command with files of its own. A nil room
// has nothing.
type room struct {
	dir  string
	lock *os.File // held as long as the room is used
}

// newRoom writes the files and makes the FIFO for events and the control file.
func newRoom(files fs.FS) (r *room, err error) {
	sweep()
	dir, err := os.MkdirTemp("", roomPrefix)
	if err != nil {
		return nil, fmt.Errorf("no temporary directory for the probe: %w; set TMPDIR to one that can be written", err)
	}
	r = &room{dir: dir}
	r.lock, err = takeLock(filepath.Join(dir, lockName), os.O_CREATE)
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err == nil {
		err = syscall.Mkfifo(r.fifo(), 0o600)
	}
	if err == nil {
		var empty Control
		err = os.WriteFile(r.control(), empty[:], 0o600)
	}
	if err != nil {
		r.remove()
		return nil, fmt.Errorf("the files of the probe could not be written to %s: %w; free space there or set TMPDIR", filepath.Dir(dir), err)
	}
	return r, nil
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

// sweep removes the rooms of processes that were killed: their locks went with
// them.
func sweep() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), roomPrefix+"*"))
	for _, dir := range found {
		if f, err := takeLock(filepath.Join(dir, lockName), 0); err == nil {
			_ = os.RemoveAll(dir)
			_ = f.Close()
		}
	}
}

func (r *room) fifo() string    { return filepath.Join(r.dir, "events") }
func (r *room) control() string { return filepath.Join(r.dir, "control") }

func (r *room) env() []string {
	if r == nil {
		return nil
	}
	return []string{PathVariable + "=" + r.fifo(), ControlVariable + "=" + r.control()}
}

// place puts the directory where the words ask for it.
func (r *room) place(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(w, Directory, r.dir)
	}
	return out
}

// askToStop writes the request and reports whether someone watches for it.
func (r *room) askToStop() bool {
	if r == nil {
		return false
	}
	f, err := os.OpenFile(r.control(), os.O_RDWR, 0)
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

func (r *room) remove() {
	if r == nil {
		return
	}
	_ = os.RemoveAll(r.dir)
	if r.lock != nil {
		_ = r.lock.Close()
	}
}

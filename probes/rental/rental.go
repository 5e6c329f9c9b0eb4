// Package rental rents VMs for probes: it writes the script that does it into a private
// folder, runs it, and knows which VMs may have been left behind.
package rental

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"sweetspot/data/launch"
	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
)

// NewName is a name for a VM that no other has.
func NewName() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return "sweetspot-" + hex.EncodeToString(b[:])
}

var nameForm = regexp.MustCompile(`^sweetspot-[0-9a-f]{8}$`)

// Directory holds a folder for each rental: $XDG_STATE_HOME/sweetspot/rentals.
func Directory() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("a rental has no place for its script (%w): set HOME or XDG_STATE_HOME", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sweetspot", "rentals"), nil
}

// note is kept beside the script, in JSON.
type note struct {
	VM       string  `json:"vm"`         // its type
	Lifetime float64 `json:"lifetime_s"` // at most
}

const noteFile = "rental.json"

// Write writes the script that does it all, with what it reads, and returns its path.
func Write(t *launch.Renter, r launch.Rental) (script string, err error) {
	files, err := t.Files(r)
	if err != nil {
		return "", err
	}
	about, err := json.Marshal(note{r.VM.InstanceType, r.Lifetime().Seconds()})
	if err != nil {
		return "", err
	}
	files[noteFile] = string(about) + "\n"
	root, err := Directory()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, r.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unwritten(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", unwritten(err)
		}
	}
	return filepath.Join(dir, launch.RentalScript), nil
}

func unwritten(err error) error {
	return fmt.Errorf("the script that rents cannot be written: %w; free space, or set XDG_STATE_HOME to "+
		"another folder", err)
}

// Check says what is missing to run the tool's scripts.
func Check(t *launch.Renter) error {
	for _, program := range []string{t.Program, "bash", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("there is no program %q on the PATH, which renting with %s needs: install it", program, t)
		}
	}
	return nil
}

// Run runs a script. When ctx ends, the script is asked to end its VM at once, and waited
// for. A script that survives this process ends its VM by itself.
func Run(ctx context.Context, script string, stdout, stderr io.Writer) error {
	cmd := exec.Command("bash", script)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is for this process
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("bash could not be started: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) }) // it may have ended
	defer stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return fmt.Errorf("the rental ended with code %d; what was measured is saved, and the log is %s",
			exit.ExitCode(), plaintext.Clean(filepath.Join(filepath.Dir(script), "log")))
	}
	return err
}

// Leftover is a VM that was rented, and of which it is not known that it has ended.
type Leftover struct {
	Name, VM string    // VM is its type
	Until    time.Time // when its limit has ended it
	End      string    // the command, for a shell, that ends it
}

// Leftovers lists VMs whose script was killed, or could not end them.
func Leftovers() ([]Leftover, error) {
	root, err := Directory()
	if err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the rented VMs cannot be listed: %w; make the folder readable", err)
	}
	var out []Leftover
	for _, f := range folders {
		dir := filepath.Join(root, f.Name())
		started, err := os.Stat(filepath.Join(dir, "started"))
		if err != nil || !nameForm.MatchString(f.Name()) || isThere(filepath.Join(dir, "ended")) {
			continue
		}
		var about note
		if text, err := os.ReadFile(filepath.Join(dir, noteFile)); err == nil {
			_ = json.Unmarshal(text, &about) // what cannot be read is unknown
		}
		lifetime := time.Duration(about.Lifetime * float64(time.Second))
		out = append(out, Leftover{f.Name(), plaintext.Clean(about.VM), started.ModTime().Add(lifetime),
			shellwords.Join([]string{"bash", filepath.Join(dir, launch.RentalScript), "end"})})
	}
	slices.SortFunc(out, func(a, b Leftover) int { return a.Until.Compare(b.Until) })
	return out, nil
}

// String says that it may still run, and until when.
func (l Leftover) String() string {
	if time.Now().After(l.Until) {
		return fmt.Sprintf("%s (%s) was never seen to end; its limit was %s", l.Name, l.VM,
			l.Until.Format("2006-01-02 15:04"))
	}
	return fmt.Sprintf("%s (%s) may still run, by its limit until %s", l.Name, l.VM, l.Until.Format("15:04"))
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// A Folder is where databases leave their bundles for each other.
type Folder interface {
	// List names the bundles that are there.
	List(ctx context.Context) ([]string, error)
	// Fetch calls take with the bundles of these names that can be read, in any order. A bundle
	// that cannot be is given with an error in place of its content.
	Fetch(ctx context.Context, names []string, take func(name string, content []byte, err error) error) error
	// Add writes a bundle, all of it or nothing.
	Add(ctx context.Context, name string, content []byte) error
}

// Directory is a folder of this machine, or one that is mounted there.
type Directory struct{ Path string }

// partPrefix begins the names of bundles that are being written.
const partPrefix = ".part-"

// staleAfter is the age at which a part is what a killed sync left behind.
const staleAfter = 24 * time.Hour

func (d Directory) name() string { return plaintext.Cut(plaintext.Clean(d.Path), 300) }

// failed says what could not be done.
func (d Directory) failed(what string, err error) error {
	return fmt.Errorf("%s can't be %s (%v); check that it is a folder that you may read and write, with room on its disk",
		d.name(), what, textfile.Cause(err))
}

// astray is the error of a path that leads nowhere.
func (d Directory) astray() error {
	return fmt.Errorf("%s can't be created: the folder that it would be in is not there; check the path, or make "+
		"that folder", d.name())
}

// List names the bundles; of a folder that is not there, but can be made, none.
func (d Directory) List(context.Context) (names []string, err error) {
	entries, err := os.ReadDir(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(filepath.Clean(d.Path))); errors.Is(err, fs.ErrNotExist) {
			return nil, d.astray()
		}
		return nil, nil
	}
	if err != nil {
		return nil, d.failed("read", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partPrefix) {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
				_ = os.Remove(filepath.Join(d.Path, e.Name())) // another's may not be ours to remove
			}
		}
		if IsName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, TooMany(d.name(), len(names))
}

// TooMany refuses a folder with more bundles than any use makes.
func TooMany(folder string, n int) error {
	if n > MaxBundles {
		return fmt.Errorf("%s holds %d bundles, more than %d; sync in a new folder", folder, n, MaxBundles)
	}
	return nil
}

// Fetch reads bundles one by one.
func (d Directory) Fetch(ctx context.Context, names []string, take func(string, []byte, error) error) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		content, err := d.read(name)
		if err := take(name, content, err); err != nil {
			return err
		}
	}
	return nil
}

func (d Directory) read(name string) ([]byte, error) {
	f, err := os.Open(filepath.Join(d.Path, name))
	if err != nil {
		return nil, Unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, Unreadable(errors.New("it is no file"))
	}
	if info.Size() > MaxBytes {
		return nil, TooLarge(info.Size())
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxBytes))
	if err != nil {
		return nil, Unreadable(err)
	}
	return content, nil
}

// Unreadable is an error of a bundle that could not be read.
func Unreadable(err error) error {
	return &Error{What: fmt.Sprintf("it can't be read (%v)", textfile.Cause(err)), Mend: "allow reading it and sync again"}
}

// TooLarge is an error of a bundle that is larger than any that is written.
func TooLarge(size int64) error {
	return &Error{What: fmt.Sprintf("it has %d MiB, more than the %d that are read", size>>20, MaxBytes>>20),
		Mend: "delete that file if you do not know who wrote it"}
}

// Add writes a file under another name, waits until it is on the disk, and renames it. A new
// folder is open to nobody else; in one that a group may read, the group may read bundles too.
// Only the last folder of a path is made: what else is missing may be a slip, or not mounted.
func (d Directory) Add(_ context.Context, name string, content []byte) (err error) {
	err = os.Mkdir(d.Path, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		return d.astray()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return d.failed("created", err)
	}
	part, err := os.CreateTemp(d.Path, partPrefix+"*")
	if err != nil {
		return d.failed("written", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name())
			err = d.failed("written", err)
		}
	}()
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(d.Path); err == nil && info.Mode()&0o050 == 0o050 {
		mode |= 0o040
	}
	_, err = part.Write(content)
	err = errors.Join(err, part.Chmod(mode), part.Sync(), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), filepath.Join(d.Path, name))
	}
	syncFolder(d.Path)
	return err
}

// syncFolder makes a new name last, where the file system can.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

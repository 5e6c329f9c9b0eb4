package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"sweetspot/data/textfile"
)

// Backup writes a copy of the database, as it is at this moment, to a new file
// and returns its size in bytes. A file that is there already is refused; where
// anything fails, none is left.
func (s *Store) Backup(ctx context.Context, path string) (size int64, err error) {
	to, err := at(path)
	if err != nil {
		return 0, err
	}
	if _, err := os.Lstat(to.path); err == nil {
		return 0, to.taken()
	}
	// The name is given only to a copy that is whole.
	removeStale(filepath.Dir(to.path))
	dir, err := os.MkdirTemp(filepath.Dir(to.path), partPrefix)
	if err != nil {
		return 0, fmt.Errorf("%s can't be created (%v); check that its directory is there and can be written",
			to.name, textfile.Cause(err))
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if held, err := hold(dir); err == nil {
		defer held.Close()
	}
	part := filepath.Join(dir, "part.db")
	if err := s.copyTo(ctx, part); err != nil {
		return 0, err
	}
	if size, err = settle(part); err != nil {
		return 0, fmt.Errorf("%s can't be written (%v); check the disk", to.name, textfile.Cause(err))
	}
	reserved, err := os.OpenFile(to.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, to.taken()
	case err != nil:
		return 0, fmt.Errorf("%s can't be created (%v); choose another place", to.name, textfile.Cause(err))
	}
	if err := errors.Join(reserved.Close(), os.Rename(part, to.path)); err != nil {
		_ = os.Remove(to.path)
		return 0, fmt.Errorf("%s can't be written (%v); choose another place", to.name, textfile.Cause(err))
	}
	return size, nil
}

// partPrefix begins the names of folders in which copies are made.
const partPrefix = ".sweetspot-backup-"

// hold locks a folder until it is closed or the process ends, unless another has.
func hold(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeStale removes what killed backups have left in a folder.
func removeStale(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), partPrefix) {
			continue
		}
		dir := filepath.Join(folder, e.Name())
		if held, err := hold(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = held.Close()
		}
	}
}

func (s *Store) taken() error { return fmt.Errorf("%s exists already: give another name", s.name) }

// copyTo has SQLite write a copy to a file that is not there.
func (s *Store) copyTo(ctx context.Context, path string) error {
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return s.explain("be read", err)
	}
	defer conn.Close()
	// The copy is a database of its own that readers else may not write. This one
	// is open for reading only, whatever the pragma says.
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = off"); err != nil {
		return s.explain("be read", err)
	}
	_, err = conn.ExecContext(ctx, "VACUUM INTO ?", path)
	_, back := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA query_only = on")
	return s.explain("be copied", errors.Join(err, back))
}

// settle makes a file private, waits until it is on the disk and returns its size.
func settle(path string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := errors.Join(f.Chmod(0o600), f.Sync()); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

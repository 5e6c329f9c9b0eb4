package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	dir, err := os.MkdirTemp(filepath.Dir(to.path), ".sweetspot-backup-")
	if err != nil {
		return 0, fmt.Errorf("%s can't be created (%v); check that its directory is there and can be written",
			to.name, cause(err))
	}
	defer func() { _ = os.RemoveAll(dir) }()
	part := filepath.Join(dir, "part.db")
	if err := s.copyTo(ctx, part); err != nil {
		return 0, err
	}
	if size, err = settle(part); err != nil {
		return 0, fmt.Errorf("%s can't be written (%v); check the disk", to.name, cause(err))
	}
	reserved, err := os.OpenFile(to.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, to.taken()
	case err != nil:
		return 0, fmt.Errorf("%s can't be created (%v); choose another place", to.name, cause(err))
	}
	if err := errors.Join(reserved.Close(), os.Rename(part, to.path)); err != nil {
		_ = os.Remove(to.path)
		return 0, fmt.Errorf("%s can't be written (%v); choose another place", to.name, cause(err))
	}
	return size, nil
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

// cause is what the system says, without paths.
func cause(err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		return at.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

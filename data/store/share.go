package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sweetspot/data/textfile"
)

// HasDefault reports whether there is a default database, or another machine has left bundles
// of one on a network disk.
func HasDefault() bool {
	s, err := at("")
	if err != nil {
		return false // saving says what is wrong
	}
	_, err = os.Stat(s.path)
	return !errors.Is(err, fs.ErrNotExist) || s.share != nil && s.shareHolds()
}

// formerPath is where earlier versions had the default database, on the network disk.
func (s *Store) formerPath() string { return filepath.Join(filepath.Dir(s.share.Path), "profiles.db") }

// shareHolds reports whether the network disk has anything for a new database.
func (s *Store) shareHolds() bool {
	for _, path := range []string{s.share.Path, s.formerPath()} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// arrive reads what other machines have left on the network disk, and leaves what they do not
// have. What goes wrong is a warning: the database is here all the same.
func (s *Store) arrive(ctx context.Context) {
	if s.share == nil || s.write == nil {
		return
	}
	if err := s.takeFormer(ctx); err != nil {
		s.warnings = append(s.warnings, "the runs of "+display(s.formerPath())+" are not here: "+err.Error())
	}
	done, err := s.Sync(ctx, *s.share)
	s.warnings = append(s.warnings, done.Warnings...)
	if err != nil && ctx.Err() == nil {
		s.warnings = append(s.warnings, "your runs could not be exchanged over the network disk: "+err.Error())
	}
	s.changes = s.totalChanges()
}

// leave leaves on the network disk what was changed since; the next opening does what fails.
func (s *Store) leave() {
	if s.share == nil || s.write == nil || s.totalChanges() == s.changes {
		return
	}
	s.changes = s.totalChanges()
	_, _ = s.Sync(context.Background(), *s.share)
}

// totalChanges are the rows that this process has changed; 0 if that is not known.
func (s *Store) totalChanges() (n int64) {
	if s.write.QueryRow("SELECT total_changes()").Scan(&n) != nil {
		return 0
	}
	return n
}

// Share is the folder on a network disk over which the default database is exchanged; "" without one.
func (s *Store) Share() string {
	if s.share == nil {
		return ""
	}
	return s.share.Path
}

// Warnings are what went wrong when a database was exchanged over a network disk.
func (s *Store) Warnings() []string { return s.warnings }

// takeFormer merges the database that an earlier version had on the network disk, whenever it
// has another size or date than when that was done last.
func (s *Store) takeFormer(ctx context.Context) error {
	info, err := os.Stat(s.formerPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	state, noted := fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), s.path+".former"
	if was, err := os.ReadFile(noted); err == nil && string(was) == state {
		return nil
	}
	if _, err := s.Merge(ctx, s.formerPath()); err != nil {
		return err
	}
	return os.WriteFile(noted, []byte(state), 0o600)
}

// openCopy opens a copy of a database on a network disk, on a disk of this machine. The copy
// has no name, so it ends with its connections, however that happens.
func (s *Store) openCopy(ctx context.Context, from *Store) (*Store, error) {
	dir, err := os.MkdirTemp("", "sweetspot-")
	if err != nil {
		return nil, fmt.Errorf("%s can't be copied to a local disk (%v); free some space there", from.name,
			textfile.Cause(err))
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "copy.db")
	for _, end := range []string{"", "-wal"} {
		err := copyFile(from.path+end, path+end)
		if err != nil && (end == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("%s can't be copied to a local disk (%v); check its permissions and the space there",
				from.name, textfile.Cause(err))
		}
	}
	near := &Store{path: path, name: from.name, nowFunc: from.nowFunc}
	opened, err := s.openChecked(ctx, near)
	if err != nil || opened.path == "" {
		return opened, err
	}
	defer opened.Close()
	return opened.renewed(ctx)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

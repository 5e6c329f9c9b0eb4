package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/mattn/go-sqlite3"
)

// applicationID marks the file as ours in its header: "swsp".
const applicationID = 0x73777370

//go:embed migrations/*.sql
var embedded embed.FS

// migrations are the steps from an empty file to the present layout; after
// step n user_version is n. Steps already released are never changed.
func migrations(dir fs.FS) ([]string, error) {
	names, err := fs.Glob(dir, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	steps := make([]string, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		steps[i] = string(text)
	}
	return steps, nil
}

// header is what identifies a database.
type header struct {
	application, version, objects int64
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readHeader(ctx context.Context, q queryer) (h header, err error) {
	for _, f := range []struct {
		query string
		to    *int64
	}{
		{"PRAGMA application_id", &h.application},
		{"PRAGMA user_version", &h.version},
		{"SELECT count(*) FROM sqlite_schema", &h.objects},
	} {
		if err := q.QueryRowContext(ctx, f.query).Scan(f.to); err != nil {
			return h, err
		}
	}
	return h, nil
}

// check refuses what is not ours or newer than this program.
func (s *Store) check(h header, newest int) error {
	switch {
	case h.application == 0 && h.objects == 0:
		return nil // empty
	case h.application != applicationID:
		return fmt.Errorf("%s is a database of another program; name another file", s.name)
	case h.version > int64(newest):
		return fmt.Errorf("%s was written by a newer sweetspot (layout %d, this one knows %d); update sweetspot or "+
			"name another file", s.name, h.version, newest)
	}
	return nil
}

// prepareSchema makes sure that the file is ours before anything in it is
// changed, then turns on the write-ahead log and brings the layout up to date.
func (s *Store) prepareSchema(ctx context.Context) error {
	steps, err := migrations(embedded)
	if err != nil {
		return err
	}
	h, err := readHeader(ctx, s.write)
	if err != nil {
		return s.explain("be opened", err)
	}
	if err := s.check(h, len(steps)); err != nil {
		return err
	}
	if err := s.enableWAL(ctx); err != nil {
		return s.explain("be opened", err)
	}
	if h.application == applicationID && h.version == int64(len(steps)) {
		return nil
	}
	return s.migrate(ctx, steps)
}

// enableWAL retries: the switch does not wait for another process that does
// the same at this moment.
func (s *Store) enableWAL(ctx context.Context) error {
	var mode string
	for try := 0; ; try++ {
		err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		var e sqlite3.Error
		if errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked) && try < 200 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(25 * time.Millisecond):
			}
			continue
		}
		if err == nil && mode != "wal" {
			err = fmt.Errorf("%s can't be opened: its file system does not support SQLite's write-ahead log; choose a "+
				"local disk with --db", s.name)
		}
		return err
	}
}

// migrate runs the missing steps in one transaction: all or nothing.
func (s *Store) migrate(ctx context.Context, steps []string) error {
	tx, err := s.write.BeginTx(ctx, nil) // immediate: of two processes the second finds the work done
	if err != nil {
		return s.explain("be brought up to date", err)
	}
	defer tx.Rollback()
	h, err := readHeader(ctx, tx)
	if err != nil {
		return s.explain("be brought up to date", err)
	}
	if err := s.check(h, len(steps)); err != nil {
		return err
	}
	for i := int(h.version); i < len(steps); i++ {
		if _, err := tx.ExecContext(ctx, steps[i]); err != nil {
			return s.explain("be brought up to date", fmt.Errorf("step %d: %w", i+1, err))
		}
	}
	// Pragmas take no parameters; these are our own numbers.
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(steps))
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return s.explain("be brought up to date", err)
	}
	return s.explain("be brought up to date", tx.Commit())
}

// errOlder is the cause of a refusal to read an older layout.
var errOlder = errors.New("older layout")

// checkReadable is prepareSchema for a file that can't be written.
func (s *Store) checkReadable(ctx context.Context) error {
	steps, err := migrations(embedded)
	if err != nil {
		return err
	}
	h, err := readHeader(ctx, s.watch)
	if err != nil {
		return err
	}
	if err := s.check(h, len(steps)); err != nil {
		return err
	}
	if h.version < int64(len(steps)) {
		return s.sentence(errOlder, "%s has an older layout and can't be brought up to date: it is read-only; allow "+
			"writing or open a copy", s.name)
	}
	return nil
}

package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/mattn/go-sqlite3"

	"sweetspot/engine/plaintext"
)

// applicationID marks the file as ours in its header: "swsp".
const applicationID = 0x73777370

//go:embed migrations/*.sql
var embedded embed.FS

// steps are the texts that lead from an empty file to the present layout; after
// step n user_version is n. Steps already released are never changed.
var steps = readSteps()

func readSteps() (steps []string) {
	err := fs.WalkDir(embedded, "migrations", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(name)
		steps = append(steps, string(text))
		return err
	})
	if err != nil {
		panic(err) // the files are part of this program
	}
	return steps
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// changed finds what only another program can have made: a trigger, a view or a
// virtual table in place of one of our tables, which might never end, and a column
// that is computed.
const changed = `
	SELECT 'there is a trigger, ' || name FROM sqlite_schema WHERE type = 'trigger' UNION ALL
	SELECT name || ' is no ordinary table' FROM sqlite_schema
		WHERE (type <> 'table' OR rootpage = 0) AND name COLLATE NOCASE IN (SELECT value FROM json_each(?1)) UNION ALL
	SELECT t.value || '.' || c.name || ' is computed' FROM json_each(?1) t JOIN pragma_table_xinfo(t.value) c
		WHERE c.hidden > 0 LIMIT 1`

// layout is the number of the layout of the file, 0 where it is empty. What is
// not ours, newer than this program or changed by another is refused.
func (s *Store) layout(ctx context.Context, q queryer, newest int) (version int, err error) {
	var application, objects int
	for _, read := range []struct {
		query string
		to    *int
	}{
		{"SELECT count(*) FROM sqlite_schema", &objects}, // first: another process may be making the file
		{"PRAGMA application_id", &application},
		{"PRAGMA user_version", &version},
	} {
		if err := q.QueryRowContext(ctx, read.query).Scan(read.to); err != nil {
			return 0, s.explain("be opened", err)
		}
	}
	switch {
	case application == 0 && objects == 0:
		return 0, nil
	case application != applicationID:
		return 0, fmt.Errorf("%s is a database of another program; name another file", s.name)
	case version > newest:
		return 0, fmt.Errorf("%s was written by a newer sweetspot (layout %d, this one knows %d); update sweetspot or "+
			"name another file", s.name, version, newest)
	case version < 1:
		return 0, s.changed(fmt.Sprintf("its layout is %d", version))
	}
	var what string
	err = q.QueryRowContext(ctx, changed, tables).Scan(&what)
	if err == nil {
		return 0, s.changed(plaintext.Line(what, 200))
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return 0, s.explain("be opened", err)
	}
	return version, nil
}

// tables are the names of our tables, as JSON.
const tables = `["models","variants","vm_types","prices","machines","runs","picks","iterations","validations",` +
	`"pauses","memory","telemetry","layers","log_lines","sync_self","sync_absent","sync_bundles","sync_versions"]`

func (s *Store) changed(what string) error {
	return fmt.Errorf("%s was changed by another program: %s; restore a copy of it or name another file", s.name, what)
}

// prepareSchema makes sure that the file is ours before anything in it is
// changed, then turns on the write-ahead log and brings the layout up to date.
func (s *Store) prepareSchema(ctx context.Context) error {
	version, err := s.layout(ctx, s.write, len(steps))
	if err != nil {
		return err
	}
	if err := s.enableWAL(ctx); err != nil || version == len(steps) {
		return s.explain("be opened", err)
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
	return s.change(ctx, "be brought up to date", func(_ context.Context, tx *transaction) error {
		version, err := s.layout(ctx, tx, len(steps)) // of two processes the second finds the work done
		if err != nil {
			return err
		}
		for i := version; i < len(steps); i++ {
			if _, err := tx.ExecContext(ctx, steps[i]); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		// Pragmas take no parameters; these are our own numbers.
		return insert(ctx, tx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(steps)))
	})
}

// errOlder is the cause of a refusal to read an older layout.
var errOlder = errors.New("older layout")

// checkReadable is prepareSchema for a file that can't be written.
func (s *Store) checkReadable(ctx context.Context) error {
	version, err := s.layout(ctx, s.watch, len(steps))
	if err == nil && version < len(steps) {
		return s.sentence(errOlder, "%s has an older layout and can't be brought up to date: it is read-only; allow "+
			"writing or open a copy", s.name)
	}
	return err
}

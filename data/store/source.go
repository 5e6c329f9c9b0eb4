package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/mattn/go-sqlite3"
)

// openSource opens another database for reading and checks all of it.
func (s *Store) openSource(ctx context.Context, path string) (from *Store, err error) {
	if from, err = at(path); err != nil {
		return nil, err
	}
	if networkOf(from.path) != "" {
		return s.openCopy(ctx, from)
	}
	return s.openChecked(ctx, from)
}

// openChecked opens a database for reading and checks all of it.
func (s *Store) openChecked(ctx context.Context, from *Store) (_ *Store, err error) {
	if _, err := from.checkFile(false); err != nil {
		return nil, err
	}
	if s.isSameFile(from.path) {
		return nil, fmt.Errorf("%s is this database itself; name another one", from.name)
	}
	err = from.connect(ctx, false)
	if errors.Is(err, errOlder) {
		old := from
		defer old.Close()
		from, err = old.renewed(ctx)
	}
	if err == nil {
		err = from.checkSound(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return from, nil
}

// renewed is a copy of an older layout that was brought up to date. It is in a
// file without a name, which ends with its connection, however that ends.
func (s *Store) renewed(ctx context.Context) (*Store, error) {
	db, err := sql.Open(driverName, "")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	renewed := &Store{name: s.name, write: db, read: db}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(copyPages(conn, "main", s.watch), conn.Close())
	}
	if err == nil {
		err = renewed.migrate(ctx, steps)
	}
	return renewed, s.explain("be copied", err)
}

// attach makes the database known as other to a connection of another one.
func (s *Store) attach(ctx context.Context, to *sql.Conn) error {
	if s.path != "" {
		_, err := to.ExecContext(ctx, "ATTACH ? AS other", s.address(s.mode))
		return err
	}
	if _, err := to.ExecContext(ctx, "ATTACH '' AS other"); err != nil {
		return err
	}
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return copyPages(to, "other", conn)
}

// copyPages copies a database into an empty one.
func copyPages(to *sql.Conn, name string, from *sql.Conn) error {
	return to.Raw(func(target any) error {
		return from.Raw(func(source any) error {
			pages, err := target.(*sqlite3.SQLiteConn).Backup(name, source.(*sqlite3.SQLiteConn), "main")
			if err != nil {
				return err
			}
			_, err = pages.Step(-1)
			return errors.Join(err, pages.Finish())
		})
	})
}

func (s *Store) isSameFile(path string) bool {
	a, errA := os.Stat(s.path)
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// checkSound reads the whole file, so that nothing that is damaged is taken from
// it, and its picks, whose dates this program must be able to read.
func (s *Store) checkSound(ctx context.Context) error {
	var verdict string
	if err := s.read.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return s.explain("be read", err)
	}
	if verdict != "ok" {
		return s.damaged(nil, verdict)
	}
	var orphan string
	err := s.read.QueryRowContext(ctx, orphans).Scan(&orphan)
	if err == nil {
		return s.changed(orphan)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return s.explain("be read", err)
	}
	_, err = s.Picks(ctx)
	return err
}

// orphans are rows that refer to one that is not there.
const orphans = `
	SELECT 'row ' || c.rowid || ' of ' || t.value || ' belongs to nothing in ' || c.parent
	FROM json_each('["variants","runs"]') t JOIN pragma_foreign_key_check(t.value) c LIMIT 1`

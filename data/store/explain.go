package store

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
)

// explain turns an error of SQLite into one sentence about this file: what
// could not be done, why, and how to put it right. Others, cancellation among them, pass.
func (s *Store) explain(what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var said *told
	if errors.As(err, &said) {
		return err
	}
	if value, ok := errors.AsType[*unreadable](err); ok {
		return s.sentence(err, "%s holds a value%s that can't be read: another program changed it; restore a copy of it or "+
			"name another file", s.name, value.where)
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	why := e.Error()
	switch {
	case e.Code == sqlite3.ErrNotADB:
		return s.sentence(err, "%s is not a profile database or is damaged at its start; name another file or restore a copy",
			s.name)
	case e.Code == sqlite3.ErrCorrupt:
		return s.damaged(err, why)
	case e.Code == sqlite3.ErrFull || e.SystemErrno == syscall.ENOSPC:
		why = "the disk is full; free some space and go on, what was saved before is safe"
	case e.Code == sqlite3.ErrReadonly || e.Code == sqlite3.ErrPerm:
		why = "the file or its directory is read-only; allow writing or choose another place with --db"
	case e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked:
		why = "another program has kept it locked for 10 s; close that program and try again"
	case e.Code == sqlite3.ErrCantOpen:
		why = "the file, its directory or its write-ahead log is not accessible; check the permissions or copy it with its " +
			"-wal file to a directory of yours"
	case e.Code == sqlite3.ErrIoErr:
		why = "the disk reports an error (" + why + "); check the disk, what was saved before is safe"
	}
	return s.sentence(err, "%s can't %s: %s", s.name, what, why)
}

// damaged says what is wrong with the file, and how to save the rest of it.
func (s *Store) damaged(cause error, what string) error {
	return s.sentence(cause, "%s is damaged (%s); save what can be read with: sqlite3 %s .recover | sqlite3 rescued.db",
		s.name, plaintext.Line(what, 200), shellwords.Quoted(plaintext.Clean(s.path)))
}

// told is a sentence that keeps its cause for errors.Is and errors.As.
type told struct {
	text  string
	cause error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.cause }

func (s *Store) sentence(cause error, format string, args ...any) error {
	return &told{fmt.Sprintf(format, args...), cause}
}

// noRoom reports that SQLite could not make or write the files beside the
// database that it needs.
func noRoom(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCantOpen || e.Code == sqlite3.ErrReadonly)
}

// display names a path in a sentence.
func display(path string) string { return plaintext.Cut(plaintext.Clean(path), 300) }

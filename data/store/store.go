// Package store is the profile database: one SQLite file that a probe writes
// while a screen reads it, with every raw iteration time in plain columns. The
// layout is documented in migrations/; v_runs and v_candidates are views made
// for people.
//
// What [Recording.Append] has committed survives a kill of the process at any
// moment: the file is in WAL mode and a commit is on its way to the disk
// before Append returns. Text is stripped of control characters on its way in.
//
// Rows become values by the names of columns and fields: package dbscan of scany
// maps them, and refuses a column that has no field. Scanning by position had
// grown to 52 columns beside as many pointers in the same order. scany was taken
// rather than sqlc, whose generated code every check would have to generate again
// with a compiler for SQL, and rather than sqlx, which was last released in 2024.
// It adds 9 % to the CPU time of loading a hundred thousand runs: 9.8 µs a run
// instead of 9.0. Only the iteration times, millions of rows of six columns, are
// scanned by position.
//
// Errors are one sentence that names the file and how to put it right.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"sweetspot/data/bundle"
	"sweetspot/engine/secret"

	"github.com/mattn/go-sqlite3"
	"golang.org/x/sys/unix"
)

// Store is an open profile database. It may be used from several goroutines,
// and the file by several processes at once.
type Store struct {
	path    string
	name    string  // how errors call it
	write   *sql.DB // one connection; nil where the file can only be read
	read    *sql.DB
	watch   *sql.Conn // a connection that never writes, for DataVersion
	mode    string    // of the readers: ro or immutable
	nowFunc func() time.Time

	share    *bundle.Directory // of the default database, where its home is on a network disk
	changes  int64             // that this process had made when it had read the share's bundles
	warnings []string

	columns     map[string][]column // that other databases are told, by table; filled once
	columnsLock sync.Mutex
}

// driverName is SQLite as it is opened for files that anyone may have made. Only
// tests take another driver.
var driverName = "sweetspot"

func init() { sql.Register(driverName, &sqlite3.SQLiteDriver{ConnectHook: prepare}) }

// prepare sets up a new connection.
func prepare(c *sqlite3.SQLiteConn) error {
	c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, longestValue)
	_, err := c.Exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON", nil)
	return errors.Join(err, c.RegisterFunc("plain", plain, true),
		c.RegisterFunc("without_secrets", withoutSecrets, true), c.RegisterFunc("pick_mark", pickMark, true))
}

// longestValue is the most bytes of a row that are read. The longest that this
// program writes are the JSON of picks.
const longestValue = 16 << 20

// plain cleans text, and leaves other values, NULL among them, as they are.
func plain(v any) any {
	if text, ok := v.(string); ok {
		return clean(text)
	}
	return v
}

// withoutSecrets hides them in a text or in the words of a command.
func withoutSecrets(v any) any {
	text, ok := v.(string)
	var words []string
	switch {
	case !ok:
		return v
	case json.Unmarshal([]byte(text), &words) != nil:
		return secret.Text(text)
	}
	hidden, err := json.Marshal(secret.Words(words))
	if err != nil {
		return v // never of words
	}
	return string(hidden)
}

// Named is the absolute path of a database; that of "" is profiles.db in [Home], or where that is
// on a network disk, in a folder of this machine.
func Named(path string) (string, error) {
	if path != "" {
		return filepath.Abs(path)
	}
	home, err := Home()
	if err != nil {
		return "", err
	}
	path, _, err = placeOf(home)
	return path, err
}

// Open opens the profile database at path, makes it and its directory if they
// are missing, and brings an older layout up to date. A file that can only be
// read is opened for reading.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, true)
}

// OpenExisting is [Open] for readers: a missing file is an error.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, false)
}

func open(ctx context.Context, path string, create bool) (*Store, error) {
	s, err := at(path)
	if err != nil {
		return nil, err
	}
	if s.share == nil {
		if err := s.refuseNetwork(); err != nil {
			return nil, err
		}
	}
	writable, err := s.checkFile(create || s.share != nil && s.shareHolds())
	if err != nil {
		return nil, err
	}
	if err := s.connect(ctx, writable); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.arrive(ctx)
	return s, nil
}

// at is the database at a path, not yet open.
func at(path string) (*Store, error) {
	abs, err := Named(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: abs, name: display(cmp.Or(path, abs)), nowFunc: time.Now}
	if home, err := Home(); err == nil {
		if usual, share, err := placeOf(home); err == nil && usual == abs {
			s.share = share
		}
	}
	return s, nil
}

// checkFile says what is wrong with the file before SQLite touches it, and
// whether it can be written.
func (s *Store) checkFile(create bool) (writable bool, err error) {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !create:
		return false, fmt.Errorf("there is no profile database at %s; check the path, or create one with sweetspot probe",
			s.name)
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
			return false, fmt.Errorf("the directory of %s can't be created (%v); choose another place with --db", s.name,
				errors.Unwrap(err))
		}
		if unix.Access(filepath.Dir(s.path), unix.W_OK) != nil {
			return false, fmt.Errorf("%s can't be created: its directory is read-only; choose another place with --db", s.name)
		}
		// Command lines are in it. SQLite gives the files beside it the same mode.
		f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return false, fmt.Errorf("%s can't be created (%v); choose another place with --db", s.name, errors.Unwrap(err))
		}
		return true, f.Close()
	case err != nil:
		return false, fmt.Errorf("%s can't be opened (%v); check the path and its permissions", s.name, errors.Unwrap(err))
	case info.IsDir():
		return false, fmt.Errorf("%s is a directory; name a profile database in it", s.name)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is not a regular file; name a profile database", s.name)
	}
	if err := s.checkMagic(info.Size()); err != nil {
		return false, err
	}
	return unix.Access(s.path, unix.W_OK) == nil && unix.Access(filepath.Dir(s.path), unix.W_OK) == nil, nil
}

// checkMagic looks at the first bytes: SQLite itself would take a short text
// file for an empty database in some cases.
func (s *Store) checkMagic(size int64) error {
	const magic = "SQLite format 3\x00"
	if size == 0 {
		return nil // new, or its first pages are still in the write-ahead log
	}
	f, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("%s can't be read (%v); check its permissions", s.name, errors.Unwrap(err))
	}
	defer f.Close()
	head := make([]byte, len(magic))
	if n, _ := f.Read(head); string(head[:n]) != magic {
		return fmt.Errorf("%s is not a profile database but some other file; name another one", s.name)
	}
	return nil
}

func (s *Store) connect(ctx context.Context, writable bool) error {
	if writable {
		s.write = s.pool("rw", 1)
		if err := s.prepareSchema(ctx); err != nil {
			return err
		}
		return s.explain("be opened", s.connectReader(ctx, "ro"))
	}
	err := s.connectReader(ctx, "ro")
	if noRoom(err) && s.walIsEmpty() {
		// A read-only directory has no room for the file that readers and
		// writers share; without a log there is nothing to share.
		_ = s.Close()
		err = s.connectReader(ctx, "immutable")
	}
	return s.explain("be opened", err)
}

func (s *Store) connectReader(ctx context.Context, mode string) (err error) {
	s.mode, s.read = mode, s.pool(mode, max(2, runtime.NumCPU()))
	if s.watch, err = s.read.Conn(ctx); err != nil || s.write != nil {
		return err
	}
	return s.checkReadable(ctx)
}

// pool opens connections to the file.
func (s *Store) pool(mode string, connections int) *sql.DB {
	db, err := sql.Open(driverName, s.address(mode))
	if err != nil {
		panic(err) // only an unregistered driver
	}
	db.SetMaxOpenConns(connections + 1) // one more: watch keeps one
	if mode == "rw" {
		db.SetMaxOpenConns(1)
	}
	db.SetMaxIdleConns(connections + 1)
	return db
}

// address is the file as SQLite opens it in a mode: rw, ro or immutable. It is
// a URI, in which blanks, ?, # and % must be quoted.
func (s *Store) address(mode string) string {
	q := url.Values{}
	q.Set("_foreign_keys", "on")
	q.Set("_busy_timeout", "10000")
	q.Set("_stmt_cache_size", "64")
	switch mode {
	case "rw":
		q.Set("mode", "rw")
		q.Set("_synchronous", "NORMAL") // in WAL mode a killed process loses nothing committed
		q.Set("_txlock", "immediate")   // a reader turned writer could not wait for its turn
	case "ro":
		q.Set("mode", "ro")
		q.Set("_query_only", "on")
	case "immutable":
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: s.path, RawQuery: q.Encode()}).String()
}

// Path is the absolute path of the file.
func (s *Store) Path() string { return s.path }

// Close closes the database. What was committed stays. Who reads on, as a poll does
// that was under way, gets an error.
func (s *Store) Close() error {
	s.leave()
	var errs []error
	if s.watch != nil {
		if err := s.watch.Close(); !errors.Is(err, sql.ErrConnDone) { // not closed before
			errs = append(errs, err)
		}
	}
	for _, db := range []*sql.DB{s.read, s.write} { // the writer last: it folds the log into the file
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// DataVersion returns a number that changes when any process commits to the
// database. It is cheap enough to be polled.
func (s *Store) DataVersion(ctx context.Context) (version int64, err error) {
	err = s.watch.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, s.explain("be read", err)
}

func (s *Store) walIsEmpty() bool {
	info, err := os.Stat(s.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

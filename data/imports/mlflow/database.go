package mlflow

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/mattn/go-sqlite3"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// driverName is SQLite as it is opened for files that anyone may have made.
const driverName = "sweetspot mlflow"

func init() { sql.Register(driverName, &sqlite3.SQLiteDriver{ConnectHook: prepare}) }

const (
	longestValue = 16 << 20  // bytes of a row
	mostInMemory = 256 << 20 // bytes of a database that does not lie on the disk as it is
)

func prepare(c *sqlite3.SQLiteConn) error {
	c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, longestValue)
	_, err := c.Exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON", nil)
	return err
}

// magic begins every SQLite database.
var magic = []byte("SQLite format 3\x00")

// columns are those that are read, by their tables.
var columns = map[string][]string{
	"experiments": {"experiment_id", "name"},
	"runs":        {"run_uuid", "name", "status", "start_time", "lifecycle_stage", "experiment_id"},
	"metrics":     {"run_uuid", "key", "value", "timestamp", "step", "is_nan"},
	"params":      {"run_uuid", "key", "value"},
	"tags":        {"run_uuid", "key", "value"},
}

// database is MLflow's, open for reading on its only connection.
type database struct {
	*sql.Conn
	pool *sql.DB
}

func (d database) close() {
	if d.Conn != nil {
		d.Conn.Close()
	}
	d.pool.Close()
}

// open opens the database in a file. One that lies on the disk is read where it is, so
// that what another process writes meanwhile does no harm.
func open(f source.File) (d database, err error) {
	addresses := []string{inMemory}
	if liesThere(f) {
		addresses = []string{address(f.Local, "_busy_timeout", "10000")}
		if isAlone(f.Local) { // and so can be read where SQLite could make no file beside it
			addresses = append(addresses, address(f.Local, "immutable", "1"))
		}
	}
	for _, at := range addresses {
		if d, err = connect(f, at); err == nil {
			return d, nil
		}
	}
	return d, err
}

// connect opens the database at an address, in memory with the content of the file.
func connect(f source.File, at string) (d database, err error) {
	if d.pool, err = sql.Open(driverName, at); err != nil {
		return d, err
	}
	d.Conn, err = d.pool.Conn(f.Context())
	if err == nil && at == inMemory {
		err = d.fill(f)
	}
	if err == nil { // SQLite first looks at the file when it is asked something
		_, err = d.kind(f.Context(), "runs")
	}
	if err != nil {
		d.close()
	}
	return d, err
}

const inMemory = ":memory:"

// liesThere reports whether SQLite can open the file itself, which is not compressed.
func liesThere(f source.File) bool {
	file, err := textfile.OpenFile(cmp.Or(f.Local, os.DevNull))
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(file, head)
	return err == nil && bytes.Equal(head, magic)
}

// address is a file as SQLite opens it for reading, with an option.
func address(path, option, value string) string {
	q := url.Values{"mode": {"ro"}, option: {value}}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
}

// isAlone reports whether nothing beside the database is part of it.
func isAlone(path string) bool {
	for _, end := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + end); err == nil && info.Size() > 0 {
			return false
		}
	}
	return true
}

// fill takes the content of the file as the database.
func (d database) fill(f source.File) error {
	content, err := f.Whole(mostInMemory)
	if err != nil {
		return err
	}
	const writeVersion, readVersion = 18, 19
	if len(content) > readVersion { // of a write-ahead log, which memory does not have
		content = bytes.Clone(content)
		content[writeVersion], content[readVersion] = 1, 1
	}
	return d.Raw(func(c any) error { return c.(*sqlite3.SQLiteConn).Deserialize(content, "main") })
}

// isMLflows reports whether the file is a database with the tables of MLflow.
func isMLflows(f source.File, head []byte) (bool, error) {
	if !bytes.HasPrefix(head, magic) {
		return false, nil
	}
	d, err := open(f)
	if err != nil {
		return false, explain(f, err)
	}
	defer d.close()
	for table := range columns {
		kind, err := d.kind(f.Context(), table)
		if err != nil || kind == "" {
			return false, explain(f, err)
		}
	}
	return true, nil
}

// kind is what has the name of a table; "" for nothing.
func (d database) kind(ctx context.Context, table string) (kind string, err error) {
	err = d.QueryRowContext(ctx, "SELECT iif(rootpage > 0, type, 'virtual table') FROM sqlite_schema "+
		"WHERE name = ? COLLATE NOCASE AND type <> 'index' ORDER BY type <> 'trigger'", table).Scan(&kind)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return kind, err
}

// check refuses what MLflow has not made: a view or a virtual table in place of a table,
// which might never end, and a column that is computed.
func (d database) check(f source.File) error {
	for table, needed := range columns {
		kind, err := d.kind(f.Context(), table)
		switch {
		case err != nil:
			return err
		case kind == "":
			return f.Wrong("is no database of MLflow: it has no table %s", table)
		case kind != "table":
			return f.Wrong("was changed by another program: %s is no ordinary table", table)
		}
		computed, err := d.columns(f.Context(), table)
		if err != nil {
			return err
		}
		for _, c := range needed {
			switch isComputed, known := computed[c]; {
			case !known:
				return f.Wrong("is of an MLflow that is older than 1.0: %s has no column %s; mlflow db upgrade adds it", table, c)
			case isComputed:
				return f.Wrong("was changed by another program: %s.%s is computed", table, c)
			}
		}
	}
	return nil
}

// columns are those of a table that is ours to name, and whether each is computed.
func (d database) columns(ctx context.Context, table string) (map[string]bool, error) {
	rows, err := d.QueryContext(ctx, fmt.Sprintf("PRAGMA table_xinfo(%s)", table))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]bool{}
	for rows.Next() {
		var name string
		var hidden int
		var other any
		if err := rows.Scan(&other, &name, &other, &other, &other, &other, &hidden); err != nil {
			return nil, err
		}
		found[name] = hidden > 0
	}
	return found, rows.Err()
}

// explain is one sentence for an error of SQLite.
func explain(f source.File, err error) error {
	var e sqlite3.Error
	switch {
	case err == nil || !errors.As(err, &e):
		return err
	case e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked:
		return f.Wrong("is being written by another program; try again when that is done")
	case e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB:
		return f.Wrong("is damaged; fetch it again, or restore a copy of it")
	case e.Code == sqlite3.ErrCantOpen || e.Code == sqlite3.ErrReadonly:
		return f.Wrong("was left in the middle of a change; open it once with mlflow ui, or allow writing in its folder")
	}
	return f.Wrong("cannot be read: %s", plaintext.Line(e.Error(), 200))
}

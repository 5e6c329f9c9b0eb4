package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/mattn/go-sqlite3"

	"sweetspot/engine/profile"
)

// Append saves a batch in one transaction. When it returns, a kill of the
// process loses nothing of it. An empty batch still tells readers that the
// recorder lives; without one for ten seconds they take a run for interrupted.
func (r *Recording) Append(ctx context.Context, b Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := runRows{run: r.id, next: maps.Clone(r.next)}
	err := r.store.change(ctx, "store new measurements", func(ctx context.Context, tx *transaction) error {
		if b.Restart {
			if err := rows.forgetSteps(ctx, tx); err != nil {
				return err
			}
		}
		if err := r.appendIterations(ctx, tx, b, rows.next["iterations"]); err != nil {
			return err
		}
		rows.tx = tx
		return rows.append(ctx, b)
	})
	if err != nil {
		return err // the numbers stay where they were: nothing was saved
	}
	r.next = rows.next
	r.next["iterations"] += int64(len(b.Iterations))
	return nil
}

// runRows inserts rows that belong to a run and keeps the first error.
type runRows struct {
	tx   *transaction
	run  int64
	next map[string]int64 // number of the next row, by table
	err  error
}

// stepwise are the tables of what is recorded step by step.
var stepwise = []string{"iterations", "validations", "pauses"}

// forgetSteps takes back what was recorded of steps.
func (r *runRows) forgetSteps(ctx context.Context, tx *transaction) error {
	for _, table := range stepwise {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE run_id = ?", r.run); err != nil {
			return err
		}
		r.next[table] = 0
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE runs SET init_s = NULL, iterations = 0, iterations_sum_s = 0, iterations_sum_s2 = 0, iterations_min_s = NULL,
			iterations_max_s = NULL WHERE id = ? AND deleted = 0`, r.run)
	return err
}

// append inserts all of a batch but its iterations.
func (r *runRows) append(ctx context.Context, b Batch) error {
	appendList(ctx, r, "validations", b.Validations)
	type pauseRow struct {
		T float64
		profile.Pause
	}
	var pauses []pauseRow
	for _, p := range b.Pauses {
		pauses = append(pauses, pauseRow{p.AtS, p})
	}
	appendList(ctx, r, "pauses", pauses, "t", "seconds", "kind", "iterations")
	appendList(ctx, r, "memory", b.Memory)
	appendList(ctx, r, "telemetry", b.Telemetry)
	appendList(ctx, r, "layers", b.Layers)
	appendList(ctx, r, "log_lines", b.Log)
	return r.err
}

// appendList inserts values into a table, whose columns are their fields. After an
// error nothing is inserted: SQLite may have ended the transaction, and what came
// then would be kept.
func appendList[T any](ctx context.Context, r *runRows, table string, list []T, columns ...string) {
	for _, v := range list {
		if r.err != nil {
			return
		}
		row := assignments{}
		row.add("run_id", r.run)
		row.add("seq", r.next[table])
		row.from(v, columns...)
		r.err = row.insert(ctx, r.tx, table, "")
		r.next[table]++
	}
}

func insert(ctx context.Context, tx *transaction, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// sums are what a run keeps about its rows of iterations.
type sums struct {
	n            int
	sum, sum2    float64
	least, great float64
}

func sumsOf(its []Iteration) (s sums, err error) {
	s = sums{n: len(its), least: math.Inf(1), great: math.Inf(-1)}
	for _, it := range its {
		if !(it.Seconds >= 0) || math.IsInf(it.Seconds, 0) {
			return s, fmt.Errorf("an iteration of %g seconds can't be recorded; times are finite and not negative", it.Seconds)
		}
		s.sum += it.Seconds
		s.sum2 += it.Seconds * it.Seconds
		s.least, s.great = min(s.least, it.Seconds), max(s.great, it.Seconds)
	}
	return s, nil
}

// appendIterations inserts the rows, numbered on from seq, and adds to the sums in the
// same transaction, so that they can't drift apart.
func (r *Recording) appendIterations(ctx context.Context, tx *transaction, b Batch, seq int64) error {
	s, err := sumsOf(b.Iterations)
	if err != nil {
		return err
	}
	least, great := any(nil), any(nil)
	if s.n > 0 {
		least, great = s.least, s.great
	}
	res, err := tx.ExecContext(ctx, `
		UPDATE runs SET heartbeat_ms = ?, content = '', init_s = coalesce(?, init_s), iterations = iterations + ?,
			iterations_sum_s = iterations_sum_s + ?, iterations_sum_s2 = iterations_sum_s2 + ?,
			iterations_min_s = min(coalesce(iterations_min_s, ?), ?), iterations_max_s = max(coalesce(iterations_max_s, ?), ?)
		WHERE id = ? AND deleted = 0`,
		r.store.nowFunc().UnixMilli(), real(b.InitS), s.n, s.sum, s.sum2, least, least, great, great, r.id)
	if err := r.present(res, err); err != nil || s.n == 0 {
		return err
	}
	return r.insertIterations(tx, b.Iterations, seq)
}

// rowsPerInsert trades binding time against parsing; more gains nothing.
const rowsPerInsert = 64

var insertMany, insertOne = insertRows(rowsPerInsert), insertRows(1)

// insertRows is an INSERT of n rows. The run and the first seq are bound once.
func insertRows(n int) string {
	var q strings.Builder
	q.WriteString("INSERT INTO iterations (run_id, seq, epoch, idx, rank, seconds, units, t) VALUES ")
	for i := range n {
		if i > 0 {
			q.WriteByte(',')
		}
		p := 3 + 6*i
		fmt.Fprintf(&q, "(?1,?2+%d,?%d,?%d,?%d,?%d,?%d,?%d)", i, p, p+1, p+2, p+3, p+4, p+5)
	}
	return q.String()
}

// insertIterations goes to the driver itself: through database/sql the checks
// of every value would cost more than writing it.
func (r *Recording) insertIterations(tx *transaction, its []Iteration, seq int64) error {
	return tx.conn.Raw(func(c any) error {
		conn := c.(*sqlite3.SQLiteConn)
		whole := len(its) - len(its)%rowsPerInsert
		if err := insertBlocks(conn, rowsPerInsert, r.id, seq, its[:whole]); err != nil {
			return err
		}
		return insertBlocks(conn, 1, r.id, seq+int64(whole), its[whole:])
	})
}

// insertBlocks inserts rows in blocks of n with one prepared statement, which
// the driver keeps for the next batch.
func insertBlocks(conn *sqlite3.SQLiteConn, n int, run, seq int64, its []Iteration) error {
	if len(its) == 0 {
		return nil
	}
	query := insertOne
	if n > 1 {
		query = insertMany
	}
	prepared, err := conn.Prepare(query)
	if err != nil {
		return err
	}
	defer prepared.Close()
	statement := prepared.(driver.StmtExecContext)
	args := make([]driver.NamedValue, 2+6*n)
	for i := range args {
		args[i].Ordinal = i + 1
	}
	args[0].Value = run
	for len(its) > 0 {
		args[1].Value = seq
		for i, it := range its[:n] {
			a := args[2+6*i : 8+6*i]
			a[0].Value, a[1].Value, a[2].Value = int64(it.Epoch), int64(it.Index), int64(it.Rank)
			a[3].Value, a[4].Value, a[5].Value = it.Seconds, finite(it.Units), finite(it.T)
		}
		// No cancelling within a transaction, and no goroutine per statement.
		if _, err := statement.ExecContext(context.Background(), args); err != nil {
			return err
		}
		its, seq = its[n:], seq+int64(n)
	}
	return nil
}

// finite keeps a careless number of work or time stamp from losing the
// iteration it came with: NaN would be NULL, which the column refuses.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// recorded are the tables of what was recorded of runs.
var recorded = []string{"iterations", "validations", "pauses", "memory", "telemetry", "layers", "log_lines"}

// copier copies runs from the attached database with everything recorded of
// them, byte for byte but for text, which is cleaned.
type copier struct {
	intoRuns string
	into     map[string]string // by table
}

func newCopier(ctx context.Context, tx *transaction) (*copier, error) {
	columns, values, err := columnsOf(ctx, tx, "runs", "id", "variant_id", "machine_id", "fingerprint", "deleted",
		"content", "measured", "named", "noted", "kept", "series_mark")
	if err != nil {
		return nil, err
	}
	c := &copier{
		intoRuns: "INSERT INTO main.runs (variant_id, machine_id, fingerprint, " + columns + ") SELECT ?, ?, ?, " + values +
			" FROM other.runs WHERE id = ? RETURNING id",
		into: map[string]string{},
	}
	for _, table := range recorded {
		columns, values, err := columnsOf(ctx, tx, table, "run_id")
		if err != nil {
			return nil, err
		}
		c.into[table] = "INSERT INTO main." + table + " (run_id, " + columns + ") SELECT ?, " + values + " FROM other." +
			table + " WHERE run_id = ? ORDER BY seq"
	}
	return c, nil
}

// run copies one run and returns its number here and how many iterations it has.
func (c *copier) run(ctx context.Context, tx *transaction, r otherRun, variant, machine int64) (id int64,
	iterations int, err error) {
	if err := tx.QueryRowContext(ctx, c.intoRuns, variant, machine, r.Mark, r.ID).Scan(&id); err != nil {
		return 0, 0, err
	}
	for _, table := range recorded {
		res, err := tx.ExecContext(ctx, c.into[table], id, r.ID)
		n, err := affected(res, err)
		if err != nil {
			return 0, 0, err
		}
		if table == "iterations" {
			iterations = n
		}
	}
	return id, iterations, nil
}

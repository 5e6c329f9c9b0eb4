package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// Append saves a batch in one transaction. When it returns, a kill of the
// process loses nothing of it. An empty batch still tells readers that the
// recorder lives; without one for ten seconds they take a run for interrupted.
func (r *Recording) Append(ctx context.Context, b Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.store.change(ctx, "store new measurements", func(ctx context.Context, tx *transaction) error {
		if err := r.appendIterations(ctx, tx, b); err != nil {
			return err
		}
		return r.appendRest(ctx, tx, b)
	})
	if err != nil {
		return err // the numbers stay where they were: nothing was saved
	}
	r.seq.iterations += int64(len(b.Iterations))
	r.seq.validations += int64(len(b.Validations))
	r.seq.pauses += int64(len(b.Pauses))
	r.seq.memory += int64(len(b.Memory))
	r.seq.telemetry += int64(len(b.Telemetry))
	r.seq.log += int64(len(b.Log))
	r.seq.layers += int64(len(b.Layers))
	return nil
}

// appendRest inserts the rows that come seldom.
func (r *Recording) appendRest(ctx context.Context, tx *transaction, b Batch) error {
	seq := r.seq
	for i, v := range b.Validations {
		if err := insertValidation(ctx, tx, r.id, seq.validations+int64(i), v); err != nil {
			return err
		}
	}
	for i, p := range b.Pauses {
		if err := insertPause(ctx, tx, r.id, seq.pauses+int64(i), p); err != nil {
			return err
		}
	}
	for i, m := range b.Memory {
		if err := insert(ctx, tx, `INSERT INTO memory VALUES (?, ?, ?, ?, ?)`, r.id, seq.memory+int64(i), m.T, m.PeakBytes,
			m.TotalBytes); err != nil {
			return err
		}
	}
	for i, t := range b.Telemetry {
		row := assignments{}
		row.add("run_id", r.id)
		row.add("seq", seq.telemetry+int64(i))
		row.add("t", t.T)
		row.add("cpu", t.CPU)
		row.add("gpu", t.GPU)
		row.add("utilisation", real(t.Utilisation))
		row.add("memory_bytes", real(t.MemoryBytes))
		row.add("watts", real(t.Watts))
		row.add("celsius", real(t.Celsius))
		row.text("throttle", t.Throttle)
		row.add("shared", t.Shared)
		row.add("energy_j", real(t.EnergyJ))
		if err := row.insert(ctx, tx, "telemetry", ""); err != nil {
			return err
		}
	}
	for i, l := range b.Layers {
		if err := insert(ctx, tx, `INSERT INTO layers VALUES (?, ?, ?, ?, ?)`, r.id, seq.layers+int64(i), clean(l.Name),
			clean(l.Kind), l.Share); err != nil {
			return err
		}
	}
	for i, l := range b.Log {
		if err := insert(ctx, tx, `INSERT INTO log_lines VALUES (?, ?, ?, ?, ?)`, r.id, seq.log+int64(i), l.T, clean(l.Level),
			clean(l.Text)); err != nil {
			return err
		}
	}
	return nil
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

// appendIterations inserts the rows and adds to the sums in the same
// transaction, so that they can't drift apart.
func (r *Recording) appendIterations(ctx context.Context, tx *transaction, b Batch) error {
	s, err := sumsOf(b.Iterations)
	if err != nil {
		return err
	}
	least, great := any(nil), any(nil)
	if s.n > 0 {
		least, great = s.least, s.great
	}
	res, err := tx.ExecContext(ctx, `
		UPDATE runs SET heartbeat_ms = ?, init_s = coalesce(?, init_s), iterations = iterations + ?,
			iterations_sum_s = iterations_sum_s + ?, iterations_sum_s2 = iterations_sum_s2 + ?,
			iterations_min_s = min(coalesce(iterations_min_s, ?), ?), iterations_max_s = max(coalesce(iterations_max_s, ?), ?)
		WHERE id = ? AND deleted = 0`,
		r.store.nowFunc().UnixMilli(), real(b.InitS), s.n, s.sum, s.sum2, least, least, great, great, r.id)
	if err := r.present(res, err); err != nil || s.n == 0 {
		return err
	}
	return r.insertIterations(tx, b.Iterations)
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
func (r *Recording) insertIterations(tx *transaction, its []Iteration) error {
	return tx.conn.Raw(func(c any) error {
		conn := c.(*sqlite3.SQLiteConn)
		whole := len(its) - len(its)%rowsPerInsert
		if err := insertBlocks(conn, insertMany, rowsPerInsert, r.id, r.seq.iterations, its[:whole]); err != nil {
			return err
		}
		return insertBlocks(conn, insertOne, 1, r.id, r.seq.iterations+int64(whole), its[whole:])
	})
}

// insertBlocks inserts rows in blocks of n with one prepared statement, which
// the driver keeps for the next batch.
func insertBlocks(conn *sqlite3.SQLiteConn, query string, n int, run, seq int64, its []Iteration) error {
	if len(its) == 0 {
		return nil
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

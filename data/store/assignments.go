package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// assignments are columns with their values, for an INSERT, an UPDATE or a search.
// The names of columns and tables come from the code, never from outside.
type assignments struct {
	names []string
	args  []any
}

func (a *assignments) add(column string, value any) {
	a.names, a.args = append(a.names, column), append(a.args, value)
}

// text adds text without its control characters.
func (a *assignments) text(column, value string) { a.add(column, clean(value)) }

// value is what a column is assigned.
func (a *assignments) value(column string) any { return a.args[slices.Index(a.names, column)] }

// set gives a column another value.
func (a *assignments) set(column string, value any) { a.args[slices.Index(a.names, column)] = value }

// described are the columns of a row, but for its number, with text cleaned.
func described(ctx context.Context, tx *transaction, database, table string, id int64) (row assignments, err error) {
	columns, _, err := columnsOf(ctx, tx, table, "id")
	if err != nil {
		return row, err
	}
	row.names = strings.Split(columns, ", ")
	row.args = make([]any, len(row.names))
	pointers := make([]any, len(row.args))
	for i := range pointers {
		pointers[i] = &row.args[i]
	}
	err = tx.QueryRowContext(ctx, "SELECT "+columns+" FROM "+database+"."+table+" WHERE id = ?", id).Scan(pointers...)
	for i, v := range row.args {
		row.args[i] = plain(v)
	}
	return row, err
}

func (a *assignments) steady(e estimate.Estimate) {
	if !e.Known() {
		return
	}
	a.add("steady_s", real(&e.Value))
	a.add("steady_low_s", real(&e.Low))
	a.add("steady_high_s", real(&e.High))
	a.add("steady_basis", e.Basis.String())
}

func (a *assignments) energy(e Energy) {
	a.add("energy_j_per_unit", real(e.JPerUnit))
	a.add("average_power_w", real(e.AveragePowerW))
	a.text("energy_of", e.Of)
}

func (a *assignments) accuracy(acc *profile.Accuracy) {
	if acc == nil {
		return
	}
	a.text("metric", acc.Metric)
	a.add("accuracy", real(&acc.Value))
	a.add("accuracy_stddev", real(acc.StdDev))
	a.add("higher_is_better", acc.HigherIsBetter)
	a.add("accuracy_basis", acc.Basis.String())
}

// insert inserts a row. rest follows the statement: what to do about a conflict.
func (a *assignments) insert(ctx context.Context, tx *transaction, table, rest string) error {
	return insert(ctx, tx, a.insertion(table)+rest, a.args...)
}

// insertNumbered is insert into a table of numbered rows; it returns the number.
func (a *assignments) insertNumbered(ctx context.Context, tx *transaction, table, rest string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, a.insertion(table)+rest+" RETURNING id", a.args...).Scan(&id)
	return id, err
}

func (a *assignments) insertion(table string) string {
	marks := strings.Repeat(", ?", len(a.args))[2:]
	return "INSERT INTO " + table + " (" + strings.Join(a.names, ", ") + ") VALUES (" + marks + ")"
}

// update changes the rows of a condition.
func (a *assignments) update(ctx context.Context, tx *transaction, table, where string,
	args ...any) (sql.Result, error) {
	query := "UPDATE " + table + " SET " + strings.Join(a.names, " = ?, ") + " = ? WHERE " + where
	return tx.ExecContext(ctx, query, slices.Concat(a.args, args)...)
}

// findOrInsert returns the number of the row whose columns are just so, NULLs
// included, and makes it where there is none.
func (a *assignments) findOrInsert(ctx context.Context, tx *transaction, table string) (id int64, err error) {
	query := "SELECT id FROM " + table + " WHERE " + strings.Join(a.names, " IS ? AND ") + " IS ?"
	err = tx.QueryRowContext(ctx, query, a.args...).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	return a.insertNumbered(ctx, tx, table, "")
}

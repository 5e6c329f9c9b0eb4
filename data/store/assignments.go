package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

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

// from adds columns with the values of the fields of the same name, those that
// [byName] reads them to; without columns those of all fields. Text is cleaned,
// and a nil pointer is NULL.
func (a *assignments) from(row any, columns ...string) {
	value := reflect.ValueOf(row)
	fields := fieldsOf(value.Type())
	if len(columns) == 0 {
		columns = slices.Sorted(maps.Keys(fields))
	}
	for _, column := range columns {
		a.add(column, stored(value.FieldByIndex(fields[column])))
	}
}

// fieldsOf finds the fields of a struct by the names of their columns.
func fieldsOf(row reflect.Type) map[string][]int {
	if known, ok := fieldsByType.Load(row); ok {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(row) {
		fields[columnOf(f.Name)] = f.Index
	}
	fieldsByType.Store(row, fields)
	return fields
}

var fieldsByType sync.Map

func stored(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case *float64:
		return real(value)
	case estimate.Basis:
		return value.String()
	}
	if v.Kind() == reflect.String {
		return clean(v.String())
	}
	return v.Interface()
}

// work adds what is known of the work of a run.
func (a *assignments) work(w profile.Work) {
	a.from(w, "network", "input", "params", "layers", "state_bytes")
	a.add("flops_per_unit", real(w.FLOPs))
	a.add("activations_per_unit", real(w.Activations))
}

// summary adds what is kept of a run that has ended.
func (a *assignments) summary(run profile.Run) {
	a.from(run, "status", "first_iteration_s", "steady_stddev_s", "steady_n", "warmup_iterations", "warmup_extra_s",
		"first_validation_s", "validation_s", "exit_s", "total_s", "peak_memory_bytes",
		"energy_j_per_unit", "average_power_w", "energy_of")
	if s := run.Steady; s.Known() {
		a.add("steady_s", real(&s.Value))
		a.add("steady_low_s", real(&s.Low))
		a.add("steady_high_s", real(&s.High))
		a.add("steady_basis", s.Basis.String())
	}
	if acc := run.Accuracy; acc != nil {
		a.from(*acc, "metric", "higher_is_better")
		a.add("accuracy", real(&acc.Value))
		a.add("accuracy_stddev", real(acc.StdDev))
		a.add("accuracy_basis", acc.Basis.String())
	}
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

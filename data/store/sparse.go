package store

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/bundle"
	"sweetspot/engine/estimate"
)

// column is a column of one of our tables.
type column struct {
	Name, Type string
	Notnull    bool
	DfltValue  *string
}

// local are columns that mean something in this database alone, or are told otherwise.
var local = map[string][]string{
	"runs": {"id", "variant_id", "machine_id", "series", "spool", "note", "deleted", "fingerprint", "content", "measured",
		"named", "noted", "kept", "series_mark"},
	"variants": {"id", "model_id", "name"},
	"machines": {"id"},
	"picks":    {"id", "note", "deleted", "noted", "kept"},
	"models":   {"id", "name"},
	"vm_types": {"id", "cloud", "region", "instance_type", "stamp"},
}

// columnsTold are the columns of all tables that other databases are told.
func (s *Store) columnsTold(ctx context.Context, tx *transaction) (map[string][]column, error) {
	s.columnsLock.Lock()
	defer s.columnsLock.Unlock()
	if s.columns != nil {
		return s.columns, nil
	}
	columns := map[string][]column{}
	for _, table := range append([]string{"runs", "variants", "machines", "picks", "models", "vm_types"}, recorded...) {
		list, err := columnsFor(ctx, tx, table)
		if err != nil {
			return nil, err
		}
		columns[table] = list
	}
	s.columns = columns
	return columns, nil
}

// columnsFor are the columns of a table that other databases are told.
func columnsFor(ctx context.Context, tx *transaction, table string) ([]column, error) {
	list, err := all[column](ctx, tx, `SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?, 'main') ORDER BY cid`,
		table)
	return slices.DeleteFunc(list, func(c column) bool {
		return c.Name == "run_id" || slices.Contains(local[table], c.Name)
	}), err
}

// usual is the value of a column that is not told.
func (c column) usual() any {
	if c.DfltValue == nil {
		if !c.Notnull {
			return nil
		}
		return map[string]any{"TEXT": "", "INTEGER": int64(0), "REAL": 0.0}[c.Type]
	}
	text := *c.DfltValue
	if quoted, ok := strings.CutPrefix(text, "'"); ok {
		return strings.TrimSuffix(quoted, "'")
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if c.Type == "REAL" {
			return float64(n)
		}
		return n
	}
	return nil
}

// sparse reads the columns of a row that have not their usual values. Text is cleaned.
func sparse(ctx context.Context, tx querier, table string, columns []column, id int64) (map[string]any, error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(names, ", ")+" FROM main."+table+" WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	row := map[string]any{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, c := range columns {
			if v := portable(values[i]); v != c.usual() {
				row[c.Name] = v
			}
		}
	}
	return row, rows.Err()
}

// portable is a value as it is written to a bundle; what is not a finite number is unknown.
func portable(v any) any {
	if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil
	}
	return plain(v)
}

// full is a row with all of its columns, from one that leaves usual values out. What no
// database writes is refused.
func full(columns []column, row map[string]any) (assignments, error) {
	a := assignments{}
	for _, c := range columns {
		v, given := row[c.Name]
		if !given {
			a.add(c.Name, c.usual())
			continue
		}
		value, ok := c.read(v)
		if !ok {
			return a, bundle.Damaged("it is damaged (no value of " + c.Name + ")")
		}
		a.add(c.Name, value)
	}
	for name := range row {
		if !slices.Contains(a.names, name) {
			return a, bundle.Damaged("it is damaged (an unknown column)")
		}
	}
	return a, nil
}

// read is a value of JSON as the column has it.
func (c column) read(v any) (value any, ok bool) {
	if v == nil {
		return nil, !c.Notnull
	}
	switch v := v.(type) {
	case string:
		return clean(v), c.Type == "TEXT"
	case json.Number:
		if c.Type == "INTEGER" {
			n, err := v.Int64()
			return n, err == nil
		}
		f, err := v.Float64()
		return f, c.Type == "REAL" && err == nil && math.Abs(f) <= estimate.Largest
	}
	return nil, false
}

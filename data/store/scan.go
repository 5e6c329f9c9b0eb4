package store

import (
	"context"
	"database/sql"
	"reflect"
	"strings"

	"github.com/georgysavva/scany/v2/dbscan"
)

// byName copies the columns of a row to the fields of the same name, and refuses
// a column without one.
var byName = newScanner()

func newScanner() *dbscan.API {
	api, err := dbscan.NewAPI(dbscan.WithFieldNameMapper(columnOf))
	if err != nil {
		panic(err) // only of options that no program passes
	}
	return api
}

// units are words of field names that are one word in a column.
var units = strings.NewReplacer("VCPUs", "Vcpus", "GiB", "Gib", "StdDev", "Stddev", "CPUs", "Cpus", "FLOPs", "Flops")

// columnOf is the column of a field: gpu_mem_gib of GPUMemGiB.
func columnOf(field string) string { return dbscan.SnakeCaseMapper(units.Replace(field)) }

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each calls do for every row of a query. The row is the same variable each time.
// Its texts are cleaned: any program can write to the file, and what it wrote
// would reach the terminal. Each text is held once, however many rows say the same.
func each[T any](ctx context.Context, q querier, query string, args []any, do func(*T) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	scanner := byName.NewRowScanner(rows)
	row := new(T)
	texts, known := textsIn(reflect.ValueOf(row).Elem()), map[string]string{}
	for rows.Next() {
		*row = *new(T)
		if err := scanner.Scan(row); err != nil {
			return err
		}
		for _, text := range texts {
			plain, ok := known[*text]
			if !ok {
				plain = clean(*text)
				known[*text] = plain
			}
			*text = plain
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// textsIn are the texts in a value and in the structs it is made of.
func textsIn(v reflect.Value) (texts []*string) {
	switch v.Kind() {
	case reflect.String:
		return []*string{v.Addr().Convert(reflect.TypeFor[*string]()).Interface().(*string)}
	case reflect.Struct:
		for _, field := range v.Fields() {
			texts = append(texts, textsIn(field)...)
		}
	}
	return texts
}

// all returns the rows of a query.
func all[T any](ctx context.Context, q querier, query string, args ...any) (list []T, err error) {
	err = each(ctx, q, query, args, func(row *T) error {
		list = append(list, *row)
		return nil
	})
	return list, err
}

// one returns the row of a query, or [sql.ErrNoRows].
func one[T any](ctx context.Context, q querier, query string, args ...any) (row T, err error) {
	list, err := all[T](ctx, q, query, args...)
	if err == nil && len(list) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return row, err
	}
	return list[0], nil
}

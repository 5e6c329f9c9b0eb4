package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"

	"github.com/georgysavva/scany/v2/dbscan"

	"sweetspot/engine/estimate"
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
// Its cells are cleaned: any program can write to the file, and what it wrote
// would reach the terminal. Each text is held once, however many rows say the same.
func each[T any](ctx context.Context, q querier, query string, args []any, do func(*T) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	scanner := byName.NewRowScanner(rows)
	row := new(T)
	var in cells
	in.find(reflect.ValueOf(row).Elem())
	known := map[string]string{}
	for rows.Next() {
		*row = *new(T)
		if err := scanner.Scan(row); err != nil {
			return notScanned(err)
		}
		if err := in.clean(known); err != nil {
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// unreadable is an error about a value: no number where one belongs.
type unreadable struct {
	where string // " in column count"; "" where that is not known
	error
}

// scanError finds the column, without its table, in an error of database/sql.
var scanError = regexp.MustCompile(`name "(?:\w+\.)*(\w+)"`)

// notScanned is an error of scanning a row.
func notScanned(err error) error {
	if column := scanError.FindStringSubmatch(err.Error()); column != nil {
		return &unreadable{" in column " + column[1], err}
	}
	return &unreadable{"", err}
}

// cells are the texts and numbers in a row and in the structs it is made of.
type cells struct {
	texts   []*string
	numbers []*float64
	unsure  []**float64 // NULL is unknown
}

func (in *cells) find(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		in.texts = append(in.texts, v.Addr().Convert(reflect.TypeFor[*string]()).Interface().(*string))
	case reflect.Struct:
		for _, field := range v.Fields() {
			in.find(field)
		}
	case reflect.Float64:
		in.numbers = append(in.numbers, v.Addr().Interface().(*float64))
	case reflect.Pointer:
		if v.CanInterface() && v.Type() == reflect.TypeFor[*float64]() {
			in.unsure = append(in.unsure, v.Addr().Interface().(**float64))
		}
	}
}

// clean makes texts plain and numbers out of bounds unknown, which earlier versions
// recorded: they must not keep a database from being opened. known are the texts seen.
func (in *cells) clean(known map[string]string) error {
	for _, text := range in.texts {
		plain, ok := known[*text]
		if !ok {
			plain = clean(*text)
			known[*text] = plain
		}
		*text = plain
	}
	for _, number := range in.unsure {
		if *number != nil && !estimate.Plausible(math.Abs(**number)) {
			*number = nil
		}
	}
	for _, number := range in.numbers {
		if math.IsInf(*number, 0) {
			return &unreadable{"", errors.New("an infinite number")}
		}
		if math.Abs(*number) > estimate.Largest {
			*number = 0
		}
	}
	return nil
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

package catalog

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	MaxRows     = 2_000_000
	MaxRowBytes = textfile.MaxRowBytes // quoted line breaks included
	maxCell     = 200                  // characters of a name
	MaxUSD      = 1e5                  // an hour of a VM
	maxNumber   = 1e9
)

// Table is a CSV file with a header. Rows are bounded, and cells are found by
// column name.
type Table struct {
	rows    *textfile.Rows
	columns map[string]int
	before  map[string]string // values in the rows before the header
	cells   []string
	err     error // the first error in a cell of this row
}

// NewTable returns a table whose header is still to be read.
func NewTable(text io.Reader) *Table {
	rows := textfile.NewRows(text)
	rows.CSV.FieldsPerRecord = -1 // until the header
	return &Table{rows: rows, columns: map[string]int{}, before: map[string]string{}}
}

// Header reads rows up to the one that names the columns: the first, or the
// first that begins with the given names.
func (t *Table) Header(begins string) error {
	for {
		cells, err := t.rows.Next()
		if errors.Is(err, io.EOF) {
			return textfile.Wrong(max(t.Row()-1, 1), "the file is empty; a price list starts with a row of column names")
		}
		if err != nil {
			return err
		}
		if begins != "" && (len(cells) == 0 || cells[0] != begins) && t.Row() < 20 {
			if len(cells) > 1 {
				t.before[cells[0]] = cells[1]
			}
			continue
		}
		for i, cell := range cells {
			name := columnName(cell)
			if _, twice := t.columns[name]; !twice && name != "" {
				t.columns[name] = i
			}
		}
		t.rows.CSV.FieldsPerRecord = len(cells)
		return nil
	}
}

// Preamble is the value of a name in the rows before the header.
func (t *Table) Preamble(name string) string { return t.before[name] }

// columnName normalises what spreadsheets do to a header, and the two spellings
// of one name in price lists.
func columnName(cell string) string {
	return strings.ToLower(strings.Join(strings.Fields(plaintext.Clean(cell)), " "))
}

// Has reports whether the table has all of the columns.
func (t *Table) Has(columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { _, ok := t.columns[columnName(c)]; return !ok })
}

// Names lists the columns for an error message, in the file's order.
func (t *Table) Names() string {
	names := make([]string, 0, len(t.columns))
	for name := range t.columns {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return t.columns[a] - t.columns[b] })
	for i, n := range names {
		names[i] = plaintext.Quote(n)
	}
	return plaintext.Cut(strings.Join(names, ", "), 200)
}

// Each calls do for every row, and returns the first error, in a cell or of do.
func (t *Table) Each(do func() error) error {
	for {
		cells, err := t.rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case t.Row() > MaxRows+1:
			return t.Fail("", "more than %s; keep the regions you use", quantity.Several(MaxRows, "row"))
		}
		t.cells, t.err = cells, nil
		if err := do(); err != nil || t.err != nil {
			return cmp.Or(t.err, err)
		}
	}
}

// Row is the number of the last row read; the header is row 1.
func (t *Table) Row() int { return t.rows.Number() }

// Fail returns, and keeps, an error at the last row read.
func (t *Table) Fail(column, format string, args ...any) error {
	err := &textfile.Error{Row: t.Row(), Column: column, What: fmt.Sprintf(format, args...)}
	if t.err == nil {
		t.err = err
	}
	return err
}

// Raw is a cell's text, "" if there is no such column.
func (t *Table) Raw(column string) string {
	i, ok := t.columns[column]
	if !ok || i >= len(t.cells) {
		return ""
	}
	return t.cells[i]
}

// Text is a cell, cleaned and cut to the length of a line.
func (t *Table) Text(column string) string { return Text(t.Raw(column)) }

// Text cleans a name from outside.
func Text(s string) string { return plaintext.Cut(strings.TrimSpace(plaintext.Clean(s)), maxCell) }

// Number is a finite number above 0, or nil if the cell is empty.
func (t *Table) Number(column string) *float64 {
	v, err := positive(strings.TrimSpace(t.Raw(column)))
	if err != nil {
		_ = t.Fail(column, "%s", err.Error())
	}
	return v
}

// Price is US dollars per hour, or nil if the cell is empty or 0, with which
// price lists mark missing offers.
func (t *Table) Price(column string) *float64 {
	v, err := Dollars(t.Raw(column))
	if err != nil {
		_ = t.Fail(column, "%s", err.Error())
	}
	return v
}

// Dollars reads US dollars per hour; nil if there is no price.
func Dollars(s string) (*float64, error) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$")
	switch strings.ToLower(s) {
	case "", "n/a", "na", "nan", "none", "null", "-":
		return nil, nil
	}
	v, ok := textfile.Decimal(s)
	switch {
	case !ok || v < 0:
		return nil, fmt.Errorf("%s is not a price; write US dollars per hour, or leave it empty", plaintext.Quote(s))
	case v > MaxUSD:
		return nil, fmt.Errorf("%s is above %s dollars per hour", plaintext.Quote(s), quantity.Count(MaxUSD))
	case v == 0:
		return nil, nil
	}
	return &v, nil
}

// positive reads a finite number above 0, nil for an empty cell.
func positive(cell string) (*float64, error) {
	if cell == "" {
		return nil, nil
	}
	v, ok := textfile.Decimal(cell)
	if !ok || !(v > 0) || v > maxNumber {
		return nil, fmt.Errorf("%s is not a number above 0", plaintext.Quote(cell))
	}
	return &v, nil
}

// Write writes a catalog CSV with the columns [Columns], one row per price. [Read]
// reads it back.
func Write(w io.Writer, vms []profile.VMType) error {
	rows := csv.NewWriter(w)
	if err := rows.Write(Columns); err != nil {
		return err
	}
	for _, vm := range vms {
		machine := []string{
			vm.Cloud, vm.Region, vm.InstanceType, vm.GPU, strconv.Itoa(vm.GPUCount),
			number(vm.GPUMemGiB), number(vm.VCPUs), number(vm.MemGiB),
		}
		if len(vm.Prices) == 0 {
			if err := rows.Write(append(machine, "", "", "", "")); err != nil {
				return err
			}
		}
		for _, p := range vm.Prices {
			if err := rows.Write(append(machine, string(p.Purchase), number(&p.USDPerHour), p.Source,
				p.AsOf)); err != nil {
				return err
			}
		}
	}
	rows.Flush()
	return rows.Error()
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// Join merges catalogs in order of precedence, the highest first. If several
// contain a VM type, the first defines it, and the first with a price for a
// purchase option sets that price, even if it is older. Unknown values are
// filled in from the others if these mean the same GPUs.
func Join(layers ...[]profile.VMType) []profile.VMType { return join(under, layers...) }

// join merges lists; of a VM type in several, both says what becomes of the
// earlier entry with the later one.
func join(both func(earlier, later profile.VMType) profile.VMType, lists ...[]profile.VMType) []profile.VMType {
	var out []profile.VMType
	at := map[profile.VMKey]int{}
	for _, vm := range slices.Concat(lists...) {
		i, seen := at[vm.Key()]
		if seen {
			out[i] = both(out[i], vm)
			continue
		}
		at[vm.Key()] = len(out)
		out = append(out, vm)
	}
	profile.SortVMTypes(out)
	return out
}

// under returns strong, completed by what only weak knows.
func under(strong, weak profile.VMType) profile.VMType {
	if strong.GPU == weak.GPU && strong.GPUCount == weak.GPUCount {
		for _, f := range []struct{ to, from **float64 }{
			{&strong.GPUMemGiB, &weak.GPUMemGiB}, {&strong.VCPUs, &weak.VCPUs}, {&strong.MemGiB, &weak.MemGiB},
		} {
			if *f.to == nil {
				*f.to = *f.from
			}
		}
	}
	prices := slices.Clone(strong.Prices)
	for _, p := range weak.Prices {
		if _, quoted := strong.PriceOf(p.Purchase); !quoted {
			prices = append(prices, p)
		}
	}
	strong.Prices = prices
	return strong
}

// Update merges a new import into earlier ones: its VM types replace theirs,
// and its prices replace those from the same source.
func Update(earlier, imported []profile.VMType) []profile.VMType {
	return join(func(vm, old profile.VMType) profile.VMType {
		prices := slices.Clone(vm.Prices)
		for _, p := range old.Prices {
			if !slices.ContainsFunc(prices, func(q profile.Price) bool {
				return q.Purchase == p.Purchase && (q.Source == p.Source || q.AsOf == p.AsOf)
			}) {
				prices = append(prices, p)
			}
		}
		vm.Prices = prices
		return vm
	}, imported, earlier)
}

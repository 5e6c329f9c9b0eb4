package source

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// Row is a row of a table, or its header. Cells are found by column name.
type Row = textfile.Table

// Table calls do for every row below the header of a table with the separator.
// The header is given to header first, which may refuse it; nil takes any.
func Table(f File, separator rune, header func(*Row) error, do func(*Row) error) error {
	return f.Read(func(text io.Reader) error {
		t := textfile.NewTable(text)
		t.File, t.Unknown = f.Base(), Unknown
		t.CSV.Comma, t.CSV.LazyQuotes = separator, separator == '\t'
		err := t.Header("a table", "")
		if err == nil && header != nil {
			err = header(t)
		}
		if err != nil {
			return err
		}
		return t.Each(func() error { return do(t) })
	})
}

// errEnough ends the reading of a table after its header.
var errEnough = errors.New("enough")

// Head passes only the header of a table to is, which may reject it.
func Head(f File, separator rune, is func(*Row) error) error {
	err := Table(f, separator, func(r *Row) error { return cmp.Or(is(r), errEnough) }, nil)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// HaveAll reports whether the names of a table's columns contain all of those.
func HaveAll(names []string, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(names, c) })
}

// Header is the first row of a table in head; nil if head is not a table.
func Header(head []byte, separator rune) []string {
	rows := csv.NewReader(plaintext.Unmarked(strings.NewReader(string(head))))
	rows.Comma, rows.LazyQuotes = separator, separator == '\t'
	names, err := rows.Read()
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = Text(name)
	}
	return names
}

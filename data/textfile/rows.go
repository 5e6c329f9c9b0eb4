package textfile

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// MaxRowBytes is the approximate limit on the length of one row, including
// quoted line breaks.
const MaxRowBytes = 1 << 20

// Error is an error in a file's content.
type Error struct {
	Unit   string // what Row counts, from 1; "" for rows: the header is row 1, blank lines are left out
	Row    int
	Column string // "" if the error is about the whole row
	What   string // ends the sentence, with the mend if there is one
}

// Error returns one sentence.
func (e *Error) Error() string {
	where := fmt.Sprintf("%s %d", cmp.Or(e.Unit, "row"), e.Row)
	if e.Column != "" {
		where += ", column " + e.Column
	}
	return where + ": " + e.What
}

// Wrong returns an error about a row.
func Wrong(row int, format string, args ...any) *Error {
	return &Error{Row: row, What: fmt.Sprintf(format, args...)}
}

// Decimal reads a decimal number from a cell; one too large is infinite. strconv
// alone would also accept NaN, Inf, hexadecimal and underscores.
func Decimal(cell string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(cell, 64)
	return v, strings.Trim(cell, "0123456789+-.eE") == "" && (err == nil || errors.Is(err, strconv.ErrRange))
}

// Rows is a CSV file whose rows are bounded. CSV is to be set up before the first
// row is read.
type Rows struct {
	CSV  *csv.Reader
	left *io.LimitedReader
	row  int
}

// NewRows returns the rows of a text without its byte order mark.
func NewRows(text io.Reader) *Rows {
	left := &io.LimitedReader{R: plaintext.Unmarked(text)}
	rows := csv.NewReader(left)
	rows.ReuseRecord = true
	return &Rows{CSV: rows, left: left}
}

// Number is the number of the last row read; the header is row 1.
func (r *Rows) Number() int { return r.row }

// Next returns the cells of the next row, which are valid until the next call,
// and io.EOF after the last. Errors in the content are of type [*Error].
func (r *Rows) Next() ([]string, error) {
	r.left.N = MaxRowBytes
	cells, err := r.CSV.Read()
	r.row++
	var parse *csv.ParseError
	switch {
	case r.left.N <= 0: // whatever the reader made of the piece
		return nil, r.wrong("longer than %d bytes; is a quote left open?", MaxRowBytes)
	case err == nil || errors.Is(err, io.EOF):
		return cells, err
	case errors.Is(err, csv.ErrFieldCount):
		return nil, r.wrong("has %s and the header %d; quote cells that hold a comma, unless the file is cut off here",
			quantity.Several(len(cells), "cell"), r.CSV.FieldsPerRecord)
	case errors.As(err, &parse):
		return nil, r.wrong("a quote is left open or out of place; write \"\" for a quote inside a quoted cell, unless " +
			"the file is cut off here")
	case errors.Is(err, ErrDamaged):
		return nil, r.wrong("%s", ErrDamaged.Error())
	}
	return nil, fmt.Errorf("reading row %d: %w", r.row, err)
}

func (r *Rows) wrong(format string, args ...any) error { return Wrong(r.row, format, args...) }

package textfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// MaxRowBytes is the approximate limit on the length of one row, including
// quoted line breaks.
const MaxRowBytes = 1 << 20

// RowError is an error in a row's content.
type RowError struct {
	Row  int    // the header being row 1, blank lines left out
	What string // ends the sentence, with the mend
}

// Error returns one sentence.
func (e *RowError) Error() string { return fmt.Sprintf("row %d: %s", e.Row, e.What) }

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
// and io.EOF after the last. Errors in the content are of type [*RowError].
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

func (r *Rows) wrong(format string, args ...any) error {
	return &RowError{Row: r.row, What: fmt.Sprintf(format, args...)}
}

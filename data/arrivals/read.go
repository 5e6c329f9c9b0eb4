package arrivals

import (
	"errors"
	"io"
	"math"
	"strings"
	"time"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// Read returns the trace of a file. Errors about the content are of type
// [*textfile.Error].
func Read(r io.Reader) (*Arrivals, error) {
	text, err := textfile.Open(r)
	if err != nil {
		return nil, atLine(1, err)
	}
	rows := textfile.NewRows(text)
	header, err := rows.Next()
	if errors.Is(err, io.EOF) {
		return nil, textfile.Wrong(1,
			"the file is empty; an arrival trace starts with a row of column names, time_s or second,requests")
	}
	if err != nil {
		return nil, atLine(1, err)
	}
	c, err := columnsOf(header)
	if err != nil {
		return nil, err
	}
	counts := &counter{columns: c, at: map[int64]int{}}
	for row := 2; ; {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return counts.arrivals(row)
		}
		if err != nil {
			return nil, atLine(row, err)
		}
		row, _ = rows.CSV.FieldPos(0)
		if err := counts.add(row, cells); err != nil {
			return nil, err
		}
		row++
	}
}

// columns are the positions of the columns; many is -1 if a row is one request.
type columns struct {
	format     Format
	when, many int
}

func columnsOf(header []string) (columns, error) {
	places := map[string]int{}
	for i, cell := range header {
		name := strings.ToLower(strings.TrimSpace(cell))
		if _, twice := places[name]; twice && (name == "requests" || formatOf(name) != "") {
			return columns{}, &textfile.Error{Row: 1, What: "the column " + name + " is there twice; remove one"}
		}
		places[name] = i
	}
	c := columns{many: -1}
	for _, f := range []Format{Times, Timestamps, Seconds, Minutes} {
		at, ok := places[string(f)]
		if !ok {
			continue
		}
		if c.format != "" {
			return c, textfile.Wrong(1, "the columns %s and %s are both times; remove one", c.format, f)
		}
		c.format, c.when = f, at
	}
	if c.format == "" {
		return c, textfile.Wrong(1, "there is no time column; name one time_s (one row per request), TIMESTAMP, or second "+
			"or minute together with requests; the first column is %s", plaintext.Quote(plaintext.Clean(header[0])))
	}
	if c.format == Seconds || c.format == Minutes {
		at, ok := places["requests"]
		if !ok {
			return c, textfile.Wrong(1,
				"the column requests is missing next to %s; if each row is a request, name the time column time_s", c.format)
		}
		c.many = at
	}
	return c, nil
}

func formatOf(name string) Format {
	switch f := Format(name); f {
	case Times, Timestamps, Seconds, Minutes:
		return f
	}
	return ""
}

// atLine replaces the row of a content error by its line, which is 1 for an
// error at the start of a compressed file.
func atLine(line int, err error) error {
	var row *textfile.Error
	switch {
	case errors.As(err, &row):
		return &textfile.Error{Row: line, What: row.What}
	case errors.Is(err, textfile.ErrDamaged):
		return &textfile.Error{Row: line, What: err.Error()}
	}
	return err
}

// furthest is above any second of any clock, even counted in nanoseconds since 1970.
const furthest = 1e18

// number reads a finite decimal number of at least 0.
func number(row int, column, cell string) (float64, error) {
	cell = strings.TrimSpace(cell)
	shown := plaintext.Quote(plaintext.Clean(cell))
	if cell == "" {
		return 0, textfile.Wrong(row, "%s is empty; give a number or remove the row", column)
	}
	v, ok := textfile.Decimal(cell)
	switch {
	case !ok:
		return 0, textfile.Wrong(row, "%s: %s is not a finite decimal number; correct it or remove the row", column, shown)
	case v < 0:
		return 0, textfile.Wrong(row,
			"%s: %s is negative; times start at 0, so add a constant to all of them or correct the row", column, shown)
	case v > furthest:
		return 0, textfile.Wrong(row, "%s: %s is too large", column, shown)
	}
	return v, nil
}

// whole is like number, for integers.
func whole(row int, column, cell string) (int64, error) {
	v, err := number(row, column, cell)
	if err == nil && v != math.Trunc(v) {
		err = textfile.Wrong(row, "%s: %g is not a whole number; if each row is a request, name the column time_s", column, v)
	}
	return int64(v), err
}

// layouts are the accepted date and time formats. A fraction may follow the
// seconds in each.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00"}

// timestamp reads a date and time as seconds since 1970.
func timestamp(row int, cell string) (int64, error) {
	cell = strings.TrimSpace(cell)
	for _, layout := range layouts {
		if at, err := time.Parse(layout, cell); err == nil {
			return at.Unix(), nil
		}
	}
	return 0, textfile.Wrong(row, "timestamp: %s is not a date and time; write 2023-11-16 18:17:03.97996",
		plaintext.Quote(plaintext.Clean(cell)))
}

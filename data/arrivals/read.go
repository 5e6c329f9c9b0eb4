package arrivals

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"sweetspot/engine/plaintext"
)

// Read returns the trace of a file. Errors about the content are of type
// [*Error].
func Read(r io.Reader) (*Arrivals, error) {
	plain, err := unzipped(r)
	if err != nil {
		return nil, rowError(1, err)
	}
	limited := &rowLimiter{r: plaintext.Unmarked(plain), left: MaxRowBytes}
	rows := csv.NewReader(limited)
	rows.ReuseRecord = true

	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, &Error{Row: 1, What: "the file is empty; an arrival trace starts with a row of column names, time_s or second,requests"}
	}
	if err != nil {
		return nil, rowError(1, err)
	}
	c, err := columnsOf(header)
	if err != nil {
		return nil, err
	}
	counts := &counter{columns: c, at: map[int64]int{}}
	for row := 2; ; {
		limited.left = MaxRowBytes
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return counts.arrivals(row)
		}
		if err != nil {
			return nil, rowError(row, err)
		}
		row, _ = rows.FieldPos(0)
		if err := counts.add(row, cells); err != nil {
			return nil, err
		}
		row++
	}
}

// unzipped looks into the file for what its name may not say.
func unzipped(r io.Reader) (io.Reader, error) {
	text := bufio.NewReader(r)
	if magic, err := text.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		return gzip.NewReader(text)
	}
	return text, nil
}

// columns are the places of what is read; many is -1 where a row is one request.
type columns struct {
	format     Format
	when, many int
}

func columnsOf(header []string) (columns, error) {
	places := map[string]int{}
	for i, cell := range header {
		name := strings.ToLower(strings.TrimSpace(cell))
		if _, twice := places[name]; twice && (name == "requests" || formatOf(name) != "") {
			return columns{}, &Error{Row: 1, What: "the column " + name + " is there twice; remove one"}
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
			return c, &Error{Row: 1, What: fmt.Sprintf("the columns %s and %s both say when; remove one", c.format, f)}
		}
		c.format, c.when = f, at
	}
	if c.format == "" {
		return c, &Error{Row: 1, What: fmt.Sprintf("no column says when; name one time_s (a row a request), TIMESTAMP, or second or minute beside requests; the first is %s",
			plaintext.Quote(plaintext.Clean(header[0])))}
	}
	if c.format == Seconds || c.format == Minutes {
		at, ok := places["requests"]
		if !ok {
			return c, &Error{Row: 1, What: fmt.Sprintf("the column requests is missing beside %s; for one row a request call the times time_s", c.format)}
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

// rowError turns an error of what reads below into a sentence with its row.
func rowError(row int, err error) error {
	var parse *csv.ParseError
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errRowTooLong):
		return &Error{Row: row, What: fmt.Sprintf("longer than %d bytes; is a quote left open?", MaxRowBytes)}
	case errors.Is(err, csv.ErrFieldCount):
		return &Error{Row: row, What: "has more or fewer cells than the header; quote cells that hold a comma"}
	case errors.As(err, &parse):
		return &Error{Row: row, What: "a quote is left open or out of place; write \"\" for a quote inside a quoted cell"}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Row: row, What: "the gzip data is damaged or cut off here; fetch the file again"}
	}
	return fmt.Errorf("reading row %d: %w", row, err)
}

var errRowTooLong = errors.New("row too long")

// rowLimiter fails once more than left bytes were read since left was last
// set. The csv reader reads at most a buffer ahead, which is small beside the
// limit.
type rowLimiter struct {
	r    io.Reader
	left int
}

func (l *rowLimiter) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRowTooLong
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

package arrivals

import (
	"math"
	"strings"
	"time"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

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

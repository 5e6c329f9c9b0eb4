package arrivals

import (
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
	c := &counter{Table: textfile.NewTable(textfile.Open(r)), at: map[int64]int{},
		kinds: map[string]map[int64]int{}}
	c.MaxRows = MaxRows
	if err := c.Header("an arrival trace, time_s or second,requests,", ""); err != nil {
		return nil, err
	}
	if err := c.find(); err != nil {
		return nil, err
	}
	if err := c.Each(c.add); err != nil {
		return nil, err
	}
	return c.arrivals()
}

// find finds the time column, which determines the meaning of the rows.
func (c *counter) find() error {
	for _, f := range []Format{Times, Timestamps, Seconds, Minutes} {
		switch {
		case !c.Has(string(f)):
		case c.format != "":
			return c.Wrong("the columns %s and %s are both times; remove one", c.format, f)
		default:
			c.format = f
		}
	}
	switch {
	case c.format == "":
		return c.Wrong("there is no time column among %s; name one time_s (one row per request), TIMESTAMP, or second or "+
			"minute together with requests", c.Listed())
	case !c.counts():
		return c.Need(string(c.format))
	case !c.Has("requests"):
		return c.Wrong("the column requests is missing next to %s; if each row is a request, name the time column time_s",
			c.format)
	}
	return c.Need(string(c.format), "requests")
}

// counts reports whether a row is a number of requests; else it is one request.
func (c *counter) counts() bool { return c.format == Seconds || c.format == Minutes }

// furthest is above any second of any clock, even counted in nanoseconds since 1970.
const furthest = 1e18

// number reads a number of at least 0.
func (c *counter) number(column string) float64 {
	v := c.NotNegative(column)
	switch {
	case v == nil:
		_ = c.Fail(column, "is empty; give a number or remove the row")
		return 0
	case *v > furthest:
		_ = c.Fail(column, "%g is too large", *v)
		return 0
	}
	return *v
}

// whole is like number, for integers.
func (c *counter) whole(column string) int64 {
	v := c.number(column)
	if v != math.Trunc(v) {
		_ = c.Fail(column, "%g is not a whole number; if each row is a request, name the column time_s", v)
	}
	return int64(v)
}

// layouts are the accepted date and time formats. A fraction may follow the
// seconds in each.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00"}

// dateTime reads a date and time.
func dateTime(cell string) (at time.Time, ok bool) {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, strings.TrimSpace(cell)); err == nil {
			return at, true
		}
	}
	return at, false
}

// noDateTime is what is wrong with a cell that holds none.
func noDateTime(t *textfile.Table, column string) error {
	return t.Fail(column, "%s is not a date and time; write 2023-11-16 18:17:03.97996",
		plaintext.Quote(plaintext.Clean(strings.TrimSpace(t.Raw(column)))))
}

// timestamp reads a date and time as seconds since 1970.
func (c *counter) timestamp() int64 {
	at, ok := dateTime(c.Raw(string(Timestamps)))
	if !ok {
		_ = noDateTime(c.Table, string(Timestamps))
		return 0
	}
	return at.Unix()
}

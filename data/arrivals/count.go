package arrivals

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/serving"
)

// counter adds up rows by second, or by minute if the file does.
type counter struct {
	*textfile.Table
	format      Format
	at          map[int64]int            // requests by second or minute of the file's clock
	kinds       map[string]map[int64]int // of each model that the rows name
	first, last int64
	before      int64 // the second of the last row
	requests    int
	rows        int
	unsorted    int // rows before the one above them
	repeated    int // rows of a second that had one
}

// unitS is the length of one entry in seconds.
func (c *counter) unitS() int64 {
	if c.format == Minutes {
		return 60
	}
	return 1
}

func (c *counter) add() error {
	second, requests := c.read()
	if c.rows++; c.rows == 1 {
		c.first, c.last, c.before = second, second, second
	}
	c.first, c.last = min(c.first, second), max(c.last, second)
	if c.last-c.first >= MaxSeconds/c.unitS() {
		days := float64(c.last-c.first) * float64(c.unitS()) / 86400
		return c.Wrong("the rows span %.4g days so far, above %d; split the file, correct the time, or give it in seconds",
			days, MaxSeconds/86400)
	}
	if second < c.before {
		c.unsorted++
	}
	c.before = second
	had, seen := c.at[second]
	if seen && !c.Has(modelColumn) {
		c.repeated++
	}
	if most := int64(MaxPerSecond) * c.unitS(); int64(had)+requests > most {
		return c.Wrong("more than %d requests in one %s; correct the number", most, c.unit())
	}
	c.at[second] = had + int(requests)
	c.kind(second, int(requests))
	if c.requests += int(requests); c.requests > MaxRequests {
		return c.Wrong("more than %d requests so far; split the file", MaxRequests)
	}
	return nil
}

// kind counts the requests of the model that the row names. Too many models are not told
// apart.
func (c *counter) kind(second int64, requests int) {
	if c.kinds == nil || !c.Has(modelColumn) {
		return
	}
	name := plaintext.Line(c.Text(modelColumn), mostName)
	if c.kinds[name] == nil {
		if len(c.kinds) >= mostKinds {
			c.kinds = nil
			return
		}
		c.kinds[name] = map[int64]int{}
	}
	c.kinds[name][second] += requests
}

// The column that names what a request asks, and bounds on it.
const (
	modelColumn    = "model"
	mostKinds      = 100
	mostName       = 200
	mostKindsTimes = 50_000_000 // models times seconds
)

// read reads when and how many.
func (c *counter) read() (second, requests int64) {
	switch c.format {
	case Times:
		return int64(math.Floor(c.number(string(Times)))), 1
	case Timestamps:
		return c.timestamp(), 1
	}
	return c.whole(string(c.format)), min(c.whole("requests"), MaxRequests+1)
}

func (c *counter) unit() string {
	if c.format == Minutes {
		return "minute"
	}
	return "second"
}

// arrivals returns the trace once the file is read.
func (c *counter) arrivals() (*Arrivals, error) {
	if c.requests == 0 {
		return nil, c.Wrong("the file contains no request; is it complete?")
	}
	out := &Arrivals{Trace: c.trace(c.at), Format: c.format, Notes: c.notes()}
	if len(c.kinds)*len(out.Trace) > mostKindsTimes {
		c.kinds = nil
	}
	if c.kinds == nil {
		out.Notes = append(out.Notes, "the rows name too many models to tell apart")
	}
	for _, name := range slices.Sorted(maps.Keys(c.kinds)) {
		out.Kinds = append(out.Kinds, Kind{name, c.trace(c.kinds[name])})
	}
	return out, nil
}

// trace spreads what was counted over the seconds.
func (c *counter) trace(counted map[int64]int) serving.Trace {
	unit := int(c.unitS())
	tr := make(serving.Trace, int(c.last-c.first+1)*unit)
	for at, n := range counted {
		start := int(at-c.first) * unit
		for i := range unit {
			tr[start+i] = n*(i+1)/unit - n*i/unit
		}
	}
	return tr
}

func (c *counter) notes() []string {
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	switch {
	case c.format == Timestamps:
		say("second 0 is %s", time.Unix(c.first, 0).UTC().Format("2006-01-02 15:04:05"))
	case c.first > 0:
		say("second 0 is %s %d of the file's clock", c.unit(), c.first)
	}
	if c.unsorted > 0 {
		say("the rows are not sorted by time (%s); they were sorted",
			counted(c.unsorted, "row lies before the one above", "rows lie before the one above"))
	}
	if !c.counts() {
		return notes
	}
	if c.format == Minutes {
		say("the requests of each minute are spread evenly over its seconds, so bursts within a minute are lost")
	}
	if c.repeated > 0 {
		say("%s another of the same %s; their requests were added", counted(c.repeated, "row repeats",
			"rows repeat"), c.unit())
	}
	if missing := int(c.last-c.first+1) - len(c.at); missing > 0 {
		say("%s no row; they count as zero requests", counted(missing, c.unit()+" in between has", c.unit()+
			"s in between have"))
	}
	return notes
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

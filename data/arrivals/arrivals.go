// Package arrivals reads arrival traces: when queries came, or how many in each
// second. What it returns is the queries of each second, from second 0 on.
//
// A trace is a CSV file with a row of column names, gzip-compressed or not. One
// column says when, and which it is says how the rows are meant:
//
//	time_s            one row a request, seconds on any clock: "12.75", "1700158623.98"
//	TIMESTAMP         one row a request, a date and time: the Azure LLM inference
//	                  traces (TIMESTAMP,ContextTokens,GeneratedTokens), RFC 3339
//	second, requests  one row a second; seconds without a row had no requests
//	minute, requests  one row a minute; its requests are spread evenly over it
//
// Case and outer blanks of the names do not matter; other columns are ignored.
// Second 0 is the whole second of the clock in which the earliest row lies.
// Rows may be in any order, and several of the same second are added.
package arrivals

import (
	"fmt"

	"sweetspot/data/textfile"
	"sweetspot/engine/serving"
)

// Limits on what is read, so that a wrong file ends in a sentence and not in a
// machine without memory.
const (
	MaxSeconds   = serving.MaxSeconds // from the earliest row to the latest: 31 days
	MaxRequests  = 100_000_000
	MaxPerSecond = serving.MaxPerSecond
	MaxRows      = MaxRequests
	MaxRowBytes  = textfile.MaxRowBytes // one row, quoted line breaks included
)

// Format is how the rows of a file are meant.
type Format string

// The formats, by the column that says when.
const (
	Times      Format = "time_s"
	Timestamps Format = "timestamp"
	Seconds    Format = "second"
	Minutes    Format = "minute"
)

// Arrivals is a trace and what one should know of how it was read.
type Arrivals struct {
	Trace  serving.Trace
	Format Format
	Notes  []string // sentences without a full stop; nil where there is nothing to say
}

// Error says what is wrong with a file and where. Row is the line of the file,
// with the header as row 1.
type Error struct {
	Row  int
	What string // ends the sentence; says the mend where there is one
}

// Error returns one sentence.
func (e *Error) Error() string { return fmt.Sprintf("row %d: %s", e.Row, e.What) }

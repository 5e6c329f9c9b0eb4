// Package arrivals reads arrival traces: when requests arrived, or how many in
// each second. It returns the number of requests in each second, from second 0
// on.
//
// A trace is a CSV file with a row of column names, gzip-compressed or not. The
// name of its time column determines the meaning of the rows:
//
//	time_s            one row per request, seconds on any clock: "12.75", "1700158623.98"
//	TIMESTAMP         one row per request, a date and time: the Azure LLM inference
//	                  traces (TIMESTAMP,ContextTokens,GeneratedTokens), RFC 3339
//	second, requests  one row per second; seconds without a row had no requests
//	minute, requests  one row per minute; its requests are spread evenly over it
//
// Case and surrounding blanks of the names do not matter; other columns are
// ignored. Second 0 is the second of the clock that contains the earliest row.
// Rows may be in any order; several of the same second are added.
//
// Requests to a language model are read one by one, with their tokens: see [ReadRequests].
package arrivals

import "sweetspot/engine/serving"

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	MaxSeconds   = serving.MaxSeconds // from the earliest row to the latest: 31 days
	MaxRequests  = 100_000_000
	MaxPerSecond = serving.MaxPerSecond
	MaxRows      = MaxRequests
)

// Format is the meaning of a file's rows.
type Format string

// The formats, by the time column.
const (
	Times      Format = "time_s"
	Timestamps Format = "timestamp"
	Seconds    Format = "second"
	Minutes    Format = "minute"
)

// Arrivals is a trace with remarks on how it was read.
type Arrivals struct {
	Trace  serving.Trace
	Format Format
	Kinds  []Kind   // by the models that the rows name, in order of their names; nil where they name none
	Notes  []string // sentences without a full stop; nil where there is nothing to say
}

// Kind is the requests of a trace that name one model; "" is those that name none.
type Kind struct {
	Model string
	Trace serving.Trace
}

// Package jobtrace reads job traces and writes the Job trace CSV.
//
// The Job trace CSV has one row a job and columns found by their names in any
// order; others are ignored. Times are in seconds on one clock:
//
//	submit_s     when the job was submitted, 0 or later
//	runtime_s    how long it runs at full precision; a job with none, or with 0, is left out
//	gpus         how many it holds all at once; 1 where empty, and a job with 0 is left out
//	deadline_s   when it must have ended, on the clock of submit_s; empty where none is stated
//	model        what it trains; empty where none is named
//
// Columns but the first two may be absent. Two forms of the published trace of
// Microsoft's Philly clusters are read beside it: as CSV, where duration_s and
// num_gpus stand for runtime_s and gpus, and the original log, a JSON array:
//
//	[{"submitted_time": "2017-10-07 01:11:39", "attempts": [
//	    {"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23",
//	     "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]}]}]
//
// There a time may be null, "None" or empty. A job is submitted so many seconds
// after the earliest of the log, runs for all attempts with both ends together
// and holds the GPUs of the last attempt with any. Each form may be compressed
// with gzip.
package jobtrace

import (
	"fmt"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
)

// Limits on what is read, so that a wrong file ends in a sentence and not in
// a machine without memory.
const (
	MaxJobs     = 2_000_000
	MaxRowBytes = textfile.MaxRowBytes // one row, quoted line breaks included, or one job of a log
	maxSeconds  = 1e12                 // seconds since 1970 lie below, milliseconds above
	maxGPUs     = 100_000
	maxModel    = 200 // characters of a name
)

// Trace is what a file holds.
type Trace struct {
	Jobs   []fleet.Job // by submission, those of one second in the order of the file; at least one
	Notes  []string    // a sentence each on what was left out, assumed or looks wrong
	Format string      // its name: job trace CSV, Philly CSV or Philly JSON
}

// Names of formats.
const (
	plainCSV   = "job trace CSV"
	phillyCSV  = "Philly CSV"
	phillyJSON = "Philly JSON"
)

// Error says what is wrong with a file and where. Row counts rows with the
// header as row 1 and without blank lines, in JSON jobs from 1.
type Error struct {
	Row  int
	What string // ends the sentence; says the mend where there is one
	json bool
}

// Error returns one sentence.
func (e *Error) Error() string {
	if e.json {
		return fmt.Sprintf("job %d: %s", e.Row, e.What)
	}
	return fmt.Sprintf("row %d: %s", e.Row, e.What)
}

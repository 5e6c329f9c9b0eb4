// Package jobtrace reads job traces and writes the Job trace CSV.
//
// The Job trace CSV has one row per job. Columns are found by name, in any
// order; others are ignored. Times are in seconds on one clock:
//
//	submit_s     when the job was submitted, 0 or later
//	runtime_s    how long it runs at full precision; a job with none, or with 0, is left out
//	gpus         how many it holds all at once; 1 where empty, and a job with 0 is left out
//	deadline_s   when it must have ended, on the clock of submit_s; empty where none is stated
//	model        what it trains; empty where none is named
//
// All columns but the first two are optional. Two forms of the published trace
// of Microsoft's Philly clusters can also be read: as CSV, with duration_s and
// num_gpus for runtime_s and gpus, and the original log, a JSON array:
//
//	[{"submitted_time": "2017-10-07 01:11:39", "attempts": [
//	    {"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23",
//	     "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]}]}]
//
// There a time may be null, "None" or empty. Submission times count from the
// earliest job of the log. A job's runtime is the sum over all attempts with
// both ends, and it holds the GPUs of the last attempt with any. Each form may
// be compressed with gzip.
package jobtrace

import (
	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
)

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	MaxJobs     = 2_000_000
	MaxRowBytes = textfile.MaxRowBytes // one row, quoted line breaks included, or one job of a log
	maxSeconds  = 1e12                 // seconds since 1970 lie below, milliseconds above
	maxGPUs     = 100_000
	maxModel    = 200 // characters of a name
)

// Trace is the content of a file.
type Trace struct {
	Jobs   []fleet.Job // by submission, those of one second in the order of the file; at least one
	Notes  []string    // sentences on what was left out, assumed or looks wrong
	Format string      // its name: job trace CSV, Philly CSV or Philly JSON
}

// Names of formats.
const (
	plainCSV   = "job trace CSV"
	phillyCSV  = "Philly CSV"
	phillyJSON = "Philly JSON"
)

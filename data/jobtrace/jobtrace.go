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
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
)

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	MaxJobs    = 2_000_000
	maxSeconds = 1e12 // seconds since 1970 lie below, milliseconds above
	maxGPUs    = 100_000
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

// Read returns the jobs of a trace in any of the formats. Errors about the
// content are of type [*textfile.Error].
func Read(r io.Reader) (*Trace, error) { return read(r, MaxJobs) }

// sniffed is the number of bytes used to recognise the format. Images,
// databases and archives have a zero among their first bytes.
const sniffed = 1024

func read(r io.Reader, most int) (*Trace, error) {
	text := textfile.Open(r)
	head, err := text.Peek(sniffed)
	switch {
	case err == nil, errors.Is(err, io.EOF), len(head) > 0:
	case errors.Is(err, textfile.ErrDamaged):
		return nil, textfile.Wrong(1, "%s", err.Error())
	default:
		return nil, fmt.Errorf("reading row 1: %w", err)
	}
	start := bytes.TrimSpace(head)
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return nil, textfile.Wrong(1,
			"the file is not text; a job trace is CSV or JSON in UTF-8, plain or compressed with gzip")
	case bytes.HasPrefix(start, []byte("{")):
		return nil, textfile.Wrong(1, "the file is a JSON object; a Philly log is an array of jobs, in brackets")
	case bytes.HasPrefix(start, []byte("[")):
		return readLog(text, most)
	}
	return readTable(text, most)
}

// Write writes the Job trace CSV. Read returns the same jobs, by submission and
// with their models' names cleaned.
func Write(w io.Writer, jobs []fleet.Job) error {
	if len(jobs) > MaxJobs {
		return fmt.Errorf("a job trace holds at most %s and not %s", quantity.Several(MaxJobs, "job"),
			quantity.Count(float64(len(jobs))))
	}
	out := csv.NewWriter(w)
	cells := make([]string, known)
	for i, names := range spellings {
		cells[i] = names[0]
	}
	_ = out.Write(cells) // the writer stores its first error
	for i := range jobs {
		job := &jobs[i]
		if err := checkWritable(job); err != nil {
			return fmt.Errorf("row %d: %w", i+2, err)
		}
		cells[submit], cells[runtime], cells[deadline] = secondsCell(job.SubmitS), secondsCell(job.RuntimeS),
			secondsCell(job.DeadlineS)
		cells[gpus], cells[model] = strconv.Itoa(job.GPUs), textfile.Text(job.Model)
		_ = out.Write(cells)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the job trace CSV: %w", err)
	}
	return nil
}

// checkWritable rejects a job that could not be read back.
func checkWritable(job *fleet.Job) error {
	switch {
	case !(job.SubmitS >= 0 && job.SubmitS <= maxSeconds):
		return fmt.Errorf("the job is submitted at %g seconds and can't be written", job.SubmitS)
	case !(job.RuntimeS > 0 && job.RuntimeS <= maxSeconds):
		return fmt.Errorf("the job runs for %g seconds and can't be written", job.RuntimeS)
	case job.HasDeadline() && !(job.DeadlineS >= job.SubmitS && job.DeadlineS <= maxSeconds):
		return fmt.Errorf("the job submitted at %g has the deadline %g and can't be written", job.SubmitS, job.DeadlineS)
	case job.GPUs < 1 || job.GPUs > maxGPUs:
		return fmt.Errorf("the job holds %s and can't be written", quantity.Several(job.GPUs, "GPU"))
	}
	return nil
}

// secondsCell returns "" for unknown values.
func secondsCell(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// unstated is the number of GPUs assumed for a job without one.
const unstated = -1

// collector gathers the jobs of a file and counts what it leaves out.
type collector struct {
	jobs   []fleet.Job
	models map[string]string // each name once, however many jobs have it

	unsorted                                       bool
	unsubmitted, unended, noRuntime, noGPUs        int // jobs left out
	backwards                                      int // attempts left out
	oneAssumed, tooLate, withoutDeadline, nameless int // jobs kept
}

// model cleans a name. The result does not keep its row in memory.
func (c *collector) model(cell string) string {
	name := textfile.Text(cell)
	if have, ok := c.models[name]; ok {
		return have
	}
	name = strings.Clone(name)
	c.models[name] = name
	return name
}

// add keeps a job that runs on any GPU. An unknown runtime is NaN.
func (c *collector) add(job fleet.Job) {
	if !(job.RuntimeS > 0) {
		c.noRuntime++
		return
	}
	if job.GPUs == 0 {
		c.noGPUs++
		return
	}
	if job.GPUs == unstated {
		c.oneAssumed++
		job.GPUs = 1
	}
	switch {
	case !job.HasDeadline():
		c.withoutDeadline++
	case job.DeadlineS < job.SubmitS+job.RuntimeS:
		c.tooLate++
	}
	if job.Model == "" {
		c.nameless++
	}
	if n := len(c.jobs); n > 0 && job.SubmitS < c.jobs[n-1].SubmitS {
		c.unsorted = true
	}
	if len(c.jobs) == cap(c.jobs) {
		c.jobs = slices.Grow(c.jobs, len(c.jobs)+1) // doubled: append grows long slices by less and copies more often
	}
	c.jobs = append(c.jobs, job)
}

// finish returns the trace; none reports a file without jobs.
func (c *collector) finish(format string, none *textfile.Error) (*Trace, error) {
	notes := c.notes()
	if len(c.jobs) == 0 {
		none.What = "there are no jobs; a trace needs at least one"
		if len(notes) > 0 {
			none.What = "there are no jobs to keep: " + strings.Join(notes, ", ")
		}
		return nil, none
	}
	if c.unsorted {
		slices.SortStableFunc(c.jobs, func(a, b fleet.Job) int { return cmp.Compare(a.SubmitS, b.SubmitS) })
	}
	return &Trace{Jobs: c.jobs, Notes: notes, Format: format}, nil
}

func (c *collector) notes() []string {
	var notes []string
	if c.unsorted {
		notes = append(notes, "the jobs were not sorted by submission time; they were sorted")
	}
	say := func(n int, before, noun, after string) {
		if n > 0 {
			notes = append(notes, before+quantity.Several(n, noun)+after)
		}
	}
	say(c.unsubmitted, "", "job", " without a submission time left out")
	say(c.unended, "", "job", " that never ended left out")
	say(c.noRuntime, "", "job", " without runtime left out")
	say(c.noGPUs, "", "job", " without GPUs left out")
	say(c.backwards, "", "attempt", " with an end before the start left out")
	say(c.oneAssumed, "1 GPU assumed for ", "job", " with no number of GPUs")
	say(c.tooLate, "", "deadline", " that even an immediate start cannot meet")
	// If no job has one, that is normal for the trace.
	if c.withoutDeadline < len(c.jobs) {
		say(c.withoutDeadline, "", "job", " without a deadline")
	}
	if c.nameless < len(c.jobs) {
		say(c.nameless, "", "job", " without a model")
	}
	return notes
}

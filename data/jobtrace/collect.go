package jobtrace

import (
	"cmp"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
)

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

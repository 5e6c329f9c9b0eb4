package jobtrace

import (
	"cmp"
	"slices"
	"strings"

	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// unstated is the GPUs of a job whose trace states none.
const unstated = -1

// collector gathers the jobs of a file and counts what it makes of them.
type collector struct {
	jobs   []fleet.Job
	models map[string]string // each name once, however many jobs bear it

	unsorted                                        bool
	unsubmitted, unended, noRuntime, noGPUs         int // jobs left out
	backwards                                       int // attempts left out
	oneAssumed, hopeless, withoutDeadline, nameless int // jobs kept
}

// model cleans a name. What it returns doesn't hold on to the row it is from.
func (c *collector) model(cell string) string {
	name := cleanModel(cell)
	if have, ok := c.models[name]; ok {
		return have
	}
	name = strings.Clone(name)
	c.models[name] = name
	return name
}

func cleanModel(name string) string {
	return plaintext.Cut(strings.TrimSpace(plaintext.Clean(name)), maxModel)
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
		c.hopeless++
	}
	if job.Model == "" {
		c.nameless++
	}
	if n := len(c.jobs); n > 0 && job.SubmitS < c.jobs[n-1].SubmitS {
		c.unsorted = true
	}
	if len(c.jobs) == cap(c.jobs) {
		c.jobs = slices.Grow(c.jobs, len(c.jobs)+1) // twice as many: long slices grow by less, and are copied more
	}
	c.jobs = append(c.jobs, job)
}

// finish returns the trace; none says where a file without a job to keep ends.
func (c *collector) finish(format string, none *Error) (*Trace, error) {
	notes := c.notes()
	if len(c.jobs) == 0 {
		none.What = "there are no jobs; a trace has at least one"
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
		notes = append(notes, "the jobs were not in the order of their submission and are sorted")
	}
	say := func(n int, before, noun, after string) {
		if n > 0 {
			notes = append(notes, before+quantity.Several(n, noun)+after)
		}
	}
	say(c.unsubmitted, "", "job", " without a time of submission left out")
	say(c.unended, "", "job", " that never ended left out")
	say(c.noRuntime, "", "job", " without runtime left out")
	say(c.noGPUs, "", "job", " without GPUs left out")
	say(c.backwards, "", "attempt", " with an end before the start left out")
	say(c.oneAssumed, "1 GPU assumed for ", "job", " with no number of GPUs")
	say(c.hopeless, "", "deadline", " that not even an immediate start meets")
	// Where no job has one, the trace is just of that kind.
	if c.withoutDeadline < len(c.jobs) {
		say(c.withoutDeadline, "", "job", " without a deadline")
	}
	if c.nameless < len(c.jobs) {
		say(c.nameless, "", "job", " without a model")
	}
	return notes
}

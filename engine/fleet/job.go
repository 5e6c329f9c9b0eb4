// Package fleet places a trace of jobs on reserved VMs and rents on-demand ones
// for what does not fit: the provider's side of ApproxDNN (Nabavinejad et al.
// 2019). Package approx computes the offers for reduced precision; this one finds
// which jobs can be made one, and where they would run.
package fleet

import "math"

// Job is one row of a job trace.
type Job struct {
	SubmitS   float64 // seconds on the trace's clock
	RuntimeS  float64 // seconds at full precision, above 0
	DeadlineS float64 // seconds on the trace's clock; NaN where the trace states none
	GPUs      int     // at least 1, all at once
	Model     string  // "" where the trace names none
}

// HasDeadline reports whether the trace states a deadline.
func (j *Job) HasDeadline() bool { return !math.IsNaN(j.DeadlineS) }

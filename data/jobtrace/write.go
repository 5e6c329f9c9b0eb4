package jobtrace

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
)

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
		cells[gpus], cells[model] = strconv.Itoa(job.GPUs), cleanModel(job.Model)
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

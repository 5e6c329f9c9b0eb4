package jobtrace

import (
	"io"
	"math"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Columns and their names: ours, then Philly's.
const (
	submit = iota
	runtime
	gpus
	deadline
	model
	known
)

var spellings = [known][]string{
	submit: {"submit_s"}, runtime: {"runtime_s", "duration_s"}, gpus: {"gpus", "num_gpus"}, deadline: {"deadline_s"},
	model: {"model"},
}

// table reads jobs; names are those that the columns have in the file, "" if absent.
type table struct {
	*textfile.Table
	names [known]string
}

// readTable reads both CSV formats.
func readTable(text io.Reader, most int) (*Trace, error) {
	t := table{Table: textfile.NewTable(text)}
	t.MaxRows = most
	if err := t.Header("a job trace", ""); err != nil {
		return nil, err
	}
	if err := t.find(); err != nil {
		return nil, err
	}
	trace := collector{models: map[string]string{}}
	err := t.Each(func() error {
		trace.add(t.job(&trace))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return trace.finish(t.format(), &textfile.Error{Row: t.Row() - 1})
}

// find finds the columns.
func (t *table) find() error {
	for c, names := range spellings {
		for _, name := range names {
			switch {
			case !t.Has(name):
			case t.names[c] != "":
				return t.Wrong("the columns %s and %s mean the same; remove one", name, t.names[c])
			default:
				t.names[c] = name
				if err := t.Need(name); err != nil {
					return err
				}
			}
		}
		if t.names[c] == "" && (c == submit || c == runtime) {
			return t.Wrong("the column %s is missing among %s; a job trace has submit_s and runtime_s, separated by commas",
				strings.Join(names, " or "), t.Listed())
		}
	}
	return nil
}

func (t *table) format() string {
	for c, name := range t.names {
		if name != "" && name != spellings[c][0] {
			return phillyCSV
		}
	}
	return plainCSV
}

func (t *table) job(trace *collector) fleet.Job {
	job := fleet.Job{
		SubmitS: t.seconds(submit), RuntimeS: t.seconds(runtime), DeadlineS: t.seconds(deadline),
		GPUs: t.Whole(t.names[gpus], unstated), Model: trace.model(t.Raw(t.names[model])),
	}
	switch {
	case math.IsNaN(job.SubmitS):
		_ = t.Fail("submit_s", "is empty; give the submission time of the job")
	case job.DeadlineS < job.SubmitS:
		_ = t.Fail("deadline_s", "is %s, before the submission at %s; it must be on the clock of submit_s, not relative "+
			"to it", plaintext.Quote(t.Raw("deadline_s")), plaintext.Quote(t.Raw("submit_s")))
	case job.GPUs > maxGPUs:
		_ = t.Fail(t.names[gpus], "%d is above %s; leave the cell empty for 1", job.GPUs, quantity.Count(maxGPUs))
	}
	return job
}

// seconds returns a time of at least 0, or NaN for an empty cell.
func (t *table) seconds(column int) float64 {
	v := t.NotNegative(t.names[column])
	switch {
	case v == nil:
		return math.NaN()
	case *v > maxSeconds:
		_ = t.Fail(t.names[column], "%g is above %g seconds; are these milliseconds?", *v, float64(maxSeconds))
	}
	return *v
}

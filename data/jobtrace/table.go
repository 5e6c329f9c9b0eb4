package jobtrace

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

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

// readLog reads Philly's original JSON.
func readLog(text io.Reader, most int) (*Trace, error) {
	l := textfile.NewItems(text, "job", textfile.MaxRowBytes)
	var trace collector
	earliest := math.Inf(1)
	if err := l.Enter('['); err != nil {
		return nil, err
	}
	for l.More() {
		var j logged
		if err := l.Next(&j); err != nil {
			return nil, err
		}
		if l.At > most {
			return nil, l.Wrong("more than %s; split the file", quantity.Several(most, "job"))
		}
		if j.Submitted.IsZero() {
			trace.unsubmitted++
			continue
		}
		job := fleet.Job{SubmitS: j.Submitted.seconds(), RuntimeS: j.runtime(&trace), DeadlineS: math.NaN(), GPUs: j.gpus()}
		earliest = min(earliest, job.SubmitS)
		switch {
		case math.IsNaN(job.RuntimeS):
			trace.unended++
		case job.RuntimeS > maxSeconds:
			return nil, l.Wrong("its attempts take %g seconds together, above %g", job.RuntimeS, float64(maxSeconds))
		case job.GPUs > maxGPUs:
			return nil, l.Wrong("holds %s, above %s", quantity.Several(job.GPUs, "GPU"), quantity.Count(maxGPUs))
		default:
			trace.add(job)
		}
	}
	if err := l.Leave(); err != nil {
		return nil, err
	}
	if err := l.End(); err != nil {
		return nil, err
	}
	for i := range trace.jobs {
		trace.jobs[i].SubmitS -= earliest
	}
	return trace.finish(phillyJSON, &textfile.Error{Row: max(l.At, 1), Unit: "job"})
}

// logged is a job of the log, as far as it is needed.
type logged struct {
	Submitted moment `json:"submitted_time"`
	Attempts  []struct {
		Start  moment `json:"start_time"`
		End    moment `json:"end_time"`
		Detail []struct {
			GPUs []counted `json:"gpus"`
		} `json:"detail"`
	} `json:"attempts"`
}

// runtime returns the total seconds of all attempts that began and ended, NaN
// if there are none. If a clock was set back, an attempt may end before it
// begins.
func (j *logged) runtime(trace *collector) float64 {
	seconds, ended := 0.0, false
	for _, a := range j.Attempts {
		switch {
		case a.Start.IsZero() || a.End.IsZero():
		case a.End.Before(a.Start.Time):
			trace.backwards++
		default:
			seconds, ended = seconds+a.End.Sub(a.Start.Time).Seconds(), true
		}
	}
	if !ended {
		return math.NaN()
	}
	return seconds
}

// gpus returns those of the last attempt with any.
func (j *logged) gpus() int {
	for _, a := range slices.Backward(j.Attempts) {
		n := 0
		for _, host := range a.Detail {
			n += len(host.GPUs)
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

// counted is an element of which only the number matters.
type counted struct{}

// UnmarshalJSON takes anything.
func (*counted) UnmarshalJSON([]byte) error { return nil }

// moment is a time by the log's clock, zero if missing.
type moment struct{ time.Time }

// UnmarshalJSON accepts Python's str of a time or of None, and null.
func (m *moment) UnmarshalJSON(text []byte) error {
	var cell string
	if err := json.Unmarshal(text, &cell); err != nil {
		return err
	}
	if cell == "" || cell == "None" {
		return nil
	}
	var err error
	if m.Time, err = time.Parse(time.DateTime, cell); err != nil {
		return &textfile.Error{What: fmt.Sprintf("%s is not a time; write 2017-10-09 10:02:36", plaintext.Quote(cell))}
	}
	return nil
}

// seconds returns the time since 1970.
func (m moment) seconds() float64 { return float64(m.Unix()) + float64(m.Nanosecond())/1e9 }

package jobtrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// readLog reads Philly's original JSON.
func readLog(text io.Reader, most int) (*Trace, error) {
	l := newLog(text)
	var trace collector
	earliest := math.Inf(1)
	for {
		j, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if l.job > most {
			return nil, l.wrong(tooMany(most))
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
			return nil, l.wrong(fmt.Sprintf("its attempts take %g seconds together, above %g", job.RuntimeS,
				float64(maxSeconds)))
		case job.GPUs > maxGPUs:
			return nil, l.wrong(fmt.Sprintf("holds %s, above %s", quantity.Several(job.GPUs, "GPU"), quantity.Count(maxGPUs)))
		default:
			trace.add(job)
		}
	}
	for i := range trace.jobs {
		trace.jobs[i].SubmitS -= earliest
	}
	return trace.finish(phillyJSON, &textfile.Error{Row: max(l.job-1, 1), Unit: "job"})
}

// log is an array of jobs, each bounded.
type log struct {
	array *json.Decoder
	left  *io.LimitedReader
	job   int // that was read last, from 1
}

func newLog(text io.Reader) *log {
	left := &io.LimitedReader{R: text, N: MaxRowBytes}
	l := &log{array: json.NewDecoder(left), left: left}
	_, _ = l.array.Token() // the bracket that told the format
	return l
}

// next returns the next job until io.EOF, the end of the file behind the
// closing bracket.
func (l *log) next() (*logged, error) {
	l.left.N = MaxRowBytes
	l.job++
	if l.array.More() {
		var j logged
		if err := l.array.Decode(&j); err != nil {
			return nil, l.refuse(err)
		}
		return &j, nil
	}
	if _, err := l.array.Token(); err != nil {
		return nil, l.refuse(err)
	}
	switch _, err := l.array.Token(); {
	case err == nil:
		return nil, l.wrong("the array of jobs is followed by more; keep one array per file")
	case !errors.Is(err, io.EOF):
		return nil, l.refuse(err)
	}
	return nil, io.EOF
}

func (l *log) wrong(what string) *textfile.Error {
	return &textfile.Error{Row: l.job, What: what, Unit: "job"}
}

// refuse describes the decoder's errors. The decoder reads ahead, so a used-up
// byte limit matters only if it failed.
func (l *log) refuse(err error) error {
	var ours *textfile.Error
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case l.left.N <= 0:
		return l.wrong(fmt.Sprintf("longer than %d bytes; is a quote or a bracket left open?", MaxRowBytes))
	case errors.Is(err, textfile.ErrDamaged):
		return l.wrong(textfile.ErrDamaged.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return l.wrong("the file ends before its array does; fetch it again")
	case errors.As(err, &ours):
		return l.wrong(ours.What)
	case errors.As(err, &kind):
		return l.wrong(fmt.Sprintf("has %s out of place; is this a Philly log, an array of jobs with submitted_time "+
			"and attempts?", plaintext.Quote(kind.Value)))
	case errors.As(err, &syntax):
		return l.wrong(fmt.Sprintf("is not valid JSON: %s", plaintext.Line(syntax.Error(), 100)))
	}
	return fmt.Errorf("reading job %d: %w", l.job, err)
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

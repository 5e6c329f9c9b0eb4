// Package mllog reads logs of MLPerf training: lines with
//
// :::MLLOG {"namespace": "", "time_ms": 1557, "event_type": "INTERVAL_START",
// "key": "run_start", "value": null, "metadata": {}}
//
// of mlperf_logging from v0.7 to v5, and the lines of v0.5 and v0.6
//
//	:::MLPv0.5.0 resnet 1541635770.35 (train.py:12) eval_accuracy: {"epoch": 4, "value": 0.51}
//
// anywhere among other text. A file may hold several runs, one after another.
// Marks that several ranks log are taken once. The keys read are init_start,
// run_start, run_stop with its status, epoch_start (train_epoch before v0.6),
// block_start of single epochs, eval_start, eval_stop, eval_accuracy, tracked_stats,
// global_batch_size, train_samples, eval_samples, submission_benchmark,
// submission_org and submission_platform.
//
// A run's time begins with run_start, as MLPerf counts it: what passes between
// init_start and run_start is in no total and is left out. Unknown are the GPU,
// the VM type and its price, memory, and the time of an iteration, except where
// a log without epochs tracks its throughput. The basis is measured.
package mllog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Format is how logs of MLPerf are recognised and read. What scripts print may come
// long before the first mark.
var Format = source.Format{Name: "mllog", Title: "MLPerf log", Marks: []string{string(mark), string(oldMark)},
	Claims: func(_ string, head []byte) bool { return marked(head) }, Read: source.Alone(read)}

func read(f source.File, given source.Given) source.Report {
	l := &log{file: f, given: given}
	if err := f.Read(l.read); err != nil {
		return source.Failed(f, err)
	}
	return l.report()
}

// read goes through the lines.
func (l *log) read(text io.Reader) error {
	lines := bufio.NewReaderSize(text, 64<<10)
	for {
		line, err := longLine(lines)
		l.line++
		if marked(line) {
			if e, ok := Parse(line); ok {
				l.add(e)
			} else {
				l.broken++
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(l.runs) > maxRuns || l.marks > maxMarks:
			return &textfile.Error{File: l.file.Base(), Row: l.line,
				What: fmt.Sprintf("more than %d runs or %d marks; split the file", maxRuns, maxMarks)}
		}
	}
}

// longLine returns the next line; of a line above the limit, only the beginning.
func longLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) <= textfile.MaxRowBytes {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Limits in addition to those of all formats.
const (
	maxRuns  = 10_000
	maxMarks = 1_000_000
)

// report turns the logged runs into profiles.
func (l *log) report() source.Report {
	l.close()
	r := source.Report{File: l.file.Path, Set: &profile.Set{}}
	unstarted := 0
	for i := range l.runs {
		if !l.runs[i].started {
			unstarted++
			continue
		}
		run, note := l.profile(&l.runs[i], len(r.Set.Runs)+1)
		if note != "" {
			r.Note("%s", note)
		}
		r.Set.Runs = append(r.Set.Runs, run)
	}
	switch {
	case l.broken > 0 && len(r.Set.Runs) == 0:
		return source.Failed(l.file, l.file.Wrong("none of the %s can be read; is the file cut off?",
			quantity.Several(l.broken, "line with a mark")))
	case len(r.Set.Runs) == 0:
		return source.Failed(l.file, l.file.Wrong("contains no run: there is no line with :::MLLOG and run_start"))
	}
	if l.broken > 0 {
		r.Note("%s that cannot be read left out", quantity.Several(l.broken, "line"))
	}
	if unstarted > 0 {
		r.Note("%s without run_start left out", quantity.Several(unstarted, "run"))
	}
	return r
}

func clean(s string) string { return plaintext.Cut(s, 100) }

// Event is one line of a log of MLPerf.
type Event struct {
	AtS      float64 // seconds since 1970; NaN unknown
	Key      string  // the newer name where a key was renamed
	Bench    string  // the benchmark of a line of v0.5 or v0.6; "" of newer ones
	Metadata struct {
		Status  source.Words `json:"status"`
		Epoch   source.Loose `json:"epoch_num"`
		First   source.Loose `json:"first_epoch_num"`
		Count   source.Loose `json:"epoch_count"`
		Samples source.Loose `json:"samples_count"`
	}

	value json.RawMessage
}

var (
	mark    = []byte(":::MLLOG")
	oldMark = []byte(":::MLPv0.")
)

// marked reports whether text has a line of the log.
func marked(text []byte) bool { return bytes.Contains(text, mark) || bytes.Contains(text, oldMark) }

// Parse reads a line of a log, and whatever stands around the mark on it; ok is
// false where there is none, or it can't be read.
func Parse(line []byte) (e Event, ok bool) {
	i := bytes.Index(line, mark)
	if i < 0 {
		return parseOld(line)
	}
	text := line[i+len(mark):]
	var in struct {
		TimeMS   source.Loose    `json:"time_ms"`
		Key      source.Words    `json:"key"`
		Value    json.RawMessage `json:"value"`
		Metadata json.RawMessage `json:"metadata"`
	}
	// More text may follow on the line.
	if err := json.NewDecoder(bytes.NewReader(source.Strict(text))).Decode(&in); err != nil || in.Key == "" {
		return e, false
	}
	e.Key, e.value, e.AtS = string(in.Key), in.Value, math.NaN()
	if ms := in.TimeMS.Positive(); ms != nil {
		e.AtS = *ms / 1000
	}
	_ = json.Unmarshal(in.Metadata, &e.Metadata) // some loggers write "" for null
	return e, true
}

var oldLine = regexp.MustCompile(`:::MLPv0\.[0-9.]+ (\S+) ([0-9]+(?:\.[0-9]+)?) \([^)]*\) ([A-Za-z0-9_]+)(?::\s*(.*))?`)

// oldKeys are the keys of v0.5 that were renamed later.
var oldKeys = map[string]string{"train_epoch": "epoch_start", "input_batch_size": "global_batch_size",
	"preproc_num_train_examples": "train_samples", "preproc_num_eval_examples": "eval_samples"}

func parseOld(line []byte) (e Event, ok bool) {
	m := oldLine.FindSubmatch(line)
	if m == nil {
		return e, false
	}
	at, err := strconv.ParseFloat(string(m[2]), 64)
	if err != nil {
		return e, false
	}
	e.Bench, e.AtS, e.Key = source.Text(string(m[1])), at, string(m[3])
	e.value = bytes.Clone(source.Strict(bytes.TrimSpace(m[4])))
	if !json.Valid(e.value) {
		e.value = nil
	}
	if name, ok := oldKeys[e.Key]; ok {
		if e.Key == "train_epoch" {
			_ = e.Metadata.Epoch.UnmarshalJSON(e.value)
		}
		e.Key = name
	}
	var pair struct {
		Epoch source.Loose    `json:"epoch"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(e.value, &pair) == nil && pair.Value != nil {
		e.value, e.Metadata.Epoch = pair.Value, pair.Epoch
	}
	return e, true
}

// Number is the value as a number; nil where it is none.
func (e *Event) Number() *float64 {
	var v source.Loose
	if e.value == nil || json.Unmarshal(e.value, &v) != nil {
		return nil
	}
	return v.V
}

// Text is the value as words; "" where it is none.
func (e *Event) Text() string {
	var w source.Words
	if e.value == nil || json.Unmarshal(e.value, &w) != nil {
		return ""
	}
	return string(w)
}

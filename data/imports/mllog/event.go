package mllog

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"

	"sweetspot/data/imports/source"
)

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

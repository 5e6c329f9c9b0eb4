package background

import (
	"errors"
	"slices"
	"time"

	"sweetspot/probes/matrix"
)

// Entry is a background probe.
type Entry struct {
	Name     string
	PID      int
	Database string // path
	Started  time.Time
	Runs     []int64 // their numbers in the database, of the probes started so far
}

// request is what a client wants.
type request struct{ Do string }

const (
	doStop        = "stop"
	doKeepRunning = "keep"
	doCancel      = "cancel"
)

// state is an update on the wire. Iteration times are many, so each row sends
// only those that are new or changed; errors travel as their sentence.
type state struct {
	matrix.Update
	Times []times
	Errs  []string // of the rows; "" for none
}

// times replaces a row's iteration times from From on.
type times struct {
	From    int
	Seconds []float64
}

// pack takes an update apart for a client that has the iteration times in
// sent, which it brings up to date.
func pack(u matrix.Update, sent *[][]float64) state {
	for len(*sent) < len(u.Rows) {
		*sent = append(*sent, nil)
	}
	s := state{Update: u, Times: make([]times, len(u.Rows)), Errs: make([]string, len(u.Rows))}
	s.Rows = slices.Clone(u.Rows)
	for i := range s.Rows {
		r := &s.Rows[i].Update
		from := common((*sent)[i], r.Seconds)
		s.Times[i] = times{from, r.Seconds[from:]}
		(*sent)[i] = r.Seconds
		if r.Err != nil {
			s.Errs[i] = r.Err.Error()
		}
		r.Seconds, r.Err = nil, nil
	}
	return s
}

// common is the number of leading values that two series share. A series that
// only grew keeps its place in memory, so that the usual case costs nothing.
func common(old, now []float64) int {
	if len(old) == 0 || len(now) >= len(old) && &old[0] == &now[0] {
		return len(old)
	}
	n := min(len(old), len(now))
	for i := range n {
		if old[i] != now[i] {
			return i
		}
	}
	return n
}

var errOtherVersion = errors.New("the background probe runs another version of sweetspot; attach with that one")

// unpack puts an update together for a client that holds the iteration times
// in have, which it brings up to date. Slices handed out before stay as they
// were.
func unpack(s state, have *[][]float64) (matrix.Update, error) {
	if len(s.Times) != len(s.Rows) || len(s.Errs) != len(s.Rows) {
		return matrix.Update{}, errOtherVersion
	}
	for len(*have) < len(s.Rows) {
		*have = append(*have, nil)
	}
	for i := range s.Rows {
		r, t, old := &s.Rows[i].Update, s.Times[i], (*have)[i]
		if t.From < 0 || t.From > len(old) {
			return matrix.Update{}, errOtherVersion
		}
		if t.From < len(old) {
			old = slices.Clone(old[:t.From])
		}
		(*have)[i] = append(old, t.Seconds...)
		r.Seconds = slices.Clip((*have)[i])
		if s.Errs[i] != "" {
			r.Err = errors.New(s.Errs[i])
		}
	}
	return s.Update, nil
}

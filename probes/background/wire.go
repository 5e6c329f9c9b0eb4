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
	Runs     []int64 // IDs in the database of the runs started so far
}

// request is what a client wants.
type request struct{ Do string }

const (
	doStop        = "stop"
	doKeepRunning = "keep"
	doCancel      = "cancel"
)

// state is an update on the wire. Each row sends only the iteration times that
// are new or changed; errors are sent as text.
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

// pack turns an update into a state for a client that already has the iteration
// times in sent, and updates sent.
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

// common returns the number of leading values that two series share. A series
// that only grew keeps its address, so the usual case costs nothing.
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

// unpack turns a state back into an update for a client that has the iteration
// times in have, and updates have. Slices returned earlier do not change.
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

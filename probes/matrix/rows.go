package matrix

import (
	"fmt"

	"sweetspot/probes/session"
)

// State is the state of a cell.
type State uint8

// The states of a cell.
const (
	Waiting State = iota
	Running
	Done
	Failed
	OutOfMemory
	Skipped
)

func (s State) String() string {
	return [...]string{"waiting", "running", "done", "failed", "out of memory", "skipped"}[s]
}

// Row is a cell and its progress.
type Row struct {
	Cell
	State  State
	Why    string         // it ended, failed or was skipped
	Update session.Update // the newest; its Seq is 0 before the probe started
}

// Update is the state of a matrix at a moment. It is never changed once sent.
type Update struct {
	Seq      int
	Rows     []Row // in the order of the cells
	Current  int   // the row that started last; 0 before any
	SpentS   float64
	SpentUSD *float64 // nil without a price
	Stopping bool
	Done     bool
}

// Failure is one sentence about the cells that failed. It is nil if every cell
// was measured, ran out of memory or was stopped by the user.
func (u Update) Failure() error {
	failed, first := 0, -1
	for i, r := range u.Rows {
		if r.State == Failed {
			if failed++; first < 0 {
				first = i
			}
		}
	}
	switch {
	case failed == 0:
		return nil
	case len(u.Rows) == 1:
		return u.Rows[0].Update.Err
	}
	return fmt.Errorf("%d of %d probes failed, the first (%s): %s", failed, len(u.Rows), u.Rows[first].Label(),
		u.Rows[first].Why)
}

// Package matrix runs several probes as one: batch sizes × precisions × degrees
// of pruning, repeated in fresh processes, on one or several hosts. The
// smallest come first. After one runs out of memory, those that cannot fit
// either are skipped.
package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/probes/prune"
	"sweetspot/probes/session"
)

// MaxCells is the most probes a matrix may have.
const MaxCells = 256

// Cell is one probe of a matrix. Zero values are left to the script.
type Cell struct {
	Mode      profile.Mode
	Batch     int
	Precision string
	Prune     prune.Degree
	Host      string // ssh destination; "" is this machine
	Repeat    int    // 0, 1, … in fresh processes
	Attempt   int    // 0, 1, … of a job that was cut off and began again
}

// Axes are the values that a matrix combines. An empty axis has one value,
// zero.
type Axes struct {
	Mode       profile.Mode
	Batches    []int
	Precisions []string
	Prunes     []prune.Degree
	Hosts      []string
	Repeats    int // 0 and 1 are one probe a cell
}

// Cells lists the combinations in the order they run. Each repetition runs the
// whole matrix, so that a slow phase of the machine does not hit one cell
// alone; within a repetition the smallest come first. Duplicate values count
// once.
func (a Axes) Cells() ([]Cell, error) {
	batches, precisions, prunes, hosts := set(a.Batches), set(a.Precisions), set(a.Prunes), set(a.Hosts)
	n := len(batches) * len(precisions) * len(prunes) * len(hosts) * max(a.Repeats, 1)
	if n > MaxCells {
		return nil, fmt.Errorf("%d probes are more than the limit of %d; give fewer batch sizes, precisions, prunings, "+
			"hosts or repeats", n, MaxCells)
	}
	slices.Sort(batches)
	slices.SortFunc(prunes, prune.Compare)
	slices.SortStableFunc(precisions, func(x, y string) int { return cmp.Compare(bits(x), bits(y)) })
	cells := make([]Cell, 0, n)
	for repeat := range max(a.Repeats, 1) {
		for _, batch := range batches {
			for _, degree := range prunes {
				for _, precision := range precisions {
					for _, host := range hosts {
						cells = append(cells, Cell{Mode: a.Mode, Batch: batch, Precision: precision, Prune: degree,
							Host: host, Repeat: repeat})
					}
				}
			}
		}
	}
	return cells, nil
}

// set returns the values without duplicates, or the zero value if there are
// none.
func set[T comparable](values []T) []T {
	var out []T
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if out == nil {
		out = make([]T, 1)
	}
	return out
}

// bits is the width of a precision; an unknown one counts as the widest.
func bits(precision string) int {
	switch precision {
	case "int8":
		return 8
	case "fp16", "bf16":
		return 16
	case "tf32":
		return 19
	}
	return 32
}

// Label names the cell among others: "batch 64 · bf16 · pruned 30 %". The
// caller leaves out what no cell varies by setting it to zero.
func (c Cell) Label() string {
	var parts []string
	if c.Host != "" {
		parts = append(parts, c.Host)
	}
	if c.Batch > 0 {
		parts = append(parts, "batch "+strconv.Itoa(c.Batch))
	}
	if c.Precision != "" {
		parts = append(parts, c.Precision)
	}
	if c.Prune != "" {
		parts = append(parts, c.Prune.Name())
	}
	if c.Repeat > 0 {
		parts = append(parts, "repeat "+strconv.Itoa(c.Repeat+1))
	}
	if c.Attempt > 0 {
		parts = append(parts, "attempt "+strconv.Itoa(c.Attempt+1))
	}
	if len(parts) == 0 {
		return "the only one"
	}
	return strings.Join(parts, " · ")
}

// fits reports whether a cell may still fit after other ran out of memory. A
// cell with at least its batch and model size in the same precision on the same
// host cannot.
func (c Cell) fits(other Cell) bool {
	alike := c.Mode == other.Mode && c.Host == other.Host && c.Precision == other.Precision
	return !alike || c.Batch < other.Batch || c.Prune.MayBeSmaller(other.Prune)
}

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
	Warning  string // about what is left behind; "" for none
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

package session

import (
	"slices"

	"sweetspot/probes/protocol"
)

// work is what is known about every step besides its time: when it ended, how
// many units it processed and how long it waited for input, over all ranks.
type work struct {
	ends    []float64 // seconds since the process began
	units   []float64
	waits   []float64 // of the rank that waited longest
	waiting bool      // some step reported how long it waited
}

func (w *work) add(i int, e protocol.Iteration, t float64) {
	if i == len(w.ends) {
		w.ends, w.units, w.waits = append(w.ends, t), append(w.units, 0), append(w.waits, 0)
	}
	w.ends[i] = max(w.ends[i], t)
	if e.Units != nil {
		w.units[i] += *e.Units
	}
	if e.Wait != nil {
		w.waiting = true
		w.waits[i] = max(w.waits[i], min(*e.Wait, e.Seconds))
	}
}

// steadyWork is the steady part of a run's work.
type steadyWork struct {
	begin, end float64  // seconds since the process began
	units      float64  // 0 unknown
	waitShare  *float64 // share of the time spent waiting for input; nil if no step reported it
}

// from summarises the steps from first on; seconds are their times.
func (w *work) from(first int, seconds []float64) (s steadyWork) {
	first = max(first, 1)
	if first >= len(w.ends) {
		return s
	}
	s.begin, s.end = w.ends[first-1], slices.Max(w.ends)
	wait, all := 0.0, 0.0
	for i := first; i < len(w.ends); i++ {
		s.units += w.units[i]
		wait += w.waits[i]
		all += seconds[i]
	}
	if w.waiting && all > 0 {
		s.waitShare = new(min(wait/all, 1))
	}
	return s
}

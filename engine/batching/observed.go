package batching

import (
	"cmp"
	"math"
	"slices"
)

// Observed is a request of a server's log. Times are on one clock, in seconds;
// NaN is unknown.
type Observed struct {
	Request
	AdmittedS float64 // first scheduled
	FirstS    float64 // first token
	LastS     float64 // last token
}

// Complete reports whether first and last token are known.
func (o Observed) Complete() bool { return o.FirstS > o.ArrivalS && o.LastS >= o.FirstS }

// TTFT is the time to the first token in seconds: what the request waited and what
// its prompt took.
func (o Observed) TTFT() float64 { return o.FirstS - o.ArrivalS }

// TPOT is the time per output token in seconds: the mean time between one token and
// the next. The first token is left out; NaN for a request of one token.
func (o Observed) TPOT() float64 {
	if o.Output < 2 {
		return math.NaN()
	}
	return (o.LastS - o.FirstS) / float64(o.Output-1)
}

// Observe is what a client would see of the simulation.
func (o *Outcome) Observe(requests []Request) []Observed {
	seen := make([]Observed, len(requests))
	for i, s := range o.Served {
		seen[i] = Observed{requests[i], s.AdmittedS, s.FirstS, s.LastS}
	}
	return seen
}

// moment is the number of sequences and of their tokens at one time.
type moment struct {
	running, cached, waiting int
}

// moments are those at which requests of the log were admitted, in order. Tokens
// between the first and the last are taken as evenly spread.
func moments(log []Observed) []moment {
	admitted := slices.DeleteFunc(slices.Clone(log), func(o Observed) bool { return math.IsNaN(o.AdmittedS) })
	arrivals := make([]float64, len(admitted))
	for i, o := range admitted {
		arrivals[i] = o.ArrivalS
	}
	slices.Sort(arrivals)
	slices.SortFunc(admitted, func(a, b Observed) int { return cmp.Compare(a.AdmittedS, b.AdmittedS) })
	out := make([]moment, len(admitted))
	var running []Observed
	arrived, next := 0, 0 // admitted[next] is the first one that is not admitted yet
	for i := range out {
		t := admitted[i].AdmittedS
		for arrived < len(arrivals) && arrivals[arrived] <= t {
			arrived++
		}
		for ; next < len(admitted) && admitted[next].AdmittedS <= t; next++ {
			running = append(running, admitted[next])
		}
		running = slices.DeleteFunc(running, func(o Observed) bool { return !(t < o.LastS) })
		m := moment{running: len(running), waiting: arrived - next}
		for _, o := range running {
			m.cached += o.Input
			if t > o.FirstS {
				m.cached += int(float64(o.Output) * (t - o.FirstS) / (o.LastS - o.FirstS))
			}
		}
		out[i] = m
	}
	return out
}

// mostly is the share of the moments at which requests wait that shows a limit.
const mostly = 0.5

// SequencesSeen is the number of sequences that a server holds at once, as a log
// shows it in which others waited while it held as many; 0 where it shows none,
// and where fewer ran while others waited, so that something else was the limit.
func SequencesSeen(log []Observed) int {
	most, waits, full := 0, 0, 0
	all := moments(log)
	for _, m := range all {
		most = max(most, m.running)
	}
	for _, m := range all {
		if m.waiting > 0 && m.running >= most/2 {
			waits++
			if m.running >= most-1 {
				full++
			}
		}
	}
	if waits < fewest || float64(full) < mostly*float64(waits) {
		return 0
	}
	return most
}

// cacheSeen is about how many tokens the cache held at most; 0 where too few requests waited for it to have
// been a limit.
func cacheSeen(log []Observed) int {
	most, waits := 0, 0
	for _, m := range moments(log) {
		most = max(most, m.cached)
		if m.waiting > 0 {
			waits++
		}
	}
	if waits < fewest {
		return 0
	}
	return most
}

// SortLog puts a log in order of arrival.
func SortLog(log []Observed) {
	slices.SortStableFunc(log, func(a, b Observed) int { return cmp.Compare(a.ArrivalS, b.ArrivalS) })
}

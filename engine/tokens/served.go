package tokens

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// Load is a number of requests of one length that a server works on at once, each followed by another.
type Load struct{ AtOnce, Input, Output float64 } // requests, tokens

// Answer is what a load takes, in seconds, and in words what that rests on. Where it is unknown, the
// words say what is lacking.
type Answer struct {
	estimate.Estimate
	Why  string
	Runs []int64 // that it rests on
}

// Served predicts how long a server of a language model takes for loads that were not measured: from
// loads of the same server around it, else from one load there and others on another server. It is safe
// for concurrent use.
type Served struct {
	kinds         map[estimate.Basis]profile.Kind
	tpot, latency *measure
}

// NewServed takes the loads of all servers. What batches took others tells how far off plain rules are,
// and what other GPUs take.
func NewServed(set *profile.Set) *Served {
	var tpot, latency []sample
	for _, s := range set.Servers("", "") {
		for i, l := range s.Loads {
			if l.Concurrency == nil || float64(l.Requests) < *l.Concurrency {
				continue // never as many at once
			}
			of := sample{server: s, load: Load{*l.Concurrency, l.Input, l.Output}, runs: s.Runs[i : i+1]}
			if of.Seconds = orNaN(l.TPOT.Typical()); of.Seconds > 0 {
				tpot = append(tpot, of)
			}
			if of.Seconds = LatencyOf(l); of.Seconds > 0 {
				latency = append(latency, of)
			}
		}
	}
	for _, x := range set.Latencies {
		latency = append(latency, sample{Point: Point{Seconds: x.Seconds},
			server: profile.Server{Model: x.Model, GPU: x.GPU, GPUs: x.GPUs},
			load:   Load{float64(x.Sequences), float64(x.Input), float64(x.Output)}})
	}
	return &Served{set.Kinds, newMeasure(curvesOf(tpot, byNumber), nil),
		newMeasure(curvesOf(latency, byNumber), curvesOf(latency, byLength))}
}

// LatencyOf is how long a request of a load takes, in seconds: by the rate of tokens (Little
// 1961), else by what its first token and the others take. NaN is unknown.
func LatencyOf(l *profile.Serving) float64 {
	if l.Generated != nil && l.Concurrency != nil {
		return *l.Concurrency * l.Output / *l.Generated
	}
	return orNaN(l.TTFT.Typical()) + (l.Output-1)*orNaN(l.TPOT.Typical())
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// TPOT is the time per output token, without the first, of a load on a server.
func (s *Served) TPOT(on profile.Server, l Load) Answer { return s.tpot.answer(on, l, s.kinds) }

// Latency is how long a request takes, from its first to its last moment; so long as many of
// them take together that are worked on at once.
func (s *Served) Latency(on profile.Server, l Load) Answer { return s.latency.answer(on, l, s.kinds) }

// measure is what was measured of one quantity, by number and, of a latency, by length.
type measure struct {
	byNumber, byLength []curve
	learned            func() *Corrections
}

func newMeasure(byNumber, byLength []curve) *measure {
	m := &measure{byNumber: byNumber, byLength: byLength}
	m.learned = sync.OnceValue(func() *Corrections {
		var known []Known
		for _, c := range slices.Concat(m.byNumber, m.byLength) {
			known = append(known, c.known()...)
		}
		return Learn(append(known, m.pairs()...))
	})
	return m
}

// answer is what the loads tell, from the most to the least trustworthy of them.
func (m *measure) answer(on profile.Server, l Load, kinds map[estimate.Basis]profile.Kind) Answer {
	here := func(c curve) bool { return c.isOf(on, l) }
	for _, curves := range [][]curve{m.byNumber, m.byLength} {
		for _, c := range curves {
			if !here(c) {
				continue
			}
			if a := m.along(&c, l, kinds); a.Known() {
				return a
			}
		}
	}
	var best Answer
	for _, c := range m.byNumber {
		if !here(c) {
			continue
		}
		for _, from := range m.byNumber {
			if !from.mirrors(&c) {
				continue
			}
			if a := m.across(&from, &c, l, kinds); a.Known() && (!best.Known() || a.LogSigma() < best.LogSigma()) {
				best = a
			}
		}
	}
	if !best.Known() {
		best.Why = fmt.Sprintf("no load of such lengths was measured at fewer and at more at once on %s", on.Words())
	}
	return best
}

// along is what the loads of one curve tell.
func (m *measure) along(c *curve, l Load, kinds map[estimate.Basis]profile.Kind) Answer {
	at := c.at(l)
	if s, ok := c.measured(at); ok {
		rel := cmp.Or(kinds[estimate.Measured].Rel, training.OneTotalRel)
		return Answer{estimate.Spread(s.Seconds, rel, estimate.Measured), "measured", s.runs}
	}
	q, used, ok := c.between(at)
	if !ok {
		return Answer{}
	}
	a := Answer{Estimate: m.learned().Predict(q), Why: "between " + c.words(used)}
	if !a.Known() {
		return Answer{}
	}
	a.Basis = estimate.OtherBatch
	for _, s := range used {
		a.Runs = append(a.Runs, s.runs...)
	}
	slices.Sort(a.Runs)
	return a
}

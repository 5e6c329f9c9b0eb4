package training

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// positions converts times of a run into numbers of iterations.
type positions struct {
	startsS           []float64 // of epochs
	perEpoch, steady  float64
	startup, init     float64 // when the first iteration ended, and when it began
	hasInit, hasStart bool
	others            []span // pauses and validations, in order
}

// span is when something ended, and the cumulative seconds up to it.
type span struct{ end, sum float64 }

func newPositions(r profile.Run) positions {
	p := positions{perEpoch: *r.IterationsPerEpoch, steady: r.Steady.Value}
	if rising(r.EpochStartsS) {
		p.startsS = r.EpochStartsS
	}
	p.startup, p.hasStart = r.Startup()
	if r.InitS != nil {
		p.init, p.hasInit = *r.InitS, true
	}
	for _, x := range r.Pauses {
		p.others = append(p.others, span{x.AtS, x.Seconds})
	}
	for _, v := range r.Validations {
		if v.AtS != nil {
			p.others = append(p.others, span{*v.AtS, v.Seconds})
		}
	}
	slices.SortFunc(p.others, func(a, b span) int { return cmp.Compare(a.end, b.end) })
	for i := 1; i < len(p.others); i++ {
		p.others[i].sum += p.others[i-1].sum
	}
	return p
}

// of is after how many iterations a pause came; ok is false where it is part of
// the start-up, which is a term of its own.
func (p positions) of(x profile.Pause) (position float64, ok bool) {
	begin := x.AtS - x.Seconds
	if x.Iterations != nil {
		return float64(*x.Iterations), *x.Iterations > 0 || !p.hasInit || begin >= p.init
	}
	if p.hasStart && begin < p.startup {
		return 0, false
	}
	if len(p.startsS) > 0 && begin >= p.startsS[0] {
		return p.byEpochs(begin, x.AtS), true
	}
	return 1 + p.iterations(p.startup, begin), p.steady > 0
}

// byEpochs converts by the beginnings of epochs. What lies between two epochs may
// be recorded in either.
func (p positions) byEpochs(begin, end float64) float64 {
	i, _ := slices.BinarySearch(p.startsS, end)
	i = max(0, i-1)
	last := i+1 == len(p.startsS)
	near := p.perEpoch * p.steady * boundary
	switch {
	case i > 0 && begin <= p.startsS[i]+near:
		return float64(i) * p.perEpoch
	case !last && end >= p.startsS[i+1]-near:
		return float64(i+1) * p.perEpoch
	}
	done := p.iterations(p.startsS[i], begin)
	if i == 0 && p.hasStart {
		done = 1 + p.iterations(p.startup, begin)
	}
	return (float64(i) + math.Min(1, done/p.perEpoch)) * p.perEpoch
}

// iterations is the number of steady iterations between two times.
func (p positions) iterations(from, to float64) float64 {
	if !(p.steady > 0) {
		return 0
	}
	return math.Max(0, to-from-(p.otherwise(to)-p.otherwise(from))) / p.steady
}

// otherwise is the seconds that pauses and validations had taken by a time.
func (p positions) otherwise(t float64) float64 {
	i, _ := slices.BinarySearchFunc(p.others, t, func(o span, t float64) int {
		if o.end <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	return p.others[i-1].sum
}

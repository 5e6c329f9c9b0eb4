package training

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// places tells after how many iterations of a run something was.
type places struct {
	startsS           []float64 // of epochs
	perEpoch, steady  float64
	startup, init     float64 // when the first iteration was over, and when it began
	hasInit, hasStart bool
	others            []span // pauses and validations, in order
}

// span is when something ended, and the seconds of it and all before it.
type span struct{ end, sum float64 }

func newPlaces(r profile.Run) places {
	p := places{perEpoch: *r.IterationsPerEpoch, steady: r.Steady.Value}
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

// of is the place of a pause; ok is false where it belongs to the start-up,
// which is counted for itself.
func (p places) of(x profile.Pause) (place float64, ok bool) {
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

// byEpochs places what began and ended then among the beginnings of epochs. Of
// two epochs between which it was, either may hold it.
func (p places) byEpochs(begin, end float64) float64 {
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

// iterations is how many steady ones there were from one moment to another.
func (p places) iterations(from, to float64) float64 {
	if !(p.steady > 0) {
		return 0
	}
	return math.Max(0, to-from-(p.otherwise(to)-p.otherwise(from))) / p.steady
}

// otherwise is how much time pauses and validations had taken by then.
func (p places) otherwise(t float64) float64 {
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

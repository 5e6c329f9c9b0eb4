package explore

import (
	"math"
	"slices"

	"sweetspot/engine/objective"
	"sweetspot/engine/rank"
	"sweetspot/tui/plot"
)

// view is what a plot shows: a pair of objectives, or else an objective over the
// workload's length; without any price, on the first plot, the time by batch size.
type view struct {
	pair   objective.Pair
	length objective.Name
}

// byBatch is the view of the time by batch size.
var byBatch = view{}

// views are what plot k can show of a space, what it begins with first.
func views(s *rank.Space, k int) (all []view) {
	known := func(o objective.Name) bool {
		if o == objective.Accuracy {
			return s.AccuracyVaries()
		}
		return anyKnown(s.Values(o))
	}
	for _, p := range s.Objectives.Pairs() {
		if known(p.A) && known(p.B) {
			all = append(all, view{pair: p})
		}
	}
	if k == 1 {
		for _, o := range s.Objectives.Minimized() {
			if known(o.Name) {
				all = append(all, view{length: o.Name})
			}
		}
	}
	if !known(objective.Cost) && k == 0 || len(all) == 0 {
		all = append(all, byBatch)
	}
	begin := slices.Index(all, usual(s, k))
	if begin < 0 {
		begin = 0
	}
	return append(slices.Clone(all[begin:]), all[:begin]...)
}

// usual is what plot k begins with: the first the time, the second the cost, by the
// accuracy where it tells candidates apart; else the cost by the time, and over the length.
func usual(s *rank.Space, k int) view {
	priced := anyKnown(s.Values(objective.Cost))
	switch {
	case s.AccuracyVaries() && k == 0:
		return view{pair: objective.Pair{A: objective.Time, B: objective.Accuracy}}
	case s.AccuracyVaries() && priced:
		return view{pair: objective.Pair{A: objective.Cost, B: objective.Accuracy}}
	case k == 0:
		return view{pair: objective.Pair{A: objective.Time, B: objective.Cost}}
	case priced:
		return view{length: objective.Cost}
	}
	return view{length: objective.Time}
}

// view is what plot k shows of a space: what was chosen, where the space has it.
func (p *plots) view(s *rank.Space, k int) view {
	all := views(s, k)
	if c := p.chosen[k]; c != nil && slices.Contains(all, *c) {
		return *c
	}
	return all[0]
}

// turn has plot k show the next of its views.
func (p *plots) turn(a *Answer, k int) {
	all := views(a.Result.Space, k)
	p.chosen[k] = &all[(slices.Index(all, p.view(a.Result.Space, k))+1)%len(all)]
	p.whole()
	p.layOut(a)
}

// mostFitted is up to how many candidates axes follow those that are feasible: of more
// they stay, since a slider's step may not place all points again.
const mostFitted = 200_000

// fit gives plot k axes that fit what is feasible, and the selected candidate, and says
// so behind the name of the plot. Of the accuracy at least half of the axis is the
// frontier's: what is far worse than all of that would take the room that tells it apart.
func (p *plots) fit(r *rank.Result, k, selected int) {
	pair := p.pairs[k]
	if pair == (objective.Pair{}) || r.Space.Len() > mostFitted || r.Count() == 0 {
		return
	}
	axes, fitted := p.axes[k], ""
	for n, name := range []objective.Name{pair.A, pair.B} {
		column := r.Space.Values(name)
		lo, hi := p.span(r.Space, name)
		from, to := feasibleRange(r, column)
		if name == objective.Accuracy {
			from, to = withHalf(r.Frontiers[pair], column, from, to, axes[n].Invert)
		}
		if selected >= 0 && !math.IsNaN(column[selected]) {
			from, to = min(from, column[selected]), max(to, column[selected])
		}
		from, to = outward(lo, hi, from, to, axes[n].Log)
		if !(from < to) || from <= lo && to >= hi {
			continue
		}
		axes[n].Min, axes[n].Max = from, to
		switch {
		case name != objective.Accuracy:
			fitted = ", feasible"
		case fitted == "" && axes[n].Invert:
			fitted = ", below " + axes[n].Label(to, 0)
		case fitted == "":
			fitted = ", above " + axes[n].Label(from, 0)
		}
	}
	p.fitted[k] = fitted
	p.scatter[k].SetAxes(axes[0], axes[1])
}

// span is the least and the largest value of an objective, looked for once in a space.
func (p *plots) span(s *rank.Space, o objective.Name) (lo, hi float64) {
	if p.spanned != s {
		p.spanned, p.spans = s, map[objective.Name][2]float64{}
	}
	if _, known := p.spans[o]; !known {
		lo, hi = extremes(s.Values(o))
		p.spans[o] = [2]float64{lo, hi}
	}
	return p.spans[o][0], p.spans[o][1]
}

// feasibleRange is the least and the largest value of the feasible candidates.
func feasibleRange(r *rank.Result, column []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, v := range column {
		if r.Feasible.Has(i) && !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// withHalf narrows the range of an accuracy so that the frontier takes at least half of
// it; a frontier of one value leaves it as it is.
func withHalf(front []int, column []float64, lo, hi float64, lowerIsBetter bool) (from, to float64) {
	worst, best := math.Inf(1), math.Inf(-1)
	for _, i := range front {
		worst, best = min(worst, column[i]), max(best, column[i])
	}
	switch {
	case !(worst < best):
		return lo, hi
	case lowerIsBetter:
		return lo, min(hi, 2*best-worst)
	}
	return max(lo, 2*worst-best), hi
}

// steps is into how many the range of all candidates is divided, to which that of the
// feasible ones is rounded outward, so that axes seldom move while a slider does.
const steps = 16

// outward rounds a part of a range to whole steps of it, beyond which nothing is.
func outward(lo, hi, from, to float64, log bool) (low, high float64) {
	forth, back := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if log && lo > 0 {
		forth, back = math.Log, math.Exp
	}
	a, width := forth(lo), forth(hi)-forth(lo)
	if !(width > 0) {
		return lo, hi
	}
	first, last := math.Floor((forth(from)-a)/width*steps), math.Ceil((forth(to)-a)/width*steps)
	low, high = back(a+first/steps*width), back(a+last/steps*width)
	pad := margin * (last - first) / steps * width
	if first <= 0 {
		if low = back(a - pad); lo >= 0 {
			low = max(low, 0)
		}
	}
	if last >= steps {
		high = back(a + width + pad)
	}
	return low, high
}

// margin is left beyond the first and the last value, as a share of the axis.
const margin = 0.04

// axesOf are those of a pair as they are where nothing narrows them.
func (p *plots) axesOf(pair objective.Pair) [2]plot.Axis {
	return [2]plot.Axis{p.axis(pair.A), p.axis(pair.B)}
}

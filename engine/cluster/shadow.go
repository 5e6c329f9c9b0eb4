package cluster

import "math"

// Shadow is the price of a limit: how far it would have to be moved for the
// best to become better, and what that would be.
type Shadow struct {
	Constraint string  // "time", "cost" or "accuracy"
	Limit      float64 // as it is: seconds, US dollars, accuracy
	Relaxed    float64 // the nearest at which the best is better
	Best       Configuration
}

// Shadows finds, for every limit, its nearest relaxation that improves the best
// by an objective, all other limits unchanged. A limit that no relaxation
// improves has none. Where nothing is within the limits, every relaxation that
// lets something in improves.
func (f *Frontiers) Shadows(l Limits, o Objective) []Shadow {
	best, any := f.Within(l).Best(o)
	var out []Shadow
	for _, c := range l.each() {
		free := l
		*c.of(&free) = nil
		shadow, found := Shadow{Constraint: c.name, Limit: *c.limit}, false
		for _, candidate := range f.byTime {
			if !f.space.holds(candidate, free) || f.space.holds(candidate, l) {
				continue
			}
			if _, known := f.space.quality(candidate.Variant); o == ByAccuracy && !known {
				continue
			}
			if any && !f.space.improves(candidate, best, o) {
				continue
			}
			away := math.Abs(c.value(f.space, candidate) - *c.limit)
			if math.IsNaN(away) {
				continue // of unknown accuracy: no limit on it lets that in
			}
			nearest := math.Abs(shadow.Relaxed - *c.limit)
			if !found || away < nearest || (away == nearest && f.space.prefer(candidate, shadow.Best, o) < 0) {
				shadow.Relaxed, shadow.Best, found = c.value(f.space, candidate), candidate, true
			}
		}
		if found {
			out = append(out, shadow)
		}
	}
	return out
}

// improves says whether a is strictly better than b in the objective itself.
func (s Space) improves(a, b Configuration, o Objective) bool {
	switch o {
	case ByTime:
		return about(a.Seconds, b.Seconds) < 0
	case ByCost:
		return about(a.USD, b.USD) < 0
	}
	return s.compareQuality(a.Variant, b.Variant) > 0
}

// constraint is one of the limits.
type constraint struct {
	name  string
	limit *float64
	of    func(*Limits) **float64
	value func(Space, Configuration) float64
}

// each lists the limits that are set.
func (l Limits) each() []constraint {
	all := []constraint{
		{"time", l.MaxSeconds, func(l *Limits) **float64 { return &l.MaxSeconds }, func(_ Space, c Configuration) float64 { return c.Seconds }},
		{"cost", l.MaxUSD, func(l *Limits) **float64 { return &l.MaxUSD }, func(_ Space, c Configuration) float64 { return c.USD }},
		{"accuracy", l.WorstAccuracy, func(l *Limits) **float64 { return &l.WorstAccuracy }, func(s Space, c Configuration) float64 {
			if a := s.Variants[c.Variant].Accuracy; a != nil {
				return *a
			}
			return math.NaN()
		}},
	}
	var set []constraint
	for _, c := range all {
		if c.limit != nil {
			set = append(set, c)
		}
	}
	return set
}

package gpu

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
)

// Energy is the energy that the GPUs, or the CPU packages, used between two
// moments of a run, in seconds since its start: joules per unit of work done in
// between (per image if units are images) and their total mean power in watts.
// It uses their energy counters, interpolated at the two moments, or else their
// power, integrated. All is unknown if there are too few readings for a GPU that
// computed, a gap in them, a counter that was reset, or a GPU that another
// program used; the energy per unit also if units is 0.
func Energy(readings []store.Telemetry, from, to, units float64) (perUnit, watts *float64) {
	if !(to > from) || math.IsInf(to-from, 0) {
		return nil, nil
	}
	total, counted := 0.0, false
	for _, of := range byGPU(readings) {
		if !computed(of, from, to) {
			continue
		}
		joules, ok := energy(of, from, to)
		if !ok {
			return nil, nil
		}
		total, counted = total+joules, true
	}
	mean := total / (to - from)
	if !counted || !(mean > 0) || math.IsInf(mean, 0) {
		return nil, nil
	}
	if each := total / units; each > 0 && !math.IsInf(each, 0) {
		perUnit = &each
	}
	return perUnit, &mean
}

// byGPU groups readings by GPU and sorts them by time, dropping times that are
// not finite.
func byGPU(readings []store.Telemetry) map[int][]store.Telemetry {
	gpus := map[int][]store.Telemetry{}
	for _, r := range readings {
		if !math.IsNaN(r.T) && !math.IsInf(r.T, 0) {
			gpus[r.GPU] = append(gpus[r.GPU], r)
		}
	}
	for _, of := range gpus {
		slices.SortStableFunc(of, func(a, b store.Telemetry) int { return cmp.Compare(a.T, b.T) })
	}
	return gpus
}

// computed reports whether a GPU did anything in that time. If its utilisation
// is unknown, it may have.
func computed(of []store.Telemetry, from, to float64) bool {
	return slices.ContainsFunc(of, func(r store.Telemetry) bool {
		return r.T >= from && r.T <= to && (r.Utilisation == nil || *r.Utilisation > 0)
	})
}

// point is a value at a moment in seconds.
type point struct{ t, v float64 }

func points(of []store.Telemetry, value func(store.Telemetry) *float64) []point {
	var ps []point
	for _, r := range of {
		v := value(r)
		if v == nil || !(*v >= 0) || math.IsInf(*v, 0) || (len(ps) > 0 && ps[len(ps)-1].t == r.T) {
			continue
		}
		ps = append(ps, point{r.T, *v})
	}
	return ps
}

// energy is the energy that one GPU used, in joules.
func energy(of []store.Telemetry, from, to float64) (float64, bool) {
	for _, r := range of {
		if r.T >= from && r.T <= to && r.Shared != nil && *r.Shared {
			return 0, false
		}
	}
	counter := points(of, func(r store.Telemetry) *float64 { return r.EnergyJ })
	if len(counter) > 1 {
		return over(counter, from, to, counted)
	}
	return over(points(of, func(r store.Telemetry) *float64 { return r.Watts }), from, to, integrated)
}

const (
	// gap is how many times the usual distance two readings may be apart.
	gap = 3
	// covered is the smallest part of the time that readings must span. The
	// rest, such as between the last reading and the last iteration, is assumed
	// to have been the same.
	covered = 2.0 / 3
)

// over applies a measure to the part of the time that the points span and
// scales it to the whole.
func over(ps []point, from, to float64, measure func(ps []point, a, b, widest float64) (float64,
	bool)) (float64, bool) {
	if len(ps) < 2 {
		return 0, false
	}
	usual := usualDistance(ps)
	a, b := max(from, ps[0].t), min(to, ps[len(ps)-1].t)
	if a-from > 1.5*usual || to-b > 1.5*usual || b-a < covered*(to-from) {
		return 0, false
	}
	joules, ok := measure(ps, a, b, gap*usual)
	return joules * (to - from) / (b - a), ok
}

func usualDistance(ps []point) float64 {
	var ds []float64
	for i := range ps[1:] {
		ds = append(ds, ps[i+1].t-ps[i].t)
	}
	return estimate.Median(ds)
}

// counted is the increase of a counter from a to b. A gap in between does no
// harm, but at both ends the counter is interpolated, and a gap there would
// make that a guess.
func counted(ps []point, a, b, widest float64) (float64, bool) {
	for i := range ps[1:] {
		if ps[i+1].v < ps[i].v && ps[i+1].t >= a && ps[i].t <= b {
			return 0, false // the driver was reloaded
		}
	}
	begin, ok1 := at(ps, a, widest)
	end, ok2 := at(ps, b, widest)
	return end - begin, ok1 && ok2
}

// at interpolates linearly; false within a gap.
func at(ps []point, t, widest float64) (float64, bool) {
	i, exact := slices.BinarySearchFunc(ps, t, func(p point, t float64) int { return cmp.Compare(p.t, t) })
	if exact {
		return ps[i].v, true
	}
	p, q := ps[i-1], ps[i]
	return p.v + (q.v-p.v)*(t-p.t)/(q.t-p.t), q.t-p.t <= widest
}

// integrated is the integral from a to b by the trapezoidal rule.
func integrated(ps []point, a, b, widest float64) (float64, bool) {
	sum := 0.0
	for i := range ps[1:] {
		begin, end := max(a, ps[i].t), min(b, ps[i+1].t)
		if !(end > begin) {
			continue
		}
		v, ok1 := at(ps, begin, widest)
		w, ok2 := at(ps, end, widest)
		if !ok1 || !ok2 || ps[i+1].t-ps[i].t > widest {
			return 0, false
		}
		sum += (v + w) / 2 * (end - begin)
	}
	return sum, true
}

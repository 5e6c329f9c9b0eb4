package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
)

// SweetSpot is the end of the longest stretch of a pruning axis, from the
// unpruned model on, in which time falls and accuracy stays within a tolerance
// of the unpruned one (Rathnayake 2020). An axis is the variants of one model
// that differ in the pruning alone, of the whole model or of one layer, at the
// same precision, batch size and configuration. Several layers pruned at once
// are on no axis: their accuracy follows from none.
type SweetSpot struct {
	Candidate int     // index into the space
	Unpruned  int     // the candidate it is compared with
	Layer     string  // of the axis; "" is the whole model
	Ratio     float64 // fraction of the filters that is pruned
	Saved     float64 // fraction of the unpruned one's time
	Lost      float64 // accuracy given up, as the metric counts; negative is gained
	Tolerance float64 // of accuracy, see [SweetSpots]
	Metric    string
}

// Point is the accuracy that a sweet spot may cost at least, a fraction; of a
// metric that is none (a loss, say) the same share of its value.
const Point = 0.01

// SweetSpots finds the sweet spot of every pruning axis in the space, whatever
// the limits of a query. The tolerance is what the unpruned accuracy is
// uncertain by itself (half its 90 % interval), or one [Point] where that is
// more. Times closer than [rank.Material] are taken as equal: they neither fall nor
// rise.
func SweetSpots(s *rank.Space) []SweetSpot {
	type group struct {
		model, precision string
		mode             profile.Mode
		purchase         profile.Purchase
		vm               profile.VMKey
		count, batch     int
	}
	time, loss := s.Values(objective.Time), s.Turned(objective.Accuracy)
	groups := map[group][]along{}
	pruned := false
	s.Groups(func(first, end int, c *candidate.Candidate) {
		at, ok := alongOf(c.Variant)
		if !ok || len(c.Configuration) != 1 || math.IsNaN(time[first]) || math.IsNaN(loss[first]) || s.Barred[first] {
			return
		}
		pruned = pruned || at.ratio > 0
		p := c.Configuration[0]
		g := group{c.Model, c.Variant.Precision, c.Mode, c.Purchase, p.VM.Key(), p.Count, c.BatchSize}
		for at.candidate = first; at.candidate < end; at.candidate++ {
			groups[g] = append(groups[g], at)
			g.count++
		}
	})
	if !pruned {
		return nil
	}
	var out []SweetSpot
	for _, members := range groups {
		if len(members) > 1 {
			out = append(out, sweetSpotsOf(s, members)...)
		}
	}
	slices.SortFunc(out, func(a, b SweetSpot) int {
		return cmp.Or(cmp.Compare(a.Candidate, b.Candidate), strings.Compare(a.Layer, b.Layer))
	})
	return out
}

// axis is a way of pruning: which layer, "" for all, and by what measure.
type axis struct{ layer, kind string }

// along is a candidate on an axis.
type along struct {
	axis
	ratio     float64
	candidate int
}

// sweetSpotsOf finds those of candidates that differ in their variant alone.
func sweetSpotsOf(s *rank.Space, members []along) []SweetSpot {
	time := s.Values(objective.Time)
	unpruned := -1
	axes := map[axis][]along{}
	for _, m := range members {
		if m.ratio > 0 {
			axes[m.axis] = append(axes[m.axis], m)
		} else if unpruned < 0 || time[m.candidate] < time[unpruned] {
			unpruned = m.candidate
		}
	}
	if unpruned < 0 {
		return nil
	}
	var out []SweetSpot
	for a, steps := range axes {
		slices.SortFunc(steps, func(x, y along) int {
			return cmp.Or(cmp.Compare(x.ratio, y.ratio), cmp.Compare(time[x.candidate], time[y.candidate]))
		})
		if spot, ok := walk(s, unpruned, steps); ok {
			spot.Layer = a.layer
			out = append(out, spot)
		}
	}
	return out
}

// alongOf places a variant on an axis. Nothing pruned is ratio 0 of any; a
// variant with a name of its own and no pruning is another model.
func alongOf(v profile.Variant) (a along, ok bool) {
	switch p := v.Pruning; {
	case p == nil:
		return a, v.Name == ""
	case p.Ratio != nil:
		return along{axis: axis{"", p.Kind}, ratio: *p.Ratio}, true
	case len(p.Layers) == 1:
		for layer, fraction := range p.Layers {
			return along{axis: axis{layer, p.Kind}, ratio: fraction}, true
		}
	}
	return a, false
}

// walk goes along the axis, from the least pruned on, as long as accuracy holds
// and time does not rise.
func walk(s *rank.Space, unpruned int, steps []along) (spot SweetSpot, found bool) {
	time, loss := s.Values(objective.Time), s.Turned(objective.Accuracy)
	tolerance := tolerance(s, unpruned)
	least := time[unpruned]
	for _, at := range steps {
		i := at.candidate
		lost := loss[i] - loss[unpruned]
		if lost > tolerance*(1+1e-9) || time[i] > least*(1+rank.Material) {
			break
		}
		if time[i] >= least*(1-rank.Material) {
			continue
		}
		least, found = time[i], true
		spot = SweetSpot{
			Candidate: i, Unpruned: unpruned, Ratio: at.ratio, Saved: 1 - time[i]/time[unpruned],
			Lost: lost, Tolerance: tolerance, Metric: s.Metric,
		}
	}
	return spot, found
}

func tolerance(s *rank.Space, i int) float64 {
	e := s.At(i).Quality.Estimate
	return math.Max((e.High-e.Low)/2, Point*math.Max(1, math.Abs(e.Value)))
}

// Words says what pruning to the sweet spot brings and costs: "pruned 30 % is 22 %
// faster for 0.4 points of top-1".
func (p SweetSpot) Words() string {
	what := fmt.Sprintf("pruned %.3g %%", 100*p.Ratio)
	if p.Layer != "" {
		what = p.Layer + " " + what
	}
	words := fmt.Sprintf("%s is %s %% faster", what, short(100*p.Saved))
	points := short(100 * math.Abs(p.Lost))
	switch {
	case points == "0":
		return words + " at the same " + p.Metric
	case p.Lost < 0:
		return fmt.Sprintf("%s and %s points better in %s", words, points, p.Metric)
	}
	return fmt.Sprintf("%s for %s points of %s", words, points, p.Metric)
}

// short writes a number of percent with the digits that matter.
func short(v float64) string {
	switch {
	case v < 0.05:
		return "0"
	case v < 9.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

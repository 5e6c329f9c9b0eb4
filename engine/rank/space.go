package rank

import (
	"math"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
)

// Space is the candidates of a workload laid out for quick questions: a column
// per objective, NaN where unknown. It is immutable once made.
type Space struct {
	*candidate.List

	Time     []float64 // seconds
	Cost     []float64 // US dollars
	Accuracy []float64 // as the metric prints it
	// Loss is the accuracy turned so that smaller is better.
	Loss []float64
	// HigherIsBetter is the direction of the accuracy metric.
	HigherIsBetter         bool
	Metric                 string
	timeSpread, costSpread spread
	barred                 []bool // never feasible: memory does not hold it, or the time is unknown
	live                   int    // first candidate of a running probe, −1 without
	probed                 []bool // by a run on the VM type at the batch size
	unprobed               int
	cell                   []int32
	mixes                  map[int][]candidate.CellError // of the candidates that err by more than their cell
	orders                 orders
}

// spread is how uncertain the values of an objective are.
type spread struct {
	sigma  []float32 // standard deviation of the logarithm; 0 without an interval
	widest float32
	mute   []int32 // candidates that may be feasible, of which it can't be said how good they are
}

func (p *spread) put(sigma float64, mute bool) {
	if mute {
		p.mute = append(p.mute, int32(len(p.sigma)))
	}
	p.sigma, p.widest = append(p.sigma, float32(sigma)), max(p.widest, float32(sigma))
}

func (s *Space) values(o Objective) []float64 {
	if o == ObjectiveCost {
		return s.Cost
	}
	return s.Time
}

func (s *Space) spread(o Objective) *spread {
	if o == ObjectiveCost {
		return &s.costSpread
	}
	return &s.timeSpread
}

// NewSpace lays out candidates.
func NewSpace(l *candidate.List) *Space {
	s := &Space{List: l, HigherIsBetter: true, live: -1}
	s.reserve(l.Len())
	for i, c := range l.All() {
		s.put(i, c)
	}
	return s
}

// Live is the first candidate that rests on a probe which is still running.
func (s *Space) Live() (i int, ok bool) { return s.live, s.live >= 0 }

// reserve makes room for n candidates.
func (s *Space) reserve(n int) {
	for _, column := range []*[]float64{&s.Time, &s.Cost, &s.Accuracy, &s.Loss} {
		*column = make([]float64, 0, n)
	}
	s.timeSpread.sigma, s.costSpread.sigma = make([]float32, 0, n), make([]float32, 0, n)
	s.barred, s.probed, s.cell = make([]bool, 0, n), make([]bool, 0, n), make([]int32, 0, n)
}

// put appends what the columns hold of candidate i.
func (s *Space) put(i int, c *candidate.Candidate) {
	if c.Live && s.live < 0 {
		s.live = i
	}
	accuracy, loss := math.NaN(), math.NaN()
	if q := c.Quality; q != nil {
		accuracy, loss = q.Estimate.Value, q.Estimate.Value
		s.HigherIsBetter, s.Metric = q.HigherIsBetter, q.Metric
		if q.HigherIsBetter {
			loss = -loss
		}
	}
	s.Time, s.Cost = append(s.Time, valueOf(c.Time)), append(s.Cost, valueOf(c.Cost))
	s.Accuracy, s.Loss = append(s.Accuracy, accuracy), append(s.Loss, loss)
	barred := c.OverMemory != nil || math.IsNaN(valueOf(c.Time))
	s.cell = append(s.cell, int32(c.Cell))
	if c.Errors != nil {
		if s.mixes == nil {
			s.mixes = map[int][]candidate.CellError{}
		}
		s.mixes[i] = c.Errors
	}
	vague := c.Time.LogSigma() == 0
	s.barred = append(s.barred, barred)
	s.timeSpread.put(c.Sigma(objective.Time), !barred && (vague || !(valueOf(c.Time) > 0)))
	s.costSpread.put(c.Sigma(objective.Cost), !barred && (vague || !(valueOf(c.Cost) > 0)))
	if s.probed = append(s.probed, c.Timing() == estimate.Measured); c.Timing() != estimate.Measured {
		s.unprobed++
	}
}

// valueOf is NaN where the estimate is unknown.
func valueOf(e estimate.Estimate) float64 {
	if !e.Known() {
		return math.NaN()
	}
	return e.Value
}

// AccuracyVaries reports whether accuracy tells any candidates apart. Where it
// does not, time × cost says more than a plot with a flat axis.
func (s *Space) AccuracyVaries() bool {
	known := slices.IndexFunc(s.Accuracy, func(a float64) bool { return !math.IsNaN(a) })
	return known >= 0 && slices.ContainsFunc(s.Accuracy[known:], func(a float64) bool { return !math.IsNaN(a) && a != s.Accuracy[known] })
}

package rank

import (
	"math"
	"slices"
	"sort"

	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
)

// Space is the candidates of a workload laid out for quick questions: a column
// per objective, NaN where unknown. Those of batch inference that rest on runs of
// their own, of which there may be a million, are made when they are asked for.
// It is immutable once made.
type Space struct {
	Time     []float64 // seconds
	Cost     []float64 // US dollars
	Accuracy []float64 // as the metric prints it
	// Loss is the accuracy turned so that smaller is better.
	Loss []float64
	// HigherIsBetter is the direction of the accuracy metric.
	HigherIsBetter bool
	Metric         string
	// Combinations is what the combinations of VM types among the candidates are
	// the best of; zero where none were asked for.
	Combinations cluster.Explored
	// Narrowed says which predictions are left out.
	Narrowed Narrowed

	builder  *builder
	families []family
	starts   []int       // first candidate of each family
	listed   []Candidate // those that are not made when asked for, after the others

	timeSpread, costSpread spread
	barred                 []bool // never feasible: memory does not hold it, or the time is unknown
	live                   int    // first candidate of a running probe, −1 without
	probed                 []bool // by a run on the VM type at the batch size
	unprobed               int
	cell                   []int32
	mixes                  map[int][]blend // of the candidates that err by more than their cell
	orders                 orders
}

// mixed is the cell of what rests on several.
const mixed = -1

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

func newSpace(b *builder) *Space {
	return &Space{builder: b, HigherIsBetter: true, live: -1}
}

// NewSpace lays out candidates that are made already.
func NewSpace(candidates []Candidate) *Space {
	s := newSpace(nil)
	for i := range candidates {
		s.list(candidates[i])
	}
	return s
}

// Len is the number of candidates.
func (s *Space) Len() int { return len(s.Time) }

// lazy is the number of candidates that are made when asked for.
func (s *Space) lazy() int { return len(s.Time) - len(s.listed) }

// end is the first candidate after family k.
func (s *Space) end(k int) int {
	if k+1 < len(s.starts) {
		return s.starts[k+1]
	}
	return s.lazy()
}

// At is candidate i, which nobody may change.
func (s *Space) At(i int) *Candidate {
	if k := i - s.lazy(); k >= 0 {
		return &s.listed[k]
	}
	k := sort.SearchInts(s.starts, i+1) - 1
	c := s.builder.member(s.families[k], i-s.starts[k]+1)
	return &c
}

// Groups calls f for all ranges of candidates that differ in the number of VMs
// alone, by their first and the one after the last. The candidate is the first
// one but for its ID, cost and units, and f's only until it returns.
func (s *Space) Groups(f func(first, end int, c *Candidate)) {
	var like Candidate
	part := make([]Part, 1)
	for k, first := range s.starts {
		s.builder.like(s.families[k], &like, part)
		like.Time.Value = s.Time[first]
		f(first, s.end(k), &like)
	}
	for i := s.lazy(); i < s.Len(); i++ {
		f(i, i+1, s.At(i))
	}
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

// open begins a family; list must not have been called yet.
func (s *Space) open(f family) {
	s.families, s.starts = append(s.families, f), append(s.starts, s.Len())
}

func (s *Space) list(c Candidate) {
	s.put(&c)
	s.listed = append(s.listed, c)
}

// put appends what the columns hold of a candidate.
func (s *Space) put(c *Candidate) {
	if c.Live && s.live < 0 {
		s.live = s.Len()
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
	s.cell = append(s.cell, int32(c.cell))
	if c.mix != nil {
		if s.mixes == nil {
			s.mixes = map[int][]blend{}
		}
		s.mixes[len(s.cell)-1] = c.mix
	}
	vague := c.Time.LogSigma() == 0
	s.barred = append(s.barred, barred)
	s.timeSpread.put(c.sigma(ObjectiveTime), !barred && (vague || !(valueOf(c.Time) > 0)))
	s.costSpread.put(c.sigma(ObjectiveCost), !barred && (vague || !(valueOf(c.Cost) > 0)))
	if s.probed = append(s.probed, c.timing() == estimate.Measured); c.timing() != estimate.Measured {
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

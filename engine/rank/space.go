package rank

import (
	"math"
	"slices"
)

// Space is a list of candidates laid out for quick questions: a column per
// objective, NaN where unknown. It is immutable once made.
type Space struct {
	Time     []float64 // seconds
	Cost     []float64 // US dollars
	Accuracy []float64 // as the metric prints it
	// Loss is the accuracy turned so that smaller is better.
	Loss []float64
	// HigherIsBetter is the direction of the accuracy metric.
	HigherIsBetter bool
	Metric         string

	candidates []Candidate
}

// Len is the number of candidates.
func (s *Space) Len() int { return len(s.Time) }

// At is candidate i, which nobody may change.
func (s *Space) At(i int) *Candidate { return &s.candidates[i] }

// NewSpace lays out the candidates.
func NewSpace(candidates []Candidate) *Space {
	n := len(candidates)
	s := &Space{
		candidates: candidates, HigherIsBetter: true,
		Time: make([]float64, n), Cost: make([]float64, n), Accuracy: make([]float64, n), Loss: make([]float64, n),
	}
	for i := range candidates {
		c := &candidates[i]
		s.Time[i], s.Cost[i], s.Accuracy[i], s.Loss[i] = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		if c.Time.Known() {
			s.Time[i] = c.Time.Value
		}
		if c.Cost.Known() {
			s.Cost[i] = c.Cost.Value
		}
		if q := c.Quality; q != nil {
			s.Accuracy[i], s.Loss[i] = q.Estimate.Value, q.Estimate.Value
			s.HigherIsBetter, s.Metric = q.HigherIsBetter, q.Metric
			if q.HigherIsBetter {
				s.Loss[i] = -q.Estimate.Value
			}
		}
	}
	return s
}

// AccuracyVaries reports whether accuracy tells any candidates apart. Where it
// does not, time × cost says more than a plot with a flat axis.
func (s *Space) AccuracyVaries() bool {
	first := math.NaN()
	for _, a := range s.Accuracy {
		switch {
		case math.IsNaN(a):
		case math.IsNaN(first):
			first = a
		case a != first:
			return true
		}
	}
	return false
}

// Live is the first candidate that rests on a probe which is still running.
func (s *Space) Live() (i int, ok bool) {
	i = slices.IndexFunc(s.candidates, func(c Candidate) bool { return c.Live })
	return i, i >= 0
}

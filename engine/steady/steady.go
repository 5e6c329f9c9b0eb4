// Package steady finds the steady part of a series of iteration times and says
// how well its mean is known. The warm-up is cut by MSER-5 (the truncation
// that minimises the marginal standard error of batches of five), the mean's
// 90 % interval comes from batch means, and a slope test widens it where the
// times still drift. Evaluation and checkpoint pauses must not be in the
// input.
package steady

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"sweetspot/engine/estimate"
)

// Summary is what a series of iteration times amounts to. Times are in
// seconds.
type Summary struct {
	Total       int               // iterations in all, the first one included
	First       float64           // the first iteration, a one-off cost
	Warmup      int               // iterations cut after the first one
	WarmupExtra float64           // seconds the cut iterations took beyond steady ones; negative if they were faster
	N           int               // iterations of the steady part
	Steady      estimate.Estimate // mean of the steady part; unknown if there is none
	StdDev      float64           // of the steady iterations
	P50         float64           // percentiles of the steady iterations
	P90         float64
	P99         float64
	Drift       float64 // relative change over the steady part; 0 unless significant
	IsSteady    bool
	Why         string // in words, when not steady
}

// Summarise sums up iteration times; seconds[0] is the first iteration.
func Summarise(seconds []float64) Summary {
	var s Series
	for _, x := range seconds {
		s.Add(x)
	}
	return s.Summary()
}

// batch is the number of iterations that MSER-5 averages.
const batch = 5

// moments are the count, mean and sum of squared deviations of some values;
// two of them combine without loss of precision.
type moments struct{ n, mean, m2 float64 }

func (a moments) plus(b moments) moments {
	n := a.n + b.n
	if n == 0 {
		return moments{}
	}
	d := b.mean - a.mean
	return moments{n, a.mean + d*b.n/n, a.m2 + b.m2 + d*d*a.n*b.n/n}
}

// Series is a growing series of iteration times. The zero Series is empty.
// Adding is O(1) and judging it O(n/5), so that a stop rule can be asked after
// every iteration.
type Series struct {
	seconds []float64
	prefix  []float64 // prefix[i] is the sum of the first i times after the first iteration
	batches []moments // of five consecutive times after the first iteration
	open    moments   // the batch being filled
}

// Add appends an iteration time.
func (s *Series) Add(seconds float64) {
	s.seconds = append(s.seconds, seconds)
	if len(s.seconds) == 1 {
		s.prefix = append(s.prefix, 0)
		return
	}
	s.prefix = append(s.prefix, s.prefix[len(s.prefix)-1]+seconds)
	s.open = s.open.plus(moments{1, seconds, 0})
	if s.open.n == batch {
		s.batches = append(s.batches, s.open)
		s.open = moments{}
	}
}

// Raise makes iteration i take at least the given seconds: of data-parallel
// ranks the slowest sets the time. It costs as much as adding again what came
// after i, and leaves slices handed out as they are.
func (s *Series) Raise(i int, seconds float64) {
	if s.seconds[i] >= seconds {
		return
	}
	// The sums of a batch cannot be taken apart: go back to where it began.
	from := i
	if i > 0 {
		from = i - (i-1)%batch
	}
	rest := slices.Clone(s.seconds[from:])
	rest[i-from] = seconds
	s.seconds = slices.Clone(s.seconds[:from])
	s.prefix = s.prefix[:from]
	s.batches = s.batches[:max(0, from-1)/batch]
	s.open = moments{}
	for _, x := range rest {
		s.Add(x)
	}
}

// Len is the number of iterations, the first one included.
func (s *Series) Len() int { return len(s.seconds) }

// Seconds returns all times so far; the caller must not change them. Later
// calls of Add leave the returned slice as it is.
func (s *Series) Seconds() []float64 { return slices.Clip(s.seconds) }

// Summary sums up everything so far, percentiles included.
func (s *Series) Summary() Summary {
	sum := s.Judged()
	if sum.N == 0 {
		return sum
	}
	part := slices.Clone(s.seconds[1+sum.Warmup:])
	slices.Sort(part)
	sum.P50 = stat.Quantile(0.5, stat.LinInterp, part, nil)
	sum.P90 = stat.Quantile(0.9, stat.LinInterp, part, nil)
	sum.P99 = stat.Quantile(0.99, stat.LinInterp, part, nil)
	return sum
}

// Judged is the summary without its percentiles, the part a [Rule] needs.
func (s *Series) Judged() Summary {
	if len(s.seconds) == 0 {
		return Summary{Why: "no iteration yet"}
	}
	sum := Summary{Total: len(s.seconds), First: s.seconds[0]}
	if len(s.batches) < minBatches {
		sum.Why = fmt.Sprintf("%s after the first, needs %d",
			iterations(len(s.seconds)-1), minBatches*batch)
		return sum
	}
	cut := mser(s.batches)
	if 2*cut > len(s.batches) {
		sum.Why = fmt.Sprintf("still changing: the warm-up would take more than half of %s", iterations(len(s.seconds)-1))
		return sum
	}
	tail := s.open
	for _, b := range s.batches[cut:] {
		tail = tail.plus(b)
	}
	sum.IsSteady = true
	sum.Warmup = cut * batch
	sum.WarmupExtra = s.prefix[sum.Warmup] - float64(sum.Warmup)*tail.mean
	sum.N = int(tail.n)
	sum.StdDev = math.Sqrt(tail.m2 / (tail.n - 1))
	sum.Steady, sum.Drift = s.interval(sum.Warmup, tail.mean)
	return sum
}

func iterations(n int) string {
	if n == 1 {
		return "1 iteration"
	}
	return fmt.Sprintf("%d iterations", n)
}

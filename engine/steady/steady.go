// Package steady finds the steady part of a series of iteration times and how
// precisely its mean is known. The warm-up is cut by MSER-5 (the truncation that
// minimises the marginal standard error of batches of five). The 90 % interval of
// the mean comes from the autocorrelation and from batch means. Pauses that come
// every so many iterations are averaged in whole periods. A test of the slope
// widens the interval where the times still drift. Evaluation and checkpoint
// pauses must not be in the input.
package steady

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Summary summarises a series of iteration times. Times are in seconds.
type Summary struct {
	Total       int               // iterations, the first one included
	First       float64           // the first iteration, a one-off cost
	Warmup      int               // iterations cut after the first one
	WarmupExtra float64           // seconds the cut iterations took beyond steady ones; negative if they were faster
	N           int               // iterations of the steady part
	Steady      estimate.Estimate // mean of the steady part; rough where there is none, unknown for few iterations
	StdDev      float64           // standard deviation of the steady iterations
	P50         float64           // percentiles of the steady iterations
	P90         float64
	P99         float64
	Drift       float64 // relative change over the steady part; 0 unless significant
	Period      int     // iterations from one long one to the next where they come regularly, else 0
	Cycles      int     // whole periods that Steady is the mean of
	// InterimHalfWidth is the relative half-width of Steady at the last interim
	// analyses, 1 where the series was not steady then. A [Rule] decides by it.
	InterimHalfWidth float64
	IsSteady         bool
	Why              string // in words, when not steady
}

// Describe fills in what a run's iterations say of it.
func (s Summary) Describe(r *profile.Run) {
	r.Steady, r.SteadyN = s.Steady, s.N
	if s.Total > 0 {
		r.FirstIterationS = &s.First
	}
	if s.N > 0 {
		r.WarmupIterations = &s.Warmup
	}
	if s.IsSteady {
		r.SteadyStdDevS, r.WarmupExtraS = &s.StdDev, &s.WarmupExtra
	}
}

// Summarise summarises iteration times; seconds[0] is the first iteration.
func Summarise(seconds []float64) Summary {
	var s Series
	for _, x := range seconds {
		s.Add(x)
	}
	return s.Summary()
}

// batch is the number of iterations that MSER-5 averages, its 5.
const batch = 5

// moments are the count, mean and sum of squared deviations of some values, which
// combine without loss of precision (Chan, Golub and LeVeque, 1979).
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
// [Series.Add] is O(1) and [Series.BriefSummary] O(n/5), so that a stop rule can
// be asked after every iteration.
type Series struct {
	seconds  []float64
	times    sums      // of the times after the first iteration
	products sums      // of products of neighbouring times after the first iteration, each less the second time
	batches  []moments // of five consecutive times after the first iteration
	open     moments   // the batch being filled

	interims []interim
	// By the thresholds of the last interim analysis, of the first followed times
	// after the first iteration:
	followed int
	long     []int     // where long ones begin
	clipped  []moments // the batches with long ones clipped
}

// Add appends an iteration time.
func (s *Series) Add(seconds float64) {
	s.seconds = append(s.seconds, seconds)
	n := len(s.seconds)
	if n == 1 {
		return
	}
	if s.times.add(seconds); n > 2 {
		s.products.add(s.neighbours(n - 3))
	}
	s.open = s.open.plus(moments{1, seconds, 0})
	if s.open.n == batch {
		s.batches = append(s.batches, s.open)
		s.open = moments{}
	}
}

// Raise makes iteration i take at least the given seconds: the slowest of the
// data-parallel ranks sets the time. It costs as much as adding again what came
// after i, and leaves returned slices as they are.
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
	s.times.cut(max(0, from-1), s.after)
	s.products.cut(max(0, from-2), s.neighbours)
	s.seconds = slices.Clone(s.seconds[:from])
	s.batches = s.batches[:max(0, from-1)/batch]
	s.open = moments{}
	s.interims = nil
	for _, x := range rest {
		s.Add(x)
	}
}

// after is the kth time after the first iteration, neighbours the kth product.
func (s *Series) after(k int) float64 { return s.seconds[k+1] }
func (s *Series) neighbours(k int) float64 {
	at := s.seconds[1]
	return (s.seconds[k+2] - at) * (s.seconds[k+1] - at)
}

// prefix is the sum of the first i times after the first iteration.
func (s *Series) prefix(i int) float64 { return s.times.of(i, s.after) }

// every is how many terms lie between two sums that are kept.
const every = 16

// sums are the sums of the first terms of a growing series, for any number of terms.
// A few are kept: what is between them is added again in the same order, so that no
// bit differs.
type sums struct {
	kept  []float64 // of the first 0, 16, 32 … terms
	n     int
	total float64
}

func (s *sums) add(term float64) {
	if s.n%every == 0 {
		s.kept = append(s.kept, s.total)
	}
	s.total += term
	s.n++
}

// of is the sum of the first i terms.
func (s *sums) of(i int, term func(k int) float64) float64 {
	if i == s.n {
		return s.total
	}
	sum := s.kept[i/every]
	for k := i - i%every; k < i; k++ {
		sum += term(k)
	}
	return sum
}

// cut leaves the first i terms.
func (s *sums) cut(i int, term func(k int) float64) {
	s.total, s.n = s.of(i, term), i
	s.kept = s.kept[:(i+every-1)/every]
}

// Len is the number of iterations, the first one included.
func (s *Series) Len() int { return len(s.seconds) }

// Seconds returns all times so far; the caller must not change them. Later
// calls of Add leave the returned slice as it is.
func (s *Series) Seconds() []float64 { return slices.Clip(s.seconds) }

// Summary summarises everything so far, percentiles included.
func (s *Series) Summary() Summary {
	sum := s.BriefSummary()
	if sum.N == 0 {
		return sum
	}
	part := slices.Clone(s.seconds[1+sum.Warmup:])
	slices.Sort(part)
	sum.P50 = estimate.Quantile(part, 0.5)
	sum.P90 = estimate.Quantile(part, 0.9)
	sum.P99 = estimate.Quantile(part, 0.99)
	return sum
}

// BriefSummary is the summary without its percentiles, as a [Rule] needs it.
func (s *Series) BriefSummary() Summary {
	s.follow()
	sum := s.sum(len(s.seconds))
	sum.InterimHalfWidth = s.interimHalfWidth()
	return sum
}

// sum summarises the first n iterations, which must be those that the list of long
// ones covers. A mean whose interval cannot be computed is not known.
func (s *Series) sum(n int) Summary {
	sum := s.mean(n)
	if e := sum.Steady; !(e.Low <= e.Value && e.Value <= e.High && e.High <= math.MaxFloat64 &&
		estimate.Plausible(e.Value)) {
		return Summary{Total: n, First: sum.First, Why: "the times are too long, or lie too far apart, for a mean"}
	}
	return sum
}

func (s *Series) mean(n int) Summary {
	if n == 0 {
		return Summary{Why: "no iteration yet"}
	}
	sum := Summary{Total: n, First: s.seconds[0]}
	if n < minLength {
		sum.Why = fmt.Sprintf("%s after the first, needs %d", quantity.Several(n-1, "iteration"), minBatches*batch)
		return sum
	}
	cut, why := s.warmup(n)
	if why != "" {
		sum.Why = why
		sum.Steady, sum.Warmup = s.rough(n)
		sum.N = n - 1 - sum.Warmup
		return sum
	}
	tail := s.tail(cut, n-1)
	sum.IsSteady, sum.Warmup, sum.N = true, cut, n-1-cut
	sum.StdDev = math.Sqrt(tail.m2 / (tail.n - 1))
	at := after(s.long, cut)
	if sum.Period = period(at); sum.Period > 0 {
		sum.Cycles = len(at) - 1
		from, to := at[0], at[sum.Cycles]
		mean := (s.prefix(to) - s.prefix(from)) / float64(to-from)
		sum.Steady, sum.Drift = around(mean, scatterOf(s.cycles(at, mean)), float64(to-from)/float64(sum.Cycles))
	} else {
		sum.Steady, sum.Drift = around(tail.mean, s.scatter(cut, n-1, tail), 1)
	}
	sum.WarmupExtra = s.prefix(cut) - float64(cut)*sum.Steady.Value
	return sum
}

// around is the mean with its interval and drift; of is the scatter of values that
// each span length iterations.
func around(mean float64, of scatter, length float64) (estimate.Estimate, float64) {
	half := of.halfWidth() / length
	e := estimate.Around(mean, half, estimate.Measured)
	drift := 0.0
	if mean > 0 {
		e.Low = mean / (1 + half/mean) // a time errs by a factor
		drift = of.slope() / length / mean
	}
	if math.Abs(drift) < 1e-9 { // rounding of the sums, not a trend
		drift = 0
	}
	// The interval is widened on the side of the drift, by as much as the mean would
	// move if the drift went on as long again.
	e.High += mean * max(0, drift)
	e.Low = max(0, e.Low+mean*min(0, drift))
	return e, drift
}

// tail gives the moments of the times [from, to) after the first iteration; from
// must begin a batch.
func (s *Series) tail(from, to int) moments {
	var tail moments
	for _, b := range s.batches[from/batch : to/batch] {
		tail = tail.plus(b)
	}
	for _, x := range s.seconds[1+to-to%batch : 1+to] {
		tail = tail.plus(moments{1, x, 0})
	}
	return tail
}

// scatter summarises the times [from, to) after the first iteration, whose moments
// are given.
func (s *Series) scatter(from, to int, of moments) scatter {
	// Deviations are taken from the second time, so that the sums of products keep
	// their digits.
	base := s.seconds[1]
	mean := of.mean - base
	n := float64(to - from)
	shifted := func(from, to int) float64 { return s.prefix(to) - s.prefix(from) - base*float64(to-from) }
	out := scatter{n: to - from, m2: of.m2}
	products := s.products.of(to-1, s.neighbours) - s.products.of(from, s.neighbours)
	out.product = products - mean*(shifted(from+1, to)+shifted(from, to-1)) + (n-1)*mean*mean
	k, length := meansOf(to - from)
	for i := range k {
		lo := to - (k-i)*length
		out.means = append(out.means, (s.prefix(lo+length)-s.prefix(lo))/float64(length)-of.mean)
	}
	return out
}

package serving

import (
	"fmt"
	"math"
	"slices"
)

// Trace is an arrival trace: the number of queries that come in each second.
type Trace []int

// Check returns a sentence about the first second that cannot be simulated.
func (tr Trace) Check() error {
	if len(tr) == 0 {
		return fmt.Errorf("the arrival trace is empty; it needs a second at least")
	}
	if len(tr) > MaxSeconds {
		return fmt.Errorf("the arrival trace has %d seconds; cut it to %d (31 days)", len(tr), MaxSeconds)
	}
	for t, n := range tr {
		if n < 0 || n > MaxPerSecond {
			return fmt.Errorf("second %d of the arrival trace has %d queries; a second has 0 to %d", t, n, MaxPerSecond)
		}
	}
	return nil
}

// Requests returns how many queries come in all.
func (tr Trace) Requests() int {
	total := 0
	for _, n := range tr {
		total += n
	}
	return total
}

// Mean returns the queries per second over the whole trace; 0 where it is empty.
func (tr Trace) Mean() float64 { return float64(tr.Requests()) / float64(max(len(tr), 1)) }

// Peak returns the most queries of one second.
func (tr Trace) Peak() int {
	if len(tr) == 0 {
		return 0
	}
	return slices.Max(tr)
}

// PeakToMedian returns the largest number of queries in a bucket of bucketS
// seconds over the median one (study, figure 6). An incomplete last bucket does
// not count, unless there is no other. ok is false where the median is 0: the
// ratio is unknown.
func (tr Trace) PeakToMedian(bucketS int) (ratio float64, ok bool) {
	buckets := tr.Buckets(bucketS)
	if n := len(tr) / max(bucketS, 1); n > 0 {
		buckets = buckets[:n]
	}
	return peakToMedian(buckets)
}

// peakToMedian sorts the buckets.
func peakToMedian(buckets []int) (ratio float64, ok bool) {
	n := len(buckets)
	if n == 0 {
		return 0, false
	}
	slices.Sort(buckets)
	median := float64(buckets[(n-1)/2]+buckets[n/2]) / 2
	if median == 0 {
		return 0, false
	}
	return float64(buckets[n-1]) / median, true
}

// Buckets returns the queries in each bucketS seconds; the last one may be short.
func (tr Trace) Buckets(bucketS int) []int {
	bucketS = max(bucketS, 1)
	sums := make([]int, (len(tr)+bucketS-1)/bucketS)
	for t, n := range tr {
		sums[t/bucketS] += n
	}
	return sums
}

// Scaled returns the trace with every second's queries times factor, the
// fractions carried on to the next seconds, so that the total is the whole part
// of the product. A factor above 1 makes crowds of single queries: bursts stay
// as they are, relative to the mean.
func (tr Trace) Scaled(factor float64) Trace {
	scaled := make(Trace, len(tr))
	before, sum := 0, 0
	for t, n := range tr {
		sum += n
		now := int(math.Floor(float64(sum) * factor))
		scaled[t] = now - before
		before = now
	}
	return scaled
}

// Repeated returns the trace n times in a row.
func (tr Trace) Repeated(n int) Trace { return slices.Repeat(tr, max(n, 0)) }

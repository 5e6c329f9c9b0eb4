package steady

import (
	"math"
	"slices"
	"sort"
)

// What changing these does was measured as for the interval, see interval.go.
const (
	// usualWindow is the number of the latest steady iterations that the median is
	// taken of. It bounds the time; with 200 the coverage changes by half a point.
	usualWindow = 5000
	// minPeriods is how many whole periods a mean of periodic times needs. With two the
	// coverage falls by a point, on intervals that rest on one or two periods.
	minPeriods = 3
	// quietGaps is how many times the longest gap between long iterations must pass
	// without another one before they are taken to be over. With 1 a probe may stop
	// just before the next; with 6 nothing else changes.
	quietGaps = 3
)

// An iteration is long above long standard deviations and a fraction of the
// median, whichever is more: more than chance makes, and enough to matter for
// the mean. It is clipped at less, since MSER should see neither. With two thirds or
// double of the former, or double of the latter, the coverage stays within a point.
const (
	longSigmas, longFraction = 6, 0.1
	clipSigmas, clipFraction = 3, 0.02
)

// thresholds are the times in seconds above which an iteration is long, and to
// which it is clipped when the warm-up is looked for.
type thresholds struct{ long, clip float64 }

// thresholdsOf proposes thresholds from steady iteration times, the likelier
// first; the last holds where no long ones come regularly. Where the times fall
// into two groups it is midway between them, else it is by the median and its
// deviation.
func thresholdsOf(x []float64) []thresholds {
	x = slices.Clone(x[max(0, len(x)-usualWindow):])
	slices.Sort(x)
	n := len(x)
	median := x[n/2]
	off := make([]float64, n)
	for i, v := range x {
		off[i] = math.Abs(v - median)
	}
	slices.Sort(off)
	sigma := 1.4826 * off[n/2] // standard deviation of a normal distribution with this median deviation
	clip := median + max(clipSigmas*sigma, clipFraction*median)
	long := median + max(longSigmas*sigma, longFraction*median)
	return []thresholds{{twoGroups(x), clip}, {long, clip}}
}

// Two groups of times count as such if their means are apart by groupSigmas
// standard deviations within the groups and by groupFraction of the overall mean.
const (
	groupSigmas   = 4
	groupFraction = 0.05
)

// twoGroups splits sorted times where the variance between the two sides is
// greatest (Otsu's method) and returns the middle between their means if these
// are far apart, else +Inf. It finds long iterations that are too many to be
// outliers, such as every second one.
func twoGroups(x []float64) float64 {
	n := float64(len(x))
	var all moments
	sum := 0.0
	for _, v := range x {
		all = all.plus(moments{1, v, 0})
		sum += v
	}
	between, low, high := 0.0, 0.0, 0.0
	left := 0.0
	for i, v := range x[:len(x)-1] {
		left += v
		w := float64(i + 1)
		a, b := left/w, (sum-left)/(n-w)
		if s := w * (n - w) * (b - a) * (b - a) / n; s > between {
			between, low, high = s, a, b
		}
	}
	within := math.Sqrt(max(0, all.m2-between) / n)
	if high-low < groupSigmas*within || high-low < groupFraction*all.mean {
		return math.Inf(1)
	}
	return (low + high) / 2
}

// begins lists the indices at which long iterations begin; of neighbouring ones
// the first counts.
func begins(x []float64, long float64) []int {
	var at []int
	for i, v := range x {
		if v > long && (i == 0 || x[i-1] <= long) {
			at = append(at, i)
		}
	}
	return at
}

// maxGapVariation is the greatest coefficient of variation of the gaps between
// long iterations that still count as regular, for many gaps; for two it is a
// third of that. With 0.6 noise is taken for a period, with 0.1 a fifth more probes
// with irregular pauses are given up.
const maxGapVariation = 0.3

// period is the mean gap, in iterations, between the beginnings of long ones
// where it is regular, else 0.
func period(at []int) int {
	gaps := len(at) - 1
	if gaps < 2 {
		return 0
	}
	mean := float64(at[gaps]-at[0]) / float64(gaps)
	m2 := 0.0
	for i := range gaps {
		d := float64(at[i+1]-at[i]) - mean
		m2 += d * d
	}
	variation := math.Sqrt(m2/float64(gaps-1)) / mean
	if variation > maxGapVariation*float64(gaps-1)/float64(gaps+1) {
		return 0
	}
	return int(math.Round(mean))
}

// mayReturn reports whether long iterations that all lie in the cut part of n may
// still come back: few have passed since the last, compared with the gaps between
// them.
func mayReturn(at []int, n int) bool {
	longest, last := 0, 0
	for _, i := range at {
		longest, last = max(longest, i-last), i
	}
	return n-last < quietGaps*longest
}

// cycles lists the deviations of whole periods, in seconds, from the same number
// of iterations of the mean; at holds the beginning of each.
func (s *Series) cycles(at []int, mean float64) []float64 {
	z := make([]float64, len(at)-1)
	for i := range z {
		z[i] = s.prefix[at[i+1]] - s.prefix[at[i]] - mean*float64(at[i+1]-at[i])
	}
	return z
}

// after returns the rising indices from start on.
func after(at []int, start int) []int { return at[sort.SearchInts(at, start):] }

package steady

import (
	"math"
	"slices"
	"sort"
)

const (
	recent      = 5000 // steady iterations from which the usual time is told
	leastCycles = 3    // whole periods that a mean of periodic times rests on at least
	// restless is how many of the cut steps' gaps must have passed without a
	// long step before they are taken as over.
	restless = 3
)

// limits are the times above which an iteration is long, and to which it is cut
// down when the warm-up is looked for.
type limits struct{ long, clip float64 }

// usual tells from steady iteration times what a long one may be, the likelier
// first, but the last where no long ones come regularly: where the times fall in
// two groups, above the middle between them; else six standard deviations, and a
// tenth, above the median.
func usual(x []float64) []limits {
	x = slices.Clone(x[max(0, len(x)-recent):])
	slices.Sort(x)
	n := len(x)
	median := x[n/2]
	off := make([]float64, n)
	for i, v := range x {
		off[i] = math.Abs(v - median)
	}
	slices.Sort(off)
	sigma := 1.4826 * off[n/2] // of a normal distribution with this median deviation
	clip := median + max(3*sigma, 0.02*median)
	return []limits{{twoGroups(x), clip}, {median + max(6*sigma, 0.1*median), clip}}
}

// twoGroups splits sorted times where the two sides differ most and returns the
// middle between their means if these are far apart for the spread within,
// else +Inf. It finds what no single long time tells: every second one.
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
	if high-low < 4*within || high-low < 0.05*all.mean {
		return math.Inf(1)
	}
	return (low + high) / 2
}

// begins are the indices at which long iterations begin; of neighbouring ones
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

// period is the distance at which long iterations begin where it is regular,
// else 0. Of few distances all must be much alike, of many they may vary a
// little.
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
	vary := math.Sqrt(m2/float64(gaps-1)) / mean
	if vary > 0.3*float64(gaps-1)/float64(gaps+1) {
		return 0
	}
	return int(math.Round(mean))
}

// mayReturn reports whether long iterations that all lie in the cut part of n
// may still come back: the time since the last is short beside the gaps
// between them.
func mayReturn(at []int, n int) bool {
	longest, last := 0, 0
	for _, i := range at {
		longest, last = max(longest, i-last), i
	}
	return n-last < restless*longest
}

// cycles are the deviations of whole periods from as many iterations of the
// mean; at holds where each begins.
func (s *Series) cycles(at []int, mean float64) []float64 {
	z := make([]float64, len(at)-1)
	for i := range z {
		z[i] = s.prefix[at[i+1]] - s.prefix[at[i]] - mean*float64(at[i+1]-at[i])
	}
	return z
}

// after returns those of the rising indices that are not before start.
func after(at []int, start int) []int { return at[sort.SearchInts(at, start):] }

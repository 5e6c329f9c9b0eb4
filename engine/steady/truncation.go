package steady

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"sweetspot/engine/estimate"
	"sweetspot/engine/quantity"
)

// minBatches is the least number of batches of five to truncate: four leave ten
// steady iterations at worst. With eight nothing is said of runs of less than 40
// iterations; the stop rule's coverage stays within a point of 93.9 % either way.
const minBatches = 4

// lateCutGain is the fraction to which the squared marginal standard error must
// fall before a cut beyond the middle is believed and the series is called
// unsteady. Few batches may lie close together by chance (the error of such a tail
// falls to half on white noise); a series that still warms up falls to a small
// fraction. With 0.8 series that drift a little are called unsteady; with 0.2 the
// stop rule's tests change by less than half a point of coverage.
const lateCutGain = 0.4

// cutTolerance is how many times the least squared marginal standard error a cut
// may have: the shortest such cut is taken. The least itself tends to cut what is
// slow by chance, which leaves a mean that is too small and seems too precise: with
// 1 the coverage on recorded series is 84.4 instead of 86.3 %, with 1.6 it is the
// same (go test -v -run StopRule).
const cutTolerance = 1.3

// mser returns how many batches to cut from the front for about the least marginal
// standard error of the rest (MSER: White, 1997). A result above half of the
// batches means that the series has not become steady.
func mser(batches []moments) int {
	m := len(batches)
	// The last five batches are not cut to: a tail of two or three has a small
	// error by accident.
	last := max(m-5, min(m/2+1, m-3))
	best := math.Inf(1)
	late, lateCut := math.Inf(1), 0
	var tail moments
	early := make([]float64, 0, m/2+1) // the errors of cuts up to the middle, longest cut first
	for cut := m - 1; cut >= 0; cut-- {
		tail = tail.plus(moments{1, batches[cut].mean, 0})
		if cut > last {
			continue
		}
		// Ties go to the shorter cut, so constant times are steady from the start.
		err2 := tail.m2 / (tail.n * tail.n)
		switch {
		case 2*cut <= m:
			best = min(best, err2)
			early = append(early, err2)
		case err2 <= late:
			late, lateCut = err2, cut
		}
	}
	if late < lateCutGain*best {
		return lateCut
	}
	for cut := range early {
		if early[len(early)-1-cut] <= cutTolerance*best {
			return cut
		}
	}
	return 0
}

// cut is how many of the first n iterations, after the first one, MSER-5 cuts, and
// whether that leaves at least half of them.
func (s *Series) cut(n int) (cut int, settled bool) {
	return cutOf(s.batches[:(n-1)/batch])
}

func cutOf(batches []moments) (cut int, settled bool) {
	if len(batches) < minBatches {
		return 0, false
	}
	c := mser(batches)
	return c * batch, 2*c <= len(batches)
}

// warmup is how many of the first n iterations are cut after the first one; why,
// if not empty, says why the series is not steady.
//
// MSER tends to cut long iterations. Where they go on after the cut at about the
// rate before it they belong to the steady part, and the cut is found with them
// clipped; where none came since, enough iterations must have passed to believe
// that they are over.
func (s *Series) warmup(n int) (cut int, why string) {
	cut, settled := s.cut(n)
	if !settled {
		cut = (n - 1) / 2
		if len(after(s.long, cut)) == 0 {
			return cut, changing(n)
		}
	}
	steady := len(after(s.long, cut))
	before := len(s.long) - steady
	switch {
	case settled && before == 0:
	case steady == 0:
		if mayReturn(s.long, n-1) {
			last := s.long[before-1]
			return cut, fmt.Sprintf("the long iteration %d may come back: %s since", last+2,
				quantity.Several(n-2-last, "iteration"))
		}
	case !settled || steady < minPeriods || float64(before)/float64(cut) <= 3*float64(steady)/float64(n-1-cut):
		if cut, settled = cutOf(s.clipped); !settled {
			return cut, changing(n)
		}
	}
	return cut, ""
}

func changing(n int) string {
	return fmt.Sprintf("still changing: the warm-up would take more than half of %s", quantity.Several(n-1, "iteration"))
}

// parts is how many parts of the later half of an unsteady series are compared.
const parts = 4

// minRatio is the least ratio that the parts are taken to differ by: what keeps
// the series from being steady may not show in them. A greater one widens the
// interval.
const minRatio = 1.05

// rough is the mean of the later half of the first n iterations, in seconds, for a
// series that is not steady. The interval reaches beyond the fastest and the
// slowest of its quarters by their ratio, since where the times go from there is
// unknown.
func (s *Series) rough(n int) (mean estimate.Estimate, warmup int) {
	from, to := (n-1)/2, n-1 // in prefix sums: after the first iteration
	between := func(a, b int) float64 { return (s.prefix(b) - s.prefix(a)) / float64(b-a) }
	low, high := math.Inf(1), 0.0
	for i := range parts {
		m := between(from+(to-from)*i/parts, from+(to-from)*(i+1)/parts)
		low, high = min(low, m), max(high, m)
	}
	apart := minRatio
	if low > 0 {
		apart = max(apart, high/low)
	}
	return estimate.Estimate{
		Value: between(from, to), Low: low / apart, High: high * apart, Basis: estimate.Measured,
	}, from
}

// interimFactor is the ratio of the lengths of a series at successive interim
// analyses. Testing after every iteration whether the mean is precise enough
// would stop at the first lucky fluctuation (repeated significance testing); few
// analyses, each with a quarter more data than the last, leave little to luck. With
// 1.1 the coverage on recorded series is 83.8 instead of 86.3 %; with 1.5 it is
// 86.5 %, for probes of 15 % more iterations (go test -v -run StopRule).
const interimFactor = 1.25

// minLength is the least length that can be steady, the first iteration included.
const minLength = 1 + minBatches*batch

// An interim is the analysis at one of these lengths. It depends on the times up
// to there only.
type interim struct {
	n int
	thresholds
	half float64 // relative half-width of the mean; 1 if not steady
}

// follow does the interim analyses that are due, and keeps the list of long
// iterations up to date.
func (s *Series) follow() {
	for {
		n := minLength
		if k := len(s.interims); k > 0 {
			n = int(math.Ceil(interimFactor * float64(s.interims[k-1].n)))
		}
		if n > len(s.seconds) {
			break
		}
		s.interims = append(s.interims, interim{n: n, thresholds: thresholds{long: math.Inf(1), clip: math.Inf(1)}, half: 1})
		l := &s.interims[len(s.interims)-1]
		cut, settled := s.cut(n)
		if !settled {
			cut = (n - 1) / 2
		}
		x := s.seconds[1+cut : n]
		for _, u := range thresholdsOf(x) {
			l.thresholds = u
			if period(begins(x, u.long)) > 0 {
				break
			}
		}
		s.long, s.clipped, s.followed = nil, nil, 0
		s.mark(n)
		if sum := s.sum(n); sum.IsSteady && (sum.Period == 0 || sum.Cycles >= minPeriods) {
			l.half = min(1, sum.Steady.HalfWidth())
		}
	}
	s.mark(len(s.seconds))
}

// mark extends the list of long iterations, and the clipped batches, to the
// first n. Of neighbouring long ones the first counts.
func (s *Series) mark(n int) {
	if len(s.interims) == 0 {
		return
	}
	l := s.interims[len(s.interims)-1]
	x := s.seconds[1:n]
	for i := s.followed; i < len(x); i++ {
		if x[i] > l.long && (i == 0 || x[i-1] <= l.long) {
			s.long = append(s.long, i)
		}
	}
	s.followed = len(x)
	for i := len(s.clipped); (i+1)*batch <= len(x); i++ {
		var b moments
		for _, v := range x[i*batch:][:batch] {
			b = b.plus(moments{1, min(v, l.clip), 0})
		}
		s.clipped = append(s.clipped, b)
	}
}

// interimHalfWidth is the wider of the relative half-widths at the last two
// interim analyses: a series that is narrow by chance seldom stays so.
func (s *Series) interimHalfWidth() float64 {
	k := len(s.interims)
	if k < 2 {
		return 1
	}
	return max(s.interims[k-2].half, s.interims[k-1].half)
}

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
	median := estimate.Quantile(x, 0.5)
	off := make([]float64, len(x))
	for i, v := range x {
		off[i] = math.Abs(v - median)
	}
	sigma := 1.4826 * estimate.Median(off) // standard deviation of a normal distribution with this median deviation
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
		z[i] = s.prefix(at[i+1]) - s.prefix(at[i]) - mean*float64(at[i+1]-at[i])
	}
	return z
}

// after returns the rising indices from start on.
func after(at []int, start int) []int { return at[sort.SearchInts(at, start):] }

package serving

import (
	"math"
	"slices"
	"sort"
)

// milliseconds rounds up; the grain keeps 0.3 s at 300.
func milliseconds(seconds float64) int64 { return int64(math.Ceil(seconds*1000 - 1e-6)) }

// line is the waits of a number of queries that begin in one second and came in
// one: that of query j is (first + j·slope) / unit seconds, where that is above 0.
type line struct {
	first, slope, unit int64
	n                  int64
}

// atMost returns of a line with a slope of at least 0 how many waits are at most ms
// milliseconds.
func (l line) atMost(ms int64) int64 {
	room, step := ms*l.unit-1000*l.first, 1000*l.slope
	switch {
	case room < 0:
		return 0
	case room >= (l.n-1)*step: // spares a division, mostly
		return l.n
	}
	return room/step + 1
}

// rising returns the same waits in rising order.
func (l line) rising() line {
	if l.slope < 0 {
		l.first += (l.n - 1) * l.slope
		l.slope = -l.slope
	}
	return l
}

// wait returns that of query j, milliseconds rounded up.
func (l line) wait(j int64) int64 {
	return max(0, (1000*(l.first+j*l.slope)+l.unit-1)/l.unit)
}

// Latencies are counted in bins: each 10 ms to 2 s, then each 2 % wider.
const (
	fineMS   = 10
	fineBins = 200
	growth   = 1.02
)

// histogram counts latencies. Those without a wait are kept exactly.
type histogram struct {
	edges  []int64 // upper edge of each bin, ms
	counts []int64
	last   int      // the bin last counted in: the next is rarely far
	exact  [3]level // of the places, without a wait
}

// level is a number of queries of the same latency.
type level struct {
	s  float64 // seconds, to the microsecond
	ms int64   // rounded up
	n  int64
}

func levelOf(seconds float64) level {
	return level{s: math.Round(seconds*1e6) / 1e6, ms: milliseconds(seconds)}
}

// Where a query is served.
const (
	onVM = iota
	onWarm
	onCold
)

func newHistogram(s *Settings) *histogram {
	h := &histogram{exact: [3]level{
		onVM: levelOf(s.VM.LatencyS), onWarm: levelOf(s.Function.Seconds),
		onCold: levelOf(s.Function.ColdStartS + s.Function.ModelLoadS + s.Function.Seconds),
	}}
	const end = int64(MaxSeconds+2*MaxLatencyS) * 1000
	for ms := int64(fineMS); ; {
		h.edges = append(h.edges, ms)
		if ms > end {
			break
		}
		if len(h.edges) < fineBins {
			ms += fineMS
		} else {
			ms = int64(math.Ceil(float64(ms) * growth))
		}
	}
	h.counts = make([]int64, len(h.edges))
	return h
}

// bin returns the bin of a latency, the least whose edge is not below it.
func (h *histogram) bin(ms int64) int {
	b := h.last
	if ms <= fineMS*fineBins {
		b = max(0, int((ms+fineMS-1)/fineMS)-1)
	}
	for h.edges[b] < ms {
		b++
	}
	for b > 0 && h.edges[b-1] >= ms {
		b--
	}
	h.last = b
	return b
}

// addLine counts base plus each wait of a rising line.
func (h *histogram) addLine(base int64, l line) {
	if l.n == 0 {
		return
	}
	for b, j := h.bin(base+l.wait(0)), int64(0); j < l.n; b++ {
		to := l.atMost(h.edges[b] - base)
		h.counts[b] += to - j
		j = to
	}
}

// percentile returns the nearest-rank percentile in seconds: exact without a
// wait, else the upper edge of its bin. NaN where nothing was counted.
func (h *histogram) percentile(share float64) float64 {
	levels, total := slices.Clone(h.exact[:]), int64(0)
	for _, l := range levels {
		total += l.n
	}
	for i, n := range h.counts {
		if n > 0 {
			levels = append(levels, level{float64(h.edges[i]) / 1000, h.edges[i], n})
			total += n
		}
	}
	sort.Slice(levels, func(a, b int) bool { return levels[a].s < levels[b].s })
	rank := int64(math.Ceil(share*float64(total) - 1e-9))
	for _, l := range levels {
		if rank -= l.n; rank <= 0 && l.n > 0 {
			return l.s
		}
	}
	return math.NaN()
}

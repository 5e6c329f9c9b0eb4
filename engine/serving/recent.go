package serving

import "slices"

// highest is the highest of the values of the last few seconds: what a cool-down
// holds on to.
type highest struct {
	at, value []int // a ring of candidates, values falling from head to tail
	head, n   int
	span      int
}

func newHighest(span int) *highest {
	return &highest{at: make([]int, span+1), value: make([]int, span+1), span: span}
}

// push adds the value of second t and returns the highest of (t − span, t].
func (h *highest) push(t, value int) int {
	size := len(h.at)
	if h.n > 0 && h.at[h.head] <= t-h.span {
		h.n--
		if h.head++; h.head == size {
			h.head = 0
		}
	}
	end := h.head + h.n
	if end >= size {
		end -= size
	}
	for h.n > 0 {
		last := end - 1
		if last < 0 {
			last += size
		}
		if h.value[last] > value {
			break
		}
		end, h.n = last, h.n-1
	}
	h.at[end], h.value[end] = t, value
	h.n++
	return h.value[h.head]
}

// fewestBuckets are needed before a peak-to-median says anything.
const fewestBuckets = 10

// crowds tells whether the peak-to-median of recent load makes mixing pay. It
// looks at whole buckets of the monitor's length, and at the last such length
// as the peak that may just be growing.
type crowds struct {
	bucketS, keep int
	threshold     float64
	sums, sorted  []int // the last buckets in order of time, and of size
	sum           int
}

func newCrowds(s *Settings) *crowds {
	return &crowds{bucketS: s.MonitorS, keep: max(1, s.PeakWindowS/s.MonitorS), threshold: s.PeakToMedianAt}
}

// push adds the queries of second t and those of the monitor's window, and
// reports whether functions pay from the next second on. With little history or
// a median of 0 they do.
func (c *crowds) push(t, queries, recent int) bool {
	c.sum += queries
	if (t+1)%c.bucketS == 0 {
		c.sums = append(c.sums, c.sum)
		i, _ := slices.BinarySearch(c.sorted, c.sum)
		c.sorted = slices.Insert(c.sorted, i, c.sum)
		c.sum = 0
		if len(c.sums) > c.keep {
			i, _ := slices.BinarySearch(c.sorted, c.sums[0])
			c.sorted = slices.Delete(c.sorted, i, i+1)
			c.sums = c.sums[1:]
		}
	}
	n := len(c.sorted)
	if n < min(fewestBuckets, c.keep) {
		return true
	}
	median := float64(c.sorted[(n-1)/2]+c.sorted[n/2]) / 2
	return float64(max(c.sorted[n-1], recent)) >= c.threshold*median
}

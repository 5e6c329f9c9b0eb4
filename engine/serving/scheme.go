package serving

import "slices"

// Scheme is a way to procure VMs and functions for a load that changes.
type Scheme string

// The schemes of sections 2.3, 2.4 and 4. All but FunctionsOnly start and stop
// VMs by what they want for the load, the mean of the last Settings.MonitorS
// seconds, and a share of the backlog, the queries that wait, such that it would be gone in
// Settings.DrainS seconds:
//
//	Reactive     VMs for the load there is; queries wait in one queue, strict and
//	             relaxed alike.
//	UtilAware    so many VMs that they stay below Settings.Utilisation. One queue.
//	Exascale     VMs for Settings.Headroom above the predicted load: the linear
//	             trend of the last Settings.TrendS seconds, carried on to when a VM
//	             ordered now serves, and never less than the load. One queue.
//	Mixed        VMs as Reactive; a query that finds no VM free goes to a function
//	             at once. Nothing waits, so there is no backlog.
//	Paragon      VMs as Reactive; strict queries take VMs first and go to functions
//	             where they find none free, relaxed ones wait for a VM. While the
//	             peak-to-median of the last Settings.PeakWindowS, in buckets of
//	             MonitorS, is below Settings.PeakToMedianAt, mixing does not pay and
//	             strict queries wait too, still before relaxed ones. Until there are
//	             ten buckets, it pays.
//	FunctionsOnly no VMs, a yardstick for the others (figure 3); not of Schemes.
//
// More VMs than run and start are ordered at once. VMs are stopped, the oldest
// first, when for Settings.CoolDownS seconds fewer were wanted; a VM that starts
// is not stopped.
const (
	Reactive      Scheme = "reactive"
	UtilAware     Scheme = "util-aware"
	Exascale      Scheme = "exascale"
	Mixed         Scheme = "mixed"
	Paragon       Scheme = "paragon"
	FunctionsOnly Scheme = "functions-only"
)

// Schemes returns the study's five schemes in its order.
func Schemes() []Scheme { return []Scheme{Reactive, UtilAware, Exascale, Mixed, Paragon} }

// load is what a scheme knows when it decides, at the end of a second.
type load struct {
	mean    float64 // queries per second over the monitor's window
	backlog int64   // queries that wait
	slope   float64 // change of the load, queries per second per second
	centre  float64 // mean of the trend's window
}

// wanted returns the VMs a scheme wants, by the rules above.
func (s *Settings) wanted(scheme Scheme, l load) int {
	if scheme == FunctionsOnly {
		return 0
	}
	demand := l.mean
	perVM := s.VM.QueriesPerSecond
	switch scheme {
	case UtilAware:
		perVM *= s.Utilisation
	case Exascale:
		ahead := float64(s.TrendS-1)/2 + float64(s.VM.StartS)
		demand = max(demand, l.centre+l.slope*ahead) * (1 + s.Headroom)
	}
	// More than all VMs together may begin in a second needs no VMs.
	demand = min(demand+float64(l.backlog)/float64(s.DrainS), MaxPerSecond)
	vms := wholeVMs(demand, perVM)
	if s.MaxVMs > 0 {
		vms = min(vms, s.MaxVMs)
	}
	return max(vms, s.MinVMs)
}

// slopeOf is the least-squares slope of n values by their places 0…n−1, from
// their sum and the sum of place times value.
func slopeOf(n int, sum, placed int64) float64 {
	w := int64(n)
	return float64(12*placed-6*(w-1)*sum) / float64(w*(w*w-1))
}

// highest is the highest of the values of the last span seconds: what a cool-down
// holds on to.
type highest struct {
	span    int
	falling []stamped // that may yet be the highest, in order of time
}

type stamped struct{ at, value int }

// push adds the value of second t and returns the highest of (t − span, t].
func (h *highest) push(t, value int) int {
	if len(h.falling) > 0 && h.falling[0].at <= t-h.span {
		h.falling = h.falling[1:]
	}
	n := len(h.falling)
	for n > 0 && h.falling[n-1].value <= value {
		n--
	}
	h.falling = append(h.falling[:n], stamped{t, value})
	return h.falling[0].value
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

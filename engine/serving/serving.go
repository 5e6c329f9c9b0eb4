// Package serving answers what to rent for requests that come when they like,
// after Paragon (Gunasekaran et al. 2020): which variant of a model
// ([Variants]), how many requests a VM holds within the latency limit
// ([CapacityWithin]), how much memory a function needs ([Memory.Cheapest]), and
// which [Scheme] of procuring VMs and functions serves an arrival [Trace] at
// what cost and with how many violations of the limits ([Simulate], [Compare],
// [Advise]).
//
// # The simulated second
//
// Time goes in whole seconds. In each of them, in this order:
//
//  1. VMs whose start-up ends now begin to serve.
//  2. The second's requests come, evenly spread: of a requests the i-th, from 0, at
//     t + i/a. What the VMs serve in a second, C requests, they begin evenly spread
//     too, the k-th at t + k/C. A request waits for what lies between its arrival
//     and its beginning, and not at all where the beginning came first. So queues
//     are first in, first out, and waits are known to a fraction of a second.
//  3. Request n of the trace is strict where the whole part of n·StrictShare grows:
//     strict and relaxed requests alternate as evenly as the share allows, and the
//     simulation draws nothing at random. Seeds belong to the traces.
//  4. The scheme looks at the load and starts or stops VMs, which counts from the
//     next second on.
//
// A request that cannot be served within its limit is served late and counts as
// one violation. Nothing is dropped; what still waits when the trace ends is
// counted as queued, and as a violation if its limit has passed by then.
//
// All VMs are equal and whole. At second 0 those run that the scheme wants for
// the mean load of the first Settings.MonitorS seconds. A VM is paid from its
// start on, start-up included, until it is stopped or the trace ends.
//
// Functions start at once or cold: an instance that served within the last
// Function.KeepAliveS seconds is warm, the one used last is taken first, and a
// request that finds none begins a new one, whose cold start and loading of the
// model it waits for. Of the instances that have been idle for longer, oldest first,
// Function.Prewarmed are kept warm, each by a request that does nothing and is
// billed as a warm one; so many are warm from the beginning, billed as cold ones.
package serving

import (
	"fmt"
	"math"
	"slices"
)

// Limits on what is simulated; within them no count overflows.
const (
	MaxSeconds   = 31 * 86400 // of a trace
	MaxPerSecond = 1_000_000  // requests that come, or that VMs begin, in one second
	MaxLatencyS  = 3600.0     // of a latency limit and of one request's own time
)

// Settings are what a simulation needs beside the trace.
type Settings struct {
	VM       VM
	Function Function

	StrictShare   float64 // of the requests, in [0,1]
	StrictLimitS  float64 // latency limit of strict requests, seconds
	RelaxedLimitS float64 // and of the others

	MonitorS  int // window over which the load is averaged, seconds
	CoolDownS int // VMs stop when for so many seconds fewer were wanted
	DrainS    int // a backlog counts as load: it is to be gone after so many seconds
	MinVMs    int // never fewer
	MaxVMs    int // never more, a quota; 0 is none

	Utilisation float64 // util-aware: start VMs past this utilisation, in (0,1]
	TrendS      int     // exascale: window of the predictor, seconds
	Predictor   Predictor
	Headroom    float64 // exascale: fraction provisioned above the predicted load

	PeakWindowS    int     // paragon: recent load, seconds
	PeakToMedianAt float64 // paragon: functions only from this peak-to-median on
}

// Defaults returns the settings of the study where it states them, else values
// usual in the field:
//
//	VM             m4.large at $0.10/h (section 2.2), 10 requests/s at 0.3 s each (3 at
//	               once), 200 s to start ("a few hundred seconds"), 60 s at least paid
//	Function       1.5 GiB, 0.35 s a request, 1 s cold start and 2 s loading the model
//	               (section 3.2.3: 1–10 s and the model), kept 600 s, public prices
//	limits         0.5 s strict (section 2.1); 300 s relaxed, in which a VM ordered for
//	               a request can still serve it; half of the requests strict
//	load           mean of 60 s; cool-down 300 s; a backlog to be gone in 200 s
//	util-aware     80 % (section 2.3)
//	exascale       trend of 300 s carried on to the end of a start-up, 20 % above it
//	paragon        peak-to-median 1.5 (section 2.4) of an hour, by the minute
func Defaults() Settings {
	return Settings{
		VM: VM{
			USDPerHour: 0.10, RequestsPerSecond: 10, LatencyS: 0.3, StartS: 200, MinimumS: 60, IncrementS: 1,
		},
		Function: Function{
			MemoryGiB: 1.5, Seconds: 0.35, ColdStartS: 1, ModelLoadS: 2, KeepAliveS: 600, Prices: PublicPrices(),
		},
		StrictShare: 0.5, StrictLimitS: 0.5, RelaxedLimitS: 300,
		MonitorS: 60, CoolDownS: 300, DrainS: 200, MinVMs: 1,
		Utilisation: 0.8, TrendS: 300, Headroom: 0.2,
		PeakWindowS: 3600, PeakToMedianAt: 1.5,
	}
}

// Check returns a sentence about the first setting that makes no sense.
func (s Settings) Check() error {
	for _, c := range []struct {
		value         float64
		least, most   float64
		what, instead string
	}{
		{s.VM.USDPerHour, 0, 1e6, "price of a VM", "dollars per hour"},
		{s.VM.RequestsPerSecond, 1e-3, MaxPerSecond, "capacity of a VM", "requests per second"},
		{s.VM.LatencyS, 0, MaxLatencyS, "latency on a VM", "seconds"},
		{float64(s.VM.StartS), 0, 86400, "start-up of a VM", "seconds"},
		{float64(s.VM.MinimumS), 0, MaxSeconds, "least time paid for a VM", "seconds"},
		{float64(s.VM.IncrementS), 0, MaxSeconds, "billing increment of a VM", "seconds"},
		{s.Function.MemoryGiB, 1e-3, 1e4, "memory of a function", "GiB"},
		{s.Function.Seconds, 1e-3, MaxLatencyS, "time of a function", "seconds"},
		{s.Function.ColdStartS, 0, MaxLatencyS, "cold start of a function", "seconds"},
		{s.Function.ModelLoadS, 0, MaxLatencyS, "loading of the model", "seconds"},
		{float64(s.Function.KeepAliveS), 0, MaxSeconds, "time a function stays warm", "seconds"},
		{float64(s.Function.Prewarmed), 0, MaxPerSecond, "number of functions kept warm", "functions"},
		{s.Function.USDPerGBSecond, 0, 1e6, "price of a GB-second", "dollars"},
		{s.Function.USDPerMillion, 0, 1e9, "price of a million requests", "dollars"},
		{s.StrictShare, 0, 1, "share of strict requests", "a fraction"},
		{s.StrictLimitS, 1e-3, MaxLatencyS, "strict latency limit", "seconds"},
		{s.RelaxedLimitS, 1e-3, MaxLatencyS, "relaxed latency limit", "seconds"},
		{float64(s.MonitorS), 1, 86400, "window of the load", "seconds"},
		{float64(s.CoolDownS), 1, MaxSeconds, "cool-down", "seconds"},
		{float64(s.DrainS), 1, MaxSeconds, "time to clear a backlog", "seconds"},
		{float64(s.MinVMs), 0, MaxPerSecond, "least number of VMs", "VMs"},
		{float64(s.MaxVMs), 0, MaxPerSecond, "quota", "VMs"},
		{s.Utilisation, 1e-2, 1, "utilisation", "a fraction"},
		{float64(s.TrendS), 2, 86400, "window of the trend", "seconds"},
		{s.Headroom, 0, 100, "headroom", "a fraction"},
		{float64(s.PeakWindowS), 1, MaxSeconds, "window of peak and median", "seconds"},
		{s.PeakToMedianAt, 0, 1e6, "peak-to-median from which functions are used", "a ratio"},
	} {
		if math.IsNaN(c.value) || c.value < c.least || c.value > c.most {
			return fmt.Errorf("the %s is %g; give %s from %g to %g", c.what, c.value, c.instead, c.least, c.most)
		}
	}
	if s.Predictor != "" && !slices.Contains(Predictors, s.Predictor) {
		return fmt.Errorf("%q is not a predictor; there are %v", s.Predictor, Predictors)
	}
	if s.MaxVMs > 0 && s.MaxVMs < s.MinVMs {
		return fmt.Errorf("the quota of %d VMs is below the least number, %d; raise one or lower the other",
			s.MaxVMs, s.MinVMs)
	}
	return nil
}

// Predictor is how exascale predicts the load.
type Predictor string

// The predictors. "" is Trend.
const (
	Trend   Predictor = "trend"   // the linear trend of the window, carried on to when a VM ordered now serves
	Average Predictor = "average" // the mean of the window
	Present Predictor = "present" // the load as it is, the mean of the monitor's window
)

// Predictors lists them.
var Predictors = []Predictor{Trend, Average, Present}

// predicted is the load to come, never less than there is.
func (s *Settings) predicted(l load) float64 {
	switch s.Predictor {
	case Average:
		return max(l.mean, l.centre)
	case Present:
		return l.mean
	case Trend:
	}
	ahead := float64(s.TrendS-1)/2 + float64(s.VM.StartS)
	return max(l.mean, l.centre+l.slope*ahead)
}

// Scheme is a way to procure VMs and functions for a load that changes.
type Scheme string

// The schemes of sections 2.3, 2.4 and 4. All but FunctionsOnly start and stop
// VMs by what they want for the load, the mean of the last Settings.MonitorS
// seconds, and a share of the backlog, the requests that wait, such that it would be gone in
// Settings.DrainS seconds:
//
//	Reactive     VMs for the load there is; requests wait in one queue, strict and
//	             relaxed alike.
//	UtilAware    so many VMs that they stay below Settings.Utilisation. One queue.
//	Exascale     VMs for Settings.Headroom above the load that Settings.Predictor
//	             predicts from the last Settings.TrendS seconds, and never less than
//	             the load. One queue.
//	Mixed        VMs as Reactive; a request that finds no VM free goes to a function
//	             at once. Nothing waits, so there is no backlog.
//	Paragon      VMs as Reactive; strict requests take VMs first and go to functions
//	             where they find none free, relaxed ones wait for a VM. While the
//	             peak-to-median of the last Settings.PeakWindowS, in buckets of
//	             MonitorS, is below Settings.PeakToMedianAt, mixing does not pay and
//	             strict requests wait too, still before relaxed ones. Until there are
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
	mean    float64 // requests per second over the monitor's window
	backlog int64   // requests that wait
	slope   float64 // change of the load, requests per second per second
	centre  float64 // mean of the trend's window
}

// wanted returns the VMs a scheme wants, by the rules above.
func (s *Settings) wanted(scheme Scheme, l load) int {
	if scheme == FunctionsOnly {
		return 0
	}
	demand := l.mean
	perVM := s.VM.RequestsPerSecond
	switch scheme {
	case UtilAware:
		perVM *= s.Utilisation
	case Exascale:
		demand = s.predicted(l) * (1 + s.Headroom)
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

// push adds the requests of second t and those of the monitor's window, and
// reports whether functions pay from the next second on. With little history or
// a median of 0 they do.
func (c *crowds) push(t, requests, recent int) bool {
	c.sum += requests
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

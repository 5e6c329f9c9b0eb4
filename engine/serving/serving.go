// Package serving answers what to rent for queries that come when they like,
// after Paragon (Gunasekaran et al. 2020): which variant of a model
// ([Variants]), how many queries a VM holds within the latency limit
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
//  2. The second's queries come, evenly spread: of a queries the i-th, from 0, at
//     t + i/a. What the VMs serve in a second, C queries, they begin evenly spread
//     too, the k-th at t + k/C. A query waits for what lies between its arrival
//     and its beginning, and not at all where the beginning came first. So queues
//     are first in, first out, and waits are known to a fraction of a second.
//  3. Query n of the trace is strict where the whole part of n·StrictShare grows:
//     strict and relaxed queries alternate as evenly as the share allows, and the
//     simulation draws nothing at random. Seeds belong to the traces.
//  4. The scheme looks at the load and starts or stops VMs, which counts from the
//     next second on.
//
// A query that cannot be served within its limit is served late and counts as
// one violation. Nothing is dropped; what still waits when the trace ends is
// counted as queued, and as a violation if its limit has passed by then.
//
// All VMs are equal and whole. At second 0 those run that the scheme wants for
// the mean load of the first Settings.MonitorS seconds. A VM is paid from its
// start on, start-up included, until it is stopped or the trace ends.
//
// Functions start at once or cold: an instance that served within the last
// Function.KeepAliveS seconds is warm, the one used last is taken first, and a
// query that finds none begins a new one, whose cold start and loading of the
// model it waits for.
package serving

import (
	"fmt"
	"math"
)

// Limits on what is simulated; within them no count overflows.
const (
	MaxSeconds   = 31 * 86400 // of a trace
	MaxPerSecond = 1_000_000  // queries that come, or that VMs begin, in one second
	MaxLatencyS  = 3600.0     // of a latency limit and of one query's own time
)

// Settings are what a simulation needs beside the trace.
type Settings struct {
	VM       VM
	Function Function

	StrictShare   float64 // of the queries, in [0,1]
	StrictLimitS  float64 // latency limit of strict queries, seconds
	RelaxedLimitS float64 // and of the others

	MonitorS  int // window over which the load is averaged, seconds
	CoolDownS int // VMs stop when for so many seconds fewer were wanted
	DrainS    int // a backlog counts as load: it is to be gone after so many seconds
	MinVMs    int // never fewer
	MaxVMs    int // never more, a quota; 0 is none

	Utilisation float64 // util-aware: start VMs past this utilisation, in (0,1]
	TrendS      int     // exascale: window of the linear trend, seconds
	Headroom    float64 // exascale: fraction provisioned above the predicted load

	PeakWindowS    int     // paragon: recent load, seconds
	PeakToMedianAt float64 // paragon: functions only from this peak-to-median on
}

// Defaults returns the settings of the study where it states them, else values
// usual in the field:
//
//	VM             m4.large at $0.10/h (section 2.2), 10 queries/s at 0.3 s each (3 at
//	               once), 200 s to start ("a few hundred seconds"), 60 s at least paid
//	Function       1.5 GB, 0.35 s a query, 1 s cold start and 2 s loading the model
//	               (section 3.2.3: 1–10 s and the model), kept 600 s, public prices
//	limits         0.5 s strict (section 2.1); 300 s relaxed, in which a VM ordered for
//	               a query can still serve it; half of the queries strict
//	load           mean of 60 s; cool-down 300 s; a backlog to be gone in 200 s
//	util-aware     80 % (section 2.3)
//	exascale       trend of 300 s carried on to the end of a start-up, 20 % above it
//	paragon        peak-to-median 1.5 (section 2.4) of an hour, by the minute
func Defaults() Settings {
	return Settings{
		VM: VM{
			USDPerHour: 0.10, QueriesPerSecond: 10, LatencyS: 0.3, StartS: 200, MinimumS: 60, IncrementS: 1,
		},
		Function: Function{
			MemoryGB: 1.5, Seconds: 0.35, ColdStartS: 1, ModelLoadS: 2, KeepAliveS: 600, Prices: PublicPrices(),
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
		{s.VM.QueriesPerSecond, 1e-3, MaxPerSecond, "capacity of a VM", "requests per second"},
		{s.VM.LatencyS, 0, MaxLatencyS, "latency on a VM", "seconds"},
		{float64(s.VM.StartS), 0, 86400, "start-up of a VM", "seconds"},
		{float64(s.VM.MinimumS), 0, MaxSeconds, "least time paid for a VM", "seconds"},
		{float64(s.VM.IncrementS), 0, MaxSeconds, "billing increment of a VM", "seconds"},
		{s.Function.MemoryGB, 1e-3, 1e4, "memory of a function", "GB"},
		{s.Function.Seconds, 1e-3, MaxLatencyS, "time of a function", "seconds"},
		{s.Function.ColdStartS, 0, MaxLatencyS, "cold start of a function", "seconds"},
		{s.Function.ModelLoadS, 0, MaxLatencyS, "loading of the model", "seconds"},
		{float64(s.Function.KeepAliveS), 0, MaxSeconds, "time a function stays warm", "seconds"},
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
	if s.MaxVMs > 0 && s.MaxVMs < s.MinVMs {
		return fmt.Errorf("the quota of %d VMs is below the least number, %d; raise one or lower the other",
			s.MaxVMs, s.MinVMs)
	}
	return nil
}

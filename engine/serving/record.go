package serving

// Split is a number of requests by strictness.
type Split struct{ Strict, Relaxed int64 }

// Total returns both together.
func (s Split) Total() int64 { return s.Strict + s.Relaxed }

// Outcome is what a scheme makes of a trace. Every request is counted once in
// OnVMs, OnFunctions or Queued.
type Outcome struct {
	Scheme      Scheme
	Requests    Split
	OnVMs       Split
	OnFunctions Split
	Queued      Split // still waiting when the trace ends
	Violations  Split // served later than the limit, or still queued beyond it
	ColdStarts  int64 // of the requests on functions
	Warming     int64 // requests that only keep functions warm

	VMSeconds       int64 // lived by all VMs within the trace, start-up included
	VMBilledSeconds int64 // VMSeconds with the minimum and increment of those stopped
	MostVMs         int   // at once
	FunctionMS      int64 // billed milliseconds of all functions

	VMUSD       float64 // dollars
	FunctionUSD float64 // dollars
	USD         float64 // VMUSD + FunctionUSD

	P50S, P99S float64 // latency of the requests served, seconds; NaN where none was

	// OverProvisioning is VM-seconds over those of Reactive, less 1 (figure 4);
	// nil where there is nothing to compare with.
	OverProvisioning *float64
}

// FunctionShare returns the fraction of the served requests that functions served.
func (o Outcome) FunctionShare() float64 {
	return share(o.OnFunctions.Total(), o.OnVMs.Total()+o.OnFunctions.Total())
}

// ViolationShare returns the fraction of all requests that violate their limit.
func (o Outcome) ViolationShare() float64 { return share(o.Violations.Total(), o.Requests.Total()) }

// ViolationShares returns the fraction of the strict and of the relaxed requests
// that violate their limit.
func (o Outcome) ViolationShares() (strict, relaxed float64) {
	return share(o.Violations.Strict, o.Requests.Strict), share(o.Violations.Relaxed, o.Requests.Relaxed)
}

func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// Span is a stretch of the simulated time, for a chart.
type Span struct {
	Seconds    int     // its length; the last one may be shorter
	Requests   int64   // that came
	Violations int64   // that were noticed in it
	Running    float64 // VMs that serve, mean
}

// arrivals are what schemes share of a trace.
type arrivals struct {
	counts [3][]int32 // requests of each second, by class
	before []int64    // requests of all classes before each second, one more than seconds
	ppm    int64      // strict share in millionths
}

// The classes a queue may hold.
const (
	strict = iota
	relaxed
	both
)

func newArrivals(tr Trace, strictShare float64) *arrivals {
	a := &arrivals{before: make([]int64, len(tr)+1), ppm: int64(strictShare*millionths + 0.5)}
	for class := range a.counts {
		a.counts[class] = make([]int32, len(tr))
	}
	stricts := int64(0)
	for t, n := range tr {
		a.before[t+1] = a.before[t] + int64(n)
		now := a.strictBefore(a.before[t+1])
		a.counts[both][t] = int32(n)
		a.counts[strict][t] = int32(now - stricts)
		a.counts[relaxed][t] = int32(int64(n) - now + stricts)
		stricts = now
	}
	return a
}

// strictBefore returns how many of the trace's first n requests are strict.
func (a *arrivals) strictBefore(n int64) int64 { return n * a.ppm / millionths }

// split returns how many of the n requests from one on are strict and relaxed.
func (a *arrivals) split(from, n int64) Split {
	s := a.strictBefore(from+n) - a.strictBefore(from)
	return Split{Strict: s, Relaxed: n - s}
}

// record counts what happens to requests.
type record struct {
	*arrivals
	latencies *histogram
	limits    [2]float64 // seconds, by class
	out       Outcome
}

func newRecord(a *arrivals, s *Settings, scheme Scheme) *record {
	return &record{
		arrivals: a, latencies: newHistogram(s),
		limits: [2]float64{strict: s.StrictLimitS, relaxed: s.RelaxedLimitS},
		out:    Outcome{Scheme: scheme, Requests: a.split(0, a.before[len(a.before)-1])},
	}
}

func (s *Split) add(o Split) {
	s.Strict += o.Strict
	s.Relaxed += o.Relaxed
}

// at counts requests that are served at a place without a wait.
func (r *record) at(place int, n Split) {
	if place == onVM {
		r.out.OnVMs.add(n)
	} else {
		r.out.OnFunctions.add(n)
	}
	own := &r.latencies.exact[place]
	own.n += n.Total()
	for class, limit := range r.limits {
		if exceeds(own.s, limit) {
			r.violated(class, n)
		}
	}
}

// grainMS forgives what sums of fractions of a second are off, in milliseconds.
const grainMS = 1e-6

func exceeds(seconds, limit float64) bool { return seconds > limit+grainMS/1000 }

// cohort is requests next to each other that came in one second.
type cohort struct {
	class     int
	second    int
	offset, n int64 // places within the class and the second
}

// splitOf returns the strict and relaxed requests of part of a cohort.
func (r *record) splitOf(c cohort, from, n int64) Split {
	switch c.class {
	case strict:
		return Split{Strict: n}
	case relaxed:
		return Split{Relaxed: n}
	}
	return r.split(r.before[c.second]+c.offset+from, n)
}

// waited counts a cohort that VMs begin in second t, in places k… of capacity.
func (r *record) waited(c cohort, t int, k, capacity int64) {
	r.out.OnVMs.add(r.splitOf(c, 0, c.n))
	own := &r.latencies.exact[onVM]
	if t-c.second > MaxLatencyS {
		// Beyond every limit; whole seconds are exact enough, and small enough.
		r.late(c)
		r.latencies.counts[r.latencies.bin(own.ms+int64(t-c.second+1)*1000)] += c.n
		return
	}
	came := int64(r.counts[c.class][c.second])
	l := line{first: int64(t-c.second)*capacity*came + k*came - c.offset*capacity, slope: came - capacity,
		unit: capacity * came, n: c.n}
	r.violations(c, l, own.s)
	l = l.rising()
	none := l.atMost(0)
	own.n += none
	l.first, l.n = l.first+none*l.slope, l.n-none
	r.latencies.addLine(own.ms, l)
}

// queued counts a cohort that waits when the trace ends.
func (r *record) queued(c cohort, end int) {
	r.out.Queued.add(r.splitOf(c, 0, c.n))
	if end-c.second > MaxLatencyS {
		r.late(c)
		return
	}
	came := int64(r.counts[c.class][c.second])
	// Its own time is yet to come; only the wait is sure.
	r.violations(c, line{first: int64(end-c.second)*came - c.offset, slope: -1, unit: came, n: c.n}, 0)
}

// violations counts those of a line whose wait and own time exceed their limit.
// Waits are known to the millisecond.
func (r *record) violations(c cohort, l line, own float64) {
	for class, limit := range r.limits {
		if c.class != both && c.class != class {
			continue
		}
		from, n := int64(0), l.n
		if !exceeds(own, limit) {
			kept := l.rising().atMost(int64((limit-own)*1000 + grainMS))
			n -= kept
			if l.slope >= 0 {
				from = kept
			}
		}
		r.violated(class, r.splitOf(c, from, n))
	}
}

// late is violations where all of a cohort waited so long that it matters no more
// how long exactly.
func (r *record) late(c cohort) {
	for class := range r.limits {
		r.violated(class, r.splitOf(c, 0, c.n))
	}
}

func (r *record) violated(class int, s Split) {
	if class == strict {
		r.out.Violations.Strict += s.Strict
	} else {
		r.out.Violations.Relaxed += s.Relaxed
	}
}

// watch fills spans while a simulation runs.
type watch struct {
	spans      []Span
	spanS      int
	violations int64 // until the last second
}

func (w *watch) second(t int, r *run) {
	s, out := &w.spans[t/w.spanS], &r.record.out
	s.Seconds++
	s.Requests += int64(r.counts[both][t])
	s.Violations += out.Violations.Total() - w.violations
	w.violations = out.Violations.Total()
	s.Running += float64(r.fleet.running)
}

// finish turns sums into means.
func (w *watch) finish() {
	for i := range w.spans {
		s := &w.spans[i]
		s.Running /= float64(s.Seconds)
	}
}

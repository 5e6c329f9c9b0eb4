package serving

import (
	"fmt"
	"slices"

	"sweetspot/engine/parallel"
)

// Simulate returns what a scheme makes of a trace. The package comment says how
// a second is simulated.
func Simulate(tr Trace, s Settings, scheme Scheme) (Outcome, error) {
	if err := check(tr, s, scheme); err != nil {
		return Outcome{}, err
	}
	return newRun(newArrivals(tr, s.StrictShare), &s, scheme).all(nil), nil
}

// Compare simulates the study's five schemes, in its order, and adds how much
// more VM-seconds each takes than Reactive.
func Compare(tr Trace, s Settings) ([]Outcome, error) {
	outcomes, _, err := compare(tr, s, 0)
	return outcomes, err
}

// WatchAll is Compare that also returns what happened in each span of so many
// seconds, by scheme.
func WatchAll(tr Trace, s Settings, spanS int) ([]Outcome, [][]Span, error) {
	if spanS < 1 {
		return nil, nil, fmt.Errorf("a span of %d seconds; give 1 at least", spanS)
	}
	return compare(tr, s, spanS)
}

func compare(tr Trace, s Settings, spanS int) ([]Outcome, [][]Span, error) {
	if err := check(tr, s, Reactive); err != nil {
		return nil, nil, err
	}
	a, schemes := newArrivals(tr, s.StrictShare), Schemes()
	outcomes, spans := make([]Outcome, len(schemes)), make([][]Span, len(schemes))
	var all parallel.Group
	for i, scheme := range schemes {
		all.Go(func() {
			var w *watch
			if spanS > 0 {
				w = &watch{spans: make([]Span, (len(tr)+spanS-1)/spanS), spanS: spanS}
			}
			outcomes[i] = newRun(a, &s, scheme).all(w)
			if w != nil {
				w.finish()
				spans[i] = w.spans
			}
		})
	}
	all.Wait()
	for i := range outcomes {
		if reactive := outcomes[0].VMSeconds; reactive > 0 {
			outcomes[i].OverProvisioning = new(float64(outcomes[i].VMSeconds)/float64(reactive) - 1)
		}
	}
	return outcomes, spans, nil
}

func check(tr Trace, s Settings, scheme Scheme) error {
	if scheme != FunctionsOnly && !slices.Contains(Schemes(), scheme) {
		return fmt.Errorf("%q is not a scheme; there are %v", scheme, Schemes())
	}
	if err := s.Check(); err != nil {
		return err
	}
	return tr.Check()
}

// run is one simulation under way.
type run struct {
	*arrivals
	s         *Settings
	scheme    Scheme
	seconds   int
	fleet     *fleet
	instances *instances
	record    *record
	queues    [3]queue // by class
	held      *highest
	crowds    *crowds
	mixing    bool  // Paragon: functions pay
	placed    int64 // Exascale: sum of second times requests in the trend's window
}

func newRun(a *arrivals, s *Settings, scheme Scheme) *run {
	r := &run{
		arrivals: a, s: s, scheme: scheme, seconds: len(a.before) - 1,
		instances: newInstances(s.Function), record: newRecord(a, s, scheme),
		held: &highest{span: s.CoolDownS}, crowds: newCrowds(s), mixing: true,
	}
	for class := range r.queues {
		r.queues[class] = queue{class: class, counts: a.counts[class]}
	}
	first := r.mean(0)
	vms := s.wanted(scheme, load{mean: first, centre: first})
	r.fleet = newFleet(s.VM, vms)
	r.held.push(-1, vms)
	return r
}

func (r *run) all(w *watch) Outcome {
	for t := range r.seconds {
		capacity := r.fleet.begin(t)
		short := r.serve(t, capacity)
		r.fleet.end(short)
		wanted := r.s.wanted(r.scheme, r.load(t))
		if w != nil {
			w.second(t, r)
		}
		r.fleet.aim(t, r.held.push(t, wanted))
	}
	return r.outcome()
}

// window is how many seconds the mean is of.
func (r *run) window() int { return min(r.s.MonitorS, r.seconds) }

// recent returns the requests of the monitor's window that ends with second t;
// before the first window is full, those of the first.
func (r *run) recent(t int) int64 {
	w := r.window()
	to := max(t+1, w)
	return r.before[to] - r.before[to-w]
}

func (r *run) mean(t int) float64 { return float64(r.recent(t)) / float64(r.window()) }

// load is what the scheme sees at the end of second t.
func (r *run) load(t int) load {
	l := load{mean: r.mean(t)}
	for i := range r.queues {
		l.backlog += r.queues[i].waiting
	}
	switch r.scheme {
	case Exascale:
		l.centre, l.slope = r.trend(t, l.mean)
	case Paragon:
		r.mixing = r.crowds.push(t, int(r.counts[both][t]), int(r.recent(t)))
	}
	return l
}

// trend returns mean and slope of the trend's window; while it is not full there
// is no trend.
func (r *run) trend(t int, mean float64) (centre, slope float64) {
	w := r.s.TrendS
	r.placed += int64(t) * int64(r.counts[both][t])
	start := t - w + 1
	if start > 0 {
		r.placed -= int64(start-1) * int64(r.counts[both][start-1])
	}
	if start < 0 {
		return mean, 0
	}
	sum := r.before[t+1] - r.before[start]
	return float64(sum) / float64(w), slopeOf(w, sum, r.placed-int64(start)*sum)
}

func (r *run) outcome() Outcome {
	for i := range r.queues {
		r.queues[i].close(r.seconds, r.record)
	}
	r.fleet.finish(r.seconds)
	o := r.record.out
	o.VMSeconds, o.VMBilledSeconds = r.fleet.seconds, r.fleet.billed
	o.MostVMs = r.fleet.most
	warm := o.OnFunctions.Total() - o.ColdStarts
	o.FunctionMS = warm*r.s.Function.WarmMS() + o.ColdStarts*r.s.Function.ColdMS()
	if r.scheme.usesFunctions() {
		first := int64(r.s.Function.Prewarmed)
		o.Warming = first + r.instances.kept
		o.FunctionMS += first*r.s.Function.ColdMS() + r.instances.kept*r.s.Function.WarmMS()
	}
	o.VMUSD = float64(o.VMBilledSeconds) / 3600 * r.s.VM.USDPerHour
	o.FunctionUSD = r.s.Function.USD(o.OnFunctions.Total()+o.Warming, o.FunctionMS)
	o.USD = o.VMUSD + o.FunctionUSD
	o.P50S, o.P99S = r.record.latencies.percentile(0.50), r.record.latencies.percentile(0.99)
	return o
}

// queue is requests of one class that wait for a VM, first in, first out. They
// are a stretch of the trace: from a place in one second to the last one.
type queue struct {
	class   int
	counts  []int32 // of each second those that may wait
	own     bool    // counts are not shared with other queues
	second  int     // that of the first request that waits
	offset  int64   // its place in that second
	waiting int64
}

// take begins n of the waiting requests in second t, in the places from k on of capacity.
func (q *queue) take(t int, n, k, capacity int64, rec *record) {
	q.waiting -= n
	for n > 0 {
		c := q.next(n)
		rec.waited(c, t, k, capacity)
		k += c.n
		n -= c.n
	}
}

// next removes the next cohort, of n requests at most.
func (q *queue) next(n int64) cohort {
	for int64(q.counts[q.second]) == q.offset {
		q.second, q.offset = q.second+1, 0
	}
	c := cohort{class: q.class, second: q.second, offset: q.offset, n: min(n, int64(q.counts[q.second])-q.offset)}
	q.offset += c.n
	return c
}

// skip passes over the requests of second t, which none before waits for.
func (q *queue) skip(t int) { q.second, q.offset = t+1, 0 }

// pass keeps those who come in second t out of the queue, though others wait.
func (q *queue) pass(t int) {
	if !q.own {
		q.counts, q.own = slices.Clone(q.counts), true
	}
	q.counts[t] = 0
}

// close records what still waits at the end.
func (q *queue) close(end int, rec *record) {
	for q.waiting > 0 {
		c := q.next(q.waiting)
		q.waiting -= c.n
		rec.queued(c, end)
	}
}

// serve gives the requests of second t to VMs and functions, and reports whether
// VMs were short.
func (r *run) serve(t int, capacity int64) (short bool) {
	switch r.scheme {
	case Mixed, FunctionsOnly:
		return r.serveMixed(t, capacity)
	case Paragon:
		return r.serveParagon(t, capacity)
	}
	return r.serveQueue(both, t, capacity) > 0
}

// usesFunctions reports whether a scheme starts functions.
func (s Scheme) usesFunctions() bool { return s == Mixed || s == Paragon || s == FunctionsOnly }

// serveQueue lets the requests of a class that came in second t join their queue
// and take what VMs have left, and returns how many then wait.
func (r *run) serveQueue(class, t int, capacity int64) (waiting int64) {
	q := &r.queues[class]
	came := int64(r.counts[class][t])
	if q.waiting == 0 {
		q.second, q.offset = t, 0
		if came <= capacity {
			q.skip(t)
			r.record.at(onVM, r.record.splitOf(cohort{class: class, second: t}, 0, came))
			return 0
		}
	}
	q.waiting += came
	q.take(t, min(q.waiting, capacity), 0, capacity, r.record)
	return q.waiting
}

// serveMixed sends to functions what finds no VM free.
func (r *run) serveMixed(t int, capacity int64) (short bool) {
	came := int64(r.counts[both][t])
	vms := min(came, capacity)
	from := r.before[t]
	r.record.at(onVM, r.split(from, vms))
	rest := came - vms
	cold := r.instances.serve(t, rest)
	if rest > 0 {
		r.record.at(onWarm, r.split(from+vms, rest-cold))
		r.record.at(onCold, r.split(from+came-cold, cold))
		r.record.out.ColdStarts += cold
	}
	return rest > 0
}

// serveParagon gives VMs to strict requests first. What waits of them, since
// mixing did not pay when they came, goes on waiting.
func (r *run) serveParagon(t int, capacity int64) (short bool) {
	q := &r.queues[strict]
	used, over := int64(0), int64(0)
	if r.mixing {
		used, over = r.strictNow(t, capacity)
	} else {
		before := q.waiting + int64(r.counts[strict][t])
		used = before - r.serveQueue(strict, t, capacity)
		r.instances.serve(t, 0)
	}
	left := capacity - used
	waits := q.waiting + r.serveQueue(relaxed, t, left)
	return over+waits > 0
}

// strictNow serves strict requests while mixing pays: those that wait, then those
// that come and find a VM free, the rest on functions.
func (r *run) strictNow(t int, capacity int64) (used, over int64) {
	q := &r.queues[strict]
	came := int64(r.counts[strict][t])
	waited := min(q.waiting, capacity)
	q.take(t, waited, 0, capacity, r.record)
	if q.waiting > 0 {
		q.pass(t)
	}
	now := min(came, capacity-waited)
	over = came - now
	r.record.at(onVM, Split{Strict: now})
	cold := r.instances.serve(t, over)
	r.record.at(onWarm, Split{Strict: over - cold})
	r.record.at(onCold, Split{Strict: cold})
	r.record.out.ColdStarts += cold
	return waited + now, over
}

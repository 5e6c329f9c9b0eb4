package serving

import (
	"fmt"
	"sync"
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
	var all sync.WaitGroup
	for i, scheme := range schemes {
		all.Go(func() {
			var w *watch
			if spanS > 0 {
				w = newWatch(len(tr), spanS)
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
	if !scheme.known() {
		return fmt.Errorf("%q is no scheme; there are %v", scheme, Schemes())
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
	placed    int64 // Exascale: sum of second times queries in the trend's window
}

func newRun(a *arrivals, s *Settings, scheme Scheme) *run {
	r := &run{
		arrivals: a, s: s, scheme: scheme, seconds: len(a.before) - 1,
		instances: newInstances(s.Function), record: newRecord(a, s, scheme),
		held: newHighest(s.CoolDownS), crowds: newCrowds(s), mixing: true,
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

// all simulates every second and returns the outcome.
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

// recent returns the queries of the monitor's window that ends with second t;
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
	o.VMsStarted, o.MostVMs = r.fleet.ordered, r.fleet.most
	warm := o.OnFunctions.Total() - o.ColdStarts
	o.FunctionMS = warm*r.s.Function.WarmMS() + o.ColdStarts*r.s.Function.ColdMS()
	o.VMUSD = float64(o.VMBilledSeconds) / 3600 * r.s.VM.USDPerHour
	o.FunctionUSD = r.s.Function.USD(o.OnFunctions.Total(), o.FunctionMS)
	o.USD = o.VMUSD + o.FunctionUSD
	o.P50S, o.P99S = r.record.latencies.percentile(0.50), r.record.latencies.percentile(0.99)
	return o
}

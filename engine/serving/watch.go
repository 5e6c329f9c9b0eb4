package serving

// watch fills spans while a simulation runs.
type watch struct {
	spans       []Span
	spanS       int
	onFunctions int64 // until the last second
	violations  int64
}

func newWatch(seconds, spanS int) *watch {
	return &watch{spans: make([]Span, (seconds+spanS-1)/spanS), spanS: spanS}
}

func (w *watch) second(t int, r *run) {
	s, out := &w.spans[t/w.spanS], &r.record.out
	s.Seconds++
	s.Queries += int64(r.counts[both][t])
	s.OnFunctions += out.OnFunctions.Total() - w.onFunctions
	s.Violations += out.Violations.Total() - w.violations
	w.onFunctions, w.violations = out.OnFunctions.Total(), out.Violations.Total()
	s.Running += float64(r.fleet.running)
	s.Starting += float64(r.fleet.starting)
	s.Backlog = 0
	for i := range r.queues {
		s.Backlog += r.queues[i].waiting
	}
}

// finish turns sums into means.
func (w *watch) finish() {
	for i := range w.spans {
		s := &w.spans[i]
		s.Running /= float64(s.Seconds)
		s.Starting /= float64(s.Seconds)
	}
}

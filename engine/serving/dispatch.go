package serving

import "slices"

// queue is queries of one class that wait for a VM, first in, first out. They
// are a stretch of the trace: from a place in one second to the last one.
type queue struct {
	class   int
	counts  []int32 // of each second those that may wait
	own     bool    // counts are not shared with other queues
	second  int     // that of the first query that waits
	offset  int64   // its place in that second
	waiting int64
}

// take begins n of the waiting queries in second t, in the places from k on of capacity.
func (q *queue) take(t int, n, k, capacity int64, rec *record) {
	q.waiting -= n
	for n > 0 {
		c := q.next(n)
		rec.waited(c, t, k, capacity)
		k += c.n
		n -= c.n
	}
}

// next removes the next cohort, of n queries at most.
func (q *queue) next(n int64) cohort {
	for int64(q.counts[q.second]) == q.offset {
		q.second, q.offset = q.second+1, 0
	}
	c := cohort{class: q.class, second: q.second, offset: q.offset, n: min(n, int64(q.counts[q.second])-q.offset)}
	q.offset += c.n
	return c
}

// skip passes over the queries of second t, which none before waits for.
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

// serve gives the queries of second t to VMs and functions, and reports whether
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

// serveQueue lets the queries of a class that came in second t join their queue
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

// serveParagon gives VMs to strict queries first. What waits of them, since
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

// strictNow serves strict queries while mixing pays: those that wait, then those
// that come and find a VM free, the rest on functions.
func (r *run) strictNow(t int, capacity int64) (used, over int64) {
	q := &r.queues[strict]
	came := int64(r.counts[strict][t])
	waited := min(q.waiting, capacity)
	if waited > 0 {
		q.take(t, waited, 0, capacity, r.record)
	}
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

package serving

// instances are the instances of a function: busy ones by the second in which
// they come back, idle ones by when they were last used.
type instances struct {
	perSecond          int64 // queries a warm instance serves in a second
	warmBusy, coldBusy int   // whole seconds until it is free again
	keepS              int
	back               []int64 // ring: instances that come back, by second
	idle               []idling
	oldest             int // of idle
	idlers, busy       int64
}

type idling struct {
	last int
	n    int64
}

// busySeconds are the whole seconds a query keeps an instance from others.
func (f Function) busySeconds(cold bool) int {
	ms := f.WarmMS()
	if cold {
		ms = f.coldLatencyMS()
	}
	return int((ms + 999) / 1000)
}

func (f Function) coldLatencyMS() int64 { return milliseconds(f.ColdStartS) + f.ColdMS() }

func newInstances(f Function) *instances {
	p := &instances{
		perSecond: max(1, 1000/f.WarmMS()), warmBusy: f.busySeconds(false), coldBusy: f.busySeconds(true),
		keepS: f.KeepAliveS,
	}
	p.back = make([]int64, p.coldBusy+1)
	return p
}

// serve takes the queries of second t, to be called for every second in turn,
// and returns how many of them start cold.
func (p *instances) serve(t int, queries int64) (cold int64) {
	if p.idlers+p.busy > 0 {
		p.recall(t)
	}
	if queries == 0 {
		return 0
	}
	need := (queries + p.perSecond - 1) / p.perSecond
	warm := min(need, p.idlers)
	p.take(warm)
	p.back[(t+p.warmBusy)%len(p.back)] += warm
	cold = queries - min(queries, warm*p.perSecond)
	p.back[(t+p.coldBusy)%len(p.back)] += cold
	p.busy += warm + cold
	return cold
}

// recall makes idle what is done, and drops what was idle too long.
func (p *instances) recall(t int) {
	done := &p.back[t%len(p.back)]
	if n := *done; n > 0 {
		p.idle = append(p.idle, idling{last: t, n: n})
		p.idlers, p.busy, *done = p.idlers+n, p.busy-n, 0
	}
	for p.oldest < len(p.idle) && t-p.idle[p.oldest].last > p.keepS {
		p.idlers -= p.idle[p.oldest].n
		p.oldest++
	}
	if 2*p.oldest >= len(p.idle) {
		p.idle, p.oldest = p.idle[:copy(p.idle, p.idle[p.oldest:])], 0
	}
}

// take uses n idle instances, the last used first.
func (p *instances) take(n int64) {
	p.idlers -= n
	for n > 0 {
		top := &p.idle[len(p.idle)-1]
		m := min(n, top.n)
		top.n -= m
		n -= m
		if top.n == 0 {
			p.idle = p.idle[:len(p.idle)-1]
		}
	}
}

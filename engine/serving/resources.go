package serving

// millionths are the unit in which capacity is counted, so that fractions of a
// query per second add up exactly.
const millionths = 1_000_000

// fleet is the VMs that run and start. VMs ordered in one second are one batch.
type fleet struct {
	vm                VM
	perVM             int64 // capacity in millionths of a query per second
	left              int64 // capacity of the last second not used up for want of a whole query
	batches           []batch
	first, next       int // of batches: the oldest alive, the oldest that still starts
	running, starting int
	seconds, billed   int64 // VM-seconds
	most              int   // VMs alive at once
}

type batch struct{ since, ready, vms int }

func newFleet(vm VM, vms int) *fleet {
	f := &fleet{vm: vm, perVM: int64(vm.QueriesPerSecond*millionths + 0.5)}
	if vms > 0 {
		f.batches = append(f.batches, batch{vms: vms})
		f.starting = vms
	}
	return f
}

// begin lets the VMs serve whose start-up ends with second t begins, and returns
// the queries that all can begin in it.
func (f *fleet) begin(t int) (capacity int64) {
	for f.next < len(f.batches) && f.batches[f.next].ready <= t {
		n := f.batches[f.next].vms
		f.running, f.starting, f.next = f.running+n, f.starting-n, f.next+1
	}
	alive := f.running + f.starting
	f.seconds += int64(alive)
	f.most = max(f.most, alive)
	return min((int64(f.running)*f.perVM+f.left)/millionths, MaxPerSecond)
}

// end carries the fraction of a query on to the next second if there was work
// for it.
func (f *fleet) end(short bool) {
	if short {
		f.left = (int64(f.running)*f.perVM + f.left) % millionths
	} else {
		f.left = 0
	}
}

// aim orders or stops VMs at the end of second t.
func (f *fleet) aim(t, target int) {
	if more := target - f.running - f.starting; more > 0 {
		f.batches = append(f.batches, batch{since: t + 1, ready: t + 1 + f.vm.StartS, vms: more})
		f.starting += more
	}
	for fewer := f.running - target; fewer > 0; {
		oldest := &f.batches[f.first]
		n := min(fewer, oldest.vms)
		f.bill(n, t+1-oldest.since)
		oldest.vms -= n
		f.running -= n
		fewer -= n
		if oldest.vms == 0 {
			f.first++
		}
	}
}

func (f *fleet) bill(vms, aliveS int) { f.billed += int64(vms) * int64(f.vm.Billed(aliveS)) }

// finish bills what is alive when the trace ends. These VMs go on, so neither
// minimum nor increment is added for them.
func (f *fleet) finish(t int) {
	for _, b := range f.batches[f.first:] {
		f.billed += int64(b.vms) * int64(t-b.since)
	}
}

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
		ms = milliseconds(f.ColdStartS) + f.ColdMS()
	}
	return int((ms + 999) / 1000)
}

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

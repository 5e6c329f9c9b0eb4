package serving

import (
	"math"
	"slices"
	"sort"
)

// milliseconds rounds up; the grain keeps 0.3 s at 300.
func milliseconds(seconds float64) int64 { return int64(math.Ceil(seconds*1000 - 1e-6)) }

// line is the waits of a number of requests that begin in one second and came in
// one: that of request j is (first + j·slope) / unit seconds, where that is above 0.
type line struct {
	first, slope, unit int64
	n                  int64
}

// atMost returns of a line with a slope of at least 0 how many waits are at most ms
// milliseconds.
func (l line) atMost(ms int64) int64 {
	room, step := ms*l.unit-1000*l.first, 1000*l.slope
	switch {
	case room < 0:
		return 0
	case room >= (l.n-1)*step: // spares a division, mostly
		return l.n
	}
	return room/step + 1
}

// rising returns the same waits in rising order.
func (l line) rising() line {
	if l.slope < 0 {
		l.first += (l.n - 1) * l.slope
		l.slope = -l.slope
	}
	return l
}

// wait returns that of request j, milliseconds rounded up.
func (l line) wait(j int64) int64 {
	return max(0, (1000*(l.first+j*l.slope)+l.unit-1)/l.unit)
}

// Latencies are counted in bins: each 10 ms to 2 s, then each 2 % wider.
const (
	fineMS   = 10
	fineBins = 200
	growth   = 1.02
)

// histogram counts latencies. Those without a wait are kept exactly.
type histogram struct {
	edges  []int64 // upper edge of each bin, ms
	counts []int64
	last   int      // the bin last counted in: the next is rarely far
	exact  [3]level // of the places, without a wait
}

// level is a number of requests of the same latency.
type level struct {
	s  float64 // seconds, to the microsecond
	ms int64   // rounded up
	n  int64
}

func levelOf(seconds float64) level {
	return level{s: math.Round(seconds*1e6) / 1e6, ms: milliseconds(seconds)}
}

// Where a request is served.
const (
	onVM = iota
	onWarm
	onCold
)

func newHistogram(s *Settings) *histogram {
	h := &histogram{exact: [3]level{
		onVM: levelOf(s.VM.LatencyS), onWarm: levelOf(s.Function.Seconds),
		onCold: levelOf(s.Function.ColdStartS + s.Function.ModelLoadS + s.Function.Seconds),
	}}
	const end = int64(MaxSeconds+2*MaxLatencyS) * 1000
	for ms := int64(fineMS); ; {
		h.edges = append(h.edges, ms)
		if ms > end {
			break
		}
		if len(h.edges) < fineBins {
			ms += fineMS
		} else {
			ms = int64(math.Ceil(float64(ms) * growth))
		}
	}
	h.counts = make([]int64, len(h.edges))
	return h
}

// bin returns the bin of a latency, the least whose edge is not below it.
func (h *histogram) bin(ms int64) int {
	b := h.last
	if ms <= fineMS*fineBins {
		b = max(0, int((ms+fineMS-1)/fineMS)-1)
	}
	for h.edges[b] < ms {
		b++
	}
	for b > 0 && h.edges[b-1] >= ms {
		b--
	}
	h.last = b
	return b
}

// addLine counts base plus each wait of a rising line.
func (h *histogram) addLine(base int64, l line) {
	if l.n == 0 {
		return
	}
	for b, j := h.bin(base+l.wait(0)), int64(0); j < l.n; b++ {
		to := l.atMost(h.edges[b] - base)
		h.counts[b] += to - j
		j = to
	}
}

// percentile returns the nearest-rank percentile in seconds: exact without a
// wait, else the upper edge of its bin. NaN where nothing was counted.
func (h *histogram) percentile(share float64) float64 {
	levels, total := slices.Clone(h.exact[:]), int64(0)
	for _, l := range levels {
		total += l.n
	}
	for i, n := range h.counts {
		if n > 0 {
			levels = append(levels, level{float64(h.edges[i]) / 1000, h.edges[i], n})
			total += n
		}
	}
	sort.Slice(levels, func(a, b int) bool { return levels[a].s < levels[b].s })
	rank := int64(math.Ceil(share*float64(total) - 1e-9))
	for _, l := range levels {
		if rank -= l.n; rank <= 0 && l.n > 0 {
			return l.s
		}
	}
	return math.NaN()
}

// millionths are the unit in which capacity is counted, so that fractions of a
// request per second add up exactly.
const millionths = 1_000_000

// fleet is the VMs that run and start. VMs ordered in one second are one batch.
type fleet struct {
	vm                VM
	perVM             int64 // capacity in millionths of a request per second
	left              int64 // capacity of the last second not used up for want of a whole request
	batches           []batch
	first, next       int // of batches: the oldest alive, the oldest that still starts
	running, starting int
	seconds, billed   int64 // VM-seconds
	most              int   // VMs alive at once
}

type batch struct{ since, ready, vms int }

func newFleet(vm VM, vms int) *fleet {
	f := &fleet{vm: vm, perVM: int64(vm.RequestsPerSecond*millionths + 0.5)}
	if vms > 0 {
		f.batches = append(f.batches, batch{vms: vms})
		f.starting = vms
	}
	return f
}

// begin lets the VMs serve whose start-up ends with second t begins, and returns
// the requests that all can begin in it.
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

// end carries the fraction of a request on to the next second if there was work
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
	perSecond          int64 // requests a warm instance serves in a second
	warmBusy, coldBusy int   // whole seconds until it is free again
	keepS              int
	back               []int64 // ring: instances that come back, by second
	idle               []idling
	oldest             int // of idle
	idlers, busy       int64
	prewarmed, kept    int64 // that stay warm; requests that keep them so
}

type idling struct {
	last int
	n    int64
}

// busySeconds are the whole seconds a request keeps an instance from others.
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
	if p.prewarmed = int64(f.Prewarmed); p.prewarmed > 0 {
		p.idle, p.idlers = append(p.idle, idling{n: p.prewarmed}), p.prewarmed
	}
	return p
}

// serve takes the requests of second t, to be called for every second in turn,
// and returns how many of them start cold.
func (p *instances) serve(t int, requests int64) (cold int64) {
	if p.idlers+p.busy > 0 {
		p.recall(t)
	}
	if requests == 0 {
		return 0
	}
	need := (requests + p.perSecond - 1) / p.perSecond
	warm := min(need, p.idlers)
	p.take(warm)
	p.back[(t+p.warmBusy)%len(p.back)] += warm
	cold = requests - min(requests, warm*p.perSecond)
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
	kept := int64(0)
	for p.oldest < len(p.idle) && t-p.idle[p.oldest].last > p.keepS {
		n := p.idle[p.oldest].n
		stay := min(n, max(0, p.prewarmed-(p.idlers+p.busy-n)))
		p.idlers -= n - stay
		kept += stay
		p.oldest++
	}
	if kept > 0 {
		p.idle, p.kept = append(p.idle, idling{last: t, n: kept}), p.kept+kept
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

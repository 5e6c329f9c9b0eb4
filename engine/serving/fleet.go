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
	ordered, most     int   // VMs started in all, and alive at most
}

type batch struct{ since, ready, vms int }

func newFleet(vm VM, vms int) *fleet {
	f := &fleet{vm: vm, perVM: int64(vm.QueriesPerSecond*millionths + 0.5)}
	if vms > 0 {
		f.batches = append(f.batches, batch{vms: vms})
		f.starting, f.ordered = vms, vms
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
		f.ordered += more
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

package session

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/secret"
	"sweetspot/engine/steady"
	"sweetspot/probes/load"
	"sweetspot/probes/metric"
	"sweetspot/probes/protocol"
)

const (
	shownLog       = 200   // lines in an update
	savedLog       = 10000 // lines saved of one run
	shownReadings  = 120   // of telemetry
	shownWarnings  = 50
	sentenceLength = 400
	mostPackages   = 200 // of one run
)

// state accumulates the events of a probe. Slices handed out of it are never
// changed again.
type state struct {
	claimed     profile.VMType
	metrics     *metric.Reader    // o.Metrics; nil where results are not read
	given       store.Description // before the script said anything
	described   store.Description
	named       bool  // whatever the script calls its model
	redescribed bool  // described has changed since it was last saved
	hosts       hosts // that the ranks are on
	id          int64

	series   steady.Series
	decided  int         // iterations after which the rule was met; 0 before
	epoch    int         // of the latest iteration
	turned   bool        // an epoch was seen to its end
	counts   map[int]int // iterations by rank
	work     work
	initS    *float64
	checks   []profile.Validation
	results  *metric.Log // what was printed of them; nil where that is not read
	read     *metric.Read
	pauses   []profile.Pause
	pausedS  map[int]float64 // seconds of pauses, by the steps done before them
	accuracy *profile.Accuracy

	overheadS   float64           // what watching took the slowest rank
	peak, total *float64          // bytes of GPU memory
	reserved    *float64          // by the framework
	telemetry   []store.Telemetry // of GPUs
	packages    []store.Telemetry // of CPUs
	loads       load.Sum          // of the CPUs there, since the first iteration
	steppedS    float64           // seconds of rank 0's iterations after the first
	layers      []store.Layer
	limit       *protocol.Limit // the largest batch, where that was asked for
	log         []string
	warnings    []string
	ahead       []string // those about what the program will do later
	ofOutput    []string // and about steps that were read from output
	logged      int
	rejected    int

	workOnly bool // steps are not timed
	looked   int  // steps that were not

	unresolved bool // results changed since

	piped        map[reflect.Type]bool // of what two streams may report: whether the pipe did first
	copies       int                   // events left out, since another stream had reported the like before
	gotEvent     bool                  // any event arrived
	drawn        int                   // steps read from output
	computes     *bool                 // whether the script does, so that a bar it draws may be of steps; nil unknown
	unwatched    bool                  // the script went on, and its steps were no longer told
	reportsSteps bool                  // events report iterations, or a framework whose steps they will report
	failed       string
	lastOut      string
	fault        fault
	done         string
	batch        store.Batch
}

func newState(o Options, id int64) *state {
	p := &state{claimed: o.Claimed, metrics: o.Metrics, given: o.Description, described: o.Description, named: o.Named,
		workOnly: o.WorkOnly, id: id}
	p.begin()
	return p
}

// add takes in one line of the script; now is seconds since it began.
func (p *state) add(m message, now float64) {
	item := m.item
	switch {
	case item.Rejected != "":
		p.event(protocol.Rejection{Why: item.Rejected}, now)
	case item.Event != nil:
		p.noteSource(item.Event, now)
		if t := timeOf(item.Event); t != nil && p.results != nil && m.from == fromEvents {
			p.results.Heard(m.at, *t)
		}
		p.take(item.Event, m.from == fromEvents, now)
	default:
		p.line(m.from, item.Log, now)
	}
}

// take takes in an event of the script, from the pipe made for events or its
// output. The same event from both would count twice, so of what adds up only one
// of the two counts: the first.
func (p *state) take(e protocol.Event, fromPipe bool, now float64) {
	switch e.(type) {
	case protocol.Iteration, protocol.Validation, protocol.Pause:
		kind := reflect.TypeOf(e)
		if piped, known := p.piped[kind]; known && piped != fromPipe {
			p.copies++
			return
		}
		p.piped[kind] = fromPipe
	}
	p.event(e, now)
}

// aboutCopies is the warning that events were left out; "" if none were.
func (p *state) aboutCopies() string {
	if p.copies == 0 {
		return ""
	}
	return fmt.Sprintf("%d events were left out: the script reports the like on its output and where SWEETSPOT_EVENTS "+
		"says, "+
		"and what came first counts", p.copies)
}

// rename takes over the name that the model got where others of its name are of another
// network; "" is none.
func (p *state) rename(model string) {
	p.described.Model.Name = cmp.Or(model, p.described.Model.Name)
}

// noteSource records whether the script's own events report steps: then its
// output need not be read for them.
func (p *state) noteSource(e protocol.Event, now float64) {
	if _, ofAgent := e.(protocol.Load); ofAgent {
		return
	}
	p.gotEvent = true
	before := p.reportsSteps
	switch e := e.(type) {
	case protocol.Hello:
		p.reportsSteps = p.reportsSteps || isOurs(e)
		if e.Computes != nil && (p.computes == nil || *e.Computes) { // of several processes one is enough
			p.computes = e.Computes
		}
	case protocol.Iteration:
		p.reportsSteps = true
	}
	if p.reportsSteps && !before && p.drawn > 0 {
		p.restart(now)
	}
}

func (p *state) event(e protocol.Event, now float64) {
	switch e := e.(type) {
	case protocol.Hello:
		hello(&p.described, e)
		p.host(e)
		p.contradicted(now)
		p.redescribed = true
	case protocol.Model:
		if p.named {
			e.Name = ""
		}
		describe(&p.described, e)
		p.hosts.told = cmp.Or(e.VMs, p.hosts.told)
		p.countHosts()
		p.redescribed = true
	case protocol.Tuning:
		p.described.Tuning = tuningOf(e)
		p.redescribed = true
	case protocol.Packages:
		p.addPackages(e)
	case protocol.Init:
		// Of several ranks the slowest keeps the others waiting.
		if !p.workOnly && (p.initS == nil || *p.initS < e.Seconds) {
			p.initS = new(e.Seconds)
			p.batch.InitS = p.initS
		}
	case protocol.Iteration:
		if p.workOnly {
			p.looked++
			break
		}
		if p.series.Len() == 0 {
			p.failed = "" // it went on
		}
		p.iteration(e, now)
	case protocol.Validation:
		p.validation(e, now)
	case protocol.Pause:
		p.pause(e, now)
	case protocol.Overhead:
		p.overheadS = max(p.overheadS, e.Seconds)
	case protocol.Memory:
		p.memory(e, now)
	case protocol.Telemetry:
		p.reading(e, now)
	case protocol.Load:
		if len(p.work.blocks) > 0 && at(e.T, now)-e.Seconds >= p.work.blocks[0].end {
			p.loads.Add(e)
		}
	case protocol.Layers:
		p.setLayers(e)
	case protocol.Limit:
		p.limit = &e
	case protocol.Rejection:
		p.rejected++
		p.warn("rejected "+e.Why, now)
	case protocol.Warning:
		p.warn(e.Message, now)
		p.unwatched = p.unwatched || e.Unwatched
		if e.Ahead {
			p.ahead = push(p.ahead, e.Message, shownWarnings)
		}
	case protocol.Failure:
		p.failure(e, now)
	case protocol.Done:
		p.done = e.Reason
	}
}

func (p *state) addPackages(e protocol.Packages) {
	d := &p.described
	d.Packages = append(slices.Clip(d.Packages), e.Names...) // the old is in updates already sent
	d.Packages = d.Packages[:min(len(d.Packages), mostPackages)]
	p.redescribed = true
}

func (p *state) setLayers(e protocol.Layers) {
	p.layers = p.layers[:0:0] // a new one: the old is in updates already sent
	for _, l := range e.Layers {
		p.layers = append(p.layers, store.Layer(l))
	}
	p.batch.Layers = append(p.batch.Layers, p.layers...)
}

func (p *state) failure(e protocol.Failure, now float64) {
	said := secret.Text(e.Message)
	p.failed = cmp.Or(p.failed, said) // other ranks, or a parent, fail in consequence
	p.appendLog("error", said, now)
}

// contradicted warns where the machine is not the VM type that it is said to be.
func (p *state) contradicted(now float64) {
	m, vm := p.described.Machine, p.claimed
	found := profile.Run{Basis: estimate.Measured, Cloud: vm.Cloud, GPU: m.GPU, NoGPU: m.NoGPU}.Contradicted(vm)
	if found != "" {
		p.warn(fmt.Sprintf("%s has the GPU %s, but this program used %s: its times are kept as those of another machine and "+
			"say nothing of other VM types", vm.InstanceType, vm.GPU, found), now)
	}
}

func (p *state) memory(e protocol.Memory, now float64) {
	p.peak, p.total = larger(p.peak, e.PeakBytes), larger(p.total, e.TotalBytes)
	p.reserved = larger(p.reserved, e.ReservedBytes)
	if e.PeakBytes != nil && e.TotalBytes != nil {
		p.batch.Memory = append(p.batch.Memory, store.Memory{T: at(e.T, now), PeakBytes: *e.PeakBytes,
			TotalBytes: *e.TotalBytes})
	}
}

func larger(a, b *float64) *float64 {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

func (p *state) reading(e protocol.Telemetry, now float64) {
	if !e.CPU && p.hosts.leaves(e.UUID) {
		return
	}
	r := store.Telemetry{
		T: at(e.T, now), CPU: e.CPU, GPU: e.GPU, Utilisation: e.Utilisation, MemoryBytes: e.MemoryBytes,
		Watts: e.Watts, Celsius: e.Celsius, Throttle: e.Throttle, Shared: e.Shared, EnergyJ: e.EnergyJ,
	}
	p.batch.Telemetry = append(p.batch.Telemetry, r)
	if r.CPU {
		p.packages = append(p.packages, r)
	} else {
		p.telemetry = append(p.telemetry, r)
	}
}

// isOurs reports whether the hook or the harness says hello, whose steps follow.
func isOurs(e protocol.Hello) bool {
	name, _, _ := strings.Cut(e.Framework, " ")
	return slices.Contains([]string{"torch", "keras", "jax", "onnxruntime"}, name)
}

// timeOf is when an event was sent that is sent at once, by the clock of the steps. Where
// an adapter reads these from the output there is no other clock.
func timeOf(e protocol.Event) *float64 {
	switch e := e.(type) {
	case protocol.Hello:
		if isOurs(e) {
			return e.T
		}
	case protocol.Iteration:
		return e.T
	}
	return nil
}

func at(t *float64, now float64) float64 {
	if t != nil {
		return *t
	}
	return now
}

func (p *state) isSaved() bool {
	b := &p.batch
	return !p.redescribed && !b.Restart && b.InitS == nil &&
		len(b.Iterations)+len(b.Validations)+len(b.Pauses)+len(b.Memory)+len(b.Telemetry)+len(b.Layers)+len(b.Log) == 0
}

// takeUnsaved returns what was not saved yet.
func (p *state) takeUnsaved() (*store.Description, store.Batch) {
	batch := p.batch
	p.batch = store.Batch{}
	if !p.redescribed {
		return nil, batch
	}
	p.redescribed = false
	return new(p.described), batch
}

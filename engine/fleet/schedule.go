package fleet

import (
	"fmt"
	"slices"
	"strings"
)

// Scheduler is the rule by which jobs are assigned to reserved VMs.
type Scheduler string

// The schedulers. All start a job only where it meets its deadline; none
// interrupts one.
const (
	RoundRobin    Scheduler = "round-robin"    // the next VM in turn, as in the study; jobs wait in its queue
	LeastLoaded   Scheduler = "least-loaded"   // the VM that is free first
	EarliestFirst Scheduler = "earliest-first" // one queue for all VMs, earliest deadline first
)

// Schedulers lists them.
var Schedulers = []Scheduler{RoundRobin, LeastLoaded, EarliestFirst}

// ParseScheduler reads a scheduler's name; edf is one of earliest-first.
func ParseScheduler(s string) (Scheduler, error) {
	word := Scheduler(strings.ToLower(strings.TrimSpace(s)))
	if word == "edf" || word == "earliest-deadline-first" {
		word = EarliestFirst
	}
	if !slices.Contains(Schedulers, word) {
		return "", fmt.Errorf("%q is not one of round-robin, least-loaded and earliest-first", s)
	}
	return word, nil
}

// Fleet is the reserved capacity.
type Fleet struct {
	VMs       int // reserved ones; 0 rents everything on demand
	GPUsPerVM int // at least 1
	Scheduler Scheduler
	// AsStudied makes every job a candidate that would finish in time at reduced
	// precision after its VM's queue. The study does so, although the jobs behind it
	// then run at the same time on the same VM. Without it a candidate also needs the
	// VM to itself for that long.
	AsStudied bool
}

// vmsOf is the number of VMs a task takes at once.
func (f *Fleet) vmsOf(t *Task) int { return (int(t.GPUs) + f.GPUsPerVM - 1) / f.GPUsPerVM }

// Where says how a task runs.
type Where uint8

// The ways to run a task.
const (
	Reserved  Where = iota // full precision on reserved VMs
	Candidate              // reduced on reserved VMs if its user accepts, else full precision on on-demand ones
	Rented                 // full precision on on-demand VMs
)

// Placement is where and when a task runs.
type Placement struct {
	Where   Where
	StartS  float64 // on the reserved VMs, of a candidate at reduced precision; else on on-demand ones
	RentedS float64 // start on on-demand VMs, also of a candidate whose user declines
	first   int     // its VMs in the schedule's list
	count   int
}

// Schedule is where all tasks of a trace run.
type Schedule struct {
	Fleet      Fleet
	Placements []Placement // of the tasks, in their order
	Candidates []int       // tasks that can be asked, in their order
	vms        []int32     // of all placements on reserved VMs
}

// VMs are the reserved VMs of a placement, numbered from 0.
func (s *Schedule) VMs(p Placement) []int32 { return s.vms[p.first : p.first+p.count] }

// Place schedules tasks, which must be in the order of submission. Every task is
// first tried at full precision. What would miss its deadline is tried at reduced
// precision in the time that the others leave: no reduced job delays or displaces
// another, so that what an offer saves the whole fleet saves.
func Place(tasks []Task, f Fleet) *Schedule {
	b := newBook(tasks, f)
	b.placeAll()
	b.confirm()
	return b.schedule
}

// placeAsking schedules tasks online: the user of a job that would miss its deadline
// at full precision, but not at reduced, is asked at once, and a reduced job takes
// its VMs like any other. Those behind it wait, or get on-demand VMs: no offer costs
// more than on-demand VMs for its own job, but what it displaces may.
func placeAsking(tasks []Task, f Fleet, accepts func(task int) bool) *Schedule {
	b := newBook(tasks, f)
	b.accepts = accepts
	b.placeAll()
	slices.Sort(b.schedule.Candidates)
	return b.schedule
}

// book is the state of the reserved VMs while tasks are placed.
type book struct {
	schedule *Schedule
	tasks    []Task
	free     []float64           // when each VM has done all that was given to it
	starts   [][]float64         // of the tasks given to each VM, in order
	asked    []question          // candidates, before it is known whether there is room for them
	accepts  func(task int) bool // asks a user at once; nil asks when everything is placed
}

func newBook(tasks []Task, f Fleet) *book {
	s := &Schedule{Fleet: f, Placements: make([]Placement, len(tasks)), vms: make([]int32, 0, len(tasks))}
	return &book{schedule: s, tasks: tasks, free: make([]float64, f.VMs), starts: make([][]float64, f.VMs)}
}

func (b *book) placeAll() {
	switch f := b.schedule.Fleet; {
	case f.VMs == 0:
		for i := range b.tasks {
			b.rent(i, b.tasks[i].SubmitS)
		}
	case f.Scheduler == EarliestFirst:
		placeEarliestFirst(b)
	case f.Scheduler == LeastLoaded:
		placeLeastLoaded(b)
	default:
		placeRoundRobin(b)
	}
}

// question is a candidate and, for each of its VMs, how many tasks the VM had
// before it.
type question struct {
	task  int
	after []int
}

// rent runs a task on on-demand VMs from start.
func (b *book) rent(task int, start float64) {
	b.schedule.Placements[task] = Placement{Where: Rented, StartS: start, RentedS: start}
}

// decide places a task whose VMs are free from start on: at full precision
// there if that is in time.
func (b *book) decide(task int, vms []int32, start, rentedFrom float64) {
	if t := &b.tasks[task]; start+t.FullS <= t.DeadlineS {
		b.place(task, vms, start)
		return
	}
	b.ask(task, vms, start, rentedFrom)
}

// ask makes a task a candidate if reduced precision is in time on VMs that are
// free from start on, and else rents VMs from the given time on.
func (b *book) ask(task int, vms []int32, start, rentedFrom float64) {
	b.rent(task, rentedFrom)
	if t := &b.tasks[task]; start+t.ReducedS > t.DeadlineS {
		return
	}
	if b.accepts != nil {
		b.settle(task, vms, start, rentedFrom)
		return
	}
	q := question{task: task, after: make([]int, len(vms))}
	for k, v := range vms {
		q.after[k] = len(b.starts[v])
	}
	b.asked = append(b.asked, q)
	p := b.put(task, vms)
	p.Where, p.StartS = Candidate, start
}

// settle asks a user and acts on the answer.
func (b *book) settle(task int, vms []int32, start, rentedFrom float64) {
	b.schedule.Candidates = append(b.schedule.Candidates, task)
	p := &b.schedule.Placements[task]
	if b.accepts(task) {
		p = b.put(task, vms)
		p.StartS = start
		b.occupy(vms, start, b.tasks[task].ReducedS)
	}
	p.Where, p.RentedS = Candidate, rentedFrom
}

// place runs a task at full precision on VMs from start.
func (b *book) place(task int, vms []int32, start float64) {
	p := b.put(task, vms)
	p.Where, p.StartS = Reserved, start
	b.occupy(vms, start, b.tasks[task].FullS)
}

func (b *book) occupy(vms []int32, start, seconds float64) {
	for _, v := range vms {
		b.free[v] = start + seconds
		b.starts[v] = append(b.starts[v], start)
	}
}

func (b *book) put(task int, vms []int32) *Placement {
	s := b.schedule
	p := &s.Placements[task]
	p.first, p.count = len(s.vms), len(vms)
	s.vms = append(s.vms, vms...)
	return p
}

// confirm keeps the candidates that have room, in the order of submission: their
// VMs begin nothing else before they end. A kept one holds its time whatever
// its user decides. All others are rented VMs.
func (b *book) confirm() {
	s := b.schedule
	slices.SortFunc(b.asked, func(x, y question) int { return x.task - y.task })
	held := make([][]span, len(b.free))
	for _, q := range b.asked {
		p := &s.Placements[q.task]
		own := span{p.StartS, p.StartS + b.tasks[q.task].ReducedS}
		if !s.Fleet.AsStudied && !b.hasRoom(q, own, held) {
			b.rent(q.task, p.RentedS)
			continue
		}
		s.Candidates = append(s.Candidates, q.task)
		for _, v := range s.VMs(*p) {
			held[v] = append(held[v], own)
		}
	}
}

// span is from one time to another, in seconds.
type span struct{ from, to float64 }

func (b *book) hasRoom(q question, own span, held [][]span) bool {
	p := b.schedule.Placements[q.task]
	for k, v := range b.schedule.VMs(p) {
		if next := q.after[k]; next < len(b.starts[v]) && b.starts[v][next] < own.to {
			return false
		}
		for _, other := range slices.Backward(held[v]) {
			if own.from < other.to && other.from < own.to {
				return false
			}
		}
	}
	return true
}

package fleet

import (
	"fmt"
	"slices"
	"strings"
)

// Scheduler is how jobs are given to reserved VMs.
type Scheduler string

// The schedulers. All start a job only where it meets its deadline; none
// interrupts one.
const (
	RoundRobin    Scheduler = "round-robin"    // the next VM in turn, as the study does; jobs wait in its line
	LeastLoaded   Scheduler = "least-loaded"   // the VM that is free first
	EarliestFirst Scheduler = "earliest-first" // one line for all VMs; the job whose deadline comes first is started first
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
		return "", fmt.Errorf("%q is none of round-robin, least-loaded and earliest-first", s)
	}
	return word, nil
}

// Fleet is the reserved capacity.
type Fleet struct {
	VMs       int // reserved ones; 0 rents everything on demand
	GPUsPerVM int // at least 1
	Scheduler Scheduler
	// AsStudied takes every job as a candidate that its VM's line would let finish in
	// time at reduced precision. The study does so; but the jobs behind it then run
	// at the same time on the same VM. Without it a candidate also needs the VM to
	// itself for that long.
	AsStudied bool
}

// vmsOf is the number of VMs a task takes at once.
func (f *Fleet) vmsOf(t *Task) int { return (int(t.GPUs) + f.GPUsPerVM - 1) / f.GPUsPerVM }

// Where says what becomes of a task.
type Where uint8

// The places.
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

// Place schedules tasks, which must be in the order of submission. First every
// task is tried at full precision; what would miss its deadline so is tried
// reduced, in the time that the others leave: nothing is delayed or displaced by
// a reduced job, so that what holds for each offer holds for the whole fleet.
func Place(tasks []Task, f Fleet) *Schedule {
	b := newBook(tasks, f)
	b.placeAll()
	b.confirm()
	return b.schedule
}

// PlaceAsking schedules tasks as they come: what would miss its deadline at full
// precision but not reduced is asked at once, and a reduced job takes its VMs
// like any other. Those behind it wait for it, or are rented VMs: no offer costs
// more than on-demand VMs for its own job, but what it displaces may.
func PlaceAsking(tasks []Task, f Fleet, accepts func(task int) bool) *Schedule {
	b := newBook(tasks, f)
	b.accepts = accepts
	b.placeAll()
	slices.Sort(b.schedule.Candidates)
	return b.schedule
}

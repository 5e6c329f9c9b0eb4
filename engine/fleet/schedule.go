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
		return "", fmt.Errorf("%q is none of round-robin, least-loaded and earliest-first", s)
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

// PlaceAsking schedules tasks online: the user of a job that would miss its deadline
// at full precision, but not at reduced, is asked at once, and a reduced job takes
// its VMs like any other. Those behind it wait, or get on-demand VMs: no offer costs
// more than on-demand VMs for its own job, but what it displaces may.
func PlaceAsking(tasks []Task, f Fleet, accepts func(task int) bool) *Schedule {
	b := newBook(tasks, f)
	b.accepts = accepts
	b.placeAll()
	slices.Sort(b.schedule.Candidates)
	return b.schedule
}

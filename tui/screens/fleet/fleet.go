// Package fleet is the screen of a provider's reserved VMs: sliders for their
// number, prices and what users accept, what every policy pays for the jobs it
// can ask, what each is offered, and how many VMs to reserve.
package fleet

import (
	"slices"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/theme"
)

// Question is what the screen asks of its trace.
type Question struct {
	VMs       int
	OnDemand  float64 // US dollars per hour
	Reserved  float64
	Speed     float64 // INT8 runtimes are multiplied by it
	Tightness float64 // the time that deadlines leave is
	Reluctant float64 // exponent of the acceptance: 1 is the study's
	Scheduler fleet.Scheduler
	AsStudied bool
	Seed      uint64
	VM        string // whose prices they were set to
	Purchase  profile.Purchase
	GPUsPerVM int
}

// Trace is what the jobs are.
type Trace struct {
	Jobs   []fleet.Job
	Load   *fleet.Load // what they were made by, so that other seeds make others; nil for a trace
	Mix    fleet.Mix
	Source string   // in a few words
	Notes  []string // what was handled when it was read
}

// Screen is the state of Fleet. It asks nothing itself: after a change
// [Screen.Request] gives the question to be answered elsewhere, and
// [Screen.Receive] takes the answer.
type Screen struct {
	*desk.Desk[Question]
	th   *theme.Theme
	w, h int

	trace   Trace
	draws   fleet.Draws
	drawn   uint64    // the seed of the draws
	offers  []vmOffer // VM types that can be reserved
	asked   int
	answer  *Answer
	outlook *Outlook

	controls *controls
	plots    *plots
	layout   layout
}

// New returns the screen without a trace.
func New(th *theme.Theme) *Screen {
	s := &Screen{th: th, controls: newControls(), plots: newPlots(th)}
	first := Question{VMs: 20, OnDemand: 3.06, Reserved: 0.985, Speed: 1, Tightness: 1, Reluctant: 1, Scheduler: fleet.RoundRobin, Seed: 1, GPUsPerVM: 1}
	s.Desk = desk.New(first, desk.Config[Question]{
		Sliders: &s.controls.Stack, Table: table.New(columns), Column: "policy", Save: s.controls.save, Load: s.controls.load, Refresh: s.refresh,
	})
	s.Table.SetEmpty("reading the trace…")
	return s
}

// SetTheme changes colours and symbols.
func (s *Screen) SetTheme(th *theme.Theme) {
	s.th = th
	s.plots.setTheme(th)
	s.refresh()
}

// SetSize changes the size in cells.
func (s *Screen) SetSize(w, h int) {
	s.w, s.h = w, h
	s.place()
}

// HasTrace reports whether there are jobs to ask about.
func (s *Screen) HasTrace() bool { return len(s.trace.Jobs) > 0 }

// SetTrace asks about other jobs.
func (s *Screen) SetTrace(t Trace) {
	s.trace, s.draws, s.answer, s.outlook = t, nil, nil, nil
	s.Reset()
	s.controls.forget()
	s.Table.SetEmpty("placing the jobs…")
	s.Table.SetRows(&rows{})
	s.refresh()
}

// SetVMTypes gives the VM types whose prices can be taken.
func (s *Screen) SetVMTypes(types []profile.VMType) {
	s.offers = offersOf(types)
	if s.asked > 0 {
		return
	}
	q := s.Question()
	for _, o := range s.offers {
		if o.vm.InstanceType == studyVM && (q.VM == "" || o.reserved < q.Reserved) {
			q.take(o)
		}
	}
	s.Begin(q)
}

// studyVM is the VM type of the study, which the screen begins with.
const studyVM = "p3.2xlarge"

// Answer is what is shown now; nil before the first one.
func (s *Screen) Answer() *Answer { return s.answer }

// Request numbers the present question and returns the work of answering it,
// which touches nothing of the screen.
func (s *Screen) Request() func() *Answer {
	q := s.Question()
	if s.draws == nil || q.Seed != s.drawn {
		if s.trace.Load != nil {
			s.trace.Jobs = s.trace.Load.Generate(q.Seed)
		}
		s.draws, s.drawn = fleet.NewDraws(len(s.trace.Jobs), q.Seed), q.Seed
	}
	s.asked++
	seq, trace, draws := s.asked, s.trace, s.draws
	return func() *Answer { return ask(seq, trace, draws, q) }
}

// Receive shows an answer unless a newer one is shown already.
func (s *Screen) Receive(a *Answer) {
	if s.answer != nil && a.Seq < s.answer.Seq || a.draws != s.sameDraws() {
		return
	}
	s.answer = a
	s.refresh()
}

// sameDraws tells the trace and seed of an answer.
func (s *Screen) sameDraws() *[4]float64 {
	if len(s.draws) == 0 {
		return nil
	}
	return &s.draws[0]
}

// refresh brings table, sliders and plots to the answer.
func (s *Screen) refresh() {
	if s.answer == nil {
		return
	}
	column, descending := s.Sorted()
	s.Table.SetRows(newRows(s.th, s.answer, column, descending))
	s.Table.SetSort(column, descending)
	s.controls.show(s.answer, s.outlook)
	s.plots.show(s.answer, s.outlook)
}

// place lays the screen out for its size.
func (s *Screen) place() {
	s.layout = lay(s.w, s.h)
	s.plots.bills.SetSize(s.layout.bills.Inner())
	s.plots.offers.SetSize(s.layout.offers.Inner())
	s.plots.costs.SetSize(s.layout.costs.Inner())
	s.Place(s.layout.sliders, s.layout.policies)
}

// Region names where keys act.
func (s *Screen) Region() string {
	if s.OnTable() {
		return keys.InFleetPolicies
	}
	return keys.InFleetSliders
}

// sortedPolicies is the order of the table's rows.
func sortedPolicies(a *Answer, column string, descending bool) []int {
	order := make([]int, len(approx.Policies))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		c := compare(a, column, x, y)
		if descending {
			return -c
		}
		return c
	})
	return order
}

// column is what the table is sorted by.
func (s *Screen) column() string {
	column, _ := s.Sorted()
	return column
}

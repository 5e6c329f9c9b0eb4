// Package fleet is the screen of a provider's reserved VMs: sliders for their
// number, prices and what users accept, what every policy pays for the jobs it
// can ask, what each is offered, and how many VMs to reserve.
package fleet

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workload"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
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
type Trace = workload.Jobs

// TraceReader reads a job trace; an empty path makes one up.
type TraceReader func(ctx context.Context, path string) (Trace, error)

// Screen is the state of Fleet.
type Screen struct {
	*desk.Desk[Question, *Answer]
	th   *theme.Theme
	w, h int

	source       desk.Trace[Trace]
	trace        Trace
	draws        fleet.Draws
	drawn        uint64    // the seed of the draws
	offers       []vmOffer // VM types that can be reserved
	answer       *Answer
	alternatives *Alternatives
	comparing    ask.Loop[*Alternatives]

	controls *controls
	plots    *plots
	layout   desk.Layout
}

// New returns the screen without a trace.
func New(sh *screen.Shell, read TraceReader) *Screen {
	s := &Screen{th: sh.Theme, controls: newControls(), plots: newPlots(sh.Theme), source: desk.Trace[Trace]{Read: read}}
	d := fleet.Defaults()
	first := Question{
		VMs: 20, OnDemand: d.Prices.OnDemand, Reserved: d.Prices.Reserved, Speed: d.Terms.Speed,
		Tightness: d.Terms.Tightness, Reluctant: 1,
		Scheduler: d.Fleet.Scheduler, Seed: d.Seed, GPUsPerVM: d.Fleet.GPUsPerVM,
	}
	s.Desk = desk.New(sh, first, desk.Config[Question, *Answer]{
		Sliders: &s.controls.Stack, Table: table.New(columns), Column: "policy", Regions: []string{keys.InFleetSliders,
			keys.InFleetPolicies},
		Save: s.controls.save, Load: s.controls.load, Work: s.work, Answer: s.show, Refresh: s.refresh,
	})
	s.Table.SetEmpty("reading the trace…")
	return s
}

// Tab is the action that shows the screen.
func (s *Screen) Tab() keys.Action { return keys.Fleet }

// SetTheme changes colours and symbols.
func (s *Screen) SetTheme(th *theme.Theme) {
	s.th = th
	s.plots.setTheme(th)
	s.refresh()
}

// tableRows are the four policies, their header and the border.
const tableRows = 7

// SetSize changes the size in cells.
func (s *Screen) SetSize(w, h int) {
	s.w, s.h = w, h
	s.layout = desk.NewLayout(w, h, sliderCount, tableRows, 50)
	s.Place(s.layout.Sliders, s.layout.Table)
}

// Activate makes a trace up to begin with.
func (s *Screen) Activate() tea.Cmd { return s.source.Begin(s.Shell, len(s.trace.Jobs) > 0) }

// Open has a trace chosen.
func (s *Screen) Open() tea.Cmd {
	return s.source.Choose(s.Shell, "Open a job trace", ".csv", ".gz", ".json")
}

// SetTrace asks about other jobs.
func (s *Screen) SetTrace(t Trace) tea.Cmd {
	s.trace, s.draws, s.answer, s.alternatives = t, nil, nil, nil
	s.Forget()
	s.controls.forget()
	s.Table.SetEmpty("placing the jobs…")
	s.Table.SetRows(&rows{})
	s.refresh()
	return s.Ask()
}

// Receive takes the database's VM types, traces and answers.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	if loaded, ok := msg.(screen.Loaded); ok {
		s.SetVMTypes(loaded.Set.VMTypes)
		return nil
	}
	if trace, said, ok := s.source.Receive(s.Shell, msg); ok {
		return tea.Batch(s.SetTrace(trace), said)
	} else if said != nil {
		return said
	}
	if a, again, ok := s.comparing.Receive(msg); ok {
		s.receiveAlternatives(a)
		if again {
			return s.compare()
		}
		return nil
	}
	return s.Desk.Receive(msg)
}

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.Scheduler:
		return s.Scheduler()
	case keys.Overlap:
		return s.Overlap()
	case keys.Redraw:
		return s.Redraw()
	case keys.GPUs:
		return s.VMType()
	case keys.Purchase:
		return s.Purchase()
	case keys.Export:
		return s.export()
	}
	return nil
}

// SetVMTypes gives the VM types whose prices can be taken.
func (s *Screen) SetVMTypes(types []profile.VMType) {
	s.offers = offersOf(types)
	if _, asked := s.Asking(); asked > 0 {
		return
	}
	q := s.Question()
	for _, o := range s.offers {
		if o.VM.InstanceType == fleet.StudyVM && (q.VM == "" || o.Price.USDPerHour < q.Reserved) {
			q.setPrices(o)
		}
	}
	s.Begin(q)
}

// Answer is what is shown now; nil before the first one.
func (s *Screen) Answer() *Answer { return s.answer }

// work answers the present question; it touches nothing of the screen.
func (s *Screen) work() ask.Work[*Answer] {
	if len(s.trace.Jobs) == 0 {
		return nil
	}
	s.comparing.Forget() // until the sliders rest
	q := s.Question()
	if s.draws == nil || q.Seed != s.drawn {
		if s.trace.Load != nil {
			s.trace.Jobs = s.trace.Load.Generate(q.Seed)
		}
		s.draws, s.drawn = fleet.NewDraws(len(s.trace.Jobs), q.Seed), q.Seed
	}
	_, number := s.Asking()
	trace, draws := s.trace, s.draws
	return func(context.Context) *Answer { return solve(number+1, trace, draws, q) }
}

// show shows an answer, and compares it with what else could be done.
func (s *Screen) show(a *Answer) tea.Cmd {
	s.answer = a
	s.refresh()
	if busy, _ := s.Asking(); busy {
		return nil
	}
	return s.compare()
}

// refresh brings table, sliders and plots to the answer.
func (s *Screen) refresh() {
	if s.answer == nil {
		return
	}
	column, descending := s.Sorted()
	s.Table.SetRows(newRows(s.th, s.answer, column, descending))
	s.Table.SetSort(column, descending)
	s.controls.show(s.answer, s.alternatives)
	s.plots.show(s.answer, s.alternatives)
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

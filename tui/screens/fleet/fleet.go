// Package fleet is the screen of a provider's reserved VMs: sliders for their
// number, prices and what users accept, what every policy pays for the jobs it
// can ask, what each is offered, and how many VMs to reserve.
package fleet

import (
	"context"
	"math/rand/v2"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/workload"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Question is what the screen asks of its trace.
type Question struct {
	VMs       float64 // a whole number
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
	*desk.Traced[Trace, Question, Answer, Alternatives]
	draws    fleet.Draws
	drawn    uint64    // the seed of the draws
	offers   []vmOffer // VM types that can be reserved
	controls *controls
	plots    *plots
}

// New returns the screen without a trace.
func New(sh *screen.Shell, read TraceReader) *Screen {
	s := &Screen{controls: newControls(), plots: newPlots(sh.Theme)}
	d := fleet.Defaults()
	first := Question{
		VMs: 20, OnDemand: d.Prices.OnDemand, Reserved: d.Prices.Reserved, Speed: d.Terms.Speed,
		Tightness: d.Terms.Tightness, Reluctant: 1,
		Scheduler: d.Fleet.Scheduler, Seed: d.Seed, GPUsPerVM: d.Fleet.GPUsPerVM,
	}
	s.Traced = desk.NewTraced(sh, first, desk.Config[Question, *Answer]{
		Sliders: &s.controls.Stack, Regions: []string{keys.InFleetSliders, keys.InFleetPolicies},
		Save: s.controls.save, Load: s.controls.load,
	}, desk.TraceConfig[Trace, Answer, Alternatives]{
		Read: read, Title: "Open a job trace", Extensions: []string{".csv", ".gz", ".json"},
		Empty: func(t Trace) bool { return len(t.Jobs) == 0 },
		Rows:  3 + len(approx.Policies), Share: 50, Measures: measures, Best: best,
		Choices: func(*Answer) int { return len(approx.Policies) },
		Charts:  []interface{ SetTheme(*theme.Theme) }{s.plots.bills, s.plots.offers, s.plots.costs},
		Solve:   s.solve, Further: s.alternatives, Draw: s.draw, Decision: s.decision,
	})
	return s
}

// Tab is the action that shows the screen.
func (s *Screen) Tab() keys.Action { return keys.Fleet }

// Headline says what is asked, for the title line.
func (s *Screen) Headline() string { return text.Clean(s.Trace.Source) }

// SetTrace asks about other jobs.
func (s *Screen) SetTrace(t Trace) tea.Cmd {
	s.draws = nil
	s.controls.forget()
	return s.Traced.SetTrace(t)
}

// Receive takes the database's VM types, traces and answers.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	if loaded, ok := msg.(screen.Loaded); ok {
		s.setVMTypes(loaded.Set.VMTypes)
	}
	return s.Traced.Receive(msg)
}

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.Scheduler, keys.Overlap, keys.Redraw:
		return s.turn(action)
	case keys.GPUs:
		s.chooseVMType()
	case keys.Purchase:
		return s.nextPurchase()
	case keys.Export:
		return s.export()
	}
	return nil
}

// solve answers the present question.
func (s *Screen) solve() ask.Work[*Answer] {
	s.StopFinding() // until the sliders rest
	q := s.Question()
	if s.draws == nil || q.Seed != s.drawn {
		if s.Trace.Load != nil {
			s.Trace.Jobs = s.Trace.Load.Generate(q.Seed)
		}
		s.draws, s.drawn = fleet.NewDraws(len(s.Trace.Jobs), q.Seed), q.Seed
	}
	_, number := s.Asking()
	trace, draws := s.Trace, s.draws
	return func(context.Context) *Answer { return solve(number+1, trace, draws, q) }
}

// draw brings sliders and charts to the answer.
func (s *Screen) draw() {
	s.controls.show(s.Shown, s.Found)
	s.plots.show(s.Shown, s.Found)
}

// turn changes what no slider sets: the scheduler, whether reduced jobs overlap
// those behind them as in the study, the seed of all that is drawn.
func (s *Screen) turn(action keys.Action) tea.Cmd {
	q := s.Question()
	switch action {
	case keys.Scheduler:
		q.Scheduler = fleet.Schedulers[(slices.Index(fleet.Schedulers, q.Scheduler)+1)%len(fleet.Schedulers)]
	case keys.Overlap:
		q.AsStudied = !q.AsStudied
	case keys.Redraw:
		q.Seed = rand.Uint64N(1e6)
	}
	return s.Change(string(action), q)
}

// vmOffer is a way of reserving a VM type that can be rented on demand too.
type vmOffer struct {
	fleet.Reservation
	onDemand profile.Price
}

func offersOf(types []profile.VMType) (offers []vmOffer) {
	for _, vm := range types {
		if price, ok := vm.PriceOf(profile.OnDemand); ok {
			for _, r := range fleet.Reservations(vm) {
				offers = append(offers, vmOffer{r, price})
			}
		}
	}
	return offers
}

// setVMTypes gives the VM types whose prices can be taken. Before anything is
// asked they are those of the study's.
func (s *Screen) setVMTypes(types []profile.VMType) {
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

// setPrices sets the prices to those of a VM type.
func (q *Question) setPrices(o vmOffer) {
	q.OnDemand, q.Reserved, q.VM, q.Purchase, q.GPUsPerVM = o.onDemand.USDPerHour, o.Price.USDPerHour, o.VM.InstanceType,
		o.Reservation.Purchase, max(o.VM.GPUCount, 1)
}

// chooseVMType offers the VM types that can be reserved.
func (s *Screen) chooseVMType() {
	var names []string
	for _, o := range s.offers {
		if name := o.VM.InstanceType; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	label := func(name string) string { return name }
	s.Shell.Offer(chooser.Question{Title: "VM type", Choices: chooser.Among(names, s.Question().VM, label)},
		func(names []string) tea.Cmd {
			cmd, _ := s.nextOffer(func(o vmOffer) bool { return o.VM.InstanceType == names[0] })
			return cmd
		})
}

// nextPurchase goes to the next way of reserving the VM type.
func (s *Screen) nextPurchase() tea.Cmd {
	cmd, ok := s.nextOffer(func(o vmOffer) bool {
		return o.VM.InstanceType == s.Question().VM && !s.taken(o)
	})
	if !ok {
		return s.Shell.Note(toast.Info, "this VM type has no other price of a reservation")
	}
	return cmd
}

func (s *Screen) nextOffer(accept func(vmOffer) bool) (cmd tea.Cmd, ok bool) {
	at := slices.IndexFunc(s.offers, s.taken)
	for k := range s.offers {
		if o := s.offers[(at+1+k)%len(s.offers)]; accept(o) {
			q := s.Question()
			q.setPrices(o)
			return s.Change("prices", q), true
		}
	}
	return nil, false
}

// taken reports whether the prices are those of an offer.
func (s *Screen) taken(o vmOffer) bool {
	q := s.Question()
	return o.VM.InstanceType == q.VM && o.Reservation.Purchase == q.Purchase && o.Price.USDPerHour == q.Reserved
}

// export offers the forms of what Fleet shows.
func (s *Screen) export() tea.Cmd {
	a := s.Shown
	in := contract.FleetInput{
		Question: a.Engine, Answer: a.Result, Source: s.Headline(), Notes: s.Trace.Notes, VM: a.Question.VM,
		Prices: []string{"as set on the sliders"},
	}
	way := fleet.Reservation{Purchase: a.Question.Purchase, Months: 1,
		Price: profile.Price{USDPerHour: a.Question.Reserved, Source: in.Prices[0]}}
	if i := slices.IndexFunc(s.offers, s.taken); i >= 0 {
		way, in.Prices = s.offers[i].Reservation, s.offers[i].PricesFrom(s.offers[i].onDemand)
	}
	if s.IsFound() {
		in.Sized = []fleet.Sized{{Reservation: way, Sizes: s.Found.Sizes}}
	}
	return s.Shell.Export(in.Source, document.Subject{Fleet: func() (contract.Fleet, error) {
		in.Context = in.Question.Context(in.Answer, exportSeeds)
		return contract.NewFleet(in), nil
	}})
}

// exportSeeds are behind the intervals of what is written.
const exportSeeds = 20

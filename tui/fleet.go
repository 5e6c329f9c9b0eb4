package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	engine "sweetspot/engine/fleet"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screens/fleet"
)

// TraceReader reads a job trace for Fleet; an empty path makes one up.
type TraceReader func(ctx context.Context, path string) (fleet.Trace, error)

// fleetDesk is Fleet with what is under way for it.
type fleetDesk struct {
	*fleet.Screen
	reading bool // a trace is
	reads   int  // traces asked for
	asking  bool // the question is being answered
	again   bool // and has changed meanwhile
	endLook context.CancelFunc
}

// Messages of Fleet.
type (
	traceMsg struct {
		read  int
		path  string
		trace fleet.Trace
		err   error
	}
	fleetMsg  struct{ answer *fleet.Answer }
	lookedMsg struct{ outlook *fleet.Outlook }
)

// toFleet shows Fleet, with a made-up trace to begin with.
func (a *App) toFleet() tea.Cmd {
	a.screen = keys.Fleet
	if a.fleet.HasTrace() || a.fleet.reading {
		return nil
	}
	return a.readTrace("")
}

func (a *App) readTrace(path string) tea.Cmd {
	if a.opts.Traces == nil {
		return nil
	}
	a.fleet.reading = true
	a.fleet.reads++
	ctx, read, nth := a.ctx, a.opts.Traces, a.fleet.reads
	find := func() tea.Msg {
		trace, err := read(ctx, path)
		return traceMsg{nth, path, trace, err}
	}
	return tea.Batch(find, a.readingNote(path))
}

// receiveFleet takes what Fleet's commands bring back.
func (a *App) receiveFleet(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case traceMsg:
		if msg.read != a.fleet.reads {
			return nil // another one was opened since
		}
		a.fleet.reading = false
		if msg.err != nil {
			return a.note(toast.Bad, msg.err.Error())
		}
		a.fleet.SetTrace(msg.trace)
		return tea.Batch(a.askFleet(), a.openedNote(msg.path))
	case fleetMsg:
		a.fleet.asking = false
		a.fleet.Receive(msg.answer)
		if a.fleet.again {
			return a.askFleet()
		}
		return a.look()
	case lookedMsg:
		a.fleet.ReceiveOutlook(msg.outlook)
	}
	return nil
}

// askFleet has the present question answered, one at a time.
func (a *App) askFleet() tea.Cmd {
	f := &a.fleet
	if !f.HasTrace() {
		return nil
	}
	if f.again = f.asking; f.asking {
		return nil
	}
	if f.endLook != nil { // looking around waits until the hand rests
		f.endLook()
		f.endLook = nil
	}
	f.asking = true
	answer := f.Request()
	return func() tea.Msg { return fleetMsg{answer()} }
}

// look finds out what else could be done.
func (a *App) look() tea.Cmd {
	f := &a.fleet
	if !f.NeedsOutlook() {
		return nil
	}
	ctx, cancel := context.WithCancel(a.ctx)
	f.endLook = cancel
	look := f.Look()
	return func() tea.Msg {
		defer cancel()
		return lookedMsg{look(ctx)}
	}
}

func (a *App) askFleetIf(changed bool) tea.Cmd {
	if !changed {
		return nil
	}
	return a.askFleet()
}

func (a *App) onFleet(action keys.Action) tea.Cmd {
	f := &a.fleet
	if changed, handled := onDesk(f, action); handled {
		return a.askFleetIf(changed)
	}
	switch action {
	case keys.Scheduler:
		return a.askFleetIf(f.Scheduler())
	case keys.Overlap:
		return a.askFleetIf(f.Overlap())
	case keys.Redraw:
		return a.askFleetIf(f.Redraw())
	case keys.GPUs:
		return a.askFleetIf(f.VMType())
	case keys.Purchase:
		if !f.Screen.Purchase() {
			return a.note(toast.Info, "this VM type has no other price of a reservation")
		}
		return a.askFleet()
	case keys.Export:
		return a.exportFleet()
	}
	return nil
}

// traceFiles are the extensions of job traces.
var traceFiles = []string{".csv", ".gz", ".json"}

func (a *App) openTrace() tea.Cmd {
	return a.list(a.picker.Open("Open a job trace", ".", append(traceFiles, picker.Any), false))
}

// exportFleet offers the forms of what Fleet shows.
func (a *App) exportFleet() tea.Cmd {
	shown := a.fleet.Answer()
	if shown == nil {
		return a.note(toast.Info, "nothing is answered yet")
	}
	in := contract.FleetInput{
		Question: shown.Engine, Answer: shown.Result, Seeds: exportSeeds, Source: a.fleet.Headline(), VM: shown.Question.VM,
		Prices: a.fleet.PricesFrom(), Notes: a.fleet.Notes(), Sized: a.fleet.Sized(),
	}
	return a.exported(a.export.Open(in.Source, document.Of(document.Subject{Fleet: func() (contract.Fleet, error) {
		in.Spreads = in.Question.Spreads(exportSeeds)
		for _, p := range in.Question.Policies {
			in.AsTheyCome = append(in.AsTheyCome, in.Question.AsTheyCome(in.Answer.Tasks, p))
		}
		for _, s := range engine.Schedulers {
			in.Schedulers = append(in.Schedulers, contract.SchedulerBill{Scheduler: s, Bill: in.Question.Under(s, in.Answer.Tasks)})
		}
		return contract.NewFleet(in), nil
	}})))
}

// exportSeeds are behind the intervals of what is written.
const exportSeeds = 20

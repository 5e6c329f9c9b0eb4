package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screens/traffic"
)

// LoadReader reads an arrival trace for Traffic; an empty path makes one up.
type LoadReader func(ctx context.Context, path string) (traffic.Trace, error)

// trafficDesk is Traffic with what is under way for it.
type trafficDesk struct {
	*traffic.Screen
	reading bool // a trace is
	reads   int  // traces asked for
	asking  bool // the question is being answered
	again   bool // and has changed meanwhile
	looking bool // the advice is being sought
}

// Messages of Traffic.
type (
	loadMsg struct {
		read  int
		path  string
		trace traffic.Trace
		err   error
	}
	trafficMsg struct{ answer *traffic.Answer }
	advisedMsg struct{ outlook *traffic.Outlook }
)

// toTraffic shows Traffic, with a made-up load to begin with.
func (a *App) toTraffic() tea.Cmd {
	a.screen = keys.Traffic
	if a.traffic.HasTrace() || a.traffic.reading {
		return nil
	}
	return a.readLoad("")
}

func (a *App) readLoad(path string) tea.Cmd {
	if a.opts.Loads == nil {
		return nil
	}
	a.traffic.reading = true
	a.traffic.reads++
	ctx, read, nth := a.ctx, a.opts.Loads, a.traffic.reads
	find := func() tea.Msg {
		trace, err := read(ctx, path)
		return loadMsg{nth, path, trace, err}
	}
	return tea.Batch(find, a.readingNote(path))
}

// receiveTraffic takes what Traffic's commands bring back.
func (a *App) receiveTraffic(msg tea.Msg) tea.Cmd {
	t := &a.traffic
	switch msg := msg.(type) {
	case loadMsg:
		if msg.read != t.reads {
			return nil // another one was opened since
		}
		t.reading = false
		if msg.err != nil {
			return a.note(toast.Bad, msg.err.Error())
		}
		t.SetTrace(msg.trace)
		return tea.Batch(a.askTraffic(), a.openedNote(msg.path))
	case trafficMsg:
		t.asking = false
		t.Receive(msg.answer)
		if t.again {
			return a.askTraffic()
		}
		return a.advise()
	case advisedMsg:
		t.looking = false
		t.ReceiveOutlook(msg.outlook)
		if msg.outlook != nil && !t.asking {
			return a.advise() // what is shown may have changed meanwhile
		}
	}
	return nil
}

// askTraffic has the present question answered, one at a time.
func (a *App) askTraffic() tea.Cmd {
	t := &a.traffic
	if !t.HasTrace() {
		return nil
	}
	if t.again = t.asking; t.asking {
		return nil
	}
	t.asking = true
	answer := t.Request()
	return func() tea.Msg { return trafficMsg{answer()} }
}

// advise seeks the advice for what is shown, one at a time: while a slider is
// scrubbed it is that of some steps before.
func (a *App) advise() tea.Cmd {
	t := &a.traffic
	if t.looking || !t.NeedsOutlook() {
		return nil
	}
	t.looking = true
	look := t.Look()
	return func() tea.Msg { return advisedMsg{look()} }
}

func (a *App) askTrafficIf(changed bool) tea.Cmd {
	if !changed {
		return nil
	}
	return a.askTraffic()
}

func (a *App) onTraffic(action keys.Action) tea.Cmd {
	t := &a.traffic
	if changed, handled := onDesk(t, action); handled {
		return a.askTrafficIf(changed)
	}
	switch action {
	case keys.Model:
		return a.askTrafficIf(t.Model())
	case keys.NextChart:
		t.Turn()
	case keys.Clear:
		return a.askTrafficIf(t.Clear())
	case keys.Export:
		return a.exportTraffic()
	}
	return nil
}

func (a *App) openLoad() tea.Cmd {
	return a.list(a.picker.Open("Open an arrival trace", ".", append(loadFiles, picker.Any), false))
}

// loadFiles are the extensions of arrival traces.
var loadFiles = []string{".csv", ".gz"}

// exportTraffic offers the forms of what Traffic shows.
func (a *App) exportTraffic() tea.Cmd {
	shown := a.traffic.Answer()
	if shown == nil {
		return a.note(toast.Info, "nothing is answered yet")
	}
	if shown.Why != "" {
		return a.note(toast.Warn, "there is nothing to write: "+shown.Why)
	}
	in := contract.TrafficInput{
		Question: shown.Engine, Schemes: serving.Schemes(), Source: a.traffic.Headline(), Notes: a.traffic.Notes(), VM: shown.VM(), Offers: shown.Offers, Served: shown.Served,
	}
	if floor := shown.Question.MinAccuracy; floor > 0 {
		in.MinAccuracy = &floor
	}
	return a.exported(a.export.Open(in.Source, document.Of(document.Subject{Traffic: func() (_ contract.Traffic, err error) {
		if in.Advice, err = serving.Advise(in.Question); err != nil {
			return contract.Traffic{}, err
		}
		return contract.NewTraffic(in), nil
	}})))
}

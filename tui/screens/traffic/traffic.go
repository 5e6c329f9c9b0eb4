// Package traffic is the screen of online serving: sliders for the limits and
// what is rented, the load and what each scheme of VMs and functions runs for it,
// what that costs and how many queries miss their limit.
package traffic

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/workload"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

// Question is what the screen asks of its trace.
type Question struct {
	LimitS      float64 // of strict queries, seconds
	MinAccuracy float64 // of the variant, in [0,1]; 0 is any
	StrictShare float64
	StartS      float64 // of a VM, seconds
	MemoryGB    float64 // of a function; 0 takes the cheapest within the limit
	USDPerHour  float64 // of a VM whose price is not known otherwise
	Scale       float64 // of the trace
	Model       string  // whose runs say what a VM serves; "" is the study's VM
}

// Trace is the load.
type Trace = workload.Requests

// TraceReader reads an arrival trace; an empty path makes one up.
type TraceReader func(ctx context.Context, path string) (Trace, error)

// Screen is the state of Traffic.
type Screen struct {
	*desk.Desk[Question, *Answer]
	th   *theme.Theme
	w, h int

	source   desk.Trace[Trace]
	trace    Trace
	set      *profile.Set
	models   []string // that have offers, after "" for none
	answer   *Answer
	advice   *Advice
	advising ask.Loop[*Advice]

	controls *controls
	plots    *plots
	chart    chart
	layout   desk.Layout
}

// New returns the screen without a trace.
func New(sh *screen.Shell, read TraceReader) *Screen {
	d := serving.Defaults()
	s := &Screen{th: sh.Theme, controls: newControls(), plots: newPlots(sh.Theme), models: []string{""},
		source: desk.Trace[Trace]{Read: read}}
	first := Question{LimitS: d.StrictLimitS, StrictShare: d.StrictShare, StartS: float64(d.VM.StartS),
		USDPerHour: d.VM.USDPerHour, Scale: 1}
	s.Desk = desk.New(sh, first, desk.Config[Question, *Answer]{
		Sliders: &s.controls.Stack, Table: table.New(columns), Column: "scheme", Regions: []string{keys.InTrafficSliders,
			keys.InTrafficSchemes},
		Save: s.controls.save, Load: s.controls.load, Work: s.work, Answer: s.show, Refresh: s.refresh,
	})
	s.Table.SetEmpty("reading the trace…")
	return s
}

// Tab is the action that shows the screen.
func (s *Screen) Tab() keys.Action { return keys.Traffic }

// SetTheme changes colours and symbols.
func (s *Screen) SetTheme(th *theme.Theme) {
	s.th = th
	s.plots.setTheme(th)
	s.refresh()
}

// tableRows are the five schemes, their header and the border.
const tableRows = 8

// SetSize changes the size in cells.
func (s *Screen) SetSize(w, h int) {
	s.w, s.h = w, h
	s.layout = desk.NewLayout(w, h, sliderCount, tableRows, 60)
	s.Place(s.layout.Sliders, s.layout.Table)
}

// Activate makes a trace up to begin with.
func (s *Screen) Activate() tea.Cmd { return s.source.Begin(s.Shell, len(s.trace.Arrivals) > 0) }

// Open has a trace chosen.
func (s *Screen) Open() tea.Cmd {
	return s.source.Choose(s.Shell, "Open an arrival trace", ".csv", ".gz")
}

// SetTrace asks about another load.
func (s *Screen) SetTrace(t Trace) tea.Cmd {
	s.trace, s.answer, s.advice = t, nil, nil
	s.Forget()
	s.advising.Forget()
	s.refresh()
	return s.Ask()
}

// Receive takes the database's runs, traces, answers and advice.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	if loaded, ok := msg.(screen.Loaded); ok {
		s.SetSet(loaded.Set)
		return nil
	}
	if trace, said, ok := s.source.Receive(s.Shell, msg); ok {
		return tea.Batch(s.SetTrace(trace), said)
	} else if said != nil {
		return said
	}
	if a, _, ok := s.advising.Receive(msg); ok {
		s.receiveAdvice(a)
		if busy, _ := s.Asking(); busy || a == nil {
			return nil
		}
		return s.advise() // what is shown may have changed meanwhile
	}
	return s.Desk.Receive(msg)
}

// Act does what a key means here.
func (s *Screen) Act(action keys.Action) tea.Cmd {
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.Model:
		return s.Model()
	case keys.NextChart:
		s.Turn()
	case keys.Clear:
		return s.Clear()
	case keys.Export:
		return s.export()
	}
	return nil
}

// Disabled says why an action can't be done now.
func (s *Screen) Disabled(action keys.Action) string {
	if action == keys.NextChart && !s.HasChart() {
		return "there is no room for the chart: widen the terminal"
	}
	return s.Desk.Disabled(action)
}

// SetSet gives the runs that models can be chosen by.
func (s *Screen) SetSet(set *profile.Set) {
	s.set, s.models = set, []string{""}
	for _, m := range set.Models {
		for i := range set.Runs {
			r := &set.Runs[i]
			if r.Model == m.Name && r.Mode == profile.Infer && r.Steady.Known() {
				s.models = append(s.models, m.Name)
				break
			}
		}
	}
}

// Headline says what is asked, for the title line.
func (s *Screen) Headline() string { return clean(s.trace.Source) }

// work answers the present question; it touches nothing of the screen.
func (s *Screen) work() ask.Work[*Answer] {
	if len(s.trace.Arrivals) == 0 {
		return nil
	}
	trace, set, q := s.trace, s.set, s.Question()
	return func(context.Context) *Answer { return solve(trace, set, q) }
}

// show shows an answer, and has it advised on.
func (s *Screen) show(a *Answer) tea.Cmd {
	s.answer = a
	s.refresh()
	if busy, _ := s.Asking(); busy {
		return nil
	}
	return s.advise()
}

// refresh brings table, sliders and plots to the answer.
func (s *Screen) refresh() {
	if s.answer == nil {
		return
	}
	if s.answer.Why != "" {
		s.Table.SetEmpty(s.answer.Why)
	}
	column, descending := s.Sorted()
	s.Table.SetRows(newRows(s.th, s.answer, s.advice, column, descending))
	s.Table.SetSort(column, descending)
	s.controls.show(s.answer)
	s.plots.show(s.answer, s.selected())
}

// selected is the scheme under the cursor, by its place.
func (s *Screen) selected() int {
	if id, ok := s.Table.SelectedID(); ok {
		return int(id)
	}
	return 0
}

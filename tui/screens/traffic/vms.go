package traffic

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/workload"
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/traffic/sliders"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// Question is what the screen asks of its trace.
type Question struct {
	sliders.Shared
	LimitS      float64 // of strict requests, seconds
	MinAccuracy float64 // of the variant, in [0,1]; 0 is any
	MemoryGiB   float64 // of a function; 0 takes the cheapest within the limit
	Model       string  // whose runs say what a VM serves; "" is the study's VM
}

// Trace is the load.
type Trace = workload.Requests

// TraceReader reads an arrival trace; an empty path makes one up.
type TraceReader func(ctx context.Context, path string) (Trace, error)

// VMs is Traffic of classification models and of the study's VM: what each scheme of
// VMs and functions makes of a trace.
type VMs struct {
	*desk.Traced[Trace, Question, Answer, serving.Advice]
	set      *profile.Set
	models   []string // that have offers, after "" for none
	controls *controls
	plots    *plots
	chart    chart
}

// newVMs returns it without a trace.
func newVMs(sh *screen.Shell, read TraceReader) *VMs {
	s := &VMs{controls: newControls(), plots: newPlots(sh.Theme), models: []string{""}}
	first := Question{Shared: sliders.Defaults(), LimitS: serving.Defaults().StrictLimitS}
	s.Traced = desk.NewTraced(sh, first, desk.Config[Question, *Answer]{
		Sliders: &s.controls.Stack, Regions: []string{keys.InTrafficSliders, keys.InTrafficSchemes},
		Save: s.controls.save, Load: s.controls.load,
	}, desk.TraceConfig[Trace, Answer, serving.Advice]{
		Read: read, Title: "Open an arrival trace", Extensions: []string{".csv", ".gz"},
		Empty: func(t Trace) bool { return len(t.Arrivals) == 0 }, MostSliders: scaleSlider + 1, Opened: s.opened,
		Rows: 3 + len(serving.Schemes()), Share: 60, Measures: measures,
		Choices: func(a *Answer) int { return len(a.Outcomes) }, Best: s.best,
		Charts: []interface{ SetTheme(*theme.Theme) }{s.plots.load, s.plots.late, s.plots.choice.Memory, s.plots.even,
			s.plots.choice.Variants},
		Solve: s.solve, Further: advise, Draw: s.draw, Decision: s.decision,
	})
	return s
}

// Tab is the action that shows the screen.
func (s *VMs) Tab() keys.Action { return keys.Traffic }

// Headline says what is asked, for the title line.
func (s *VMs) Headline() string {
	if s.Shown != nil {
		return text.Clean(s.Shown.Load.Source)
	}
	return text.Clean(s.Trace.Source)
}

// opened asks about the trace that was opened, whatever was generated before.
func (s *VMs) opened() {
	s.controls.trace = &s.Trace
	q := s.Question()
	q.Load = workload.Load{}
	s.Begin(q)
}

// Act does what a key means here.
func (s *VMs) Act(action keys.Action) tea.Cmd {
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.NextChart:
		s.turn()
	case keys.Workload:
		sliders.ChooseLoad(s.Shell, s.Question().Load, s.Trace, s.setLoad, s.Open)
	case keys.Clear:
		return s.clear()
	case keys.Export:
		return s.export()
	}
	return nil
}

// setSet gives the runs that models can be chosen by.
func (s *VMs) setSet(set *profile.Set) {
	s.set, s.models = set, []string{""}
	for _, m := range set.Models {
		if slices.ContainsFunc(set.Runs, func(r profile.Run) bool {
			return r.Model == m.Name && r.Mode == profile.Infer && r.Steady.Known()
		}) {
			s.models = append(s.models, m.Name)
		}
	}
}

// solve answers the present question.
func (s *VMs) solve() ask.Work[*Answer] {
	trace, set, q := s.Trace, s.set, s.Question()
	return func(context.Context) *Answer { return solve(trace, set, q) }
}

// best is the scheme that is advised, −1 while that is not known.
func (s *VMs) best(_ *Answer, o *serving.Advice) int {
	if !s.IsFound() {
		return -1
	}
	return o.Pick
}

// draw brings sliders and charts to the answer.
func (s *VMs) draw() {
	s.Table.Empty = s.Shown.Why
	s.controls.show(s.Shown)
	s.plots.show(s.Shown, s.Chosen())
}

// setModel serves a model, or the VM of the study for "".
func (s *VMs) setModel(name string) tea.Cmd {
	q := s.Question()
	q.Model, q.MinAccuracy = name, 0
	if s.chart = memoryChart; q.Model != "" {
		s.chart = variantsChart
	}
	return s.Change("model", q)
}

// setLoad asks about a synthetic load, or about the trace for the zero one.
func (s *VMs) setLoad(l workload.Load) tea.Cmd {
	q := s.Question()
	q.Load = l
	return s.ChangeOnce("load", q)
}

// clear takes the floor of accuracy and the function's memory back to what is
// chosen for them.
func (s *VMs) clear() tea.Cmd {
	q := s.Question()
	q.MinAccuracy, q.MemoryGiB = 0, 0
	return s.Change("clear", q)
}

// export offers the forms of what Traffic shows.
func (s *VMs) export() tea.Cmd {
	shown := s.Shown
	if shown.Why != "" {
		return s.Shell.Note(toast.Warn, "there is nothing to write: "+shown.Why)
	}
	in := contract.TrafficInput{
		Procured: shown.Engine, Schemes: serving.Schemes(), Source: s.Headline(), Remarks: shown.Load.Notes,
		MinAccuracy: shown.Question.wanted().MinAccuracy,
	}
	return s.Shell.Export(in.Source, document.Subject{Traffic: func() (_ contract.Traffic, err error) {
		if in.Advice, err = serving.Advise(in.Question); err != nil {
			return contract.Traffic{}, err
		}
		return contract.NewTraffic(in), nil
	}})
}

// Package mix is Traffic of requests of several kinds, each with its own models and limits: what serves
// each of them, how many are in time, and what that costs.
package mix

import (
	"context"
	"fmt"
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
)

// Desk is the state.
type Desk struct {
	*desk.Traced[workload.Requests, Question, Answer, Answer]
	leave    func() // has another model served than a mix
	set      *profile.Set
	models   []string // that have runs of inference
	controls *controls
	plots    *plots
	late     bool // the last chart shows what is late in place of the function
	next     int  // the kind that the cursor goes to with the next answer; -1 leaves it
}

// shownKinds is how many rows the table has room for, with that of all kinds.
const shownKinds = 5

// New returns it without kinds of request. leave is what m leads to where no kind is under the cursor.
func New(sh *screen.Shell, read func(ctx context.Context, path string) (workload.Requests, error), leave func()) *Desk {
	s := &Desk{leave: leave, set: &profile.Set{}, controls: newControls(), plots: newPlots(sh.Theme), next: -1}
	s.Traced = desk.NewTraced(sh, firstQuestion(), desk.Config[Question, *Answer]{
		Sliders: &s.controls.Stack, Regions: []string{keys.InMixSliders, keys.InMixKinds},
		Save: s.controls.save, Load: s.controls.load,
	}, desk.TraceConfig[workload.Requests, Answer, Answer]{
		Read: read, Title: "Open an arrival trace", Extensions: []string{".csv", ".gz"},
		Empty:       func(t workload.Requests) bool { return len(t.Arrivals) == 0 || len(s.Question().Kinds) == 0 },
		MostSliders: fixedSlider, Last: 1, Opened: s.opened, Rows: 3 + shownKinds, Share: 60, Measures: s.measures(),
		Choices: func(a *Answer) int { return len(a.Question.Kinds) + 1 }, Best: func(*Answer, *Answer) int { return -1 },
		Charts: s.plots.charts(), Solve: s.solve, Further: withIntervals, Draw: s.draw, Decision: s.decision,
	})
	return s
}

// Start asks about a trace, at first of the requests of a model; "" is one that answers in the usual time.
func (s *Desk) Start(trace workload.Requests, model string) tea.Cmd {
	if len(s.Question().Kinds) > 0 {
		return s.Activate()
	}
	w := s.defaultKind(s.Question().freeName())
	if model != "" {
		w.Models = []string{model}
	}
	if len(w.Models) > 0 {
		w.Name = w.Models[0]
	}
	q := s.Question()
	q.Kinds = []serving.Kind{w}
	s.Begin(q)
	return s.SetTrace(trace)
}

// defaultKind is a kind of request of the first model that answers within the usual limit, else of any
// model.
func (s *Desk) defaultKind(name string) serving.Kind {
	w := newKind(name)
	w.Models = s.models[:min(len(s.models), 1)]
	offers := serving.Offers(s.set, s.models, s.Question().USDPerHour)
	for _, m := range s.models {
		if slices.ContainsFunc(offers, func(o serving.Offer) bool {
			return o.Model == m && slices.ContainsFunc(o.Points, func(p serving.BatchPoint) bool { return p.P99S <= w.LimitS })
		}) {
			w.Models = []string{m}
			break
		}
	}
	return w
}

// Tab is the action that shows the screen.
func (s *Desk) Tab() keys.Action { return keys.Traffic }

// Headline says what is asked, for the title line.
func (s *Desk) Headline() string {
	if s.Shown != nil {
		return text.Clean(s.Shown.Load.Source)
	}
	return text.Clean(s.Trace.Source)
}

// Activate asks nothing: there is a trace once there are kinds of request.
func (s *Desk) Activate() tea.Cmd { return nil }

// SetSet gives the runs that models are chosen by. models are those that have runs of inference.
func (s *Desk) SetSet(set *profile.Set, models []string) { s.set, s.models = set, models }

// Act does what a key means here.
func (s *Desk) Act(action keys.Action) tea.Cmd {
	if cmd, handled := s.Do(action); handled {
		return cmd
	}
	switch action {
	case keys.NextChart:
		s.late = !s.late
	case keys.Model:
		s.chooseModels()
	case keys.GPUs:
		s.chooseVMType()
	case keys.Add:
		s.askForKind()
	case keys.Rename:
		s.editKind()
	case keys.Delete:
		return s.remove()
	case keys.Workload:
		sliders.ChooseLoad(s.Shell, s.Question().Load, s.Trace, s.setLoad, s.Open)
	case keys.Clear:
		return s.clear()
	case keys.Export:
		return s.export()
	}
	return nil
}

// OnKind reports whether a kind of request is under the cursor.
func (s *Desk) OnKind() bool {
	q := s.Question()
	return !s.controls.onAll(&q)
}

// Disabled says why an action can't be done now.
func (s *Desk) Disabled(action keys.Action) string {
	switch {
	case (action == keys.Delete || action == keys.Rename || action == keys.GPUs) && !s.OnKind():
		return "choose a kind of request in the table first"
	case action == keys.Delete && len(s.Question().Kinds) == 1:
		return "a mix needs at least one kind of request: E changes it"
	case action == keys.Add && len(s.Question().Kinds) >= mostKinds:
		return fmt.Sprintf("a mix here holds at most %d kinds of request", mostKinds)
	}
	return s.Traced.Disabled(action)
}

// opened asks about the trace that was opened: its kinds of request, where it names them.
func (s *Desk) opened() {
	s.controls.trace = &s.Trace
	q := s.Question()
	q.Load = workload.Load{}
	q, note := q.named(s.Trace, s.isModel)
	if note != "" {
		s.Trace.Notes = append(slices.Clone(s.Trace.Notes), note)
	}
	s.controls.row = 0
	s.Begin(q)
}

func (s *Desk) isModel(name string) bool { return slices.Contains(s.models, name) }

// solve answers the present question.
func (s *Desk) solve() ask.Work[*Answer] {
	trace, set, q := s.Trace, s.set, s.Question()
	return func(context.Context) *Answer { return solve(trace, set, q) }
}

// draw brings sliders and charts to the answer.
func (s *Desk) draw() {
	q := s.Question()
	if len(s.Shown.Question.Kinds) == len(q.Kinds) {
		if s.next >= 0 {
			s.Choose(s.next)
			s.next = -1
		}
		s.controls.turn(s.Chosen(), q)
		s.controls.show(s.Shown)
	}
	s.plots.show(s.Shown, s.controls.row)
}

// known is what is known of the answer: with intervals once they are.
func (s *Desk) known() *Answer {
	if s.IsFound() {
		return s.Found
	}
	return s.Shown
}

// export offers the forms of what is shown.
func (s *Desk) export() tea.Cmd {
	shown := s.Shown
	if shown.Why != "" {
		return s.Shell.Note(toast.Warn, "there is nothing to write: "+shown.Why)
	}
	return s.Shell.Export(s.Headline(), document.Subject{Mix: func() (contract.Mix, error) {
		full, err := shown.intervals()
		if err != nil {
			return contract.Mix{}, err
		}
		return full.Described, nil
	}})
}

// setLoad asks about a synthetic load, or about the trace for the zero one.
func (s *Desk) setLoad(l workload.Load) tea.Cmd {
	q := s.Question()
	if q.Load = l; l.Seconds > 0 {
		q.FromTrace = false
	} else {
		q, _ = q.named(s.Trace, s.isModel)
	}
	return s.ChangeOnce("load", q)
}

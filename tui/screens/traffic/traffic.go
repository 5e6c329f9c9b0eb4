// Package traffic is the screen of online serving: sliders for the limits and
// what is rented, the load and what each scheme of VMs and functions runs for it,
// what that costs and how many queries miss their limit.
package traffic

import (
	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
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
type Trace struct {
	Arrivals serving.Trace
	Source   string   // in a few words
	Notes    []string // what was handled when it was read
}

// Screen is the state of Traffic. It asks nothing itself: after a change
// [Screen.Request] gives the question to be answered elsewhere, and
// [Screen.Receive] takes the answer.
type Screen struct {
	*desk.Desk[Question]
	th   *theme.Theme
	w, h int

	trace   Trace
	traces  int // how many there were
	set     *profile.Set
	models  []string // that have offers, after "" for none
	asked   int
	answer  *Answer
	outlook *Outlook

	controls *controls
	plots    *plots
	chart    chart
	layout   layout
}

// New returns the screen without a trace.
func New(th *theme.Theme) *Screen {
	d := serving.Defaults()
	s := &Screen{th: th, controls: newControls(), plots: newPlots(th), models: []string{""}}
	first := Question{LimitS: d.StrictLimitS, StrictShare: d.StrictShare, StartS: float64(d.VM.StartS), USDPerHour: d.VM.USDPerHour, Scale: 1}
	s.Desk = desk.New(first, desk.Config[Question]{
		Sliders: &s.controls.Stack, Table: table.New(columns), Column: "scheme", Save: s.controls.save, Load: s.controls.load, Refresh: s.refresh,
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

// HasTrace reports whether there is a load to ask about.
func (s *Screen) HasTrace() bool { return len(s.trace.Arrivals) > 0 }

// SetTrace asks about another load.
func (s *Screen) SetTrace(t Trace) {
	s.trace, s.answer, s.outlook = t, nil, nil
	s.Reset()
	s.traces++
	s.refresh()
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

// Answer is what is shown now; nil before the first one.
func (s *Screen) Answer() *Answer { return s.answer }

// Headline says what is asked, for the title line.
func (s *Screen) Headline() string { return clean(s.trace.Source) }

// Notes are what was handled when the trace was read.
func (s *Screen) Notes() []string { return s.trace.Notes }

// Region names where keys act.
func (s *Screen) Region() string {
	if s.OnTable() {
		return keys.InTrafficSchemes
	}
	return keys.InTrafficSliders
}

// Request numbers the present question and returns the work of answering it,
// which touches nothing of the screen.
func (s *Screen) Request() func() *Answer {
	s.asked++
	seq, of, trace, set, q := s.asked, s.traces, s.trace, s.set, s.Question()
	return func() *Answer { return ask(seq, of, trace, set, q) }
}

// Receive shows an answer unless a newer one is shown already.
func (s *Screen) Receive(a *Answer) {
	if s.answer != nil && a.Seq < s.answer.Seq || a.of != s.traces {
		return
	}
	s.answer = a
	s.refresh()
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
	s.Table.SetRows(newRows(s.th, s.answer, s.outlook, column, descending))
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

// place lays the screen out for its size.
func (s *Screen) place() {
	s.layout = lay(s.w, s.h)
	s.plots.load.SetSize(s.layout.load.Inner())
	s.plots.late.SetSize(s.layout.late.Inner())
	s.plots.memory.SetSize(s.layout.choice.Inner())
	s.plots.even.SetSize(s.layout.choice.Inner())
	s.plots.variants.SetSize(s.layout.choice.Inner())
	s.Place(s.layout.sliders, s.layout.schemes)
}

// column is what the table is sorted by.
func (s *Screen) column() string {
	column, _ := s.Sorted()
	return column
}

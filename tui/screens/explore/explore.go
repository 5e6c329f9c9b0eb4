// Package explore is the screen where constraints are scrubbed: sliders, two
// linked scatter plots, the ranking and the reasons behind it.
package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"sweetspot/data/wording"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
	"sweetspot/tui/components/history"
	"sweetspot/tui/components/table"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// Region is a part of the screen that can have the keys.
type Region int

// The regions, in Tab order.
const (
	Constraints Region = iota
	FirstPlot
	SecondPlot
	Ranking
	regions
)

// Screen is the state of Explore. It asks nothing itself: after a change
// [Screen.Request] gives the question to be answered elsewhere, and
// [Screen.Receive] takes the answer.
type Screen struct {
	th    *theme.Theme
	w, h  int
	today time.Time // what prices are old by

	set      *profile.Set
	units    map[string]string // model → its unit of work; asked in every frame
	question state.Question
	asked    int // number of the last question
	tested   validate.Tested
	answer   *Answer

	constraints *constraints
	plots       *plots
	table       *table.Table
	rows        *rows  // what the table shows
	names       *names // of the rows
	column      string // the table is sorted by
	descending  bool
	pinned      map[int64]bool
	focus       Region
	held        bool // the cursor was put somewhere; else it follows the best
	layout      layout
	inspection  inspection

	feasibleOnly bool
	wanted       *rank.Candidate // to be selected when the answer comes; nil for none
	late         bool            // what is shown answers an older question

	history history.History[undone]
}

// undone is a question to return to.
type undone struct {
	question state.Question
	column   string
}

// New returns the screen asking q of nothing yet.
func New(th *theme.Theme, q state.Question, logAxes bool, today time.Time) *Screen {
	s := &Screen{
		th: th, today: today, question: q, constraints: newConstraints(), plots: newPlots(th, logAxes),
		table: table.New(columns("", q)), column: string(q.Sort), pinned: map[int64]bool{},
	}
	s.names = newNames(s.pinned)
	s.table.SetEmpty("reading profiles…")
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

// SetSet changes what is asked. Where the question's model is not in it, the
// question becomes the set's own.
func (s *Screen) SetSet(set *profile.Set) {
	s.set, s.units = set, map[string]string{}
	for i := range set.Runs {
		if r := &set.Runs[i]; r.Unit != "" {
			s.units[r.Model] = r.Unit
		}
	}
	mode := s.question.Mode
	found, err := question.Resolve(set, s.question.Model, mode)
	if err != nil {
		if found, err = question.Resolve(set, "", ""); err != nil {
			s.table.SetEmpty(err.Error())
			return
		}
	}
	s.turnTo(found)
}

// turnTo makes the question one of another model, keeping its limits only
// where the model stays.
func (s *Screen) turnTo(found question.Question) {
	if found.Model != s.question.Model || found.Mode != s.question.Mode {
		s.question = state.Question{
			Model: found.Model, Mode: found.Mode, Units: s.question.Units, Purchase: s.question.Purchase,
			CostWeight: s.question.CostWeight, Sort: s.question.Sort,
		}
		s.held = false
	}
	if s.question.Units <= 0 {
		s.question.Units = defaultUnits
	}
	if s.question.Mode == profile.Train && s.question.Epochs == nil && !s.epochsStated() {
		s.question.Epochs = new(float64(defaultEpochs))
	}
	s.constraints.load(s.question, s.unit())
}

// defaultEpochs is what a training is asked for where no run of the model says
// how many it needs; the dial shows it.
const defaultEpochs = 10

func (s *Screen) epochsStated() bool {
	return slices.ContainsFunc(s.set.Runs, func(r profile.Run) bool {
		return r.Model == s.question.Model && r.Mode == profile.Train && (r.Epochs != nil || r.TotalS != nil)
	})
}

// defaultUnits is how much inference is asked for until the dial is moved.
const defaultUnits = 1e6

// Turn asks about another model or mode.
func (s *Screen) Turn(q question.Question) {
	s.remember("model")
	s.turnTo(q)
}

// Ready reports whether there is anything to ask.
func (s *Screen) Ready() bool { return s.set != nil && s.question.Model != "" }

// Request numbers the present question and returns the work of answering it,
// which touches nothing of the screen.
func (s *Screen) Request() func() *Answer {
	s.asked++
	seq, set, q, previous := s.asked, s.set, s.question, s.answer
	today := s.today
	return func() *Answer {
		a := Ask(seq, set, q, previous)
		a.today = today
		return a
	}
}

// SetTested says how well predictions did on the set's own runs.
func (s *Screen) SetTested(tested validate.Tested) {
	s.tested = tested
	if s.answer != nil {
		a := *s.answer // the old one may be in use by a question under way
		a.tested = tested
		s.answer = &a
		s.refresh()
	}
}

// SetLate says whether the answer to what is asked is a long time coming.
func (s *Screen) SetLate(late bool) { s.late = late }

// Late reports whether what is shown answers an older question.
func (s *Screen) Late() bool { return s.late }

// Receive shows an answer unless a newer one is shown already.
func (s *Screen) Receive(a *Answer) {
	if s.answer != nil && a.Seq < s.answer.Seq {
		return
	}
	s.setColumns(a)
	a.tested = s.tested // before anyone has seen it
	s.answer = a
	s.constraints.show(a)
	s.refresh()
	if s.wanted != nil {
		if i, ok := a.Result.Space.Find(s.wanted); ok {
			s.choose(i)
		}
		s.wanted = nil
	}
}

// setColumns gives the table the columns of an answer that its width has room for.
func (s *Screen) setColumns(a *Answer) {
	s.table.SetColumns(narrowed(columns(a.Result.Space.Metric, a.Question), s.layout.inner(Ranking).w))
}

// refresh brings table and plots to the answer.
func (s *Screen) refresh() {
	if s.answer == nil {
		return
	}
	s.rows = newRows(s.answer, s.th, s.names, rowOptions{s.column, s.descending, s.feasibleOnly, s.pinned})
	s.table.SetRows(s.rows)
	// Of accuracy and probability the larger ones come first.
	s.table.SetSort(s.column, s.descending != s.largerFirst())
	s.table.SetEmpty("no candidates: " + emptyBecause(s.question))
	if !s.held {
		s.table.Top()
	}
	s.showSelection()
}

func (s *Screen) largerFirst() bool {
	return s.column == "best" || s.column == "accuracy" && s.answer.Result.Space.HigherIsBetter
}

func emptyBecause(q state.Question) string {
	if q.Filter != "" {
		return "nothing matches the filter " + q.Filter
	}
	return "no run of this model answers the question"
}

func (s *Screen) showSelection() {
	if s.answer == nil {
		return
	}
	i, ok := s.Selected()
	if !ok {
		i = -1
	}
	s.plots.show(s.answer, i, s.pins())
}

// pins are the pinned candidates.
func (s *Screen) pins() []int {
	var pinned []int
	for id := range s.pinned {
		if i, ok := s.names.find(s.answer.Result.Space, id); ok {
			pinned = append(pinned, i)
		}
	}
	slices.Sort(pinned)
	return pinned
}

// Selected is the candidate under the cursor.
func (s *Screen) Selected() (candidate int, ok bool) {
	row, ok := s.table.Cursor()
	if !ok || s.rows == nil {
		return 0, false
	}
	return s.rows.order[row], true
}

// Answer is what is shown now; nil before the first one.
func (s *Screen) Answer() *Answer { return s.answer }

// Question is what is asked now.
func (s *Screen) Question() state.Question { return s.question }

// LogAxes reports whether the axes of time and cost are logarithmic.
func (s *Screen) LogAxes() bool { return s.plots.log }

// Headline says what is asked, for the title line.
func (s *Screen) Headline() string {
	w := workload(s.question)
	w.Unit = s.unit()
	return wording.Workload(w)
}

// Ranking is what is shown now as one would write it; there must be an answer.
func (s *Screen) Ranking() *rank.Result {
	r := *s.answer.Result
	r.Query.Unit = s.unit()
	return &r
}

// unit is what one unit of the model's work is.
func (s *Screen) unit() string {
	return cmp.Or(s.units[s.question.Model], "unit")
}

// counts is the number of candidates that are feasible, and of all.
func (s *Screen) counts() (feasible, all int) {
	if s.answer == nil {
		return 0, 0
	}
	return len(s.answer.Result.Order), s.answer.Result.Space.Len()
}

// LivePlace says where the candidate of a running probe stands.
func (s *Screen) LivePlace() []string {
	if s.answer == nil {
		return nil
	}
	r := s.answer.Result
	live, ok := r.Space.Live()
	if !ok {
		return nil
	}
	if !r.Feasible[live] {
		return []string{"not feasible under Explore's limits"}
	}
	by := func(column []float64, word string) string {
		if math.IsNaN(column[live]) {
			return "no price: no place by " + word
		}
		place := 1
		for _, i := range r.Order {
			if column[i] < column[live] {
				place++
			}
		}
		return fmt.Sprintf("#%d of %d by %s", place, len(r.Order), word)
	}
	return []string{by(r.Space.Cost, "cost"), by(r.Space.Time, "time")}
}

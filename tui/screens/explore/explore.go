// Package explore is the screen where constraints are scrubbed: sliders, two
// linked scatter plots, the ranking and the reasons behind it.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/chips"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// Screen is the state of Explore.
type Screen struct {
	*desk.Desk[question.Query, *Answer]
	th    *theme.Theme
	w, h  int
	today time.Time // from which the age of prices is counted

	stored  *profile.Set      // what the database and the library hold; nil until it is read
	live    []profile.Run     // of the running probes, shown beside the stored ones
	set     *profile.Set      // both
	units   map[string]string // model → its unit of work; asked in every frame
	testing ask.Loop[*validate.Tested]
	tested  *validate.Tested // nil until that is known
	answer  *Answer
	shared  *Shared // with the screens of others; nil where there are none

	constraints *constraints
	plots       *plots
	rows        *rows // what the table shows
	sorting     sortKeys
	choices     sameChoices
	opened      map[string]bool                 // candidates whose equals are shown, by ID
	pinned      map[string]*candidate.Candidate // by ID
	held        bool                            // the cursor was put somewhere; else it follows the best
	layout      desk.Layout
	head        head
	chipLine    chips.Line

	rests              restingOn // what the runs are counted for
	newest             *int64    // run of one's own, as of the last session; nil where nobody knows or nothing new counts
	ownRuns, otherRuns int
	feasibleOnly       bool
	wanted             *candidate.Candidate // to be selected when the answer comes; nil for none
}

// New returns the screen with the question of the last session, asking nothing yet.
func New(sh *screen.Shell, last state.State, today time.Time) *Screen {
	q := question.Default()
	if last.Question != nil {
		q = *last.Question
	}
	s := &Screen{th: sh.Theme, today: today, constraints: newConstraints(), plots: newPlots(sh.Theme, last.LogAxes),
		pinned: map[string]*candidate.Candidate{}, opened: map[string]bool{}, newest: last.NewestRun}
	s.Desk = desk.New(sh, q, desk.Config[question.Query, *Answer]{
		Sliders: &s.constraints.Stack, Table: table.New(columns(required(), q)), Column: string(q.Sort.Loose()),
		Regions: []string{keys.InSliders, keys.InPlot, keys.InPlot, keys.InRanking},
		Save:    s.constraints.save, Load: func(q question.Query) { s.constraints.load(q, s.unitOf(q.Model)) },
		Work: s.work, Answer: s.show, Refresh: s.refresh, Moved: s.hold, Slow: lateAfter,
		Order: func(q question.Query) string { return string(q.Sort.Loose()) }, SetOrder: setOrder,
	})
	s.Table.Empty = "reading profiles…"
	return s
}

// SharedWith has the screen take from what others hold, and give to it.
func (s *Screen) SharedWith(shared *Shared) *Screen {
	s.shared = shared
	return s
}

// lateAfter is how long an answer may take before the screen says that what it
// shows is still of an older question.
const lateAfter = 250 * time.Millisecond

// setOrder has the ranking ordered by a column where it can be.
func setOrder(column string, q *question.Query) {
	if order, err := question.ParseSort(column); err == nil {
		q.Sort = order
	}
}

// Tab is the action that shows the screen.
func (s *Screen) Tab() keys.Action { return keys.Explore }

// Remember keeps the question and the axes.
func (s *Screen) Remember(session *state.State) {
	session.LogAxes = s.plots.log
	if q := s.Question(); q.Model != "" {
		session.Question = &q
	}
	if s.stored != nil {
		session.NewestRun = new(newestRun(s.stored))
	}
}

// newestRun is the number of the newest run of one's own, 0 without any.
func newestRun(set *profile.Set) (id int64) {
	for i := range set.Runs {
		id = max(id, set.Runs[i].ID)
	}
	return id
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

// setSet changes what is asked about. Where the question's model is not in it, the
// question becomes the set's own.
func (s *Screen) setSet(set *profile.Set) {
	s.set, s.units = set, map[string]string{}
	for i := range set.Runs {
		if r := &set.Runs[i]; r.Unit != "" {
			s.units[r.Model] = r.Unit
		}
	}
	model, mode := s.Question().Model, s.Question().Mode
	if s.newest != nil && newestRun(set) > *s.newest {
		model, mode = "", "" // what was measured since the last session is what one comes for
	}
	s.newest = nil
	found, err := question.Resolve(set, model, mode)
	if err != nil {
		if found, err = question.Resolve(set, "", ""); err != nil {
			s.Table.Empty = err.Error()
			return
		}
	}
	s.Begin(s.about(found))
}

// about is the question about a model, with the limits of now only where the model
// stays.
func (s *Screen) about(found question.Question) question.Query {
	q := s.Question()
	if found.Model != q.Model || found.Mode != q.Mode {
		fresh := question.Start(s.set, found)
		if q.InTokens() == fresh.InTokens() {
			fresh.Units = q.Units
		}
		fresh.Purchase, fresh.Weights, fresh.Sort = q.Purchase, q.Weights, q.Sort
		q = fresh
		s.held = false
	}
	if q.Units <= 0 {
		q.Units = question.DefaultUnits
	}
	q.TrainSize = nil // the newest run says how many units an epoch has
	q.Workload = q.Whole(s.set)
	if !q.InUnits() && !q.SaysLength() && !s.epochsStated(q.Model) {
		q.Epochs = new(float64(question.DefaultEpochs))
	}
	return q
}

func (s *Screen) epochsStated(model string) bool {
	return slices.ContainsFunc(s.set.Runs, func(r profile.Run) bool {
		return r.Model == model && r.Mode == profile.Train && (r.Epochs != nil || r.TotalS != nil)
	})
}

// Turn asks about another model or mode.
func (s *Screen) Turn(q question.Question) tea.Cmd { return s.Change("model", s.about(q)) }

// work answers the present question; it touches nothing of the screen.
func (s *Screen) work() ask.Work[*Answer] {
	if s.set == nil || s.Question().Model == "" {
		return nil
	}
	_, number := s.Asking()
	set, q, previous, today, shared := s.set, s.Question(), s.answer, s.today, s.shared
	if previous == nil { // something to look at while the predictions are made
		q.Predicted = false
	}
	return func(context.Context) *Answer {
		a := shared.Ask(number+1, set, q, previous)
		a.today = today
		return a
	}
}

// show shows an answer.
func (s *Screen) show(a *Answer) tea.Cmd {
	s.setColumns(a)
	if s.tested != nil {
		a.Tested = *s.tested // before anyone has seen it
	}
	s.answer = a
	if n := len(s.Sliders.All); s.constraints.show(a) != n {
		s.place()
	}
	s.refresh()
	if s.wanted != nil {
		if i, ok := a.Result.Space.Find(s.wanted); ok {
			s.choose(i)
		}
		s.wanted = nil
	}
	var on []tea.Cmd
	if busy, _ := s.Asking(); !busy && a.Question.Predicted != s.Question().Predicted {
		on = append(on, s.Ask())
	}
	if len(s.live) > 0 {
		on = append(on, s.Shell.Tell(screen.Standing{Lines: s.standing()}))
	}
	return tea.Batch(on...)
}

// setColumns gives the table the columns of an answer that its width has room for.
func (s *Screen) setColumns(a *Answer) {
	w, _ := s.layout.Table.Inner()
	s.Table.SetColumns(narrowed(columns(a.Result.Space.Objectives, a.Result.Query), w))
}

// refresh brings table and plots to the answer.
func (s *Screen) refresh() {
	if s.answer == nil {
		return
	}
	column, descending := s.Sorted()
	s.rows = newRows(s.answer, s.th, &s.sorting, &s.choices,
		rowOptions{column, descending, s.feasibleOnly, s.pinned, s.opened})
	s.Table.SetRows(s.rows)
	// Of accuracy and probability the larger ones come first.
	s.Table.SetSort(column, descending != s.largerFirst())
	s.Table.Empty = "no candidates: " + emptyBecause(s.set, s.Question())
	if !s.held {
		s.Table.Act(keys.Top)
	}
	s.showSelection()
}

func (s *Screen) largerFirst() bool {
	return s.Column == "best" || s.Column == "accuracy" && s.answer.Result.Space.HigherIsBetter()
}

func emptyBecause(set *profile.Set, q question.Query) string {
	if q.Words != "" {
		return "nothing matches the filter " + q.Words
	}
	if q.TargetLoss != nil {
		return wording.Lacking(set, q)
	}
	waiting := func(r profile.Run) bool {
		return r.Model == q.Model && r.Mode == q.Mode && r.Status == profile.Running && !r.Answers()
	}
	if slices.ContainsFunc(set.Runs, waiting) {
		return "the runs of this model are queued: none has begun"
	}
	return "no run of this model matches the question"
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
	for _, c := range s.pinned {
		if i, ok := s.answer.Result.Space.Find(c); ok {
			pinned = append(pinned, i)
		}
	}
	slices.Sort(pinned)
	return pinned
}

// Selected is the candidate under the cursor.
func (s *Screen) Selected() (candidate int, ok bool) {
	row, ok := s.Table.Cursor()
	if !ok || s.rows == nil {
		return 0, false
	}
	return s.rows.at(row), true
}

// Answer is what is shown now; nil before the first one.
func (s *Screen) Answer() *Answer { return s.answer }

// Headline says what is asked, for the title line.
func (s *Screen) Headline() string {
	q := s.Question()
	q.Unit = s.unitOf(q.Model)
	return wording.Workload(q.Workload)
}

// Ranking is what is shown now as one would write it; there must be an answer.
func (s *Screen) Ranking() *rank.Result {
	r := *s.answer.Result
	r.Query.Unit = s.unitOf(s.Question().Model)
	return &r
}

// unitOf is what one unit of a model's work is.
func (s *Screen) unitOf(model string) string { return cmp.Or(s.units[model], "unit") }

// counts is the number of candidates that are feasible, and of all.
func (s *Screen) counts() (feasible, all int) {
	if s.answer == nil {
		return 0, 0
	}
	return s.answer.Result.Count(), s.answer.Result.Space.Len()
}

// standing says where the candidate of a running probe stands.
func (s *Screen) standing() []string {
	if s.answer == nil {
		return nil
	}
	r := s.answer.Result
	live := r.Space.Live
	if live < 0 {
		return nil
	}
	if !r.Feasible.Has(live) {
		return []string{"not feasible under Explore's limits"}
	}
	by := func(column []float64, word string) string {
		if math.IsNaN(column[live]) {
			return "no price: no rank by " + word
		}
		place := 1
		for i := range r.Feasible.All() {
			if column[i] < column[live] {
				place++
			}
		}
		return fmt.Sprintf("#%d of %d by %s", place, r.Count(), word)
	}
	return []string{by(r.Space.Values(objective.Cost), "cost"), by(r.Space.Values(objective.Time), "time")}
}

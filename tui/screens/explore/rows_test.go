package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/keys"
)

// do runs a command and what comes of it.
func do(s *Screen, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			do(s, c)
		}
	default:
		do(s, s.Receive(msg))
	}
}

// Each column sorts by what it shows, the better first, and keeps the ranking among
// equals; reversed, the feasible rows stand the other way round.
func TestEveryColumnSortsByWhatItShows(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	q := s.Question()
	q.Predicted = true
	do(s, s.Change("predicted", q))
	space := func() *rank.Space { return s.answer.Result.Space }
	value := map[string]func(i int) string{ // as text, so that smaller comes first
		"vm": func(i int) string {
			p := space().At(i).Configuration[0]
			return fmt.Sprintf("%s %04d", p.VM.InstanceType, p.Count)
		},
		"variant":  func(i int) string { return wording.VariantLabel(space().At(i).Variant) },
		"batch":    func(i int) string { return fmt.Sprintf("%08d", space().At(i).BatchSize) },
		"basis":    func(i int) string { return fmt.Sprint(int(space().At(i).Time.Basis)) },
		"accuracy": func(i int) string { return fmt.Sprintf("%.9f", 1-space().Values(objective.Accuracy)[i]) },
	}
	seen := map[string]bool{}
	for range s.Table.Sortable() {
		do(s, s.Act(keys.Sort))
		column, _ := s.Sorted()
		seen[column] = true
		order := s.rows.window(0, s.answer.Result.Count())
		if key := value[column]; key != nil {
			place := map[int]int{}
			for k, i := range s.answer.Result.Order() {
				place[i] = k
			}
			if !slices.IsSortedFunc(order, func(i, j int) int {
				if c := strings.Compare(key(i), key(j)); c != 0 {
					return c
				}
				return cmp.Compare(place[i], place[j])
			}) {
				t.Errorf("by %s the rows stand as %q …", column, []string{key(order[0]), key(order[1]), key(order[2])})
			}
		} else if column != "best" && !slices.Equal(order, s.answer.Result.Order()) {
			t.Errorf("by %s the order is not the ranking's", column)
		}
		for _, row := range []int{0, s.rows.feasible / 2, s.rows.feasible - 1} {
			if want := slices.Index(s.answer.Result.Order(), s.rows.at(row)) + 1; s.rows.rank(row) != want {
				t.Errorf("by %s row %d has rank %d, not %d", column, row, s.rows.rank(row), want)
			}
			if at := s.rows.row(s.rows.at(row)); at != row {
				t.Errorf("by %s the candidate of row %d is sought in row %d", column, row, at)
			}
		}
		before := slices.Clone(order)
		s.Act(keys.Reverse)
		slices.Reverse(before)
		if !slices.Equal(s.rows.window(0, len(before)), before) {
			t.Errorf("by %s the reverse is another order", column)
		}
		s.Act(keys.Reverse)
	}
	if len(seen) != len(s.Table.Sortable()) || len(seen) < 8 {
		t.Errorf("sorted by %v of %v", seen, s.Table.Sortable())
	}
}

// By the probability of being best the likeliest comes first, the unknown last.
func TestLikeliestFirst(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	for column, _ := s.Sorted(); column != "best"; column, _ = s.Sorted() {
		do(s, s.Act(keys.Sort))
	}
	last := math.Inf(1)
	for _, i := range s.rows.window(0, s.answer.Result.Count()) {
		p := s.answer.probability(i)
		if math.IsNaN(p) || p > last {
			t.Fatalf("%g after %g", p, last)
		}
		last = p
	}
	if got := []int{byNumber(math.NaN(), 1), byNumber(1, math.NaN()), byNumber(math.NaN(), math.NaN()), byNumber(1, 2),
		byNumber(2, 1), byNumber(2, 2)}; !slices.Equal(got, []int{1, -1, 0, -1, 1, 0}) {
		t.Errorf("numbers are ordered %v", got)
	}
}

// A row is found again, be it the first.
func TestRowsAreFoundAgain(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	for _, row := range []int{0, 1, s.rows.Len() - 1} {
		if got, ok := s.rows.Find(s.rows, row); !ok || got != row {
			t.Errorf("row %d is found at %d, %v", row, got, ok)
		}
	}
}

func TestInfeasibleRowsStandLastAndCanBeHidden(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	q := s.Question()
	q.Limits = q.Limits.With(objective.Cost, new(2.5))
	do(s, s.Change("limit", q))
	feasible, all := s.counts()
	behind := len(s.rows.merged.under)
	feasible, all = feasible-behind, all-behind
	if feasible == 0 || feasible == all || s.rows.Len() != all {
		t.Fatalf("%d of %d are feasible, %d rows", feasible, all, s.rows.Len())
	}
	for row := range s.rows.Len() {
		out := row >= feasible
		if s.rows.Style(row).Faint != out || (s.rows.Cell(row, "rank", 4) == s.th.Symbols.Cross) != out ||
			(s.rows.rank(row) == 0) != out || out && s.rows.Cell(row, "best", 11) != "—" {
			t.Fatalf("row %d of %d feasible ones: %+v, rank %s", row, feasible, s.rows.Style(row), s.rows.Cell(row, "rank", 4))
		}
	}
	s.Table.SetCursor(feasible)
	if i, _ := s.Selected(); !strings.HasPrefix(place(s.answer, i), "not feasible: cost $") {
		t.Errorf("the first infeasible one: %s", place(s.answer, i))
	}
	if s.Act(keys.Pick); !strings.Contains(s.Shell.Toast.View(s.th, 90), "violates a limit") {
		t.Error("what breaks a limit is picked")
	}
	if s.Act(keys.Feasible); s.rows.Len() != feasible {
		t.Errorf("%d rows of %d feasible ones", s.rows.Len(), feasible)
	}
	if s.Act(keys.Feasible); s.rows.Len() != all {
		t.Error("they stay hidden")
	}
}

// Left and right go along the frontier of the plot that has the keys, up to its ends.
func TestArrowsGoAlongTheFrontier(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	for _, region := range []int{FirstPlot, SecondPlot} {
		focusOn(t, s, region)
		front := s.frontierOf(region)
		if len(front) < 3 {
			t.Fatalf("a frontier of %d", len(front))
		}
		s.choose(front[0])
		at := 0
		for _, c := range []struct {
			key  keys.Action
			step int
		}{{keys.Right, 1}, {keys.Right, 1}, {keys.Left, -1}, {keys.Left, -1}, {keys.Left, -1}, {keys.BigRight, 5},
			{keys.BigRight, 5}, {keys.Left, -1}, {keys.BigLeft, -5}} {
			s.Act(c.key)
			at = min(max(at+c.step, 0), len(front)-1)
			if i, _ := s.Selected(); i != front[at] {
				t.Errorf("plot %d: %s leads to candidate %d, not %d", region, c.key, i, front[at])
			}
		}
		off := slices.IndexFunc(s.answer.Result.Order(), func(i int) bool { return !slices.Contains(front, i) })
		s.choose(s.answer.Result.Order()[off])
		s.Act(keys.Right)
		if i, _ := s.Selected(); i != front[0] {
			t.Error("from elsewhere the frontier is not entered at its beginning")
		}
	}
}

// A zoomed plot shows less to the left after a key that pans there, and so on.
func TestKeysPanTheirWay(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	focusOn(t, s, FirstPlot)
	p := s.focused()
	w, h := s.layout.First.Inner()
	middle := func() (x, y float64) {
		x, y, ok := p.At(w/2+3, h/2-1)
		if !ok {
			t.Fatal("the middle is no part of the graph")
		}
		return x, y
	}
	x, y := middle()
	p.ZoomOn(4, x, y)
	for _, c := range []struct {
		key    keys.Action
		dx, dy int
	}{{keys.PanLeft, -1, 0}, {keys.PanRight, 1, 0}, {keys.PanUp, 0, 1}, {keys.PanDown, 0, -1}} {
		x0, y0 := middle()
		s.Act(c.key)
		if x1, y1 := middle(); cmp.Compare(x1, x0) != c.dx || cmp.Compare(y1, y0) != c.dy {
			t.Errorf("%s leads from %g, %g to %g, %g", c.key, x0, y0, x1, y1)
		}
	}
}

func TestPinsAreComparedAndTakenAway(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	for row := range 3 {
		s.Table.SetCursor(row)
		s.Act(keys.Pin)
	}
	if s.pinnedNote() != "3 pinned" || len(s.pins()) != 3 || s.rows.Style(1).Mark != s.th.Symbols.Pinned {
		t.Errorf("%s: %v", s.pinnedNote(), s.pins())
	}
	s.Table.SetCursor(2)
	i, _ := s.Selected()
	words := s.compared(i)
	if len(words) != 2 || !strings.HasPrefix(words[0], "against pinned ") {
		t.Errorf("the third against the others: %q", words)
	}
	s.Table.SetCursor(5)
	if i, _ = s.Selected(); len(s.compared(i)) != 2 {
		t.Errorf("of three pins two are compared: %q", s.compared(i))
	}
	before := len(s.pins())
	q := s.Question() // another question, in which the same candidates stand elsewhere
	q.Sort = question.Sort(objective.Time)
	do(s, s.Change("sort", q))
	if len(s.pins()) != before {
		t.Error("pins are lost")
	}
	for _, i := range s.pins() {
		s.choose(i)
		s.Act(keys.Pin)
	}
	if s.pinnedNote() != "" {
		t.Errorf("%s are left", s.pinnedNote())
	}
	s.answer = nil
	s.rows = nil
	if s.Act(keys.Pin); len(s.pinned) != 0 {
		t.Error("nothing is pinned")
	}
}

// The cursor follows the best until it is put somewhere, and then its candidate.
func TestTheCursorIsHeldOffTheFirstRow(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	at := func() int { row, _ := s.Table.Cursor(); return row }
	s.choose(s.answer.Result.Order()[4])
	held, _ := s.Selected()
	do(s, s.Turn(question.Question{Model: "CaffeNet", Mode: profile.Infer}))
	q := s.Question()
	q.Units *= 2
	do(s, s.Change("units", q))
	space := s.answer.Result.Space
	if i, _ := s.Selected(); at() == 0 || space.At(i).BatchSize != space.At(held).BatchSize {
		t.Errorf("the cursor went to row %d", at())
	}
	s.choose(s.answer.Result.First())
	q.Sort = question.Sort(objective.Time)
	if do(s, s.Change("sort", q)); at() != 0 {
		t.Errorf("the best is on row 0, the cursor on %d", at())
	}
}

func TestTheLengthOfATraining(t *testing.T) {
	c := newConstraints()
	c.setLength(profile.Train, "sample", false)
	q := question.Default()
	q.Mode, q.Model = profile.Train, "x"
	length := len(c.limits)
	for _, v := range []struct {
		at   float64
		want *float64
		text string
	}{{0, nil, "as each source"}, {0.9, nil, "1"}, {1, new(1.0), "1"}, {12.4, new(12.0), "12"}} {
		c.length().Set(v.at)
		if c.save(length, &q); (q.Epochs == nil) != (v.want == nil) || v.want != nil && *q.Epochs != *v.want {
			t.Errorf("at %g it asks for %v epochs", v.at, q.Epochs)
		}
		if got := epochsText(v.at); got != v.text {
			t.Errorf("%g is written %q", v.at, got)
		}
	}
	c.load(q, "sample")
	if v, _ := c.length().Value(); v != 12 || c.length().Label() != "epochs" {
		t.Errorf("12 epochs are %g %s", v, c.length().Label())
	}
	for typed, want := range map[string]float64{"0": 0, "5" + " ": 5, "1k": 1000} {
		if v, err := parseEpochs(typed); err != nil || v != want {
			t.Errorf("%q epochs are %g, %v", typed, v, err)
		}
	}
	if _, err := parseEpochs("-1"); err == nil {
		t.Error("less than no epoch")
	}
	q.Mode, q.Units = profile.Infer, 5000
	c.load(q, "image")
	if v, _ := c.length().Value(); v != 5000 || c.length().Label() != "images" {
		t.Errorf("5,000 images are %g %s", v, c.length().Label())
	}
	c.length().Set(7000)
	if c.save(length, &q); q.Units != 7000 {
		t.Errorf("7,000 images ask for %g", q.Units)
	}
	q.Weights = question.Weights{objective.Time: 0.2, objective.Cost: 0.3, objective.Energy: 0.5}
	if c.load(q, "image"); math.Abs(costShare(q.Weights)-0.6) > 1e-12 || costShare(nil) != 0.5 {
		t.Errorf("of time and cost cost has %g", costShare(q.Weights))
	}
	c.weight().Set(0.25)
	c.save(length+1, &q)
	if q.Sort != question.ByScore || q.Weights[objective.Time] != 0.75 || q.Weights[objective.Cost] != 0.25 ||
		q.Weights[objective.Energy] != 0.5 {
		t.Errorf("weighs %v, by %s", q.Weights, q.Sort)
	}
	if got := weightText(0.25); got != "time 75 : cost 25" {
		t.Error(got)
	}
}

// A slider that comes leaves the active one active, and a limit on what no
// candidate has keeps its slider.
func TestSlidersComeAndStay(t *testing.T) {
	c := newConstraints()
	before := len(c.limits)
	c.Active = before + 1
	weight := c.Current()
	q := question.Default()
	q.Limits = q.Limits.With(objective.Energy, new(3.0))
	c.load(q, "unit")
	if len(c.limits) != before+1 || c.Current() != weight || c.weight() != weight {
		t.Errorf("%d sliders of limits, number %d is active", len(c.limits), c.Active)
	}
	names := []objective.Name{}
	for _, o := range c.limits {
		names = append(names, o.Name)
	}
	if !slices.Equal(names[:3], []objective.Name{objective.Accuracy, objective.Cost, objective.Time}) {
		t.Errorf("they stand as %v", names)
	}
	at := c.limits.Index(objective.Energy)
	if v, on := c.All[at].Value(); !on || v != 3 {
		t.Errorf("the limit on energy is %g, %v", v, on)
	}
	c.Active = 0
	first := c.Current()
	c.setLimits(required())
	if c.Current() != first || len(c.limits) != before {
		t.Error("another slider is active")
	}
	if lo, hi := extremes([]float64{math.NaN(), 3, 1, 2}); lo != 1 || hi != 3 {
		t.Errorf("from %g to %g", lo, hi)
	}
}

func TestDifferencesInWords(t *testing.T) {
	plain := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	for _, c := range []struct {
		v, other float64
		want     string
	}{{100, 100, "the same cost"}, {100.04, 100, "the same cost"}, {100.06, 100, "+0.06"}, {99.9, 100, "−0.1"},
		{99.96, 100, "the same cost"}, {math.NaN(), 1, "unknown"}, {1, math.NaN(), "unknown"}} {
		if got := against(c.v, c.other, "cost", plain); got != c.want {
			t.Errorf("%g against %g: %s", c.v, c.other, got)
		}
	}
	for sort, want := range map[question.Sort]string{question.ByScore: "best weighted score", "cost": "cheapest",
		"time": "fastest",
		"car":  "least cost per accuracy", "tar": "least time per accuracy"} {
		if got := superlative(sort); got != want {
			t.Errorf("first by %s is the %s", sort, got)
		}
	}
	r := asked(t, "CaffeNet", profile.Infer, 120, 38).answer.Result
	for _, c := range []struct {
		v    candidate.Violation
		want string
	}{
		{candidate.Violation{Constraint: objective.Cost, Limit: 2, Value: new(3.0)}, "cost $3.00, limit $2.00"},
		{candidate.Violation{Constraint: objective.Time, Limit: 60}, "time unknown, limit 1 m 00 s"},
		{candidate.Violation{Constraint: objective.Energy, Limit: 2, Value: new(3.0)}, "energy 3.00 kWh, limit 2.00 kWh"},
		{candidate.Violation{Constraint: "gpu_memory", Limit: 16, Value: new(17.25)}, "gpu memory 17.2 GiB, limit 16.0 GiB"},
		{candidate.Violation{Constraint: "gpu_memory", Limit: math.NaN()}, "a run ran out of gpu memory"},
	} {
		if got := violation(r, c.v); got != c.want {
			t.Errorf("%+v is %q, not %q", c.v, got, c.want)
		}
	}
	c := &candidate.Candidate{EpochsRange: estimate.Estimate{Value: 9.04, Low: 8, High: 11, Basis: estimate.Measured},
		EpochsWhy: "by 3 runs"}
	if got := toTarget(c); got != "9.0 epochs to the target (90 %: 8.0 … 11.0) by 3 runs" {
		t.Error(got)
	}
	for never, says := range map[float64]bool{0.0099: false, 0.01: true, 0.5: true} {
		if c.Never = &never; strings.Contains(toTarget(c), "never reached") != says {
			t.Errorf("with probability %g: %s", never, toTarget(c))
		}
	}
	if toTarget(&candidate.Candidate{}) != "" || between(estimate.Estimate{}, plain) != "unknown" {
		t.Error("what is unknown has words")
	}
}

func TestAccuraciesOnAnAxis(t *testing.T) {
	for _, c := range []struct {
		v, step float64
		higher  bool
		want    string
	}{{0.7, 0.1, true, "70%"}, {0.725, 0.05, true, "72.5 %"}, {0.72534, 0.0005, true, "72.53 %"}, {0.72534, 0.002, true,
		"72.5 %"},
		{0.72534, 0, true, "72.5 %"}, {35.2, 5, false, "35.2"}, {0.352, 0.05, false, "35.2 %"}, {1, 0.2, false, "100%"}} {
		if got := axisAccuracy(c.v, c.step, c.higher); got != c.want {
			t.Errorf("%g with neighbours %g away is %q, not %q", c.v, c.step, got, c.want)
		}
	}
}

// The parts of the screen cover it, the table never less than its header and rows.
func TestLayoutsFillTheScreen(t *testing.T) {
	for w := leastWidth - 2; w < 220; w += 3 {
		for h := leastRows - 2; h < 70; h++ {
			l := newLayout(w, h, 5)
			if w < leastWidth || h < leastRows {
				if l != (desk.Layout{}) {
					t.Fatalf("%d×%d is laid out", w, h)
				}
				continue
			}
			covered := 0
			for _, b := range []panel.Box{l.Sliders, l.First, l.Second, l.Table, l.Words} {
				if b.W < 0 || b.H < 0 || b.X+b.W > w || b.Y+b.H > h {
					t.Fatalf("%d×%d: %+v sticks out", w, h, b)
				}
				covered += b.W * b.H
			}
			if covered != w*h || l.Table.H < 5 {
				t.Fatalf("%d×%d: %d cells are covered, the table has %d lines", w, h, covered, l.Table.H)
			}
			small := w < desk.NarrowWidth || h < desk.NarrowRows
			if l.Table.Bare != small || (l.Second.W > 0) != (!small && w >= desk.WideWidth) ||
				!small && (l.Words.H > 0) != (h >= 26) {
				t.Fatalf("%d×%d: %+v", w, h, l)
			}
		}
	}
	for h, want := range map[int]int{25: 0, 26: 5, 33: 5, 34: 7, 37: 7, 38: 8} {
		if got := inspectorRows(h); got != want {
			t.Errorf("%d lines leave %d for the words", h, got)
		}
	}
	if low, tall := newLayout(200, tallHeight-1, 5), newLayout(200, tallHeight, 5); tall.First.H-low.First.H < 4 {
		t.Errorf("a tall terminal has %d lines of plots, one less high %d", tall.First.H, low.First.H)
	}
}

func TestTheFilterAndTheBillAreSaid(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	do(s, s.Filter("g3 conv1"))
	if _, all := s.counts(); all == 0 || all >= 168 {
		t.Errorf("%d candidates match", all)
	}
	for i := range s.answer.Result.Space.Len() {
		if c := s.answer.Result.Space.At(i); !strings.Contains(c.Configuration[0].VM.InstanceType, "g3") ||
			!strings.Contains(c.Variant.Name, "conv1") {
			t.Fatalf("%s matches", c.ID)
		}
	}
	if got := ansi.Strip(s.View()); !strings.Contains(got, "/g3 conv1 ✗") {
		t.Errorf("says %q", got)
	}
	if do(s, s.Filter("nothing has this")); !strings.Contains(ansi.Strip(s.View()),
		"nothing matches the filter nothing has this") {
		t.Errorf("no candidate:\n%s", ansi.Strip(s.View()))
	}
	if do(s, s.Act(keys.Back)); s.Question().Words != "" {
		t.Error("esc leaves the filter")
	}
}

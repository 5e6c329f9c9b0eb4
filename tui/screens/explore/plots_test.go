package explore

import (
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/library"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// asked is the screen with the library's answer for a model.
func asked(t *testing.T, model string, mode profile.Mode, w, h int) *Screen {
	t.Helper()
	set, err := library.Load()
	if err != nil {
		t.Fatal(err)
	}
	q := question.Default()
	q.Model, q.Mode, q.Units = model, mode, 0
	clock := func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	s := New(
		&screen.Shell{Ctx: t.Context(), Theme: theme.New("", true, false), After: clock, Bindings: keys.Default()},
		state.State{Question: &q, LogAxes: true},
		time.Time{},
	)
	s.SetSize(w, h)
	s.stored = set
	s.Receive(s.askSet()())
	return s
}

func TestCostOverEpochsDrawsTheSelectedLine(t *testing.T) {
	s := asked(t, "seismic/FCN", profile.Train, 200, 48)
	p := s.plots
	if p.length == nil {
		t.Fatal("no plot over the epochs")
	}
	if note := p.note(1, s.th); !strings.Contains(note, "lowest") || !strings.Contains(note, "selected") {
		t.Errorf("the note is %q", note)
	}
	before := s.plots.scatter[1].View()
	s.Focus(-1)
	for range 3 {
		s.Act(keys.Down)
	}
	if s.plots.scatter[1].View() == before {
		t.Error("another candidate's line looks the same")
	}
}

// On the plot over the epochs a point is of a line, and the line of a candidate.
func TestAClickOnALineSelectsItsCandidate(t *testing.T) {
	s := asked(t, "seismic/FCN", profile.Train, 200, 48)
	d, scatter := s.plots.length, s.plots.scatter[1]
	clicked := map[int]bool{}
	for j := range d.ground {
		x, y, ok := scatter.CellOf(j)
		if hit, found := scatter.Hit(x, y); !ok || !found || d.of[hit] < 0 {
			continue
		} else if want := d.of[hit]; !clicked[want] {
			clicked[want] = true
			s.choose((want + 1) % s.answer.Result.Space.Len())
			left, top := s.layout.Second.X+1, s.layout.Second.Y+1
			j, _ = scatter.Hit(x, y) // the line that was selected is drawn last
			s.Mouse(pointer.Event{Kind: pointer.Click, X: left + x, Y: top + y})
			if i, _ := s.Selected(); i != d.of[j] {
				t.Fatalf("a click on the line of candidate %d selects %d", d.of[j], i)
			}
		}
	}
	if len(clicked) < 3 {
		t.Fatalf("%d lines can be clicked", len(clicked))
	}
}

func TestPlotsSayWhatTheyLeaveOut(t *testing.T) {
	s := asked(t, "seismic/FCN", profile.Train, 200, 48)
	s.plots.length, s.plots.unplaced = nil, [2]int{0, 3}
	if got := ansi.Strip(s.plotNote(1)); !strings.Contains(got, "3 without") {
		t.Errorf("three candidates are left out, the note is %q", got)
	}
	note := s.plots.note(1, s.th)
	s.layout.Second.W = text.Width(s.plots.title[1]) + borderCells + text.Width(note)
	if got := s.plotNote(1); got != note {
		t.Errorf("%q has room, the note is %q", note, got)
	}
	s.layout.Second.W--
	if got := s.plotNote(1); got+hidden != note {
		t.Errorf("%q has no room, the note is %q", note, got)
	}
	s.plots.unplaced[1] = 0
	if got := ansi.Strip(s.plotNote(1)); strings.Contains(got, "without") {
		t.Errorf("nothing is left out, the note is %q", got)
	}
}

func TestTallTerminalsHaveTallPlots(t *testing.T) {
	short, tall := newLayout(120, 38, 5), newLayout(200, 48, 5)
	if a, b := short.First.H, tall.First.H; b < a*3/2 {
		t.Errorf("plots of %d rows on 40, %d on 50", a, b)
	}
	if h := tall.Table.H; h < 12 {
		t.Errorf("only %d rows are left to the ranking", h)
	}
}

// Either plot shows any pair, time × cost among them; the second also the length.
func TestEitherPlotShowsTimeByCost(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	for region, want := range map[int][]string{
		FirstPlot:  {"time × top-5", "cost × top-5", "time × cost"},
		SecondPlot: {"cost × top-5", "time × cost", "time × units", "cost × units", "time × top-5"},
	} {
		focusOn(t, s, region)
		for n, name := range append(want, want[0]) {
			if got := s.plots.title[region-FirstPlot]; !strings.HasPrefix(got, name) {
				t.Errorf("plot %d, after %d turns: %s, not %s", region, n, got, name)
			}
			if front := s.frontierOf(region); len(front) == 0 {
				t.Errorf("%s has no frontier", name)
			}
			s.Act(keys.Plots)
		}
	}
	q := s.Question()
	q.Epochs = nil
	if do(s, s.Turn(question.Question{Model: "seismic/FCN", Mode: profile.Train})); !strings.HasPrefix(s.plots.title[0],
		"time × cost") {
		t.Errorf("of a model without accuracies: %s", s.plots.title[0])
	}
}

// Variants that reach nothing do not take half an axis, what a limit rules out takes
// none, and the title says so; a candidate that is selected is in sight all the same.
func TestAxesFitWhatIsFeasible(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 200, 48)
	r := s.answer.Result
	accuracy := r.Space.Values("accuracy")
	worst := 0
	for i, a := range accuracy {
		if a < accuracy[worst] {
			worst = i
		}
	}
	if _, _, ok := s.plots.scatter[0].CellOf(worst); accuracy[worst] != 0 || ok {
		t.Errorf("a variant of %g %% has a place", 100*accuracy[worst])
	}
	for _, i := range r.Frontier("time", "accuracy") {
		if _, _, ok := s.plots.scatter[0].CellOf(i); !ok {
			t.Errorf("candidate %d of the frontier has no place", i)
		}
	}
	if got := s.plots.title[0]; got != "time × top-5, above 40%" {
		t.Errorf("says %q", got)
	}
	s.choose(worst)
	if _, _, ok := s.plots.scatter[0].CellOf(worst); !ok {
		t.Error("the selected candidate has no place")
	}
	s.choose(r.First())
	q := s.Question()
	q.Limits = q.Limits.With("cost", new(2.5))
	do(s, s.Change("limit", q))
	if got := s.plots.title[1]; !strings.HasSuffix(got, ", feasible") {
		t.Errorf("under a budget it says %q", got)
	}
	dear := s.answer.Result.Space.Rising("cost")
	if _, _, ok := s.plots.scatter[1].CellOf(int(dear[len(dear)-1])); ok {
		t.Error("the dearest takes room beyond the budget")
	}
}

func TestOutward(t *testing.T) {
	for _, c := range []struct {
		lo, hi, from, to float64
		log              bool
		low, high        float64
	}{
		{0, 16, 5.5, 7.2, false, 5, 8},
		{0, 16, 0, 16, false, 0, 16.64},
		{1, 65536, 3, 100, true, 2, 128},
		{4, 20, 4, 9.5, false, 3.76, 10},
	} {
		low, high := outward(c.lo, c.hi, c.from, c.to, c.log)
		if math.Abs(low-c.low) > 1e-9*c.low || math.Abs(high-c.high) > 1e-9*c.high {
			t.Errorf("%+v: %g to %g", c, low, high)
		}
	}
}

// Of many GPUs the legend names as many as fit and counts the others.
func TestTheLegendFits(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 120, 38)
	s.plots.classes = []string{"RTX6000Ada", "H100-80GB", "A10G", "L4"}
	for room := 16; room < 60; room++ {
		got := s.legend(room)
		if text.Width(got) > room {
			t.Fatalf("%d cells: %q", room, got)
		}
		if room < 36 && !strings.Contains(got, "+") || room >= 36 && strings.Contains(got, "+") {
			t.Errorf("%d cells: %q", room, got)
		}
	}
}

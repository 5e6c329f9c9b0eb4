package explore

import (
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
		&screen.Shell{Ctx: t.Context(), Theme: theme.New("", true, false), After: clock},
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
	if p.dial == nil {
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
	d, scatter := s.plots.dial, s.plots.scatter[1]
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
	s.plots.dial, s.plots.unplaced = nil, [2]int{0, 3}
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

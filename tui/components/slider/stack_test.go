package slider

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/theme"
)

// stackOf are sliders from 0 to 10 in steps of 1, all at 5.
func stackOf(n int) *Stack {
	s := &Stack{}
	for k := range n {
		slider := NewExact(Config{Label: "slider " + strconv.Itoa(k), Hi: 10, Step: func(float64) float64 { return 1 },
			Format: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
			Parse:  func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }})
		slider.Set(5)
		s.All = append(s.All, slider)
	}
	return s
}

func values(s *Stack) (out []float64) {
	for _, d := range s.All {
		v, _ := d.Value()
		out = append(out, v)
	}
	return out
}

func TestTheMouseMovesTheSliderItIsOver(t *testing.T) {
	s := stackOf(4)
	for _, c := range []struct {
		what    string
		do      func() bool
		changed bool
		active  int
		want    []float64
	}{
		{"a press on a label", func() bool { return s.Press(0, 2, 20, 8, false) }, false, 1, []float64{5, 5, 5, 5}},
		{"a press on a track", func() bool { return s.Press(19, 5, 20, 8, false) }, true, 2, []float64{5, 5, 10, 5}},
		{"the same again", func() bool { return s.Press(19, 5, 20, 8, false) }, false, 2, []float64{5, 5, 10, 5}},
		{"a drag on it", func() bool { return s.Press(0, 5, 20, 8, true) }, true, 2, []float64{5, 5, 0, 5}},
		{"a drag that strays", func() bool { return s.Press(19, 3, 20, 8, true) }, false, 2, []float64{5, 5, 0, 5}},
		{"below the last", func() bool { return s.Press(19, 8, 20, 8, false) }, false, 2, []float64{5, 5, 0, 5}},
		{"above the first", func() bool { return s.Press(19, -1, 20, 8, false) }, false, 2, []float64{5, 5, 0, 5}},
		{"the wheel down", func() bool { return s.Wheel(0, 8, 2) }, true, 0, []float64{3, 5, 0, 5}},
		{"the wheel up", func() bool { return s.Wheel(7, 8, -1) }, true, 3, []float64{3, 5, 0, 6}},
		{"the wheel elsewhere", func() bool { return s.Wheel(8, 8, -1) }, false, 3, []float64{3, 5, 0, 6}},
		{"a big step", func() bool { return s.Step(-1, true) }, true, 3, []float64{3, 5, 0, 0}},
		{"a step", func() bool { return s.Step(1, false) }, true, 3, []float64{3, 5, 0, 1}},
		{"the end", func() bool { return s.End(true) }, true, 3, []float64{3, 5, 0, 10}},
		{"the beginning", func() bool { return s.End(false) }, true, 3, []float64{3, 5, 0, 0}},
	} {
		if got := c.do(); got != c.changed || s.Active != c.active || !slices.Equal(values(s), c.want) {
			t.Fatalf("%s: changed %v, slider %d of %v", c.what, got, s.Active, values(s))
		}
	}
}

// Where there is room for few, the active one is among them, and hits are its own.
func TestTheActiveSliderIsShownAndHit(t *testing.T) {
	s, th := stackOf(5), theme.New("", true, false)
	for height := 1; height <= 12; height++ {
		for active := range s.All {
			s.Active = active
			shown := strings.Split(ansi.Strip(s.View(th, 30, height, true)), "\n")
			if want := min(max(height/Height, 1), 5) * Height; len(shown) != want {
				t.Fatalf("%d lines in %d", len(shown), height)
			}
			found := false
			for y, l := range shown {
				k, track, ok := s.Hit(y, height)
				if track != (y%Height == trackLine) || !ok || !track && !strings.Contains(l, "slider "+strconv.Itoa(k)) {
					t.Fatalf("line %d of %d is slider %d (%v, %v): %s", y, height, k, track, ok, l)
				}
				found = found || k == active
			}
			if _, _, ok := s.Hit(len(shown), height); !found || ok {
				t.Fatalf("slider %d of 5 in %d lines: shown %v", active, height, found)
			}
		}
	}
	s.Active = 2
	if s.Move(-5); s.Active != 0 {
		t.Errorf("up leads to %d", s.Active)
	}
	if s.Move(9); s.Active != 4 || s.Height() != 10 {
		t.Errorf("down leads to %d of %d lines", s.Active, s.Height())
	}
	s.Typing(true)
	if !s.IsTyping() {
		t.Error("nothing is typed")
	}
	if s.Typing(false); s.IsTyping() {
		t.Error("typing goes on")
	}
}

// A value beyond the track comes back to its end first; one typed there is refused.
func TestBeyondTheTrack(t *testing.T) {
	s := stackOf(1)
	d := s.Current()
	for _, c := range []struct{ from, to, move float64 }{{14, 10, -1}, {-3, 0, 1}, {10, 10, 1}, {0, 0, -1}, {9.5, 10, 1},
		{0.5, 0, -1}} {
		d.Set(c.from)
		d.Move(int(c.move))
		if v, _ := d.Value(); v != c.to {
			t.Errorf("from %g a step of %g leads to %g", c.from, c.move, v)
		}
	}
	for typed, ok := range map[string]bool{"0": true, "10": true, "-0.1": false, "10.1": false, "NaN": false, "Inf": false,
		"x": false} {
		d.Begin()
		d.Type(typed)
		if _, err := d.Commit(); (err == nil) != ok {
			t.Errorf("%s: %v", typed, err)
		}
		if !ok && (!d.Typing() || len(strings.Split(d.View(theme.New("", true, false), 12), "\n")) != Height) {
			t.Errorf("%s: typing %v:\n%s", typed, d.Typing(), d.View(theme.New("", true, false), 12))
		}
	}
	if changed, err := New(Config{}).Commit(); changed || err != nil {
		t.Error("a commit of nothing")
	}
}

// The column at the loose end takes a limit away, the one beside it does not.
func TestClicksAtTheLooseEnd(t *testing.T) {
	for _, c := range []struct {
		direction Direction
		x         int
		on        bool
	}{{AtLeast, -1, false}, {AtLeast, 0, false}, {AtLeast, 1, true}, {AtLeast, 19, true}, {AtMost, 0, true}, {AtMost, 18,
		true},
		{AtMost, 19, false}, {AtMost, 20, false}, {Exactly, 0, true}, {Exactly, 19, true}} {
		s := New(Config{Direction: c.direction, Hi: 10, Step: func(float64) float64 { return 1 }})
		s.Set(5)
		if changed := s.Click(c.x, 20); !changed {
			t.Errorf("direction %d: a click on column %d changes nothing", c.direction, c.x)
		}
		v, on := s.Value()
		if want := math.Round((math.Max(float64(min(c.x, 19)), 0) + 0.5) / 2); on != c.on || on && math.Abs(v-want) > 0.6 {
			t.Errorf("direction %d: a click on column %d leads to %g, %v", c.direction, c.x, v, on)
		}
		if s.Click(5, 1) {
			t.Error("a track of one cell is clicked")
		}
	}
}

func TestTurningAFloorIntoACeiling(t *testing.T) {
	th := theme.New("", true, false)
	s := New(Config{Label: "x", Direction: AtLeast, Hi: 10, Format: func(float64) string { return "v" },
		Step: func(float64) float64 { return 1 }})
	// Of a floor the right part is allowed, of a ceiling the left one, and of one that is off all.
	tracks := map[Direction]string{AtLeast: "╌╌╌╌╌├━━━━", AtMost: "━━━━━┤╌╌╌╌", Exactly: "━━━━━●━━━━"}
	for direction, want := range tracks {
		s.SetDirection(direction)
		s.Set(5)
		if got := strings.Split(ansi.Strip(s.View(th, 10)), "\n")[1]; got != want {
			t.Errorf("direction %d is drawn as %s, not %s", direction, got, want)
		}
	}
	s.SetDirection(AtLeast)
	if s.Off(); !strings.Contains(ansi.Strip(s.View(th, 10)), "any") {
		t.Errorf("off it reads %s", ansi.Strip(s.View(th, 10)))
	}
	if s.SetDirection(AtMost); strings.Split(ansi.Strip(s.View(th, 10)), "\n")[1] != "━━━━━━━━━┤" {
		t.Errorf("a ceiling that is off: %s", ansi.Strip(s.View(th, 10)))
	}
	if _, on := s.Value(); on {
		t.Error("another direction switches a limit on")
	}
}

package slider

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/engine/quantity"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func accuracy() *Slider {
	return New(Config{Label: "accuracy", Direction: AtLeast, Lo: 0.5, Hi: 0.8, Format: quantity.Percent,
		Parse: quantity.ParseFraction})
}

func cost() *Slider {
	return New(Config{Label: "cost", Direction: AtMost, Log: true, Lo: 0.7, Hi: 50, Format: quantity.Money,
		Parse: quantity.ParseMoney})
}

func deadline() *Slider {
	return New(Config{Label: "deadline", Direction: AtMost, Log: true, Lo: 40, Hi: 86400, Format: quantity.Duration,
		Parse: quantity.ParseDuration, Step: DurationStep})
}

func epochs() *Slider {
	return New(Config{Label: "epochs", Direction: Exactly, Log: true, Lo: 1, Hi: 300, Format: quantity.Count,
		Parse: quantity.ParseCount, Step: CountStep})
}

func TestMovesAreRoundAndTheLooseEndIsOff(t *testing.T) {
	a := accuracy()
	if _, on := a.Value(); on {
		t.Fatal("a constraint begins off")
	}
	if a.Move(-1) {
		t.Error("moving away from the track changed something")
	}
	a.Move(1)
	if v, on := a.Value(); !on || v != 0.5 {
		t.Fatalf("first step: %v %v", v, on)
	}
	a.Move(3)
	if v, _ := a.Value(); math.Abs(v-0.515) > 1e-12 {
		t.Errorf("three steps of 0.005 from 0.5: %v", v)
	}
	a.Move(-4)
	if _, on := a.Value(); on {
		t.Error("past the loose end it must be off")
	}

	d := deadline()
	d.Set(3600)
	d.Move(1)
	if v, _ := d.Value(); v != 3900 {
		t.Errorf("one step up from an hour is %v s, want 3900", v)
	}
	d.Set(7260)
	d.Move(-1)
	if v, _ := d.Value(); v != 7200 {
		t.Errorf("one step down from 2 h 01 m is %v s, want 7200", v)
	}
	d.Set(86400)
	d.Move(1)
	if _, on := d.Value(); on {
		t.Error("a ceiling moved past its end must be off")
	}
	d.Move(-1)
	if v, on := d.Value(); !on || v != 86400 {
		t.Errorf("coming back gives %v %v", v, on)
	}

	e := epochs()
	e.BigMove(-3)
	if v, on := e.Value(); !on || v != 1 {
		t.Errorf("one without a loose end stays at its end: %v %v", v, on)
	}
	e.Move(4)
	if v, _ := e.Value(); v != 5 {
		t.Errorf("four epochs more than 1: %v", v)
	}
}

func TestMovingUpAndDownStaysOnTheTrack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := []*Slider{accuracy(), cost(), deadline(), epochs()}[rapid.IntRange(0, 3).Draw(t, "slider")]
		lo, hi := s.Range()
		for range rapid.IntRange(1, 20).Draw(t, "moves") {
			before, was := s.Value()
			n := rapid.IntRange(-30, 30).Draw(t, "n")
			changed := s.Move(n)
			v, on := s.Value()
			if on && (v < lo || v > hi) {
				t.Fatalf("%s left the track: %v", s.Label(), v)
			}
			if changed != (on != was || on && v != before) {
				t.Fatalf("changed = %v, from %v %v to %v %v", changed, before, was, v, on)
			}
			if on && was && (n > 0 && v < before || n < 0 && v > before) {
				t.Fatalf("moved the wrong way: %v → %v by %d", before, v, n)
			}
		}
	})
}

func TestEveryValueCanBeReached(t *testing.T) {
	for _, s := range []*Slider{accuracy(), cost(), deadline(), epochs()} {
		lo, hi := s.Range()
		s.Set(lo)
		steps := 0
		for v, on := s.Value(); on && v < hi; v, on = s.Value() {
			if s.Move(1); steps > 400 {
				t.Fatalf("%s: more than 400 steps from end to end", s.Label())
			}
			steps++
		}
		if steps < 20 {
			t.Errorf("%s: only %d steps from end to end", s.Label(), steps)
		}
	}
}

func TestTyping(t *testing.T) {
	c := cost()
	c.Begin()
	for _, k := range []string{"$", "1", "2", "x"} {
		c.Type(k)
	}
	if _, err := c.Commit(); err == nil || !c.Typing() {
		t.Fatal("nonsense must be refused and typing go on")
	}
	if got := ansi.Strip(c.View(theme.New("", true, false), 60)); !strings.Contains(got, "write 10 or $2.50") {
		t.Errorf("the mend isn't shown: %q", got)
	}
	c.Backspace()
	if changed, err := c.Commit(); err != nil || !changed {
		t.Fatalf("commit: %v %v", changed, err)
	}
	if v, on := c.Value(); !on || v != 12 {
		t.Errorf("typed $12, got %v %v", v, on)
	}
	c.Begin()
	c.Type("99")
	c.Cancel()
	if v, _ := c.Value(); v != 12 {
		t.Errorf("cancel changed the value to %v", v)
	}
	c.Begin()
	if changed, err := c.Commit(); err != nil || !changed {
		t.Errorf("nothing typed must take the constraint away: %v %v", changed, err)
	}
	if _, on := c.Value(); on {
		t.Error("still on")
	}
	c.Begin()
	c.Type("\x1b[31m7\x07")
	if _, err := c.Commit(); err != nil || c.value != 7 {
		t.Errorf("control characters got into the value: %v, %v", c.value, err)
	}
}

func TestClickGoesWhereThePointerIs(t *testing.T) {
	for _, s := range []*Slider{accuracy(), cost(), deadline()} {
		const width = 60
		for x := 1; x < width-1; x++ {
			s.Click(x, width)
			if got := s.knob(width); got < x-2 || got > x+2 {
				v, _ := s.Value()
				t.Errorf("%s: click at %d put the knob at %d (%v)", s.Label(), x, got, v)
			}
		}
	}
	c := cost()
	c.Set(3)
	if !c.Click(99, 60) || c.on {
		t.Error("dragging a ceiling beyond its end must take it away")
	}
	if c.Click(3, 1) {
		t.Error("a track without width was clicked")
	}
}

func TestBins(t *testing.T) {
	c := cost()
	bins := c.Bins([]float64{0.7, 0.7, 50, 500, 0, -1, math.NaN(), math.Inf(1), math.Sqrt(0.7 * 50)}, 5)
	if want := []int{2, 0, 1, 0, 2}; len(bins) != 5 || bins[0] != want[0] || bins[2] != want[2] || bins[4] != want[4] {
		t.Errorf("bins = %v, want %v", bins, want)
	}
}

func TestViewIsExactAndShowsWhatItKnows(t *testing.T) {
	for _, symbols := range []string{"braille", "ascii"} {
		sym, _ := theme.SymbolSet(symbols)
		th := theme.New("", true, false).WithSymbols(sym)
		for _, s := range []*Slider{accuracy(), cost(), deadline(), epochs()} {
			s.Histogram = []int{3, 0, 0, 9, 200, 4, 0, 0, 1}
			s.Marks = []float64{2, math.NaN(), 0.6, 1e9}
			s.SetNote("1,204 ok")
			s.Set(0.6)
			s.Binds = true
			for w := 1; w < 70; w++ {
				for i, line := range text.Lines(s.View(th, w)) {
					if text.Width(line) != w {
						t.Fatalf("%s %d: line %d is %d cells", s.Label(), w, i, text.Width(line))
					}
				}
			}
		}
	}
	th := theme.New("mono", true, true)
	a := accuracy()
	a.Histogram = []int{1, 2, 4, 0, 0, 0, 0, 0, 2, 9}
	a.SetNote("1,204 ok")
	a.Set(0.62)
	a.Binds = true
	lines := text.Lines(ansi.Strip(a.View(th, 40)))
	if want := "accuracy ≥ 62.0 %  ▸ binds      1,204 ok"; lines[0] != want {
		t.Errorf("head\n%q, want\n%q", lines[0], want)
	}
	if want := "▃▃▃▃▄▄▄▄▆▆▆▆╌╌╌╌├━━━━━━━━━━━━━━━▄▄▄▄████"; lines[1] != want {
		t.Errorf("track\n%q, want\n%q", lines[1], want)
	}
	// A ceiling's bars are lit up to its knob: the rest is drawn in another pen.
	c := New(Config{Label: "power", Direction: AtMost, Lo: 0, Hi: 10, Format: quantity.Count})
	c.Histogram = []int{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}
	c.Set(5)
	pens := map[int]theme.Pen{}
	for _, x := range []int{2, 7} {
		pens[x], _ = c.cell(th, x, 5, 3, false)
	}
	if pens[2] != th.Track || pens[7] == th.Track {
		t.Errorf("pens left and right of a ceiling's knob: %+v", pens)
	}
	a.Off()
	if got := ansi.Strip(a.View(th, 40)); !strings.HasPrefix(got, "accuracy any ") || strings.Contains(got, "binds") {
		t.Errorf("off:\n%s", got)
	}
}

func TestTheSentenceAboutATypedValueIsReadWhole(t *testing.T) {
	d := deadline()
	d.Begin()
	d.Type("abc")
	if _, err := d.Commit(); err == nil || d.err != err.Error() {
		t.Fatalf("error %v, shown %q", err, d.err)
	}
	th := theme.New("", true, false)
	lines := strings.Split(ansi.Strip(d.View(th, 35)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if got := strings.Join(lines, " "); got != d.err {
		t.Errorf("shown is %q of %q", got, d.err)
	}
	d.Type("1")
	if d.err != "" || strings.Contains(ansi.Strip(d.View(th, 35)), "duration") {
		t.Error("the sentence stays after the next key")
	}
}

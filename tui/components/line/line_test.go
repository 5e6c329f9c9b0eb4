package line

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/tui/text"
)

func TestALineIsEditedWhereItsCursorIs(t *testing.T) {
	var l Line
	l.Set("python3 train.py\x1b[2J")
	for _, k := range []tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyLeft}, {Code: tea.KeyLeft},
		{Code: tea.KeyBackspace}, {Code: 'd', Text: "d"}} {
		l.Update(k)
	}
	if got := l.Value(); got != "python3 traid.py" {
		t.Errorf("value is %q", got)
	}
	l.Update(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	l.Type("x\x1b[31m\ny")
	if got := l.Value(); got != "x y.py" {
		t.Errorf("after ctrl+u and a paste it is %q", got)
	}
}

// The keys of a shell's line, in any order and anywhere in the text.
func TestNoKeyLeadsOutOfTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Line
		l.Set(rapid.StringOfN(rapid.SampledFrom([]rune("ab 数")), 0, 6, -1).Draw(t, "text"))
		for _, k := range rapid.SliceOfN(rapid.SampledFrom([]tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyRight},
			{Code: tea.KeyHome}, {Code: tea.KeyEnd}, {Code: tea.KeyBackspace}, {Code: tea.KeyDelete}, {Code: 'x', Text: "x"},
			{Code: ' ', Text: " "}, {Code: 'd', Mod: tea.ModAlt}, {Code: 'b', Mod: tea.ModAlt}, {Code: 'f', Mod: tea.ModAlt},
			{Code: 'w', Mod: tea.ModCtrl}, {Code: 'k', Mod: tea.ModCtrl}, {Code: 'u', Mod: tea.ModCtrl},
			{Code: 't', Mod: tea.ModCtrl}, {Code: tea.KeyBackspace, Mod: tea.ModAlt}, {Code: tea.KeyUp}, {Code: tea.KeyTab},
		}), 0, 20).Draw(t, "keys") {
			l.Update(k)
			if got := text.Width(l.View(8)); got != 8 {
				t.Fatalf("%d cells of 8", got)
			}
		}
	})
}

func TestTheLastCharacterIsAWordToo(t *testing.T) {
	var l Line
	l.Set("one two")
	l.Update(tea.KeyPressMsg{Code: tea.KeyLeft})
	l.Update(tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt})
	if got := l.Value(); got != "one tw" {
		t.Errorf("alt+d on the last character leaves %q", got)
	}
}

func TestViewIsExactAndShowsTheCursorsSurroundings(t *testing.T) {
	var l Line
	l.Set(strings.Repeat("日本 ", 30) + "the end")
	for w := range 60 {
		if got := l.View(w); text.Width(got) != w {
			t.Errorf("%d cells instead of %d", text.Width(got), w)
		}
	}
	if got := ansi.Strip(l.View(12)); !strings.Contains(got, "the end") {
		t.Errorf("the end is out of sight: %q", got)
	}
	l.Update(tea.KeyPressMsg{Code: tea.KeyHome})
	if got := ansi.Strip(l.View(12)); !strings.HasPrefix(got, "日本") {
		t.Errorf("the beginning is out of sight: %q", got)
	}
}

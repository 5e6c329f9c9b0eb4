package line

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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

package helpoverlay

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func TestHelpFitsAndScrollsToItsEnd(t *testing.T) {
	th := theme.New("", true, false)
	var o Overlay
	o.Open()
	draw := func(w, h int) string { return o.View(th, keys.Default(), keys.InRanking, nil, w, h) }
	for w := 1; w < 120; w += 7 {
		for h := 1; h < 60; h += 5 {
			lines := text.Lines(draw(w, h))
			if len(lines) > h {
				t.Fatalf("%d×%d: %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if text.Width(l) > w {
					t.Fatalf("%d×%d: %d cells", w, h, text.Width(l))
				}
			}
		}
	}
	if got := ansi.Strip(draw(80, 20)); !strings.Contains(got, "Screens") || strings.Contains(got, "Program") {
		t.Errorf("the beginning:\n%s", got)
	}
	o.Key(keys.Bottom)
	if got := ansi.Strip(draw(80, 20)); !strings.Contains(got, "ctrl+c") || strings.Contains(got, "Screens") {
		t.Errorf("the end:\n%s", got)
	}
	o.Key(keys.Down)
	o.Key(keys.Up)
	if !o.Visible() {
		t.Error("scrolling closed the help")
	}
	o.Key(keys.Help)
	if o.Visible() {
		t.Error("another key must close the help")
	}
}

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

// Pages are ten lines, and no key scrolls beyond the text.
func TestKeysScrollTheHelp(t *testing.T) {
	th := theme.New("", true, false)
	var o Overlay
	o.Open()
	draw := func() { o.View(th, keys.Default(), keys.InRanking, nil, 80, 20) }
	draw()
	for _, c := range []struct {
		key  keys.Action
		want int
	}{{keys.PageDown, 10}, {keys.BigRight, 20}, {keys.Down, 21}, {keys.PageUp, 11}, {keys.BigLeft, 1}, {keys.Up, 0},
		{keys.Up, 0}, {keys.PageUp, 0}, {keys.PageDown, 10}, {keys.Top, 0}, {keys.Bottom, o.most}, {keys.Down, o.most},
		{keys.PageDown, o.most}} {
		if o.Key(c.key); o.top != c.want || !o.Visible() {
			t.Errorf("%s leads to line %d, not %d", c.key, o.top, c.want)
		}
		draw()
	}
	if o.most < 20 {
		t.Errorf("all but %d lines fit", o.most)
	}
	if o.Open(); o.top != 0 {
		t.Error("opened again it begins below its beginning")
	}
	// Where all fits nothing scrolls, and the note does not say so.
	if got := ansi.Strip(o.View(th, keys.Default(), keys.InRanking, nil, 130, 500)); strings.Contains(got,
		"scroll with") ||
		o.most != 0 {
		t.Errorf("%d lines are below:\n%s", o.most, got)
	}
}

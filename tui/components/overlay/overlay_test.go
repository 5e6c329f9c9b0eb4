package overlay

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func TestBoxStandsInTheMiddle(t *testing.T) {
	base := strings.TrimSuffix(strings.Repeat("abcdefgh\n", 4), "\n")
	if got := ansi.Strip(Center(base, "12\n34", 8, 4)); got != "abcdefgh\nabc12fgh\nabc34fgh\nabcdefgh" {
		t.Errorf("got\n%s", got)
	}
}

func TestSizeStays(t *testing.T) {
	th := theme.New("", true, false)
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 8).Draw(t, "h")
		base := text.Block([]string{th.Good.Render("日本語 wide runes"), "plain line of text", th.Bad.Render("red")}, w, h)
		box := text.Block([]string{th.Key.Render("box"), "漢字"}, rapid.IntRange(0, 40).Draw(t, "bw"),
			rapid.IntRange(0, 12).Draw(t, "bh"))
		lines := text.Lines(Center(base, box, w, h))
		if len(lines) != h {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		for _, l := range lines {
			if text.Width(l) != w {
				t.Fatalf("%d cells, want %d: %q", text.Width(l), w, l)
			}
		}
	})
}

package keys

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// No width that a terminal may have costs the help a word: what is too long
// for its line goes on below.
func TestHelpIsWrappedAndNotCut(t *testing.T) {
	th := theme.New("", true, false)
	table, err := Default().Remap(map[string][]string{"sort": {"ctrl+alt+s", "ctrl+alt+o", "ctrl+alt+p", "alt+r"}})
	if err != nil {
		t.Fatal(err)
	}
	why := func(a Action) string {
		if a == Undo {
			return "there is nothing that could be undone here"
		}
		return ""
	}
	for width := 36; width < 200; width++ {
		lines := table.HelpLines(th, InForm, width, why)
		all := ""
		for _, l := range lines {
			if text.Width(l) > width {
				t.Fatalf("%d cells wide: %q takes %d", width, ansi.Strip(l), text.Width(l))
			}
			all += " " + ansi.Strip(l)
		}
		if strings.Contains(all, th.Symbols.Ellipsis) {
			t.Fatalf("%d cells wide, something is cut:\n%s", width, strings.Join(lines, "\n"))
		}
		for _, b := range table.Bindings() {
			for _, word := range strings.Fields(strings.ReplaceAll(b.Long, "-",
				" ") + " " + strings.Join(b.Keys[:min(len(b.Keys), 1)], "")) {
				if g, ok := glyphs[word]; ok {
					word = g
				}
				if !strings.Contains(all, word) {
					t.Fatalf("%d cells wide, %q of %s is missing", width, word, b.Action)
				}
			}
		}
	}
	if got := ansi.Strip(strings.Join(table.HelpLines(th, InForm, 60, why),
		" ")); !strings.Contains(strings.Join(strings.Fields(got), " "), "nothing that could be undone here)") {
		t.Error("the reason why an action can't be done is cut")
	}
}

func TestWhileTypingTheFooterShowsNoLetters(t *testing.T) {
	th := theme.New("", true, false)
	for _, width := range []int{40, 120} {
		got := Typing(th, width, true)
		if text.Width(got) != width || strings.TrimSpace(ansi.Strip(got)) != "⏎ accept  esc cancel  ctrl+u clear" {
			t.Errorf("%d cells: %q", text.Width(got), ansi.Strip(got))
		}
	}
}

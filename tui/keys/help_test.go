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

// What stands in the panel that has the keys is explained before the keys are, in
// signs that the terminal has.
func TestTheHelpExplainsThePanel(t *testing.T) {
	for _, name := range []string{"braille", "ascii"} {
		symbols, err := theme.SymbolSet(name)
		if err != nil {
			t.Fatal(err)
		}
		th := theme.New("", true, false).WithSymbols(symbols)
		for region, words := range map[string][]string{
			InRanking:        {"±", "P( )", "score", "CAR", "TAR", "spec", string(th.Symbols.Sweet)},
			InCrosshair:      {"frontier"},
			InSliders:        {"binds"},
			InFleetPolicies:  {"offer", "of on-demand", string(th.Symbols.Sweet)},
			InTrafficSchemes: {"extra", "p99"},
		} {
			for _, width := range []int{40, 76, 116} {
				all := ansi.Strip(strings.Join(Default().HelpLines(th, region, width, nil), "\n"))
				explained, keys, found := strings.Cut(all, "\nScreens")
				if !found || !strings.Contains(keys, "ctrl+c") || !strings.HasPrefix(explained, "What stands in this panel") {
					t.Fatalf("%s explains %q", region, explained)
				}
				for _, word := range words {
					if !strings.Contains(explained, "\n"+word) && !strings.Contains(explained, " "+word) {
						t.Errorf("%s, %d cells: %s is not explained:\n%s", region, width, word, explained)
					}
				}
			}
		}
	}
	if got := Default().HelpLines(theme.New("", true, false), InForm, 80, nil); !strings.Contains(got[0], "Screens") {
		t.Errorf("the help of the form begins with %q", got[0])
	}
}

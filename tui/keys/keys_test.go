package keys

import (
	"flag"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

var write = flag.Bool("write", false, "write docs/KEYS.md")

func regions() []string {
	return []string{InSliders, InPlot, InCrosshair, InRanking, InInspector, InForm, InChoice, InStart, InRun, InEnded,
		InFleet, InTraffic, InModels, InRuns, InVMs, InPicks, InImport, InExportForms, InExportPreview}
}

func TestDefaultsAreSoundAndComplete(t *testing.T) {
	table := Default() // panics where a key means two things
	seen := map[Action]bool{}
	for _, b := range table.Bindings() {
		if seen[b.Action] {
			t.Errorf("%s has two rows", b.Action)
		}
		seen[b.Action] = true
		if b.Help == "" || b.Long == "" || b.Group == "" || len(b.Keys) == 0 {
			t.Errorf("%s lacks words or keys: %+v", b.Action, b)
		}
		for _, k := range b.Keys {
			if c, ok := canonicalKey(k); !ok || c != k {
				t.Errorf("%s: key %q is written %q", b.Action, k, c)
			}
		}
	}
}

func TestPressesResolve(t *testing.T) {
	table := Default()
	for _, c := range []struct {
		press  tea.KeyPressMsg
		region string
		want   Action
	}{
		{tea.KeyPressMsg{Code: 'x', Text: "x"}, InRanking, Pick},
		{tea.KeyPressMsg{Code: tea.KeyTab}, InForm, FocusNext},
		{tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}, InForm, FocusPrev},
		{tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, InRanking, Pin},
		{tea.KeyPressMsg{Code: 'g', ShiftedCode: 'G', Mod: tea.ModShift, Text: "G"}, InRanking, Bottom},
		{tea.KeyPressMsg{Code: tea.KeyLeft}, InFleet, Left},
		{tea.KeyPressMsg{Code: tea.KeyEnter}, InSliders, Enter},
		{tea.KeyPressMsg{Code: tea.KeyEscape}, InSliders, Back},
		{tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, InRun, Interrupt},
		{tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl | tea.ModAlt}, InForm, Interrupt},
		{tea.KeyPressMsg{Code: tea.KeyPgDown}, InRanking, PageDown},
		{tea.KeyPressMsg{Code: '?', Text: "?"}, InLibrary, Help},
		{tea.KeyPressMsg{Code: '.', Text: "."}, InRun, Stop},
		{tea.KeyPressMsg{Code: '3', Text: "3"}, InRun, Fleet},
		{tea.KeyPressMsg{Code: 'z', Text: "z"}, InPlot, ZoomIn},
		{tea.KeyPressMsg{Code: 'z', ShiftedCode: 'Z', Mod: tea.ModShift, Text: "Z"}, InCrosshair, ZoomOut},
		{tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModShift}, InPlot, PanLeft},
	} {
		if got, ok := table.Resolve(c.press, c.region); !ok || got != c.want {
			t.Errorf("%q in %s is %q, want %q", c.press.String(), c.region, got, c.want)
		}
	}
	if a, ok := table.Resolve(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}, InRanking); ok || a != "" {
		t.Errorf("alt+x is %s", a)
	}
	if a, ok := table.ResolveKey("x", InRun); ok {
		t.Errorf("x while a probe runs is %s", a)
	}
	if a, ok := table.ResolveKey("Z", InRanking); ok {
		t.Errorf("Z is %s", a)
	}
}

func TestRemap(t *testing.T) {
	table, err := Default().Remap(map[string][]string{"pick": {"_", "Ctrl+P"}, "export": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]Action{"_": Pick, "ctrl+p": Pick, "x": Export} {
		if got, _ := table.ResolveKey(key, InRanking); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if _, ok := table.ResolveKey("e", InRanking); ok {
		t.Error("the old key still works")
	}
	th := theme.New("", true, false)
	if got := ansi.Strip(table.Footer(th, InRanking, 200, nil)); !strings.Contains(got, "x export") ||
		!strings.Contains(got, "_ pick") {
		t.Errorf("the footer shows other keys: %s", got)
	}
	if got := ansi.Strip(strings.Join(table.HelpLines(th, InRanking, 100, nil), "\n")); !strings.Contains(got,
		"_ ctrl+p") {
		t.Errorf("the help shows other keys:\n%s", got)
	}
}

func TestRemapRefusesInOneSentence(t *testing.T) {
	for _, c := range []struct {
		keys map[string][]string
		want string
	}{
		{map[string][]string{"pick": {"e"}}, `key "e" can't mean both`},
		{map[string][]string{"pikc": {"e"}}, `no action "pikc" to give keys to`},
		{map[string][]string{"picks": {"z"}}, "(pick?)"},
		{map[string][]string{"pick": {"hyper+x"}}, "is not a key for pick"},
		{map[string][]string{"pick": {""}}, "is not a key for pick"},
		{map[string][]string{"quit": {}}, "needs a key"},
		{map[string][]string{"\x1b[31mevil\n": {"z"}}, "no action"},
	} {
		_, err := Default().Remap(c.keys)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.keys, err, c.want)
			continue
		}
		if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("not one clean sentence: %q", err)
		}
	}
}

func TestFooterIsExactAndKeepsWhatMatters(t *testing.T) {
	for _, name := range []string{"braille", "ascii"} {
		sym, _ := theme.SymbolSet(name)
		th := theme.New("", true, false).WithSymbols(sym)
		for _, region := range regions() {
			for w := range 160 {
				got := Default().Footer(th, region, w, nil)
				if text.Width(got) != w {
					t.Fatalf("%s at %d: %d cells", region, w, text.Width(got))
				}
				plain := ansi.Strip(got)
				if w >= 40 && (!strings.Contains(plain, "? help") || !strings.Contains(plain, "q quit")) {
					t.Fatalf("%s at %d hides the way out: %q", region, w, plain)
				}
			}
		}
	}
	th := theme.New("", true, false)
	got := ansi.Strip(Default().Footer(th, InSliders, 150, nil))
	if !strings.HasPrefix(got, " ←→ [ ] move  ⏎ type  tab focus ") {
		t.Errorf("sliders: %q", got)
	}
	if run := ansi.Strip(Default().Footer(th, InRun, 80, nil)); !strings.Contains(run, ". stop and save") ||
		!strings.Contains(run, "esc cancel") {
		t.Errorf("run: %q", run)
	}
}

func TestFooterOfEveryStep(t *testing.T) {
	th := theme.New("", true, false)
	for _, c := range []struct {
		region string
		width  int
		has    []string
		lacks  []string
	}{
		{InSliders, 50, []string{"←→", "tab", "x pick", "m model", "p probe", "? help", "q quit"}, nil},
		{InRanking, 50, []string{"↑↓", "tab", "x pick", "m model", "p probe", "? help", "q quit"}, nil},
		{InSliders, 120, []string{"←→ [ ] move", "⏎ type", "tab focus", "/ filter", "s sort", "␣ pin", "x pick",
			"e export", "u undo", "m model", "p probe", "? help", "q quit"}, nil},
		{InSliders, 200, []string{"w mode", "b batch", "$ price", "c cloud", "n GPU", "v variant", "f hide", "0 clear",
			"a axes"}, nil},
		{InPlot, 120, []string{"←→ frontier", "z Z zoom", "x pick"}, nil},
		{InPlot, 132, []string{"e export"}, nil},
		{InPlot, 220, []string{"= whole", "i read", "⇧← ⇧→ ⇧↑ ⇧↓ pan"}, nil},
		{InCrosshair, 120, []string{"←→ ↑ ↓ crosshair", "⏎ select", "esc back", "z Z zoom"}, []string{"frontier"}},
		{InRanking, 120, []string{"⏎ why", "e export", "u undo"}, nil},
		{InForm, 120, []string{"⏎ edit", "↑↓ fields", "p start"}, []string{"␣", "←", "pin", "tab"}},
		{InChoice, 120, []string{"←→ change", "␣ switch"}, []string{"pin", "tab"}},
		{InStart, 120, []string{"⏎ p start"}, []string{"␣", "edit"}},
		{InEnded, 120, []string{"⏎ form", "p again"}, []string{"␣", "edit", "tab"}},
		{InRun, 120, []string{". stop and save", "esc cancel"}, []string{"tab"}},
		{InModels, 120, []string{"⏎ rank", "tab next list", "D delete", "E rename"}, []string{"pin", "note", "export"}},
		{InRuns, 120, []string{"⏎ rank", "D delete", "E rename", "A note"}, []string{"pin", "export"}},
		{InVMs, 120, []string{"s sort"}, []string{"pin", "delete", "export", "⏎"}},
		{InPicks, 120, []string{"⏎ rank", "e export", "D delete", "A note"}, []string{"pin", "rename"}},
		{InImport, 120, []string{"s sort", "I import"}, []string{"delete", "rename", "⏎"}},
		{InExportForms, 120, []string{"↑↓ formats", "⏎ write", "tab preview", "y copy", "esc "},
			[]string{"open", "export", "sort", "undo"}},
		{InExportPreview, 50, []string{"↑↓", "⏎ write", "tab", "esc ", "y copy"}, []string{"open", "export"}},
	} {
		got := ansi.Strip(Default().Footer(th, c.region, c.width, nil))
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s at %d lacks %q: %s", c.region, c.width, want, got)
			}
		}
		for _, not := range c.lacks {
			if strings.Contains(got, not) {
				t.Errorf("%s at %d offers %q, which does nothing there: %s", c.region, c.width, not, got)
			}
		}
	}
}

func TestHelpSaysWhyNot(t *testing.T) {
	th := theme.New("", true, false)
	lines := Default().HelpLines(th, InRanking, 120, func(a Action) string {
		if a == Undo {
			return "nothing to undo"
		}
		return ""
	})
	all := ansi.Strip(strings.Join(lines, "\n"))
	for _, want := range []string{"nothing to undo", "(on Probe)", "Moving", "← h"} {
		if !strings.Contains(all, want) {
			t.Errorf("help lacks %q:\n%s", want, all)
		}
	}
	for w := 1; w < 100; w++ {
		for _, l := range Default().HelpLines(th, InRanking, w, nil) {
			if text.Width(l) > w {
				t.Fatalf("line of %d cells in %d: %q", text.Width(l), w, ansi.Strip(l))
			}
		}
	}
}

func TestDocsListTheKeys(t *testing.T) {
	const path = "../../docs/KEYS.md"
	if *write {
		if err := os.WriteFile(path, []byte(Default().Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Default().Markdown() {
		t.Error("docs/KEYS.md is out of date: go test ./tui/keys -write")
	}
}

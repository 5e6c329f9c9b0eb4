package confirm

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// askQuit asks what becomes of a probe.
func askQuit() *Dialog {
	d := &Dialog{}
	d.Ask("Quit", "A probe is running. What should happen to it?",
		Answer{StopAndSave, "s", "stop and save", "end it at the next step and keep what it measured"},
		Answer{Detach, "d", "detach", "leave it running; it ends by its own rule and is saved"},
		Answer{Stay, "esc", "stay", "go back to the screen"})
	return d
}

func TestQuitWhileProbing(t *testing.T) {
	for _, c := range []struct {
		name string
		key  string
		act  []keys.Action
		want string
	}{
		{"escape stays", "esc", []keys.Action{keys.Back}, Stay},
		{"a second q stays", "q", []keys.Action{keys.Quit}, Stay},
		{"enter on what is marked first stays", "enter", []keys.Action{keys.Enter}, Stay},
		{"its key stops", "s", []keys.Action{keys.Sort}, StopAndSave},
		{"its key detaches", "d", []keys.Action{""}, Detach},
		{"up and enter detaches", "-", []keys.Action{keys.Up, keys.Enter}, Detach},
		{"down wraps round", "-", []keys.Action{keys.Down, keys.Enter}, StopAndSave},
	} {
		d := askQuit()
		answer, done := "", false
		for _, a := range c.act {
			if done {
				t.Fatalf("%s: answered early", c.name)
			}
			answer, done = d.Key(c.key, a)
		}
		if !done || answer != c.want || d.Visible() {
			t.Errorf("%s: %q %v, still open: %v", c.name, answer, done, d.Visible())
		}
	}
	d := askQuit()
	if _, done := d.Key("z", ""); done || !d.Visible() {
		t.Error("another key answered")
	}
}

func TestViewFits(t *testing.T) {
	th := theme.New("", true, false)
	d := askQuit()
	for w := 1; w < 100; w += 3 {
		for h := 1; h < 12; h++ {
			lines := text.Lines(d.View(th, w, h))
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
	got := ansi.Strip(d.View(th, 80, 20))
	for _, want := range []string{"s   stop and save", "d   detach", "▸ esc stay"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

// words are those of a dialog without its borders and marks, one space apart.
func words(view string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "▸", " ").Replace(ansi.Strip(view))), " ")
}

func TestWhatAnAnswerLeadsToIsNeverCut(t *testing.T) {
	th := theme.New("", true, false)
	d := askQuit()
	for w := 40; w < 80; w++ {
		got := words(d.View(th, w, 24))
		for _, a := range d.answers {
			if !strings.Contains(got, a.Long) {
				t.Errorf("%d cells wide, %q is cut: %s", w, a.Long, got)
			}
		}
	}
	// Too low for all of it, the marked answer says what it leads to.
	for i, a := range d.answers {
		d.at = i
		got := words(d.View(th, 50, 8))
		for _, b := range d.answers {
			if !strings.Contains(got, b.Key+" "+b.Label) {
				t.Errorf("the answer %q is cut: %s", b.Label, got)
			}
		}
		if !strings.Contains(got, a.Long) {
			t.Errorf("%q is cut although it is marked: %s", a.Long, got)
		}
	}
}

// Lines stay lines, and where they have no room, the answers have it.
func TestLinesOfAQuestion(t *testing.T) {
	th := theme.New("", true, false)
	d := &Dialog{}
	d.Ask("Start?", "2 clusters for at most $1.10:\n  A100 at\x1b[2J $1\n  V100 at $2\n", Answer{Yes, "y", "start", ""},
		Answer{Stay, "n", "no", ""})
	lines := text.Lines(ansi.Strip(d.View(th, 60, 20)))
	for i, want := range []string{"Start?", "2 clusters for at most $1.10:", "A100 at $1", "V100 at $2", "", "y   start",
		"n   no"} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Fatalf("line %d lacks %q:\n%s", i, want, strings.Join(lines, "\n"))
		}
	}
	low := ansi.Strip(d.View(th, 60, 6))
	for _, want := range []string{"2 clusters", "…", "y   start", "n   no"} {
		if !strings.Contains(low, want) {
			t.Errorf("6 lines lack %q:\n%s", want, low)
		}
	}
}

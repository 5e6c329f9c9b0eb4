package chooser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/theme"
)

func of(labels ...string) (out []Choice) {
	for _, l := range labels {
		out = append(out, Choice{Values: []string{l}, Label: l})
	}
	return out
}

func ask(several bool, choices ...Choice) *Chooser {
	var c Chooser
	c.Ask(Question{Title: "Model", Choices: choices, Several: several})
	return &c
}

// press gives keys by name; the last one's answer is returned.
func press(c *Chooser, names ...string) (values []string, done bool) {
	for _, n := range names {
		typed := n
		if len(n) > 1 {
			typed = ""
		}
		values, done = c.Key(n, typed)
	}
	return values, done
}

func TestEnterTakesTheFirstLine(t *testing.T) {
	next := Choice{Values: []string{"b"}, Label: "next: b", Always: true}
	c := ask(false, append([]Choice{next}, of("a", "b", "c")...)...)
	if got, done := press(c, "enter"); !done || !slices.Equal(got, []string{"b"}) || c.Visible() {
		t.Errorf("%q %v", got, done)
	}
	c = ask(false, append([]Choice{next}, of("a", "b", "c")...)...)
	if got, done := press(c, "down", "down", "down", "down", "down", "enter"); !done || got[0] != "c" {
		t.Errorf("at the end %q %v", got, done)
	}
	c = ask(false, of("a")...)
	if got, done := press(c, "esc"); done || got != nil || c.Visible() {
		t.Errorf("esc gives %q", got)
	}
}

func TestTypingNarrows(t *testing.T) {
	choices := append([]Choice{{Values: []string{"x"}, Label: "next: resnet50", Always: true}},
		of("vit_small", "old resnet18", "resnet18", "ResNet50", "a b")...)
	for typed, want := range map[string]string{"resnet": "resnet18", "RESNET5": "ResNet50", "18 old": "old resnet18",
		"a ": "a b"} {
		c := ask(false, choices...)
		for _, r := range typed {
			name := string(r)
			if r == ' ' {
				name = "space"
			}
			press(c, name)
		}
		if got, _ := press(c, "enter"); len(got) != 1 || got[0] != want {
			t.Errorf("%q finds %q, not %s", typed, got, want)
		}
	}
	c := ask(false, choices...)
	if got, done := press(c, "z", "z", "enter"); done || got != nil || !c.Visible() {
		t.Errorf("nothing matches and gives %q", got)
	}
	if got, _ := press(c, "backspace", "backspace", "backspace", "enter"); got[0] != "x" {
		t.Errorf("emptied it gives %q", got)
	}
}

func TestSpaceMarksSeveral(t *testing.T) {
	all := Choice{Label: "all", Always: true}
	c := ask(true, append([]Choice{all}, of("32", "64", "128")...)...)
	got, _ := press(c, "space", "down", "space", "down", "down", "space", "enter")
	if !slices.Equal(got, []string{"32", "128"}) {
		t.Errorf("%q", got)
	}
	c = ask(true, append([]Choice{all}, of("32", "64", "128")...)...)
	if got, done := press(c, "down", "space", "space", "up", "enter"); !done || len(got) != 0 {
		t.Errorf("unmarked %q", got)
	}
}

// What is drawn fits, whatever the size, and says how many match.
func TestView(t *testing.T) {
	th := theme.New("dark", true, true)
	c := ask(true, append([]Choice{{Label: "all\x1b[2J", Always: true, On: true}}, of("32", "64", "128")...)...)
	press(c, "2")
	got := ansi.Strip(c.View(th, 60, 20))
	for _, want := range []string{"Model", "search 2", "2 of 3", "▸   32", "space marks several"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for w := range 80 {
		for h := range 24 {
			for _, l := range strings.Split(c.View(th, w, h), "\n") {
				if n := ansi.StringWidth(l); n > w {
					t.Fatalf("a line of %d cells on %d×%d", n, w, h)
				}
			}
		}
	}
}

// networks are labels of five thousand models.
func networks() []string {
	labels := make([]string, 5000)
	for i := range labels {
		labels[i] = fmt.Sprintf("network_%04d.variant", i)
	}
	return labels
}

func TestManyModels(t *testing.T) {
	c, th := ask(false, of(networks()...)...), theme.New("dark", true, true)
	for _, k := range []string{"n", "e", "t", "4", "9", "9", "9"} {
		press(c, k)
		c.View(th, 80, 24)
	}
	press(c, "backspace", "backspace", "backspace", "backspace", "space", "4", "9", "9", "9")
	if got, _ := press(c, "enter"); got[0] != "network_4999.variant" {
		t.Errorf("%q", got)
	}
}

// A key press in a list of thousands, and the frame that follows.
func BenchmarkChooser(b *testing.B) {
	c, th := ask(false, of(networks()...)...), theme.New("dark", true, true)
	for b.Loop() {
		press(c, "4")
		c.View(th, 80, 24)
		press(c, "backspace")
	}
}

// Where both have no room the note gives way to the label, not the label to the note.
func TestNotesGiveWay(t *testing.T) {
	th := theme.New("", true, false)
	c := ask(false, Choice{Values: []string{"a"}, Label: "a label of twenty-six cells", Note: "a note of some length"})
	for w, want := range map[int]string{30: "", 45: "a note of…", 70: "a note of some length"} {
		got := ansi.Strip(c.View(th, w, 10))
		if !strings.Contains(got, want) || w > 32 && !strings.Contains(got, "a label of twenty-six cells") ||
			want == "" && strings.Contains(got, "a note") {
			t.Errorf("at %d cells:\n%s", w, got)
		}
	}
}

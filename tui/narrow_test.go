package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	builtin "sweetspot/data/library"
	"sweetspot/engine/profile"
)

// decision is the head of Explore: its first line says what to rent.
func (d *driver) line(k int) string { return strings.TrimSpace(strings.Split(d.screen(), "\n")[k]) }

func TestTheDecisionFollowsTheSlider(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	first := d.line(1)
	want := "Rent 4× g3.16xlarge (M60) for all-conv at batch 300: 6 m 40 s, $2.03 ±10 %"
	if !strings.HasPrefix(first, want) {
		t.Fatalf("begins with %q", first)
	}
	if got := d.line(2); !strings.Contains(got, "12 configurations tie on cost; this is the fastest of them.") ||
		!strings.Contains(got, "P = 96 %") {
		t.Errorf("then %q", got)
	}
	seen := map[string]bool{first: true}
	for range 12 {
		d.press("]")
		said := d.line(1)
		if seen[said] = true; !strings.HasPrefix(said, "Rent ") && !strings.HasPrefix(said, "Nothing is within") {
			t.Fatalf("a step leads to %q", said)
		}
		d.exact()
	}
	if len(seen) < 3 {
		t.Errorf("12 big steps of accuracy say %v", seen)
	}
	d.press("0", "down", "enter", "0", ".", "0", "1", "enter")
	if got := d.line(1); !strings.HasPrefix(got, "Nothing is within these limits: cost rules out all 168 candidates") {
		t.Errorf("of a cent: %q", got)
	}
}

// m, b, n, v and c open a choice whose first line goes on; what narrows is a chip that
// backspace and a click take away.
func TestNarrowingByChoices(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	for _, c := range []struct{ keys, title, chip string }{
		{"b", "Only this batch size", "batch size: 1 ✗"},
		{"n", "Only this GPU", "GPU: K80 ✗"},
		{"v", "Only this variant", "variant: conv1-2 ✗"},
		{"c", "Only this cloud", "cloud: aws ✗"},
	} {
		d.press("0", c.keys)
		if s := d.screen(); !strings.Contains(s, c.title) {
			t.Errorf("%s does not ask %q:\n%s", c.keys, c.title, s)
		}
		d.exact()
		d.press("enter")
		if got := d.line(3); !strings.Contains(got, c.chip) && c.keys != "b" {
			t.Errorf("%s enter: %q", c.keys, got)
		}
		if strings.Contains(d.line(3), "✗") {
			d.press("backspace")
		}
		if got := d.line(3); strings.Contains(got, "✗") {
			t.Errorf("backspace leaves %q", got)
		}
	}
	d.press("n", "m", "6", "enter")
	if q := d.explore().Question(); len(q.GPUs) != 1 || q.GPUs[0] != "M60" {
		t.Errorf("typing m6 leads to %q", q.GPUs)
	}
	at := ansi.StringWidth(strings.Split(strings.Split(d.screen(), "\n")[3], "GPU: M60")[0])
	d.send(tea.MouseClickMsg{X: at + 1, Y: 3, Button: tea.MouseLeft})
	if q := d.explore().Question(); len(q.GPUs) != 0 {
		t.Errorf("a click on the chip leaves %q", q.GPUs)
	}
	d.send(tea.MouseClickMsg{X: 3, Y: 3, Button: tea.MouseLeft})
	if s := d.screen(); !strings.Contains(s, "next: CIFAR-10/ResNet-50") {
		t.Errorf("a click on the model asks nothing:\n%s", s)
	}
	d.press("esc", "v", "space", "down", "space", "down", "space", "enter")
	if q := d.explore().Question(); len(q.Variants) != 2 {
		t.Errorf("two marked of variants are %q", q.Variants)
	}
}

// Of hundreds of models one is found by typing a part of its name, one's own first.
func TestAModelOfHundreds(t *testing.T) {
	set := *published(t)
	set.Runs = append([]profile.Run(nil), set.Runs...)
	for _, r := range published(t).Runs {
		if r.Model != "CaffeNet" {
			continue
		}
		for k := range 300 {
			r.ID, r.Model = -100_000-int64(k), fmt.Sprintf("network_%03d", k)
			set.Runs = append(set.Runs, r)
		}
		r.ID, r.Model = 7, "zz mine"
		set.Runs = append(set.Runs, r)
		break
	}
	d := drive(t, 80, 24, &shelf{set: &set})
	d.press("m")
	lines := strings.Split(d.screen(), "\n")
	next, own := -1, -1
	for k, l := range lines {
		if next < 0 && strings.Contains(l, "next: ") {
			next = k
		}
		if strings.Contains(l, "zz mine") {
			own = k
		}
	}
	if next < 0 || own != next+1 || !strings.Contains(lines[own], "yours, 1 run inference") {
		t.Errorf("one's own does not come first:\n%s", d.screen())
	}
	d.press("_", "2", "9", "9", "enter")
	if q := d.explore().Question(); q.Model != "network_299" {
		t.Errorf("asks about %s", q.Model)
	}
	d.press("m", "enter")
	if q := d.explore().Question(); q.Model == "network_299" {
		t.Error("m enter stays where it was")
	}
}

// A language model is asked about by its architecture alone: its length is in tokens, and what
// each GPU needs is said.
func TestChoosesALanguageModel(t *testing.T) {
	known, err := builtin.Load()
	if err != nil {
		t.Fatal(err)
	}
	set := *published(t)
	set.Architectures, set.Throughputs = known.Architectures, known.Throughputs
	d := drive(t, 120, 40, &shelf{set: &set})
	d.press("m")
	d.press(strings.Split("llama-3.2-1b", "")...)
	d.press("enter")
	q := d.explore().Question()
	if q.Model != "llama-3.2-1b" || q.Tuning == nil || q.Epochs != nil || q.Units <= 0 {
		t.Fatalf("asks about %+v", q.Workload)
	}
	screen := d.screen()
	for _, want := range []string{"tokens", "LoRA rank 16", "each GPU needs", "of 16 GiB"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q:\n%s", want, screen)
		}
	}
	before := q.Units
	d.press("m", "enter")
	if q := d.explore().Question(); q.Tuning != nil || q.Model == "llama-3.2-1b" {
		t.Errorf("asks about %+v after %g tokens", q.Workload, before)
	}
}

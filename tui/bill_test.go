package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestBill(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("m", "enter") // the first model with prices in a region that has spot ones
	for !strings.Contains(d.screen(), "seismic/FCN") {
		d.press("m", "enter")
	}
	before := d.screen()
	d.press("B")
	if s := d.screen(); !strings.Contains(s, "as startup=90s disk=200GiB") {
		t.Errorf("nothing says how a bill is written:\n%s", s)
	}
	d.send(tea.PasteMsg{Content: "startup=90s egress=50GiB"})
	d.press("enter")
	if s := d.screen(); !strings.Contains(s, "belong together") || !strings.Contains(s, "egress=50GiB") {
		t.Errorf("what is wrong is not said, or what was typed is gone:\n%s", s)
	}
	d.send(tea.PasteMsg{Content: " egress-price=0.09"})
	d.press("enter", "$")
	s := d.screen()
	for _, want := range []string{"the cost: work $", " + startup $", " + interruptions $", " + egress $4.50",
		"are assumed to be interrupted"} {
		if !strings.Contains(s, want) {
			t.Errorf("nothing says %q:\n%s", want, s)
		}
	}
	if q := d.explore().Question(); q.Bill.String() != "startup=90s egress=50GiB egress-price=0.09" || q.Check() != nil {
		t.Errorf("asked %+v", q)
	}
	d.press("$", "$", "$", "u", "u", "u", "u", "u")
	if d.explore().Question().Bill.String() != "" ||
		strings.Contains(d.screen(), "the cost: ") != strings.Contains(before, "the cost: ") {
		t.Errorf("undone there is still a bill:\n%s", d.screen())
	}
	d.exact()
}

// Each bill is a step of its own: undo leads from the second to the first.
func TestBillsAreUndoneOneByOne(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	bill := func() string { return d.explore().Question().Bill.String() }
	for _, words := range []string{"startup=90s", " disk=5GiB disk-price=0.1"} {
		d.press("B")
		d.send(tea.PasteMsg{Content: words})
		d.press("enter")
	}
	second := bill()
	if d.press("u"); bill() != "startup=90s" || second == bill() {
		t.Errorf("from %q undo leads to %q", second, bill())
	}
	if d.press("u"); bill() != "" {
		t.Errorf("then to %q", bill())
	}
	if d.press("U", "U"); bill() != second {
		t.Errorf("redone it is %q", bill())
	}
}

// A pick that was predicted and billed comes back from the library with both, and
// selected, also after the limits were moved.
func TestAPredictedPickIsReopenedWithItsBill(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("P", "S", "B") // the dearest are predicted
	d.send(tea.PasteMsg{Content: "startup=90s"})
	d.press("enter", "right", "left", "tab", "tab", "tab", "down", "x")
	i, _ := d.explore().Selected()
	picked := d.explore().Answer().Result.Space.At(i)
	if !picked.IsPredicted() {
		t.Fatalf("picked %s, no prediction", picked.ID)
	}
	d.press("P", "B")
	for range "startup=90s" {
		d.press("backspace")
	}
	d.press("enter", "5", "tab", "tab", "tab", "enter")
	if q := d.explore().Question(); !q.Predicted || q.Bill.String() != "startup=90s" {
		t.Errorf("asks %+v", q)
	}
	i, ok := d.explore().Selected()
	if got := d.explore().Answer().Result.Space.At(i).ID; !ok || got != picked.ID {
		t.Errorf("selected %s, picked %s:\n%s", got, picked.ID, d.screen())
	}
}

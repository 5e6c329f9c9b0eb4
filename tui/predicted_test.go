package tui

import (
	"strings"
	"testing"
)

// What was never probed is ranked where that is asked for, says that it is a
// prediction, and can be probed next.
func TestPredictions(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("N")
	if s := d.screen(); !strings.Contains(s, "P adds what was never probed") {
		t.Errorf("no next probe, and not how to come to one:\n%s", s)
	}
	d.press("P")
	s := d.screen()
	for _, want := range []string{"□ spec", "but never probed", "predicted (spec): from ", "next probe: "} {
		if !strings.Contains(s, want) {
			t.Errorf("nothing says %q:\n%s", want, s)
		}
	}
	if strings.Contains(s, "168 of 168") {
		t.Errorf("no candidate was added:\n%s", s)
	}
	for _, size := range [][2]int{{80, 24}, {50, 15}} {
		small := drive(t, size[0], size[1], &shelf{set: published(t)})
		small.press("P")
		if s := small.screen(); !strings.Contains(s, "□ ") {
			t.Errorf("at %d columns nothing marks a prediction:\n%s", size[0], s)
		}
	}
	d.press("N")
	if s := d.screen(); !strings.Contains(s, "start the probe") || !strings.Contains(s, "next is CaffeNet, batch 300") || !strings.Contains(s, "VM under hosts") {
		t.Errorf("the form is not for it:\n%s", s)
	}
	d.press("1", "P")
	if s := d.screen(); !strings.Contains(s, "168 of 168") || strings.Contains(s, "□ spec") {
		t.Errorf("the predictions stay:\n%s", s)
	}
}

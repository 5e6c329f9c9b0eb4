package tui

import (
	"strings"
	"testing"
)

// C adds the exact frontier over combinations of VM types, says of how many, and
// the words about one list what each VM type does.
func TestCombinations(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("C")
	s := d.screen()
	for _, want := range []string{"the best of 109,368 combinations", "● M60 +2", "for the same cost"} {
		if !strings.Contains(s, want) {
			t.Errorf("nothing says %q:\n%s", want, s)
		}
	}
	d.press("s", "s", "s", "s", "tab", "tab", "tab", "enter") // by score
	words := strings.Join(strings.Fields(strings.ReplaceAll(d.screen(), "│", " ")), " ")
	for _, want := range []string{"in whole batches: ", "% of the work, batch 300, busy",
		"if the work could be split freely", "next cheaper: +", "/h together"} {
		if !strings.Contains(words, want) {
			t.Errorf("nothing says %q:\n%s", want, d.screen())
		}
	}
	d.press("esc", "C")
	if s := d.screen(); !strings.Contains(s, "168 of 168") || strings.Contains(s, "combinations") {
		t.Errorf("the combinations stay:\n%s", s)
	}
	d.press("w")
	d.press("m", "enter")
	if d.explore().Question().Mode != "train" {
		d.press("m", "enter")
	}
	d.press("C")
	if s := d.screen(); !strings.Contains(s, "are for inference only") {
		t.Errorf("a training can be combined:\n%s", s)
	}
}

// A pick is the answer to a whole question: from the library it comes back with
// that, and selected.
func TestAPickIsReopened(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("C", "s", "s", "s", "s", "tab", "tab", "tab", "down", "down", "x")
	i, _ := d.explore().Selected()
	picked := d.explore().Answer().Result.Space.At(i).ID
	if !strings.Contains(picked, "+") {
		t.Fatalf("picked %s, no combination", picked)
	}
	d.press("C", "g", "5", "tab", "tab", "tab", "enter")
	if q := d.explore().Question(); !q.Combine || q.Sort != "score" {
		t.Errorf("asks %+v", q)
	}
	i, ok := d.explore().Selected()
	if got := d.explore().Answer().Result.Space.At(i).ID; !ok || got != picked {
		t.Errorf("selected %s, picked %s:\n%s", got, picked, d.screen())
	}
}

package chips

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/theme"
)

func TestChips(t *testing.T) {
	th := theme.New("dark", true, true)
	all := []Chip{{ID: "model", Label: "model Res\x1b[2JNet"}, {ID: "gpus", Label: "GPU: A100, L4", Narrow: true},
		{ID: "batch", Label: "batch size: 64", Narrow: true}}
	for width, want := range map[int]string{
		80: " model ResNet ▾   GPU: A100, L4 ✗   batch size: 64 ✗                      3 runs",
		58: " model ResNet ▾   GPU: A100, L4 ✗   batch size: 64 ✗      ",
		40: " model ResNet ▾   GPU: A100, L4 ✗   +1",
		20: " model ResNet ▾   +2",
		8:  " model …",
	} {
		var l Line
		got := ansi.Strip(l.View(th, all, "3 runs", width))
		if strings.TrimRight(got, " ") != strings.TrimRight(want, " ") || ansi.StringWidth(got) != width {
			t.Errorf("%d cells:\n%q\n%q", width, got, want)
		}
		for _, c := range all {
			at := strings.Index(got, ansi.Strip(c.Label))
			if hit, ok := l.At(at + 2); at >= 0 && width > 8 && (!ok || hit.ID != c.ID) {
				t.Errorf("%d cells: %q is not found at %d", width, c.ID, at)
			}
		}
	}
	var l Line
	l.View(th, all, "", 80)
	if c, ok := l.At(0); ok {
		t.Errorf("before the first: %+v", c)
	}
	if c, ok := l.At(16); ok {
		t.Errorf("between two: %+v", c)
	}
}

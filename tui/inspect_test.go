package tui

import (
	"strings"
	"testing"
)

// At every size enter on a row shows all there is to say about it, and leaves
// again.
func TestInspection(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 15}, {40, 10}} {
		d := drive(t, size[0], size[1], &shelf{set: published(t)})
		d.press("tab", "tab")
		if size[0] >= 120 {
			d.press("tab")
		}
		if size[0] < 80 { // no plots
			d.press("shift+tab")
		}
		before := d.screen()
		d.press("enter")
		all := d.screen()
		for range 6 {
			d.press("pgdown")
			all += d.screen()
		}
		for _, want := range []string{"cheapest", "based on"} {
			if !strings.Contains(strings.Join(strings.Fields(all), " "), want) {
				t.Errorf("%v: nothing says %q:\n%s", size, want, all)
			}
		}
		if strings.Contains(d.screen(), "Ranking") {
			t.Errorf("%v: the ranking is still there:\n%s", size, d.screen())
		}
		d.press("esc")
		if d.screen() != before {
			t.Errorf("%v: esc leaves another screen:\n%s", size, d.screen())
		}
		d.press("enter", "down", "enter")
		if s := d.screen(); s == before || strings.Contains(s, "page down for more") {
			t.Errorf("%v: down does not go to the next candidate:\n%s", size, s)
		}
	}
}

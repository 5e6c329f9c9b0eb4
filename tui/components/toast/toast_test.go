package toast

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func TestANewerMessageOutlivesAnOlderExpiry(t *testing.T) {
	var toast Toast
	first := toast.Show(Info, "one")
	second := toast.Show(Bad, "two\x1b[31m\n")
	toast.Expire(first)
	th := theme.New("", true, false)
	if got := ansi.Strip(toast.View(th, 20)); strings.TrimSpace(got) != "✗ two" {
		t.Errorf("after the first expired: %q", got)
	}
	toast.Expire(second)
	if toast.Visible() {
		t.Error("the second stays after it expired")
	}
	if got := toast.View(th, 20); got != text.Spaces(20) {
		t.Errorf("no message draws %q", got)
	}
}

func TestWidthIsExact(t *testing.T) {
	var toast Toast
	toast.Show(Warn, "a message that is longer than the line it stands on")
	for _, l := range []Level{Info, Good, Warn, Bad} {
		toast.level = l
		for w := range 80 {
			if got := text.Width(toast.View(theme.New("", true, false), w)); got != w {
				t.Fatalf("%d cells in %d", got, w)
			}
		}
	}
}

package panel

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func TestEverySizeIsExact(t *testing.T) {
	th := theme.New("", true, false)
	p := Panel{Title: "Ranking", Note: "1,204 of 1,590 feasible"}
	for w := range 60 {
		for h := range 6 {
			got := p.Render(th, "body\nline two", w, h)
			if w == 0 || h == 0 {
				if got != "" {
					t.Fatalf("%d×%d drew %q", w, h, got)
				}
				continue
			}
			lines := text.Lines(got)
			if len(lines) != h {
				t.Fatalf("%d×%d has %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if text.Width(l) != w {
					t.Fatalf("%d×%d: line %q is %d cells", w, h, l, text.Width(l))
				}
			}
		}
	}
}

func TestTitleStaysNoteGives(t *testing.T) {
	th := theme.New("", true, false)
	p := Panel{Title: "Ranking", Note: "1,204 of 1,590 feasible"}
	wide := ansi.Strip(p.Render(th, "", 50, 3))
	if !strings.HasPrefix(wide, "╭ Ranking ─") || !strings.Contains(wide, " 1,204 of 1,590 feasible ╮") {
		t.Errorf("wide:\n%s", wide)
	}
	narrow := ansi.Strip(p.Render(th, "", 16, 3))
	if !strings.Contains(narrow, " Ranking ") || strings.Contains(narrow, "1,204") {
		t.Errorf("narrow:\n%s", narrow)
	}
}

// A border takes a line on each side, where there is one inside it too.
func TestTheLeastPanelWithABorder(t *testing.T) {
	th := theme.New("", true, false)
	for _, c := range []struct {
		w, h     int
		bordered bool
	}{{4, 3, true}, {3, 3, false}, {4, 2, false}, {5, 3, true}, {4, 4, true}} {
		got := ansi.Strip(Panel{Title: "t"}.Render(th, "ab\ncd", c.w, c.h))
		if strings.Contains(got, th.Symbols.TopLeft) != c.bordered {
			t.Errorf("%d×%d:\n%s", c.w, c.h, got)
		}
		w, h := Box{W: c.w, H: c.h}.Inner()
		if c.bordered != (w == c.w-2 && h == c.h-2) {
			t.Errorf("%d×%d has %d×%d inside", c.w, c.h, w, h)
		}
	}
	for _, c := range []struct {
		note string
		w    int
		want string
	}{{"a note", 20, "╭ t ───── a note ─╮"}, {"a note", 14, "╭ t ── a no… ╮"}, {"a note", 13, "╭ t ────────╮"}} {
		if got := strings.Split(ansi.Strip(Panel{Title: "t", Note: c.note}.Render(th, "", c.w, 3)),
			"\n")[0]; text.Width(got) != c.w ||
			strings.Contains(got, "a") != strings.Contains(c.want, "a") {
			t.Errorf("in %d cells %q", c.w, got)
		}
	}
}

func TestInside(t *testing.T) {
	b := Box{X: 10, Y: 4, W: 20, H: 8}
	if x, y := b.Inside(13, 9); x != 2 || y != 4 {
		t.Errorf("cell %d,%d inside the border", x, y)
	}
	b.Bare = true
	if x, y := b.Inside(13, 9); x != 3 || y != 5 {
		t.Errorf("cell %d,%d without a border", x, y)
	}
}

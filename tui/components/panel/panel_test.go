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

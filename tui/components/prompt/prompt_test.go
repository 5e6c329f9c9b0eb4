package prompt

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

func typed(s string) tea.Msg { return tea.PasteMsg{Content: s} }

func key(code rune) tea.Msg { return tea.KeyPressMsg{Code: code} }

func TestWhatIsTypedIsFollowedAndLeftWithEscItIsEmpty(t *testing.T) {
	var p Prompt
	var heard []string
	p.Ask(Question{Label: "/", Value: "g3", Typed: func(v string) tea.Cmd {
		heard = append(heard, v)
		return nil
	}})
	if !p.Visible() || p.Value() != "g3" {
		t.Fatalf("opens with %q", p.Value())
	}
	p.Update(typed(".4"))
	p.Update(key(tea.KeyBackspace))
	p.Update(key(tea.KeyEnter))
	if p.Visible() || strings.Join(heard, "|") != "g3.4|g3.|g3." {
		t.Errorf("heard %q", heard)
	}
	p.Ask(Question{Typed: func(v string) tea.Cmd {
		heard = append(heard, v)
		return nil
	}})
	p.Update(typed("x"))
	if p.Update(key(tea.KeyEscape)); p.Visible() || heard[len(heard)-1] != "" {
		t.Errorf("left it says %q", heard[len(heard)-1])
	}
}

func TestWhatIsWrongKeepsThePromptOpen(t *testing.T) {
	th := theme.New("", true, false)
	var p Prompt
	refused := true
	p.Ask(Question{Label: "bill", Hint: "as startup=90s", Accept: func(v string) (tea.Cmd, error) {
		if refused {
			return nil, errors.New("this is \x1b[31mno bill")
		}
		return func() tea.Msg { return v }, nil
	}})
	if got := ansi.Strip(p.View(th, 60)); !strings.Contains(got, "bill") || !strings.Contains(got, "as startup=90s") {
		t.Errorf("asks %q", got)
	}
	p.Update(typed("x"))
	if p.Update(key(tea.KeyEnter)) != nil || !p.Visible() || p.Value() != "x" {
		t.Errorf("refused, and %q is left, open %v", p.Value(), p.Visible())
	}
	if got := ansi.Strip(p.View(th, 60)); !strings.Contains(got, "this is no bill") || strings.Contains(got, "startup") {
		t.Errorf("says %q", got)
	}
	refused = false
	if cmd := p.Update(key(tea.KeyEnter)); cmd == nil || cmd() != "x" || p.Visible() {
		t.Error("accepted, it stays or leads nowhere")
	}
}

// A hint stands beside the text where there is room for both, and what is wrong
// rather than the text.
func TestTheViewIsExact(t *testing.T) {
	th := theme.New("", true, false)
	long := strings.Repeat("word ", 30)
	for _, wrong := range []bool{false, true} {
		for width := 4; width < 120; width++ {
			var p Prompt
			p.Ask(Question{Label: "note", Value: long, Hint: "what is known of it", Accept: func(string) (tea.Cmd, error) {
				return nil, errors.New("nobody can keep this much")
			}})
			if wrong {
				p.Update(key(tea.KeyEnter))
			}
			view := p.View(th, width)
			if text.Width(view) != width {
				t.Fatalf("%d cells instead of %d", text.Width(view), width)
			}
			if got := ansi.Strip(view); strings.Contains(got, "nobody") != wrong && width >= 45 {
				t.Errorf("%d cells, wrong %v: %q", width, wrong, got)
			}
			if !wrong && strings.Contains(ansi.Strip(view), "what is") {
				t.Errorf("%d cells: a hint takes the room of a long text", width)
			}
		}
	}
	// What is wrong gets two thirds of the room beside a long text.
	var refused Prompt
	refused.Ask(Question{Label: "n", Value: long, Accept: func(string) (tea.Cmd, error) {
		return nil, errors.New(strings.Repeat("wrong ", 30))
	}})
	refused.Update(key(tea.KeyEnter))
	got := []rune(ansi.Strip(refused.View(th, 94)))
	if at := strings.Index(string(got), "wrong"); at < 25 || at > 40 || got[93] != '…' && got[92] != '…' {
		t.Errorf("what is wrong begins in cell %d: %q", at, string(got))
	}
	var p Prompt
	p.Ask(Question{Label: "note", Value: "x", Hint: strings.Repeat("known ", 30)})
	if got := strings.TrimRight(ansi.Strip(p.View(th, 60)), " "); !strings.HasSuffix(got, "…") {
		t.Errorf("a long hint ends without a word: %q", got)
	}
	p.Ask(Question{Label: "note", Value: "x", Hint: "what is known of it"})
	for width, has := range map[int]bool{60: true, leastInput + leastHint + 7: true, leastInput + leastHint + 5: false} {
		if got := ansi.Strip(p.View(th, width)); strings.Contains(got, "what") != has {
			t.Errorf("in %d cells: %q", width, got)
		}
	}
}

package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/tui/screen"
)

// The form's fields are edited like a shell's line, and what is a key elsewhere
// is a letter there.
func TestAFieldIsEditedWhereItsCursorIs(t *testing.T) {
	d := drive(t, 80, 24, &shelf{set: published(t)})
	d.press("2")
	f := d.probe().Form()
	f.Command = []string{"python3", "trian.py", "--epochs", "90"}
	d.probe().SetForm(f)
	d.press("g", "j", "enter")
	if d.probe().Typing() == screen.NotTyping || !strings.Contains(d.screen(), "python3 trian.py --epochs 90") {
		t.Fatalf("a filled field opens without its value:\n%s", d.screen())
	}
	if lines := strings.Split(ansi.Strip(d.app.frame()),
		"\n"); strings.TrimSpace(lines[len(lines)-1]) != "⏎ accept  esc cancel  ctrl+u clear" {
		t.Errorf("the footer shows other keys: %q", lines[len(lines)-1])
	}
	for range len("an.py --epochs 90") {
		d.send(tea.KeyPressMsg{Code: tea.KeyLeft})
	}
	d.send(tea.KeyPressMsg{Code: tea.KeyBackspace})
	d.send(tea.KeyPressMsg{Code: tea.KeyRight})
	d.press("i", "enter")
	if got := strings.Join(d.probe().Form().Command, " "); got != "python3 train.py --epochs 90" {
		t.Errorf("the command is %q", got)
	}
	d.press("k", "enter")
	d.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	d.press("q", "enter")
	if got := strings.Join(d.probe().Form().Command, " "); got != "q" {
		t.Errorf("the command is %q", got)
	}
}

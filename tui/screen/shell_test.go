package screen

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/theme"
)

type program struct{ reloads int }

func (*program) Show(keys.Action) tea.Cmd { return nil }
func (*program) Shown() keys.Action       { return keys.Explore }
func (*program) Tell(tea.Msg) tea.Cmd     { return nil }
func (p *program) Reload() tea.Cmd {
	p.reloads++
	return nil
}

// shell is one whose clock rings only when asked: the last alarm is in rings.
func shell(t *testing.T) (s *Shell, p *program, rings *[]time.Duration) {
	t.Helper()
	p, rings = &program{}, &[]time.Duration{}
	s = &Shell{Program: p, Ctx: t.Context(), Bindings: keys.Default(), Theme: theme.New("", true, false)}
	s.After = func(d time.Duration, ring func(time.Time) tea.Msg) tea.Cmd {
		*rings = append(*rings, d)
		return func() tea.Msg { return ring(time.Time{}) }
	}
	return s, p, rings
}

func press(s *Shell, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	action, _ := s.Bindings.Resolve(msg, keys.InRanking)
	return s.Key(msg, action)
}

func TestMessagesStayAWhile(t *testing.T) {
	s, p, rings := shell(t)
	first := s.Note(toast.Good, "first")
	second := s.Fail(errors.New("second"))
	if len(*rings) != 2 || (*rings)[0] != 5*time.Second || (*rings)[1] != 12*time.Second {
		t.Errorf("they stay for %v", *rings)
	}
	if s.Receive(first()); !strings.Contains(s.Footer(60), "second") {
		t.Error("the expiry of an older message takes the newer one away")
	}
	if s.Receive(second()); s.Footer(60) != "" {
		t.Errorf("%q stays", s.Footer(60))
	}
	s.Receive(Done{Words: Words{Level: toast.Info, Text: "nothing new"}})
	if p.reloads != 0 || !strings.Contains(s.Footer(60), "nothing new") {
		t.Errorf("%d reloads: %s", p.reloads, s.Footer(60))
	}
	if s.Receive(Done{Reload: true}); p.reloads != 1 {
		t.Error("what changed the database is not read again")
	}
}

// One dialog is open at a time for keys, pastes and the mouse; ctrl-c passes by all.
func TestDialogsTakeWhatIsTyped(t *testing.T) {
	interrupt := tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	var answered, chosen, typed string
	for name, open := range map[string]func(s *Shell){
		"question": func(s *Shell) {
			s.Confirm("Really?", "it is lost", func(id string) tea.Cmd { answered = id; return nil },
				confirm.Answer{ID: "yes", Key: "y"}, confirm.Answer{ID: "no", Key: "n"})
		},
		"help": func(s *Shell) { s.Help.Open() },
		"files": func(s *Shell) {
			load := s.Choose("Open", []string{".db"}, func(path string) tea.Cmd { chosen = path; return nil })
			s.Receive(load())
		},
		"line": func(s *Shell) {
			s.Line.Ask(prompt.Question{Label: "/", Typed: func(v string) tea.Cmd { typed = v; return nil }})
		},
		"documents": func(s *Shell) {
			s.Export("it", document.Subject{Fleet: func() (contract.Fleet, error) { return contract.Fleet{}, nil }})
		},
	} {
		s, _, _ := shell(t)
		if s.Mouse(tea.MouseClickMsg{}) || s.Over("base", "", nil, 4, 1) != "base" {
			t.Fatal("a dialog is open at first")
		}
		if _, handled := s.Paste(tea.PasteMsg{Content: "x"}); handled {
			t.Fatal("a paste goes to no dialog")
		}
		open(s)
		if _, handled := press(s, interrupt); handled {
			t.Errorf("%s keeps ctrl-c", name)
		}
		if !s.Mouse(tea.MouseWheelMsg{}) {
			t.Errorf("the mouse reaches past the %s", name)
		}
		body := strings.Repeat(strings.Repeat(".", 80)+"\n", 23) + strings.Repeat(".", 80)
		if over := ansi.Strip(s.Over(body, keys.InRanking, nil, 80, 24)); (over == body) != (name == "line") {
			t.Errorf("%s over the screen:\n%s", name, over)
		}
		if _, handled := s.Paste(tea.PasteMsg{Content: "pasted"}); !handled {
			t.Errorf("a paste passes by the %s", name)
		}
	}
	s, _, _ := shell(t)
	s.Confirm("Really?", "", func(id string) tea.Cmd { answered = id; return nil }, confirm.Answer{ID: "yes", Key: "y"},
		confirm.Answer{ID: "no", Key: "n"})
	if press(s, tea.KeyPressMsg{Code: 'y', Text: "y"}); answered != "yes" || s.Question.Visible() {
		t.Errorf("answered %q", answered)
	}
	s.Receive(s.Choose("Open", []string{".db"}, func(path string) tea.Cmd { chosen = path; return nil })())
	s.Paste(tea.PasteMsg{Content: "zz"})
	press(s, tea.KeyPressMsg{Code: tea.KeyBackspace})
	if got := ansi.Strip(s.Files.View(s.Theme, 60, 10)); !strings.Contains(got, "path z ") {
		t.Errorf("a pasted path:\n%s", got)
	}
	if s.Receive(listingMsg{picker.Listing{File: "/a.db"}}); chosen != "/a.db" || s.Files.Visible() {
		t.Errorf("chosen %q", chosen)
	}
	s.Line.Ask(prompt.Question{Typed: func(v string) tea.Cmd { typed = v; return nil }})
	if s.Paste(tea.PasteMsg{Content: "w"}); typed != "w" || s.Footer(40) == "" {
		t.Errorf("typed %q", typed)
	}
	if press(s, tea.KeyPressMsg{Code: tea.KeyEscape}); s.Line.Visible() {
		t.Error("esc leaves the line")
	}
}

func TestTheClipboardHasALimit(t *testing.T) {
	s, _, _ := shell(t)
	for n, says := range map[int]string{longestCopy: "copied ", longestCopy + 1: "are more than"} {
		if s.Copy(strings.Repeat("x", n)); !strings.Contains(s.Footer(200), says) {
			t.Errorf("%d bytes: %s", n, s.Footer(200))
		}
	}
	if s.Receive(copyMsg{err: errors.New("no text")}); !strings.Contains(s.Footer(200), "no text") {
		t.Error(s.Footer(200))
	}
}

package screen

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/chooser"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/exportdialog"
	"sweetspot/tui/components/helpoverlay"
	"sweetspot/tui/components/overlay"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/theme"
)

// Program is what the root does for the screens.
type Program interface {
	Show(tab keys.Action) tea.Cmd // shows a screen
	Shown() keys.Action           // the tab of the screen that is shown
	Tell(msg tea.Msg) tea.Cmd     // hands a message to every screen at once
	Reload() tea.Cmd              // reads the database again
}

// Shell is what surrounds the screens: passing messages, one line of text, files
// to choose, questions to answer, documents to export, help.
type Shell struct {
	Program
	Ctx       context.Context
	Workspace Workspace
	Bindings  *keys.Table
	Theme     *theme.Theme
	Version   string
	Denied    Rights                                               // what the person at the screens may not do
	After     func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // the clock: tea.Tick

	Toast     toast.Toast
	Line      prompt.Prompt
	Files     picker.Picker
	Choices   chooser.Chooser
	Question  confirm.Dialog
	Documents exportdialog.Dialog
	Help      helpoverlay.Overlay

	chosen   func(path string) tea.Cmd     // what the choice of a file leads to
	taken    func(values []string) tea.Cmd // what the choice of values leads to
	answered func(id string) tea.Cmd       // what the answer to the question leads to
}

// Words are said in passing.
type Words struct {
	Level toast.Level
	Text  string
}

// Done is what a command has to say, and whether it has changed the database.
type Done struct {
	Words
	Reload bool
}

// Messages of the shell's own commands.
type (
	expireMsg  struct{ seq int }
	listingMsg struct{ listing picker.Listing }
)

// Note shows a passing message.
func (s *Shell) Note(level toast.Level, words string) tea.Cmd {
	seq := s.Toast.Show(level, words)
	stay := 5 * time.Second
	if level == toast.Bad {
		stay = 12 * time.Second
	}
	return s.After(stay, func(time.Time) tea.Msg { return expireMsg{seq} })
}

// Fail shows why something could not be done.
func (s *Shell) Fail(err error) tea.Cmd { return s.Note(toast.Bad, err.Error()) }

// Choose has a file chosen; then follows the choice.
func (s *Shell) Choose(title string, extensions []string, then func(path string) tea.Cmd) tea.Cmd {
	if why := s.Denied.Forbid(Filing); why != "" {
		return s.Note(toast.Info, why)
	}
	s.chosen = then
	return s.list(s.Files.Open(title, ".", extensions))
}

// ChooseSeveral has files chosen: one, all of a folder, or a pattern.
func (s *Shell) ChooseSeveral(title string, then func(path string) tea.Cmd) tea.Cmd {
	if why := s.Denied.Forbid(Filing); why != "" {
		return s.Note(toast.Info, why)
	}
	s.chosen = then
	return s.list(s.Files.OpenSeveral(title, "."))
}

// Offer has values chosen; then follows the choice.
func (s *Shell) Offer(q chooser.Question, then func(values []string) tea.Cmd) {
	s.taken = then
	s.Choices.Ask(q)
}

func (s *Shell) list(path string) tea.Cmd {
	list := s.Files.Lister(path)
	return func() tea.Msg { return listingMsg{list()} }
}

// Confirm asks a question; then follows the answer, by its ID. The last answer
// changes nothing.
func (s *Shell) Confirm(title, question string, then func(id string) tea.Cmd, answers ...confirm.Answer) {
	s.answered = then
	s.Question.Ask(title, question, answers...)
}

// Key gives a key to the dialog that is open; handled is false without one.
func (s *Shell) Key(msg tea.KeyPressMsg, action keys.Action) (cmd tea.Cmd, handled bool) {
	switch {
	case action == keys.Interrupt:
		return nil, false
	case s.Question.Visible():
		if id, done := s.Question.Key(msg.String(), action); done {
			return s.answered(id), true
		}
	case s.Help.Visible():
		s.Help.Key(action)
	case s.Files.Visible():
		switch e := s.Files.Key(msg.String(), msg.Text); {
		case e.Load != "":
			return s.list(e.Load), true
		case e.Chosen != "":
			return s.chosen(e.Chosen), true
		}
	case s.Choices.Visible():
		if values, done := s.Choices.Key(msg.String(), msg.Text); done {
			return s.taken(values), true
		}
	case s.Documents.Visible():
		return s.keyDocuments(msg, action)
	case s.Line.Visible():
		return s.Line.Update(msg), true
	default:
		return nil, false
	}
	return nil, true
}

// Paste gives pasted text to the dialog that is open.
func (s *Shell) Paste(msg tea.PasteMsg) (cmd tea.Cmd, handled bool) {
	switch {
	case s.Question.Visible() || s.Help.Visible():
	case s.Files.Visible():
		s.Files.Type(msg.Content)
	case s.Choices.Visible():
		s.Choices.Type(msg.Content)
	case s.Documents.Visible():
		s.Documents.Type(msg.Content)
	case s.Line.Visible():
		return s.Line.Update(msg), true
	default:
		return nil, false
	}
	return nil, true
}

// wheelLines is how far the wheel scrolls a text.
const wheelLines = 3

// Mouse reports whether a dialog is open, which the mouse does not reach past.
func (s *Shell) Mouse(msg tea.MouseMsg) (handled bool) {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok && s.Documents.Visible() {
		s.Documents.Scroll(map[bool]int{true: -wheelLines, false: wheelLines}[wheel.Button == tea.MouseWheelUp])
	}
	return s.Documents.Visible() || s.Question.Visible() || s.Help.Visible() || s.Files.Visible() ||
		s.Choices.Visible() || s.Line.Visible()
}

// Receive takes what the shell's commands bring back.
func (s *Shell) Receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case expireMsg:
		s.Toast.Expire(msg.seq)
	case listingMsg:
		if path, ok := s.Files.SetListing(msg.listing); ok {
			return s.chosen(path)
		}
	case Done:
		said := s.Note(msg.Level, msg.Text)
		if msg.Reload {
			return tea.Batch(said, s.Reload())
		}
		return said
	case wroteMsg:
		return s.wrote(msg)
	case copyMsg:
		return s.copied(msg)
	default:
		return s.Documents.Receive(s.Ctx, msg)
	}
	return nil
}

// Over draws the dialog that is open over a screen of w × h cells.
func (s *Shell) Over(body, region string, disabled keys.Disabled, w, h int) string {
	switch {
	case s.Question.Visible():
		return overlay.Center(body, s.Question.View(s.Theme, w, h), w, h)
	case s.Help.Visible():
		return overlay.Center(body, s.Help.View(s.Theme, s.Bindings, region, disabled, w, h), w, h)
	case s.Files.Visible():
		return overlay.Center(body, s.Files.View(s.Theme, w, h), w, h)
	case s.Choices.Visible():
		return overlay.Center(body, s.Choices.View(s.Theme, w, h), w, h)
	case s.Documents.Visible():
		return overlay.Center(body, s.Documents.View(s.Theme, w, h), w, h)
	}
	return body
}

// Footer is the prompt or the message of the moment, "" without one.
func (s *Shell) Footer(w int) string {
	switch {
	case s.Line.Visible():
		return s.Line.View(s.Theme, w)
	case s.Toast.Visible():
		return s.Toast.View(s.Theme, w)
	case s.Documents.Typing():
		return keys.Typing(s.Theme, w, true)
	}
	return ""
}

// Messages of the export dialog.
type (
	wroteMsg struct {
		path  string
		files []document.File
		err   error
	}
	copyMsg struct {
		text string
		err  error
	}
)

// Export offers the documents of a subject, under its name.
func (s *Shell) Export(name string, of document.Subject) tea.Cmd {
	s.Documents.Open(name, document.Of(of))
	return s.Documents.Preview(s.Ctx)
}

// ExportPick offers the documents of a pick, and of the ranking that it stands in
// where that is known.
func (s *Shell) ExportPick(p contract.Pick, ranking *document.Ranked) tea.Cmd {
	name := p.Candidate.Model
	for _, v := range p.Candidate.Configuration {
		name += fmt.Sprintf(" %d× %s", v.Count, v.Name())
	}
	return s.Export(name, document.Subject{Pick: &p, Ranking: ranking})
}

// keyDocuments handles a key while the export dialog is open. Keys of the whole
// program go on to it; those of the screens close the dialog.
func (s *Shell) keyDocuments(msg tea.KeyPressMsg, action keys.Action) (cmd tea.Cmd, handled bool) {
	var e exportdialog.Event
	switch {
	case s.Documents.Typing():
		e = s.Documents.Press(msg)
	case action.IsTab():
		s.Documents.Close()
		return nil, false
	case action == keys.Quit || action == keys.Help || action == keys.Theme:
		return nil, false
	default:
		e = s.Documents.Key(action)
	}
	doc, path := s.Documents.Document(), s.Documents.File()
	switch {
	case e == exportdialog.None:
		return s.Documents.Preview(s.Ctx), true
	case doc.Why != nil:
		return s.Note(toast.Warn, doc.Why.Error()), true
	case e == exportdialog.Write && s.Denied.Forbid(Filing) != "":
		s.Documents.Stay()
		return s.Note(toast.Info, s.Denied.Forbid(Filing)+"; "+s.keysOf(keys.Copy)+" copies to your clipboard"), true
	case e == exportdialog.Copy:
		return func() tea.Msg {
			text, err := doc.Text()
			return copyMsg{text, err}
		}, true
	}
	return func() tea.Msg {
		files, err := doc.Files(path)
		if err == nil {
			err = document.Save(path, files, false)
		}
		return wroteMsg{path, files, err}
	}, true
}

// keysOf are the keys of an action, as a sentence names them.
func (s *Shell) keysOf(a keys.Action) string {
	b, _ := s.Bindings.Lookup(a)
	return strings.Join(b.Keys, " or ")
}

// wrote says what was written. What could not be keeps the dialog open, for
// another name.
func (s *Shell) wrote(m wroteMsg) tea.Cmd {
	if m.err == nil {
		s.Documents.Wrote()
		return s.Note(toast.Good, document.Wrote(m.path, m.files))
	}
	s.Documents.Rename()
	return s.Fail(m.err)
}

// longestCopy is the most bytes that a terminal can be relied on to take: many
// read sequences of at most 100,000 bytes, 8 of them around the text in base64.
var longestCopy = base64.StdEncoding.DecodedLen(100_000 - 8)

// Copy puts text on the clipboard by way of the terminal (OSC 52), which needs
// no program on this side and so works over SSH. Terminals do not answer it.
func (s *Shell) Copy(text string) tea.Cmd { return s.copied(copyMsg{text: text}) }

func (s *Shell) copied(m copyMsg) tea.Cmd {
	switch {
	case m.err != nil:
		return s.Fail(m.err)
	case len(m.text) > longestCopy:
		instead := "write them to a file with enter"
		if why := s.Denied.Forbid(Filing); why != "" {
			instead = why
		}
		return s.Note(toast.Warn, fmt.Sprintf("%s bytes are more than the %s that terminals take: %s",
			quantity.Count(float64(len(m.text))), quantity.Count(float64(longestCopy)), instead))
	}
	said := fmt.Sprintf("copied %s, if the terminal allows it; in tmux: set -g set-clipboard on",
		quantity.Several(len(m.text), "byte"))
	return tea.Batch(tea.SetClipboard(m.text), s.Note(toast.Info, said))
}

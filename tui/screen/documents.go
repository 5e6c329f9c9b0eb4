package screen

import (
	"encoding/base64"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/exportdialog"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
)

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
		return s.Note(toast.Warn, fmt.Sprintf(
			"%s bytes are more than the %s that terminals take: write them to a file with enter",
			quantity.Count(float64(len(m.text))), quantity.Count(float64(longestCopy))))
	}
	said := fmt.Sprintf("copied %s, if the terminal allows it; in tmux: set -g set-clipboard on",
		quantity.Several(len(m.text), "byte"))
	return tea.Batch(tea.SetClipboard(m.text), s.Note(toast.Info, said))
}

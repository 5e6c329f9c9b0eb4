package tui

import (
	"encoding/base64"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/document"
	"sweetspot/data/wording"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/exportdialog"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
)

// Messages of the export dialog.
type (
	previewMsg struct{ preview exportdialog.Preview }
	wroteMsg   struct {
		path  string
		files []document.File
		err   error
	}
	copyMsg struct {
		text string
		err  error
	}
)

// exportSelected offers the forms of the selected candidate and of the ranking
// that it stands in.
func (a *App) exportSelected() tea.Cmd {
	p, ok := a.pickOf()
	if !ok {
		return a.note(toast.Info, "no candidate is selected")
	}
	tested := a.explore.Answer().Tested()
	all := document.Of(document.Subject{
		Pick: &p, Ranking: &document.Ranked{Result: a.explore.Ranking(), Tested: tested, At: time.Now(), Version: a.opts.Version},
	})
	return a.exported(a.export.Open(subject(p), all))
}

// exportKept offers the forms of a pick made earlier.
func (a *App) exportKept() tea.Cmd {
	kept, ok := a.library.Pick()
	if !ok {
		return a.note(toast.Info, "only picks are exported from here: tab goes to them")
	}
	p, err := contract.ReadPick(kept.Query, kept.Candidate, kept.CreatedAt, a.opts.Version)
	if err != nil {
		return a.note(toast.Bad, err.Error())
	}
	return a.exported(a.export.Open(subject(p), document.Of(document.Subject{Pick: &p})))
}

// subject names a pick where there is little room.
func subject(p contract.Pick) string {
	name := p.Candidate.Model
	for _, v := range p.Candidate.Configuration {
		name += fmt.Sprintf(" %d× %s", v.Count, v.Name())
	}
	return name
}

// onExport handles a key while the export dialog is open. Keys of other screens
// leave it.
func (a *App) onExport(msg tea.KeyPressMsg, action keys.Action) tea.Cmd {
	if a.export.Typing() {
		return a.exported(a.export.Press(msg))
	}
	switch action {
	case keys.Explore, keys.Probe, keys.Fleet, keys.Traffic, keys.Library:
		a.export.Close()
		return a.act(action)
	case keys.Quit, keys.Help, keys.Theme:
		return a.act(action)
	}
	return a.exported(a.export.Key(action))
}

// exported carries out what the dialog asks for.
func (a *App) exported(e exportdialog.Event) tea.Cmd {
	if e == exportdialog.None {
		return nil
	}
	doc, path := a.export.Document(), a.export.File()
	if e == exportdialog.Show {
		make := a.export.Previewer()
		return func() tea.Msg { return previewMsg{make()} }
	}
	if doc.Why != nil {
		return a.note(toast.Warn, doc.Why.Error())
	}
	if e == exportdialog.Copy {
		return func() tea.Msg {
			text, err := doc.Text()
			return copyMsg{text, err}
		}
	}
	return func() tea.Msg {
		files, err := doc.Files(path)
		if err == nil {
			err = document.Save(path, files, false)
		}
		return wroteMsg{path, files, err}
	}
}

// wrote says what was written. What could not be keeps the dialog open, for
// another name.
func (a *App) wrote(m wroteMsg) tea.Cmd {
	if m.err == nil {
		a.export.Wrote()
		return a.note(toast.Good, document.Wrote(m.path, m.files))
	}
	a.export.Rename()
	return a.note(toast.Bad, m.err.Error())
}

// longestCopy is the most bytes that a terminal can be relied on to take: many
// read sequences of at most 100,000 bytes, 8 of them around the text in base64.
var longestCopy = base64.StdEncoding.DecodedLen(100_000 - 8)

// copied puts text on the clipboard by way of the terminal (OSC 52), which needs
// no program on this side and so works over SSH. Terminals do not answer it.
func (a *App) copied(m copyMsg) tea.Cmd {
	switch {
	case m.err != nil:
		return a.note(toast.Bad, m.err.Error())
	case len(m.text) > longestCopy:
		return a.note(toast.Warn, fmt.Sprintf("%s bytes are more than the %s that terminals take: write them to a file with enter", quantity.Count(float64(len(m.text))), quantity.Count(float64(longestCopy))))
	}
	said := fmt.Sprintf("copied %s, if the terminal lets it; tmux: set -g set-clipboard on", quantity.Several(len(m.text), "byte"))
	return tea.Batch(tea.SetClipboard(m.text), a.note(toast.Info, said))
}

// copyRow copies the selected candidate in a line.
func (a *App) copyRow() tea.Cmd {
	i, ok := a.explore.Selected()
	if !ok {
		return nil
	}
	c := a.explore.Answer().Result.Space.At(i)
	line := fmt.Sprintf("%s\t%s\tbatch %d\t%s\t%s", wording.VMs(c), wording.VariantLabel(c.Variant), c.BatchSize, quantity.Duration(c.Time.Value), quantity.Money(c.Cost.Value))
	return a.copied(copyMsg{text: line})
}

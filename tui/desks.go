package tui

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

// scrubbed is a screen with a desk: Fleet and Traffic.
type scrubbed interface {
	typist
	undoer
	Horizontal(steps int, big bool) (changed bool)
	Vertical(steps int)
	Ends(last bool) (changed bool)
	Focus()
	Enter()
	Back()
	Sort(reverse bool)
	Undo() (changed bool)
	Redo() (changed bool)
}

// onDesk does what a key means on every desk; handled is false for the keys
// that are a screen's own.
func onDesk(s scrubbed, action keys.Action) (changed, handled bool) {
	switch action {
	case keys.Left, keys.BigLeft:
		return s.Horizontal(-1, action == keys.BigLeft), true
	case keys.Right, keys.BigRight:
		return s.Horizontal(1, action == keys.BigRight), true
	case keys.Up:
		s.Vertical(-1)
	case keys.Down:
		s.Vertical(1)
	case keys.Top, keys.Bottom:
		return s.Ends(action == keys.Bottom), true
	case keys.FocusNext, keys.FocusPrev:
		s.Focus()
	case keys.Enter:
		s.Enter()
	case keys.Back:
		s.Back()
	case keys.Sort, keys.Reverse:
		s.Sort(action == keys.Reverse)
	case keys.Undo:
		return s.Undo(), true
	case keys.Redo:
		return s.Redo(), true
	default:
		return false, false
	}
	return false, true
}

// readingNote says that a trace is being read; made-up ones are there at once.
func (a *App) readingNote(path string) tea.Cmd {
	if path == "" {
		return nil
	}
	return a.note(toast.Info, "reading "+text.Clean(filepath.Base(path))+"…")
}

func (a *App) openedNote(path string) tea.Cmd {
	if path == "" {
		return nil
	}
	return a.note(toast.Good, "opened "+text.Clean(filepath.Base(path)))
}

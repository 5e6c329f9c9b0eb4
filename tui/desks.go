package tui

import "sweetspot/tui/keys"

// scrubbed is a screen with a desk: Fleet and Traffic.
type scrubbed interface {
	typist
	undoer
	Horizontal(steps int, big bool) (changed bool)
	Vertical(steps int)
	Ends(last bool) (changed bool)
	Focus()
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
		s.Typing(true)
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

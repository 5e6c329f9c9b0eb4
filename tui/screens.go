package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/bill"
	"sweetspot/engine/question"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screens/explore"
)

func (a *App) askIf(changed bool) tea.Cmd {
	if !changed {
		return nil
	}
	return a.ask()
}

func (a *App) onExplore(action keys.Action) tea.Cmd {
	e := a.explore
	switch action {
	case keys.Left, keys.Right, keys.BigLeft, keys.BigRight:
		step := 1
		if action == keys.Left || action == keys.BigLeft {
			step = -1
		}
		return a.askIf(e.Horizontal(step, action == keys.BigLeft || action == keys.BigRight))
	case keys.Up:
		e.Vertical(-1)
	case keys.Down:
		e.Vertical(1)
	case keys.PageUp:
		e.Page(-1)
	case keys.PageDown:
		e.Page(1)
	case keys.Top, keys.Bottom:
		return a.askIf(e.Ends(action == keys.Bottom))
	case keys.FocusNext:
		e.Focus(1)
	case keys.FocusPrev:
		e.Focus(-1)
	case keys.Enter:
		e.Enter()
	case keys.Back:
		return a.askIf(!e.Back() && e.Filter(""))
	case keys.ZoomIn:
		e.Zoom(1)
	case keys.ZoomOut:
		e.Zoom(-1)
	case keys.ZoomWhole:
		e.Zoom(0)
	case keys.PanLeft:
		e.Pan(-1, 0)
	case keys.PanRight:
		e.Pan(1, 0)
	case keys.PanUp:
		e.Pan(0, 1)
	case keys.PanDown:
		e.Pan(0, -1)
	case keys.Crosshair:
		e.ToggleCrosshair()
	case keys.Filter:
		a.prompt.Ask("filter", "/", e.Question().Filter)
	case keys.Bill:
		a.prompt.Ask("bill", "bill", e.Question().Bill)
		a.prompt.Hint("as " + bill.Words)
	case keys.Pin:
		e.Pin()
	case keys.Pick:
		return a.pick()
	case keys.Export:
		return a.exportSelected()
	case keys.Copy:
		return a.copyRow()
	default:
		return a.askIf(a.edit(action))
	}
	return nil
}

// edit changes the question; it reports whether it must be asked anew.
func (a *App) edit(action keys.Action) (changed bool) {
	e := a.explore
	switch action {
	case keys.Undo:
		return e.Undo()
	case keys.Redo:
		return e.Redo()
	case keys.Sort:
		return e.Sort(false)
	case keys.Reverse:
		return e.Sort(true)
	case keys.Model:
		return a.turn(func(q, now question.Question) bool { return q.Model != now.Model })
	case keys.Workload:
		return a.turn(func(q, now question.Question) bool { return q.Model == now.Model })
	case keys.Batch:
		return e.Narrow(explore.BatchSizes)
	case keys.Clouds:
		return e.Narrow(explore.Clouds)
	case keys.GPUs:
		return e.Narrow(explore.GPUs)
	case keys.Variants:
		return e.Narrow(explore.Variants)
	case keys.Purchase:
		return e.Purchase()
	case keys.Predicted:
		return e.Predict()
	case keys.Combined:
		return e.Combine()
	case keys.Clear:
		return e.Clear()
	case keys.Feasible:
		e.ToggleInfeasible()
	case keys.Axes:
		e.ToggleLog()
	}
	return false
}

// turn goes to the next question of the set that the filter accepts.
func (a *App) turn(accept func(q, now question.Question) bool) (changed bool) {
	if a.set == nil {
		return false
	}
	all := question.Questions(a.set)
	q := a.explore.Question()
	now := question.Question{Model: q.Model, Mode: q.Mode}
	at := slices.IndexFunc(all, func(x question.Question) bool { return x.Model == now.Model && x.Mode == now.Mode })
	for k := 1; k < len(all); k++ {
		next := all[(at+k+len(all))%len(all)]
		if accept(next, now) {
			a.explore.Turn(next)
			return true
		}
	}
	return false
}

func (a *App) onLibrary(action keys.Action) tea.Cmd {
	l := a.library
	switch action {
	case keys.Up:
		l.Vertical(-1)
	case keys.Down:
		l.Vertical(1)
	case keys.PageUp, keys.PageDown:
		l.Page(map[keys.Action]int{keys.PageUp: -1, keys.PageDown: 1}[action])
	case keys.Top, keys.Bottom:
		l.Ends(action == keys.Bottom)
	case keys.FocusNext, keys.Right:
		l.Turn(1)
	case keys.FocusPrev, keys.Left:
		l.Turn(-1)
	case keys.Sort, keys.Reverse:
		l.Sort(action == keys.Reverse)
	case keys.Filter:
		a.prompt.Ask("shelf", "/", l.Filtered())
	case keys.Back:
		if a.keep.stop() {
			return a.note(toast.Info, "stopping the import at the next file…")
		}
		l.Filter("")
	case keys.Enter:
		if p, ok := l.Pick(); ok {
			return a.reopen(p)
		}
		if q, ok := l.Question(); ok {
			a.screen = keys.Explore
			a.explore.Turn(q)
			return a.ask()
		}
		return a.note(toast.Info, "this row has no times to rank")
	case keys.Export:
		return a.exportKept()
	default:
		return a.keepUp(action)
	}
	return nil
}

package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/toast"
)

func (a *App) askDelete() tea.Cmd {
	id, ok := a.library.Run()
	if !ok {
		return a.note(toast.Info, "only runs can be deleted: tab goes to them")
	}
	if id < 0 {
		return a.note(toast.Info, "this run belongs to the built-in library, which cannot be changed")
	}
	a.answer = func(answer string) tea.Cmd {
		if answer == confirm.Yes {
			return a.deleteRun(id)
		}
		return nil
	}
	a.confirm.AskYes(fmt.Sprintf("Delete run %d?", id), "Its iteration times are gone for good.", "delete")
	return nil
}

func questionOf(r *profile.Run) rank.Question {
	return rank.Question{Model: r.Model, Mode: r.Mode, Unit: r.Unit}
}

package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/export"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/toast"
)

// export asks where to write the selected candidate.
func (a *App) export() tea.Cmd {
	p, ok := a.pickOf()
	if !ok {
		return a.note(toast.Info, "no candidate is selected")
	}
	a.askWhere(p)
	return nil
}

func (a *App) askWhere(p export.Pick) {
	a.exporting = p
	a.prompt.Ask("export", "write to (.yaml .json .csv .md .tf .sh .sbatch):", fileName(p))
}

// fileName proposes a name that says what is in the file and that no shell
// trips over.
func fileName(p export.Pick) string {
	name := p.Candidate.Model
	for _, part := range p.Candidate.Configuration {
		name += fmt.Sprintf("-%dx%s", part.Count, part.Name())
	}
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '-'
	}, name)
	return "pick-" + strings.TrimLeft(safe, ".-") + ".yaml"
}

// exportKept writes a pick made earlier.
func (a *App) exportKept() tea.Cmd {
	kept, ok := a.library.Pick()
	if !ok {
		return a.note(toast.Info, "only picks are exported from here: tab goes to them")
	}
	p := export.Pick{Schema: export.Schema, Command: "export", Warnings: []string{}, PickedAt: kept.CreatedAt.UTC().Format(time.RFC3339), EstimatedBy: "sweetspot " + a.opts.Version}
	if err := json.Unmarshal(kept.Query, &p.Query); err != nil {
		return a.note(toast.Bad, "this pick's query cannot be read: "+err.Error())
	}
	if err := json.Unmarshal(kept.Candidate, &p.Candidate); err != nil {
		return a.note(toast.Bad, "this pick cannot be read: "+err.Error())
	}
	a.askWhere(p)
	return nil
}

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

// copyRow puts the selected candidate on the clipboard, by way of the terminal.
func (a *App) copyRow() tea.Cmd {
	i, ok := a.explore.Selected()
	if !ok {
		return nil
	}
	c := a.explore.Answer().Result.Space.At(i)
	line := fmt.Sprintf("%s\t%s\tbatch %d\t%s\t%s", export.VMs(c), export.VariantLabel(c.Variant), c.BatchSize, quantity.Duration(c.Time.Value), quantity.Money(c.Cost.Value))
	return tea.Batch(tea.SetClipboard(line), a.note(toast.Info, "copied the row"))
}

func questionOf(r *profile.Run) rank.Question {
	return rank.Question{Model: r.Model, Mode: r.Mode, Unit: r.Unit}
}

package explore

import (
	"slices"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/table"
)

// narrowTable is the cells below which intervals are left to the words about a row.
const narrowTable = 62

// widths of the columns of an objective, with its interval and without.
func widths(o objective.Name) (with, without int) {
	if o == objective.Cost {
		return 15, 8
	}
	return 16, 10
}

// narrowed gives objectives only the room of their values in a table of so many
// cells.
func narrowed(all []table.Column, w int) []table.Column {
	if w >= narrowTable || w <= 0 {
		return all
	}
	minimized := objective.All().Minimized()
	for i := range all {
		if o := objective.Name(all[i].ID); minimized.Has(o) {
			_, all[i].Width = widths(o)
		}
	}
	return all
}

// required are the objectives that are always shown.
func required() objective.List {
	return slices.DeleteFunc(objective.All(), func(o objective.Objective) bool { return o.Optional })
}

// columns of the ranking by some objectives; all can be sorted by.
func columns(of objective.List, q question.Query) []table.Column {
	by, _ := q.Sort.Objective()
	best, _ := objective.Of(by)
	batch := table.Column{ID: "batch", Title: "batch", Width: 5, Right: true, Sort: true, Drop: 6}
	if q.Mode == profile.Train { // rows of a training differ by their batch size before all
		batch.Drop = 1
	}
	variant := table.Column{ID: "variant", Title: "variant", Width: 12, Flex: 2, Sort: true, Drop: 3}
	if q.Lengths != nil { // rows of a language model differ by what its weights are kept in
		variant.Drop = 1
	}
	all := []table.Column{
		{ID: "rank", Title: "#", Width: 4, Right: true},
		{ID: "vm", Title: "VM", Width: 16, Flex: vmFlex(q), Sort: true},
		variant,
		batch,
	}
	if q.Mode == profile.Train && q.Epochs == nil && q.Steps == nil && q.Tuning == nil {
		// Sources stop at different epochs: to compare times is to see that.
		all = append(all, table.Column{ID: "epochs", Title: "epochs", Width: 6, Right: true, Sort: true, Drop: 5})
	}
	if q.Mode == profile.Train && q.Counted.InSteps() && q.Steps == nil { // as many units, other steps at each batch size
		all = append(all, table.Column{ID: "steps", Title: "steps", Width: 7, Right: true, Sort: true, Drop: 4})
	}
	for _, o := range of.Minimized() {
		column := table.Column{ID: string(o.Name), Title: string(o.Name), Right: true, Sort: true}
		if column.Width, _ = widths(o.Name); o.Optional && o.Name != by {
			column.Drop = 3
		}
		all = append(all, column)
	}
	accuracy := of[of.Index(objective.Accuracy)]
	return append(all,
		table.Column{ID: "accuracy", Title: accuracy.Label, Width: 8, Right: true, Sort: true, Drop: 2},
		table.Column{ID: "car", Title: "CAR", Width: 8, Right: true, Sort: true, Drop: 7},
		table.Column{ID: "tar", Title: "TAR", Width: 10, Right: true, Sort: true, Drop: 9},
		table.Column{ID: "score", Title: "score", Width: 5, Right: true, Sort: true, Drop: 8},
		table.Column{ID: "best", Title: best.PBest(), Width: max(11, len(best.PBest())), Sort: true, Drop: 5},
		table.Column{ID: "basis", Title: "basis", Width: 7, Sort: true, Drop: 4},
	)
}

// vmFlex is the share of spare cells that the names of VMs get: combinations have
// long ones.
func vmFlex(q question.Query) int {
	if q.Combine {
		return 8
	}
	return 3
}

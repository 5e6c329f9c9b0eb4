package reproduce

import (
	"fmt"
	"slices"
)

// Malta is the name of the paper: Malta's thesis of 2021.
const Malta = "malta"

// Columns of the relative tables.
const (
	runtimeColumn = "runtime"
	costColumn    = "cost"
	realSuffix    = "_real"
)

// group is one question of the thesis, which VM is fastest and cheapest for an
// application at a batch size, and the two tables that answer it.
type group struct {
	application         string
	batch               int
	validation          string
	runtimeTable        string
	costTable           string
	vms                 []string
	epochs              []float64
	startupContradicted bool
}

func (g group) runtime(vm string, epochs float64) Key {
	return Key{
		Table: g.runtimeTable, Application: g.application, Batch: g.batch, Validation: g.validation,
		VM: vm, Column: runtimeColumn, Epochs: epochs,
	}
}

func (g group) realKey(table, column, vm string) Key {
	return Key{Table: table, Application: g.application, Batch: g.batch, Validation: g.validation, VM: vm,
		Column: column + realSuffix}
}

// book is everything the formulas need to know of the thesis.
type book struct {
	prices map[string]float64
	groups []group
}

// trainingTimes computes the tables of the thesis. Numbers of the running text that
// serve as inputs give no rows.
func trainingTimes(in Inputs) study {
	b := book{prices: in.Prices, groups: groupsOf(in.Cells)}
	return study{
		how:      b.how,
		isInput:  func(k Key) bool { return k.Table == "text" },
		findings: func(s sheet) []string { return contradictedStartups(s, b.groups) },
	}
}

// contradictedStartups tells where a table's lines are straight only with
// another start-up than the one its anchor prints.
func contradictedStartups(s sheet, groups []group) []string {
	var found []string
	for _, g := range groups {
		if !g.startupContradicted {
			continue
		}
		a := anchors[g.application]
		k := Key{Table: a.table, Application: g.application, Batch: g.batch, Validation: "no", VM: a.vm}
		printed, known := s.evaluate(func(r *reading) float64 { return iterationTerms(r, k).Startup })
		implied, solved := s.evaluate(impliedStartup(g))
		if known && solved {
			found = append(found, fmt.Sprintf("tables %s and %s are straight lines only if %s starts up in %.1f ± %.1f s; "+
				"table %s prints %.2f s",
				g.runtimeTable, g.costTable, a.vm, implied.value, implied.tolerance, a.table, printed.value))
		}
	}
	return found
}

// how picks the way a cell is computed by the table it stands in.
func (b book) how(k Key) computation {
	switch k.Table {
	case "4.1", "4.2":
		return b.totals(k)
	case "4.3", "5.1":
		return epochsAndIterations(k)
	case "4.4", "4.5", "5.14":
		return b.findingOut(k)
	case "5.2":
		return byEpochs(k)
	case "5.3", "5.4", "5.5", "5.9":
		return byIterations(k)
	case "5.6":
		return b.strategies(k)
	case "section 4.2", "section 4.5", "section 5.5":
		return b.claims(k)
	default:
		return b.relative(k)
	}
}

// groupsOf finds the groups and which tables hold them.
func groupsOf(cells []Cell) []group {
	var groups []group
	for _, c := range cells {
		if c.Column != runtimeColumn && c.Column != costColumn {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool {
			return g.application == c.Application && g.batch == c.Batch && g.validation == c.Validation
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{application: c.Application, batch: c.Batch, validation: c.Validation})
		}
		g := &groups[i]
		if c.Column == costColumn {
			g.costTable = c.Table
			continue
		}
		g.runtimeTable = c.Table
		g.startupContradicted = c.Table == contradictedTable
		if !slices.Contains(g.vms, c.VM) {
			g.vms = append(g.vms, c.VM)
		}
		if !slices.Contains(g.epochs, c.Epochs) {
			g.epochs = append(g.epochs, c.Epochs)
		}
	}
	// A line needs two columns beside the one left out.
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.epochs) != 3 })
}

func (b book) groupOf(k Key) (group, bool) {
	i := slices.IndexFunc(b.groups, func(g group) bool {
		return g.application == k.Application && g.batch == k.Batch && g.validation == k.Validation &&
			(k.Table == g.runtimeTable || k.Table == g.costTable) && slices.Contains(g.vms, k.VM)
	})
	if i < 0 {
		return group{}, false
	}
	return b.groups[i], true
}

package reproduce

import (
	"fmt"
	"slices"
	"strings"
)

// relative computes the tables of ratios: 5.7, 5.8, 5.10-5.13, A and B.
func (b book) relative(k Key) computation {
	g, ok := b.groupOf(k)
	if !ok {
		return computation{note: "no method of ours computes this cell"}
	}
	if strings.HasSuffix(k.Column, realSuffix) {
		return b.realColumn(k, g)
	}
	known := others(g.epochs, k.Epochs)
	a := anchors[g.application]
	anchored := func(r *reading) float64 {
		return b.normalised(k, g, anchoredTimes(r, g, k.Epochs))
	}
	how := computation{
		formula: anchored,
		note: fmt.Sprintf("straight lines through the runtimes at %g and %g epochs, scaled by %s's of table %s",
			known[0], known[1], a.vm, a.table),
	}
	if g.startupContradicted {
		how.formula = func(r *reading) float64 {
			return b.normalised(k, g, solvedTimes(r, g, k.Epochs, k.VM))
		}
		how.note = fmt.Sprintf("straight lines through the runtimes at %g and %g epochs, with the start-up that makes "+
			"all other VMs' straightest", known[0], known[1])
		how.other = anchored
		how.otherway = "with the start-up that table " + a.table + " prints for " + a.vm +
			", which contradicts this table, it is %s"
	}
	if k.Column == costColumn {
		how.note += ", times price"
	}
	return how
}

// normalised is the k's VM's share of the times, priced where k is a cost,
// relative to the best.
func (b book) normalised(k Key, g group, times []float64) float64 {
	values := slices.Clone(times)
	if k.Column == costColumn {
		for i, vm := range g.vms {
			values[i] *= b.prices[vm]
		}
	}
	return values[slices.Index(g.vms, k.VM)] / slices.Min(values)
}

// realColumn computes the ratios of the real runs: runtimes from the costs and
// costs from the runtimes, each through the prices.
func (b book) realColumn(k Key, g group) computation {
	return computation{
		note: map[string]string{runtimeColumn + realSuffix: "real cost ÷ price",
			costColumn + realSuffix: "real runtime × price"}[k.Column],
		formula: func(r *reading) float64 {
			values := make([]float64, len(g.vms))
			for i, vm := range g.vms {
				if k.Column == costColumn+realSuffix {
					values[i] = r.at(g.realKey(g.runtimeTable, runtimeColumn, vm)) * b.prices[vm]
				} else {
					values[i] = r.at(g.realKey(g.costTable, costColumn, vm)) / b.prices[vm]
				}
			}
			return values[slices.Index(g.vms, k.VM)] / slices.Min(values)
		},
	}
}

// strategies computes table 5.6 as far as table 5.7, which is about the same
// runs, tells what it needs.
func (b book) strategies(k Key) computation {
	i := slices.IndexFunc(b.groups, func(g group) bool {
		return g.runtimeTable == contradictedTable && slices.Contains(g.vms, k.VM)
	})
	if i < 0 {
		return computation{note: "table " + contradictedTable + " does not hold this VM"}
	}
	g := b.groups[i]
	switch k.Column {
	case "second_iteration":
		return computation{note: "slopes of the lines of table " + contradictedTable, formula: func(r *reading) float64 {
			start := straightening(r, g, "")
			ends := [2]float64{g.epochs[0], g.epochs[2]}
			slopes := make([]float64, len(g.vms))
			for i, vm := range g.vms {
				var y [2]float64
				for j, e := range ends {
					y[j] = (start + e) * r.at(g.runtime(vm, e))
				}
				slopes[i] = through(ends, y).Slope
			}
			return slopes[slices.Index(g.vms, k.VM)] / slices.Min(slopes)
		}}
	case "real":
		return sameRuns(g.realKey(g.runtimeTable, runtimeColumn, k.VM))
	case "first_iteration":
		return computation{note: "the first iterations of the VMs are not published apart from their initialisation"}
	default:
		return computation{note: "the averages of iterations 2 to 10 are published for p2.xlarge only"}
	}
}

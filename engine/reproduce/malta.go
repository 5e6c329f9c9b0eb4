package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/training"
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

// anchor is the VM whose absolute times an application's tables print.
type anchor struct{ table, vm string }

var anchors = map[string]anchor{
	"seismic/FCN":      {"5.4", "p2.xlarge"},
	"MNIST/Simple-CNN": {"5.9", "p2.16xlarge"},
}

// contradictedTable is the runtime table that cannot rest on its anchor's
// printed start-up: with the 14.63 s of table 5.4 (whose standard deviation is
// 20.5 s) the other VMs' times are no straight lines over the epochs, with
// about 3 s all of them are.
const contradictedTable = "5.7"

// anchorLine is the anchor's time over the epochs: method 2 with the steady
// iteration that its printed estimate implies, and with validation the seconds
// per epoch by which the two printed estimates differ.
func anchorLine(r *reading, g group) training.Line {
	a := anchors[g.application]
	k := Key{Table: a.table, Application: g.application, Batch: g.batch, Validation: "no", VM: a.vm, Column: "estimated_s"}
	t := iterationTerms(r, k)
	t.PerEpoch = perEpoch(r, k)
	epochs, estimated := r.at(epochsKey(k)), r.at(k)
	t.Steady = steadyOf(t, epochs, estimated)
	if g.validation == "yes" {
		t.Validation = (r.at(k.of(a.table, "yes")) - estimated) / epochs
		t.FirstValidation = t.Validation
	}
	slope := training.Method2(t, 2) - training.Method2(t, 1)
	return training.Line{At0: training.Method2(t, 1) - slope, Slope: slope}
}

// anchoredTimes are the seconds of every VM at the given epochs, from the other
// two columns alone: a VM's ratio to the anchor, times the anchor's line, gives
// two points of the VM's own line.
func anchoredTimes(r *reading, g group, at float64) []float64 {
	line := anchorLine(r, g)
	known := others(g.epochs, at)
	anchorVM := anchors[g.application].vm
	times := make([]float64, len(g.vms))
	for i, vm := range g.vms {
		if vm == anchorVM {
			times[i] = line.At(at)
			continue
		}
		var y [2]float64
		for j, e := range known {
			y[j] = line.At(e) * r.at(g.runtime(vm, e)) / r.at(g.runtime(anchorVM, e))
		}
		times[i] = through(known, y).At(at)
	}
	return times
}

// solvedTimes are the times of every VM at the given epochs in epochs of the
// fastest VM, without an anchor: the start-up that makes all lines straightest
// is solved from all VMs but the one left out.
func solvedTimes(r *reading, g group, at float64, leftOut string) []float64 {
	start, known := straightening(r, g, leftOut), others(g.epochs, at)
	return g.each(func(vm string) float64 { return g.line(r, vm, start, known).At(at) })
}

// line is a VM's time over the epochs through two columns, in epochs of the fastest
// VM, given the start-up of that.
func (g group) line(r *reading, vm string, start float64, columns [2]float64) training.Line {
	var y [2]float64
	for i, e := range columns {
		y[i] = (start + e) * r.at(g.runtime(vm, e))
	}
	return through(columns, y)
}

func (g group) each(of func(vm string) float64) []float64 {
	values := make([]float64, len(g.vms))
	for i, vm := range g.vms {
		values[i] = of(vm)
	}
	return values
}

// ends are the first and the last column.
func (g group) ends() [2]float64 { return [2]float64{g.epochs[0], g.epochs[2]} }

// relative is the value of a VM over the least one.
func (g group) relative(vm string, values []float64) float64 {
	return values[slices.Index(g.vms, vm)] / slices.Min(values)
}

// straightening is the start-up of the fastest VM, in epochs of its own, with
// which the times of all VMs but one are straightest over the epochs. A VM's
// time is its ratio ρ times (start + epochs); its bend at the middle column,
// relative to the ratio there, is linear in the start-up, so least squares have
// a closed form. It holds where one VM is fastest in all columns.
func straightening(r *reading, g group, leftOut string) float64 {
	e, ends := g.epochs, g.ends()
	var ab, aa float64
	for _, vm := range g.vms {
		if vm == leftOut {
			continue
		}
		var ratio [3]float64
		for i := range ratio {
			ratio[i] = r.at(g.runtime(vm, e[i]))
		}
		a := 1 - through(ends, [2]float64{ratio[0], ratio[2]}).At(e[1])/ratio[1]
		b := e[1] - through(ends, [2]float64{e[0] * ratio[0], e[2] * ratio[2]}).At(e[1])/ratio[1]
		ab += a * b
		aa += a * a
	}
	return -ab / aa
}

// others are the two of three columns that are not left out.
func others(epochs []float64, leftOut float64) (two [2]float64) {
	i := 0
	for _, e := range epochs {
		if e != leftOut && i < 2 {
			two[i] = e
			i++
		}
	}
	return two
}

func through(x, y [2]float64) training.Line {
	slope := (y[1] - y[0]) / (x[1] - x[0])
	return training.Line{At0: y[0] - slope*x[0], Slope: slope}
}

// impliedStartup is the start-up of the anchor, in seconds, with which the
// contradicted table's lines are straight: where its line begins, in units of
// its own slope, times the seconds per epoch of its absolute line.
func impliedStartup(g group) formula {
	return func(r *reading) float64 {
		line := g.line(r, anchors[g.application].vm, straightening(r, g, ""), g.ends())
		return line.At0 / line.Slope * anchorLine(r, g).Slope
	}
}

// relative computes the tables of ratios: 5.7, 5.8, 5.10-5.13, A and B.
func (b book) relative(k Key) computation {
	g, ok := b.groupOf(k)
	if !ok {
		return notOurs
	}
	if strings.HasSuffix(k.Column, realSuffix) {
		return b.realColumn(k, g)
	}
	known, a := others(g.epochs, k.Epochs), anchors[g.application]
	anchored := func(r *reading) float64 { return b.normalised(k, g, anchoredTimes(r, g, k.Epochs)) }
	lines := fmt.Sprintf("straight lines through the runtimes at %g and %g epochs, ", known[0], known[1])
	how := by(fmt.Sprintf("%sscaled by %s's of table %s", lines, a.vm, a.table), anchored)
	if g.startupContradicted {
		how = by(lines+"with the start-up that makes all other VMs' straightest", func(r *reading) float64 {
			return b.normalised(k, g, solvedTimes(r, g, k.Epochs, k.VM))
		}).or("with the start-up that table "+a.table+" prints for "+a.vm+
			", which contradicts this table, it is %s", anchored)
	}
	if k.Column == costColumn {
		how.note += ", times price"
	}
	return how
}

// normalised is the time of k's VM, priced where k is a cost, relative to the best.
func (b book) normalised(k Key, g group, times []float64) float64 {
	if k.Column == costColumn {
		for i, vm := range g.vms {
			times[i] *= b.prices[vm]
		}
	}
	return g.relative(k.VM, times)
}

// realColumn computes the ratios of the real runs: runtimes from the costs and
// costs from the runtimes, each through the prices.
func (b book) realColumn(k Key, g group) computation {
	note, of := "real cost ÷ price", func(r *reading, vm string) float64 {
		return r.at(g.realKey(g.costTable, costColumn, vm)) / b.prices[vm]
	}
	if k.Column == costColumn+realSuffix {
		note, of = "real runtime × price", func(r *reading, vm string) float64 {
			return r.at(g.realKey(g.runtimeTable, runtimeColumn, vm)) * b.prices[vm]
		}
	}
	return by(note, func(r *reading) float64 {
		return g.relative(k.VM, g.each(func(vm string) float64 { return of(r, vm) }))
	})
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
		return by("slopes of the lines of table "+contradictedTable, func(r *reading) float64 {
			start := straightening(r, g, "")
			return g.relative(k.VM, g.each(func(vm string) float64 { return g.line(r, vm, start, g.ends()).Slope }))
		})
	case "real":
		return sameRuns(g.realKey(g.runtimeTable, runtimeColumn, k.VM))
	case "first_iteration":
		return computation{note: "the first iterations of the VMs are not published apart from their initialisation"}
	default:
		return computation{note: "the averages of iterations 2 to 10 are published for p2.xlarge only"}
	}
}

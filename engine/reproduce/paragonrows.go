package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/serving"
)

func (o relations) onEach(row func(*drawnLoad) Row) (rows []Row) {
	for i := range o.loads.loads {
		rows = append(rows, row(&o.loads.loads[i]))
	}
	return rows
}

// loadRows hold a printed cell against every load, with what the text says
// beside it.
func (o relations) loadRows(s sheet, c Cell) []Row {
	scheme := serving.Scheme(c.Variant)
	switch {
	case c.Column == overColumn && slices.Contains(serving.Schemes(), scheme):
		return o.onEach(func(l *drawnLoad) Row {
			return o.judged(s, c, l, overProvisioned(scheme), "VM-seconds over reactive's", o.overshoots(l, scheme))
		})
	case c.Column == cutsColumn && scheme == serving.Mixed:
		return o.onEach(func(l *drawnLoad) Row {
			note := fmt.Sprintf("in percent of reactive's violations; in points of all queries %.2f", l.mean(spared))
			return o.judged(s, c, l, cuts(scheme), note, "functions take every query that finds no VM, without a limit, "+
				"so only cold starts violate; the study does not say what held its own functions back")
		})
	case c.Key == mixedCosts:
		return o.onEach(o.similarCostRow)
	case c.Column == savesMixedColumn && scheme == serving.Paragon:
		return append(o.onEach(func(l *drawnLoad) Row {
			return o.judged(s, c, l, saves(scheme, serving.Mixed), "of mixed's cost", savesLittle(l, c))
		}), o.onEach(func(l *drawnLoad) Row {
			return o.similarCutsRow("figure 8", l, [2]serving.Scheme{scheme, serving.Mixed},
				"section 4: ensures similar SLOs", "", "relaxed queries wait for VMs longer than their limit")
		})...)
	}
	return nil
}

// violationRows are what the text says of figure 5, which prints no numbers.
func (o relations) violationRows() []Row {
	return slices.Concat(
		o.onEach(func(l *drawnLoad) Row { return o.cutRow(l, serving.UtilAware) }),
		o.onEach(func(l *drawnLoad) Row { return o.cutRow(l, serving.Exascale) }),
		o.onEach(func(l *drawnLoad) Row {
			return o.similarCutsRow("figure 5", l, [2]serving.Scheme{serving.Mixed, serving.Exascale},
				"section 2.4: minimizes violations equivalent to exascale", ", or better",
				"functions start cold where VMs are already there")
		}),
		o.onEach(o.cheaperRow))
}

// judged holds a printed number against a load's; why is told where they differ.
//
//nolint:revive // the cells of a row in their order
func (o relations) judged(s sheet, c Cell, l *drawnLoad, of func(*draw) float64, note, why string) Row {
	n := l.over(of)
	shown := c
	shown.Table += loadsSuffix
	shown.Application = l.name
	row := s.row(Paragon, shown, computation{
		note:    note + "; tolerance: the printed rounding, and one more draw in nine of ten cases",
		formula: func(r *reading) float64 { o.loads.read(r); return n.mean },
		chance:  func(*reading) float64 { return n.by },
	}, nil)
	row.Key = c.Key
	if row.OK != nil && !*row.OK {
		row.Note += "; " + why
	}
	row.Note += "; " + l.described()
	return row
}

// said judges a statement on a load.
//
//nolint:revive // the cells of a row in their order
func (o relations) said(figure string, l *drawnLoad, what string, ours float64, holds bool, note, why string) Row {
	return claimed(figure+loadsSuffix, l.name+" "+what, ours, holds, unless(holds, note, why)+"; "+l.described(),
		o.loads.used)
}

// overshoots says why a scheme over-provisions by another amount than the study's.
func (o relations) overshoots(l *drawnLoad, scheme serving.Scheme) string {
	start := o.loads.settings.VM.StartS
	switch {
	case l.risesS == 0 || l.risesS >= float64(start):
		return "the load is not the study's"
	case scheme == serving.Exascale:
		return fmt.Sprintf("the load rises faster than VMs start (%d s), and the trend that is carried on over that "+
			"time overshoots", start)
	}
	return fmt.Sprintf("the load rises faster than VMs start (%d s), so reactive orders VMs for a backlog too, "+
		"which with room to spare is smaller", start)
}

// savesLittle says why paragon saves another amount over mixed than is printed.
func savesLittle(l *drawnLoad, printed Cell) string {
	queries, cost := l.mean(onFunctions(serving.Mixed)), l.mean(functionsCost(serving.Mixed))
	if printed.Number != nil && cost < printed.Number.Value-printed.Number.Half {
		return fmt.Sprintf("mixed gives functions only %.2f %% of the queries, %.2f %% of its cost, and more cannot be saved",
			queries, cost)
	}
	more := l.mean(func(d *draw) float64 {
		return 100 * (d.by[serving.Paragon].VMUSD - d.by[serving.Mixed].VMUSD) / d.by[serving.Mixed].USD
	})
	return fmt.Sprintf("of the %.1f %% of mixed's cost that are functions paragon keeps to %.1f %%, but the relaxed "+
		"queries that wait are a backlog that it orders VMs for, %.1f %% of mixed's cost more",
		cost, l.mean(func(d *draw) float64 { return 100 * d.by[serving.Paragon].FunctionUSD / d.by[serving.Mixed].USD }),
		more)
}

func valueOr(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func (o relations) cutRow(l *drawnLoad, scheme serving.Scheme) Row {
	cut := l.mean(cuts(scheme))
	return o.said("figure 5", l, string(scheme)+" "+cutsColumn, cut, cut > 0,
		"section 2.3: it can reduce SLO violations; ours is in percent of reactive's", "it does not where reactive "+
			"already has none to reduce or the peak comes and goes within a start-up")
}

// similarCutsRow judges whether the first scheme cuts as many violations as the
// second.
//
//nolint:revive // the cells of a row in their order
func (o relations) similarCutsRow(figure string, l *drawnLoad, schemes [2]serving.Scheme,
	says, better, why string) Row {
	ours, other := l.mean(cuts(schemes[0])), l.mean(cuts(schemes[1]))
	return o.said(figure, l, fmt.Sprintf("%s cuts as many violations as %s", schemes[0], schemes[1]), ours-other,
		ours >= other-similarPoints, fmt.Sprintf("%s; ours is the difference in points, %.1f %% and %.1f %% of "+
			"reactive's being cut; %s%s", says, ours, other, similarIsHalfOf, better), why)
}

func (o relations) cheaperRow(l *drawnLoad) Row {
	saved := min(l.mean(saves(serving.Mixed, serving.UtilAware)), l.mean(saves(serving.Mixed, serving.Exascale)))
	return o.said("figure 5", l, "mixed is cheaper than util-aware and exascale", saved, saved > 0,
		"section 2.4: reduces the over-provisioning cost of VMs; ours is what it saves over the cheaper of the two, in "+
			"percent", "its functions cost more than the VMs that are spared")
}

func (o relations) similarCostRow(l *drawnLoad) Row {
	more := l.mean(func(d *draw) float64 { return -saves(serving.Mixed, serving.Reactive)(d) })
	vms := l.mean(func(d *draw) float64 {
		return 100 * saving(d.by[serving.Mixed].VMUSD, d.by[serving.Reactive].USD)
	})
	why := fmt.Sprintf("functions carry %.1f %% of the queries at %.1f times the price of a busy VM, and VMs cost "+
		"only %.1f %% less for it",
		l.mean(onFunctions(serving.Mixed)), o.loads.functionOverVM(), vms)
	if l.burstS > 0 && l.burstS < float64(o.loads.settings.VM.StartS) {
		why += fmt.Sprintf(": bursts of %g s are over before a VM has started, so functions carry them whole, while in "+
			"reactive they wait", l.burstS)
	}
	return o.said("figure 8", l, "mixed "+overReactive, more, math.Abs(more) <= similarPoints, "section 4: similar "+
		"cost; ours is what mixed costs more than reactive, in percent; "+similarIsHalfOf, why)
}

// functionOverVM is what a query costs on a function over what it costs on a VM
// that is busy.
func (t *Traffic) functionOverVM() float64 {
	return t.settings.Function.USDPerQuery() / (t.settings.VM.USDPerHour / 3600 / t.settings.VM.QueriesPerSecond)
}

// patternRows are Observation 4: on which loads mixing pays.
func (o relations) patternRows() []Row {
	return slices.Concat(o.onEach(func(l *drawnLoad) Row {
		return o.paysRow(l, "cheapest of four schemes uses functions", func(d *draw) *serving.Outcome {
			return cheapest(d, serving.Reactive, serving.UtilAware, serving.Exascale, serving.Mixed)
		})
	}), o.onEach(func(l *drawnLoad) Row {
		return o.paysRow(l, "cheapest of five schemes uses functions", func(d *draw) *serving.Outcome {
			if len(d.advice.Outcomes) == 0 || !d.advice.Keeps {
				return nil
			}
			return &d.advice.Outcomes[d.advice.Pick]
		})
	}), o.onEach(o.sparingRow), o.growthRows())
}

// cheapest is the cheapest of some schemes that keeps the accepted violations,
// nil where none does.
func cheapest(d *draw, schemes ...serving.Scheme) (best *serving.Outcome) {
	for _, s := range schemes {
		if out := d.by[s]; out.Queries.Total() > 0 && out.ViolationShare() <= acceptedViolations && (best == nil ||
			out.USD < best.USD) {
			best = out
		}
	}
	return best
}

// paysRow judges whether functions are used where the peak is high, and there alone.
func (o relations) paysRow(l *drawnLoad, what string, pick func(*draw) *serving.Outcome) Row {
	threshold := o.loads.settings.PeakToMedianAt
	var picked []string
	uses := l.mean(func(d *draw) float64 {
		out := pick(d)
		if out == nil {
			picked = append(picked, "none, as none keeps that")
			return 0
		}
		picked = append(picked, string(out.Scheme))
		if out.OnFunctions.Total() > 0 {
			return 1
		}
		return 0
	})
	slices.Sort(picked)
	picked = slices.Compact(picked)
	high := l.ratio() > threshold
	holds := high && uses > 0.5 || !high && uses < 0.5
	note := fmt.Sprintf("section 2.4: mixing pays where peak to median is above %g; ours is in what part of the "+
		"draws the cheapest scheme with at most %g %% violations uses functions: it is %s", threshold, 100*acceptedViolations,
		strings.Join(picked, " or "))
	return o.said("section 2.4", l, what, uses, holds, note, o.whyNot(l, high, picked))
}

func (o relations) whyNot(l *drawnLoad, high bool, picked []string) string {
	reactive := 100 * l.mean(func(d *draw) float64 { return d.by[serving.Reactive].ViolationShare() })
	switch {
	case !high:
		return fmt.Sprintf("reactive violates %.2f %%, so the loads at which functions are needed begin here already",
			reactive)
	case slices.Contains(picked, string(serving.Reactive)):
		return fmt.Sprintf("already reactive violates only %.2f %% of all queries: the peak is high, but short against "+
			"the trace", reactive)
	}
	return fmt.Sprintf("reactive violates %.2f %%, but the load grows so slowly that giving strict queries the VMs "+
		"first leaves functions nothing to spare", reactive)
}

// sparingRow is what functions cost for each violation that they spare.
func (o relations) sparingRow(l *drawnLoad) Row {
	row := claimed("section 2.4"+loadsSuffix, l.name+" usd_per_million_violations_spared", l.mean(sparedUSD), false,
		fmt.Sprintf("what mixed pays for functions; they spare %.2f %% of the queries a violation; the study has no "+
			"such number; %s", l.mean(spared), l.described()), o.loads.used)
	row.OK = nil
	return row
}

// growthRows judge whether functions spare more as peak to median grows.
func (o relations) growthRows() (rows []Row) {
	waves := slices.DeleteFunc(slices.Clone(o.loads.loads), func(l drawnLoad) bool { return !l.wave })
	for _, of := range []struct {
		name  string
		loads []drawnLoad
		why   string
	}{
		{"waves of growing swing", waves, "it does not on these loads"},
		{"all loads", o.loads.loads, "the ratio tells how high a peak is, not for what part of the time reactive lags " +
			"behind the load, nor how many queries mixed then gives to functions"},
	} {
		add := func(what string, value func(*draw) float64) {
			grows := growing(of.loads, value)
			note := unless(grows > 1, "Observation 4: the arrival pattern decides whether mixing pays; ours is the least "+
				"ratio from a load to the next one by peak to median", of.why)
			rows = append(rows, claimed("section 2.4"+loadsSuffix, what+" as peak to median grows, "+of.name, grows, grows > 1,
				note, o.loads.used))
		}
		add("functions spare more violations", spared)
		add("functions spare more violations per dollar", func(d *draw) float64 { return 1 / sparedUSD(d) })
	}
	return rows
}

// growing is the least ratio of a number between neighbours by peak to median.
func growing(loads []drawnLoad, of func(*draw) float64) float64 {
	sorted := slices.Clone(loads)
	slices.SortStableFunc(sorted, func(a, b drawnLoad) int { return cmp.Compare(a.ratio(), b.ratio()) })
	least := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		least = min(least, sorted[i].mean(of)/sorted[i-1].mean(of))
	}
	return least
}

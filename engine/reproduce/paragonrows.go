package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/serving"
)

// each is what there is to say of each load.
func each[T any](t *Traffic, of func(*drawnLoad) T) (all []T) {
	for i := range t.loads {
		all = append(all, of(&t.loads[i]))
	}
	return all
}

// loadRows hold a printed cell against every load, with what the text says
// beside it.
func (o relations) loadRows(s sheet, c Cell) []Row {
	scheme := serving.Scheme(c.Variant)
	switch {
	case c.Column == overColumn && slices.Contains(serving.Schemes(), scheme):
		return each(o.loads, func(l *drawnLoad) Row {
			return o.judged(s, c, l, overProvisioned(scheme), "VM-seconds over reactive's", o.overshoots(l, scheme))
		})
	case c.Column == cutsColumn && scheme == serving.Mixed:
		return each(o.loads, func(l *drawnLoad) Row {
			note := fmt.Sprintf("in percent of reactive's violations; in points of all queries %.2f", l.mean(spared))
			return o.judged(s, c, l, cuts(scheme), note, "functions take every query that finds no VM, without a limit, "+
				"so only cold starts violate; the study does not say what held its own functions back")
		})
	case c.Key == mixedCosts:
		return o.loads.claimed(each(o.loads, o.similarCost)...)
	case c.Column == savesMixedColumn && scheme == serving.Paragon:
		return append(each(o.loads, func(l *drawnLoad) Row {
			return o.judged(s, c, l, saves(scheme, serving.Mixed), "of mixed's cost", savesLittle(l, c))
		}), o.loads.claimed(each(o.loads, func(l *drawnLoad) claim {
			return similarCuts("figure 8", l, [2]serving.Scheme{scheme, serving.Mixed},
				[3]string{"section 4: ensures similar SLOs", "", "relaxed queries wait for VMs longer than their limit"})
		})...)...)
	}
	return nil
}

// violations are what the text says of figure 5, which prints no numbers.
func (o relations) violations() []claim {
	return slices.Concat(
		each(o.loads, func(l *drawnLoad) claim { return l.cut(serving.UtilAware) }),
		each(o.loads, func(l *drawnLoad) claim { return l.cut(serving.Exascale) }),
		each(o.loads, func(l *drawnLoad) claim {
			return similarCuts("figure 5", l, [2]serving.Scheme{serving.Mixed, serving.Exascale},
				[3]string{"section 2.4: minimizes violations equivalent to exascale", ", or better",
					"functions start cold where VMs are already there"})
		}),
		each(o.loads, (*drawnLoad).cheaper))
}

// judged holds a printed number against a load's; why is given where they differ.
//
//nolint:revive // the cells of a row in their order
func (o relations) judged(s sheet, c Cell, l *drawnLoad, of func(*draw) float64, note, why string) Row {
	n := l.over(of)
	shown := c
	shown.Table += loadsSuffix
	shown.Application = l.name
	row := s.against(Paragon, c.Key, shown, computation{
		note:    note + "; tolerance: the printed rounding, and one more draw in nine of ten cases",
		formula: func(r *reading) float64 { o.loads.read(r); return n.mean },
		chance:  func(*reading) float64 { return n.by },
	}, why)
	row.Note = joined(row.Note, l.described())
	return row
}

// said is a claim about a load.
func (l *drawnLoad) said(c claim) claim {
	c.table, c.cell, c.about = c.table+loadsSuffix, l.name+" "+c.cell, l.described()
	return c
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

func (l *drawnLoad) cut(scheme serving.Scheme) claim {
	cut := l.mean(cuts(scheme))
	return l.said(claim{"figure 5", string(scheme) + " " + cutsColumn, cut, new(cut > 0),
		"section 2.3: it can reduce SLO violations; ours is in percent of reactive's", "it does not where reactive " +
			"already has none to reduce or the peak comes and goes within a start-up", ""})
}

// similarCuts is whether the first scheme cuts as many violations as the second;
// the words are what the study says, what it allows beyond, and why not.
func similarCuts(figure string, l *drawnLoad, schemes [2]serving.Scheme, words [3]string) claim {
	ours, other := l.mean(cuts(schemes[0])), l.mean(cuts(schemes[1]))
	return l.said(claim{figure, fmt.Sprintf("%s cuts as many violations as %s", schemes[0], schemes[1]), ours - other,
		new(ours >= other-similarPoints), fmt.Sprintf("%s; ours is the difference in points, %.1f %% and %.1f %% of "+
			"reactive's being cut; %s%s", words[0], ours, other, similarIsHalfOf, words[1]), words[2], ""})
}

func (l *drawnLoad) cheaper() claim {
	saved := min(l.mean(saves(serving.Mixed, serving.UtilAware)), l.mean(saves(serving.Mixed, serving.Exascale)))
	return l.said(claim{"figure 5", "mixed is cheaper than util-aware and exascale", saved, new(saved > 0),
		"section 2.4: reduces the over-provisioning cost of VMs; ours is what it saves over the cheaper of the two, in " +
			"percent", "its functions cost more than the VMs that are spared", ""})
}

func (o relations) similarCost(l *drawnLoad) claim {
	more := -l.mean(saves(serving.Mixed, serving.Reactive))
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
	return l.said(claim{"figure 8", "mixed " + overReactive, more, new(math.Abs(more) <= similarPoints), "section 4: " +
		"similar cost; ours is what mixed costs more than reactive, in percent; " + similarIsHalfOf, why, ""})
}

// functionOverVM is what a query costs on a function over what it costs on a VM
// that is busy.
func (t *Traffic) functionOverVM() float64 {
	return t.settings.Function.USDPerRequest() / (t.settings.VM.USDPerHour / 3600 / t.settings.VM.RequestsPerSecond)
}

// patterns are Observation 4: on which loads mixing pays.
func (o relations) patterns() []claim {
	return slices.Concat(each(o.loads, func(l *drawnLoad) claim {
		return o.pays(l, "cheapest of four schemes uses functions", func(d *draw) *serving.Outcome {
			return cheapest(d, serving.Reactive, serving.UtilAware, serving.Exascale, serving.Mixed)
		})
	}), each(o.loads, func(l *drawnLoad) claim {
		return o.pays(l, "cheapest of five schemes uses functions", func(d *draw) *serving.Outcome {
			if len(d.advice.Outcomes) == 0 || !d.advice.Keeps {
				return nil
			}
			return &d.advice.Outcomes[d.advice.Pick]
		})
	}), each(o.loads, (*drawnLoad).sparing), o.growth())
}

// cheapest is the cheapest of some schemes that keeps the accepted violations,
// nil where none does.
func cheapest(d *draw, schemes ...serving.Scheme) (best *serving.Outcome) {
	for _, s := range schemes {
		if out := d.by[s]; out.Requests.Total() > 0 && out.ViolationShare() <= acceptedViolations && (best == nil ||
			out.USD < best.USD) {
			best = out
		}
	}
	return best
}

// pays is whether functions are used where the peak is high, and there alone.
func (o relations) pays(l *drawnLoad, what string, pick func(*draw) *serving.Outcome) claim {
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
	note := fmt.Sprintf("section 2.4: mixing pays where peak to median is above %g; ours is in what part of the "+
		"draws the cheapest scheme with at most %g %% violations uses functions: it is %s", threshold, 100*acceptedViolations,
		strings.Join(picked, " or "))
	return l.said(claim{"section 2.4", what, uses, new(high && uses > 0.5 || !high && uses < 0.5), note,
		l.whyNot(high, picked), ""})
}

func (l *drawnLoad) whyNot(high bool, picked []string) string {
	reactive := l.mean(reactiveViolates)
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

// sparing is what functions cost for each violation that they spare.
func (l *drawnLoad) sparing() claim {
	return l.said(claim{"section 2.4", "usd_per_million_violations_spared", l.mean(sparedUSD), nil, fmt.Sprintf(
		"what mixed pays for functions; they spare %.2f %% of the queries a violation; the study has no such number",
		l.mean(spared)), "", ""})
}

// growth is whether functions spare more as peak to median grows.
func (o relations) growth() (claims []claim) {
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
			claims = append(claims, claim{"section 2.4" + loadsSuffix, what + " as peak to median grows, " + of.name, grows,
				new(grows > 1), "Observation 4: the arrival pattern decides whether mixing pays; ours is the least ratio from a " +
					"load to the next one by peak to median", of.why, ""})
		}
		add("functions spare more violations", spared)
		add("functions spare more violations per dollar", func(d *draw) float64 { return 1 / sparedUSD(d) })
	}
	return claims
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

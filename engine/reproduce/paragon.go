package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/serving"
)

// Paragon is the name of the paper: VMs and serverless functions for inference
// queries, by Gunasekaran et al. (2020).
const Paragon = "paragon"

// Columns of what the paper concludes, and where its settings stand.
const (
	overColumn        = "over_provisioned_percent"
	cutsColumn        = "cuts_violations_percent"
	savesMixedColumn  = "saves_over_mixed_percent"
	overReactive      = "cost_over_reactive"
	savesNaiveColumn  = "saves_over_naive_percent"
	rateColumn        = "queries_per_second"
	modelsTable       = "models"
	modelAccuracy     = "top1_percent"
	modelMilliseconds = "cpu_ms"
)

var (
	limitMS         = textNumber("latency_limit_ms")
	utilisation     = textNumber("utilisation_percent")
	peakOverMedian  = textNumber("peak_over_median_percent")
	leastColdStart  = textNumber("cold_start_least_s")
	mostColdStart   = textNumber("cold_start_most_s")
	sampleHours     = textNumber("sample_h")
	mostMemory      = textNumber("function_most_gb")
	constantHours   = Key{Table: "text", VM: "m4.large", Column: "constant_load_h"}
	squeezeNetKnee  = Key{Table: "text", Application: "squeezenet", Column: "knee_gb"}
	savesOverNaive  = Key{Table: "section 4", Variant: string(serving.Paragon), Column: savesNaiveColumn}
	mixedCosts      = Key{Table: "figure 8", Variant: string(serving.Mixed), Column: overReactive}
	noTraces        = "the study's traces and the times of its models are not published; see the rows on synthetic loads"
	similarIsHalfOf = "similar is within five points, half of the step of ten in which the study prints"
)

// similarPoints is how far two percentages that the study calls similar may lie
// apart: it prints its percentages in steps of ten.
const similarPoints = 5

// relations is everything the formulas need to know of the paper.
type relations struct {
	cells []Cell
	loads *Traffic // nil computes only what other printed cells give
	pools []pool
}

// servedQueries computes the paper's relations: on synthetic loads where there
// are any, and for the choice of a model in pools that are not its own.
func servedQueries(in Inputs) study {
	o := relations{cells: in.Cells, loads: in.Traffic, pools: poolsOf(in)}
	return study{how: o.how, isInput: o.isInput, findings: o.findings, further: o.further}
}

func (o relations) isInput(k Key) bool { return k.Table == "text" || k.Table == modelsTable }

func (o relations) how(k Key) computation {
	switch {
	case k.Table == "section 1":
		return printedAgain("the only saving of that size that section 4 reports, over a naive choice of models",
			savesOverNaive)
	case k.Column == savesNaiveColumn:
		return computation{note: "the study's pool of models is drawn, not printed; see the rows on other pools"}
	case k.Table == "figure 2a" || k.Table == "figure 2b":
		return measured
	}
	return computation{note: noTraces}
}

// further are the relations: of figure 3 and figure 7 for models whose times
// are assumed, of the schemes on synthetic loads, of the choice of a model in other pools.
func (o relations) further(s sheet) (rows []Row) {
	if o.loads != nil {
		rows = o.loads.claimed(o.constant()...)
		for _, c := range o.cells {
			rows = append(rows, o.loadRows(s, c)...)
		}
		rows = append(rows, o.loads.claimed(slices.Concat(o.violations(), o.patterns(), o.memory())...)...)
	}
	return append(rows, append(o.poolRows(s), o.mixRows(s)...)...)
}

// claim is a statement of a study without a number of its own, judged on ours.
type claim struct {
	table, cell string
	ours        float64
	holds       *bool  // nil judges nothing
	note, why   string // why is set where it does not hold
	about       string // of the load or the model
}

func (c claim) row(paper string, inputs []Key) Row {
	row := Row{Paper: paper, Table: c.table, Cell: c.cell, Ours: finite(c.ours), Inputs: inputs}
	if row.Ours != nil {
		row.OK = c.holds
	}
	if c.holds == nil || *c.holds {
		c.why = ""
	}
	row.Note = joined(c.note, c.why, c.about)
	return row
}

// claimed are the rows of claims that rest on the simulated loads.
func (t *Traffic) claimed(claims ...claim) (rows []Row) {
	for _, c := range claims {
		rows = append(rows, c.row(Paragon, t.used))
	}
	return rows
}

// findings are what was assumed, what decides whether the relations hold, and
// where the paper leaves something open or contradicts itself.
func (o relations) findings(s sheet) (found []string) {
	if t := o.loads; t != nil {
		found = append(found, t.assumptions(), t.waitingForVMs(), t.trendsOnBursts(), t.cutsOfMixed(), t.costOfMixed(),
			t.whereParagonSaves(), t.lengthOfTrace())
	}
	return append(found, s.contradictions(sameTwenty, coresInSteps)...)
}

// assumptions says what is not the study's.
func (t *Traffic) assumptions() string {
	loads := t.list("; ", func(l *drawnLoad) string {
		return fmt.Sprintf("%s (%s, %.3g h, peak to median %.2f)", l.name, l.words, float64(l.seconds)/3600, l.ratio())
	})
	s := t.settings
	return fmt.Sprintf("the loads of Paragon are synthetic, seeds 1 to %d each: %s. The study publishes neither its "+
		"traces (Berkeley, WITS, Wiki, Twitter) nor its models' times, nor what start-up, relaxed limit, share of "+
		"strict queries, monitoring, cool-down, trend and headroom it had. Assumed are VMs for $%.2f/h with %g "+
		"queries/s of %g s each that start in %d s (\"a few hundred seconds\"); functions of %g GB, %g s a query, %g s "+
		"to start and %g s to load the model, warm for %d s, at $%g per GB-second and $%.2f a million (public prices); "+
		"%.0f %% strict queries within %g s, the others within %g s; load averaged over %d s, VMs stopped after %d s; "+
		"a trend of %d s and %.0f %% above it",
		seeds, loads, s.VM.USDPerHour, s.VM.RequestsPerSecond, s.VM.LatencyS, s.VM.StartS,
		s.Function.MemoryGiB, s.Function.Seconds, s.Function.ColdStartS, s.Function.ModelLoadS, s.Function.KeepAliveS,
		s.Function.USDPerGBSecond, s.Function.Prices.USDPerMillion, 100*s.StrictShare, s.StrictLimitS, s.RelaxedLimitS,
		s.MonitorS, s.CoolDownS, s.TrendS, 100*s.Headroom)
}

// list joins what is to be said of each load.
func (t *Traffic) list(separator string, of func(*drawnLoad) string) string {
	words := make([]string, len(t.loads))
	for i := range t.loads {
		words[i] = of(&t.loads[i])
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), separator)
}

// bursts is the load that settings are varied on.
func (t *Traffic) bursts() *drawnLoad { return &t.loads[len(t.loads)-1] }

// waitingForVMs is what the limit of relaxed queries decides.
func (t *Traffic) waitingForVMs() string {
	var violate []string
	for _, v := range t.relaxed {
		violate = append(violate, fmt.Sprintf("%.2f %% at %g s", 100*v.by[serving.Paragon].ViolationShare(), v.value))
	}
	return fmt.Sprintf("that paragon violates no more than mixed depends on how long a relaxed query may wait, "+
		"which the study does not say: on the %s load (seed 1) paragon violates %s, where VMs start in %d s; mixed "+
		"violates %.2f %% or less. The limit must be longer than a start-up",
		t.bursts().name, strings.Join(violate, ", "), t.settings.VM.StartS,
		100*t.relaxed[0].by[serving.Mixed].ViolationShare())
}

// trendsOnBursts is what the start-up does to exascale.
func (t *Traffic) trendsOnBursts() string {
	var over []string
	for _, v := range t.starts {
		over = append(over, fmt.Sprintf("%.0f %% with VMs that start in %g s",
			100*valueOr(v.by[serving.Exascale].OverProvisioning), v.value))
	}
	return fmt.Sprintf("20 to 30 %% over-provisioning of exascale holds while the load changes more slowly than VMs "+
		"start: on the %s load (seed 1) it is %s. util-aware's is what its target of %.0f %% makes it, 1/%.2f − 1, "+
		"less where reactive starts VMs for its backlog",
		t.bursts().name, strings.Join(over, ", "), 100*t.settings.Utilisation, t.settings.Utilisation)
}

// cutsOfMixed is where "up to 60 %" fails.
func (t *Traffic) cutsOfMixed() string {
	least, of := 100.0, ""
	for i := range t.loads {
		if cut := t.loads[i].mean(cuts(serving.Mixed)); cut < least || of == "" {
			least, of = cut, t.loads[i].name
		}
	}
	coldest := draw{by: t.cold.by}
	points := t.list(", ", func(l *drawnLoad) string { return fmt.Sprintf("%s %.1f", l.name, l.mean(spared)) })
	return fmt.Sprintf("section 4's \"up to 60 %%\" fewer violations with mixed does not say of what. Of reactive's "+
		"violations ours cuts at least %.1f %% (%s) and with cold starts of %g s, the longest of section 3.2.3, still "+
		"%.1f %% on bursts; in points of all queries it is %s. It cuts most where reactive lags behind the load for "+
		"much of the time, by bursts or wide swings, which peak to median alone does not tell",
		least, of, t.cold.value, cuts(serving.Mixed)(&coldest), points)
}

// costOfMixed is where mixed and reactive do not cost the same.
func (t *Traffic) costOfMixed() string {
	more := t.list(", ", func(l *drawnLoad) string {
		return fmt.Sprintf("%s %+.1f %%", l.name, -l.mean(saves(serving.Mixed, serving.Reactive)))
	})
	rate, ok := serving.BreakEven(t.settings.VM, t.settings.Function)
	even := "functions are cheaper at every rate that one VM serves"
	if ok {
		even = fmt.Sprintf("functions are cheaper only for what would keep a VM busy less than %.0f %% of the time",
			100*rate/t.settings.VM.RequestsPerSecond)
	}
	return fmt.Sprintf("section 2.4 says that mixed did not reduce the cost of the Wiki trace, of small peak to "+
		"median, and that the others can benefit. Against reactive it reduces the cost of none of ours (%s), as a "+
		"query on a function costs %.1f times one on a busy VM (%s); against util-aware and exascale it reduces that "+
		"of all, the wiki-like one included. What grows with peak to median is the violations spared",
		more, t.functionOverVM(), even)
}

// whereParagonSaves is where 10 % fails.
func (t *Traffic) whereParagonSaves() string {
	saved := t.list(", ", func(l *drawnLoad) string {
		return fmt.Sprintf("%s %.1f of %.1f %%", l.name, l.mean(saves(serving.Paragon, serving.Mixed)),
			l.mean(functionsCost(serving.Mixed)))
	})
	return fmt.Sprintf("paragon can save over mixed no more than what mixed pays for functions, less the VMs that "+
		"it orders for the relaxed queries that wait: it saves %s of mixed's cost", saved)
}

// lengthOfTrace is what the length of a trace around its peak decides.
func (t *Traffic) lengthOfTrace() string {
	crowds := t.list(", ", func(l *drawnLoad) string {
		if l.wave || l.burstS > 0 {
			return ""
		}
		return fmt.Sprintf("%.1f %% in %.3g h (peak to median %.2f)", l.mean(reactiveViolates),
			float64(l.seconds)/3600, l.ratio())
	})
	return fmt.Sprintf("whether mixing pays depends on how much of a trace is peak, not on its height alone: of the "+
		"same crowd reactive violates %s, and only the former is within the %g %% that VMs alone are asked to keep "+
		"here. The study evaluates on samples of an hour", crowds, 100*acceptedViolations)
}

// sameTwenty finds that the saving of the introduction is not over the schemes
// that it names.
func sameTwenty(s sheet) (string, bool) {
	mixed := Key{Table: "figure 8", Variant: string(serving.Paragon), Column: savesMixedColumn}
	first := Key{Table: "section 1", Variant: string(serving.Paragon), Column: "saves_percent"}
	for _, k := range []Key{mixed, first, savesOverNaive} {
		if _, printed := s[k]; !printed {
			return "", false
		}
	}
	return fmt.Sprintf("section 1 says that Paragon reduces cost by up to %g %% when compared to state-of-the-art "+
		"prior works; section 4 has that number over a naive choice of models, which no prior work is named for, and "+
		"%g %% over mixed",
		s[first].Value, s[mixed].Value), s[first].Value == s[savesOverNaive].Value && s[first].Value != s[mixed].Value
}

// coresInSteps finds that figure 7's curves and section 3.2.4's cores do not fit.
func coresInSteps(s sheet) (string, bool) {
	var steps []string
	for _, kind := range []string{"first", "second", "third"} {
		n, printed := s[Key{Table: "text", Variant: kind + " kind of core", Column: "function_gb"}]
		if !printed {
			return "", false
		}
		steps = append(steps, fmt.Sprintf("%g", n.Value))
	}
	return fmt.Sprintf("section 3.2.4 says that functions get one of three kinds of cores, from %s GB on, by which "+
		"their time would fall in three steps; section 2.5 says that it falls with increased memory. Ours falls in "+
		"proportion up to a knee, as AWS documents it", strings.Join(steps, ", ")), true
}

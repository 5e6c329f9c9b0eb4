package reproduce

import (
	"math"
	"strings"

	"sweetspot/engine/approx"
)

var (
	reservedPrice = Key{Table: "text", VM: studyVM, Column: "reserved_usd_per_hour"}
	onDemandPrice = Key{Table: "text", VM: studyVM, Column: "on_demand_usd_per_hour"}
	noReduction   = Key{Table: resultsTable, Application: original, Column: reductionColumn}
)

// Ends of the names of tables that hold printed cells against something else
// than other printed cells.
const (
	generatedSuffix = ", made-up jobs"
	sameMostSuffix  = ", same s_max"
)

// Words of rows that rest on made-up jobs.
const (
	fromJobs = "from made-up jobs (see the note on them)"
	byChance = "; tolerance: what two draws of jobs and users differ by in nine of ten cases"
	ofDigits = ", and the mix's ratios being of two digits"
)

// halfRatio is half a unit of the last digit of the ratios in a mix.
const halfRatio = 0.005

// at is what a policy comes to at the study's prices.
func (o offers) at(r *reading, policy string, reduction Key) map[string]tally {
	return o.outcome(r, policy, o.setting(r, reduction))
}

func (o offers) setting(r *reading, reduction Key) setting {
	return setting{reservedUSD: r.at(reservedPrice), onDemandUSD: r.at(onDemandPrice), reduction: r.at(reduction) / 100}
}

// tolerated is by how much a column of the made-up jobs may be off: drawn twice,
// and of ratios that are assumed to two digits.
func (o offers) tolerated(r *reading, policy string, reduction Key, column string) float64 {
	at := o.setting(r, reduction)
	here := o.outcome(r, policy, at)[column]
	at.ratioOff = halfRatio
	return here.twoDraws() + math.Abs(o.outcome(r, policy, at)[column].drawn-here.drawn)
}

// outcome is what a policy comes to. Without jobs it is missing, like a number
// that is not printed.
func (o offers) outcome(r *reading, policy string, at setting) map[string]tally {
	r.missing = r.missing || o.work == nil
	if r.missing {
		return nil
	}
	q := policyAt{approx.Policy(policy), at}
	if _, done := o.known[q]; !done {
		o.known[q] = o.work.outcome(q.policy, at)
	}
	return o.known[q]
}

// further are the printed cells once more: dollars as shares of what on-demand
// VMs alone cost, by the closed form and from the made-up jobs.
func (o offers) further(s sheet) []Row {
	var shares, jobs []Row
	for _, c := range o.cells {
		if c.Table == resultsTable && c.Column == totalColumn {
			shares = append(shares, o.sharedRow(s, c, sameMostSuffix, o.sameMost(c.Key)))
		}
		if row, ok := o.fromJobs(s, c); ok && o.work != nil {
			jobs = append(jobs, row)
		}
	}
	return append(append(shares, jobs...), o.priceRows(s)...)
}

// fromJobs holds a printed cell against the made-up jobs.
func (o offers) fromJobs(s sheet, c Cell) (Row, bool) {
	k := c.Key
	over, saves := rival(k)
	var how computation
	switch {
	case k.Table == resultsTable && strings.HasSuffix(k.Column, "_usd"):
		return o.sharedRow(s, c, generatedSuffix, o.drawn(k, 1)), true
	case k.Table == resultsTable && k.Column == offerColumn:
		how = o.drawn(k, 1)
	case k.Table == resultsTable && k.Column == lostColumn:
		how = o.drawn(k, 100)
	case k.Table == "figure 8":
		how = o.counted(k)
	case k.Table == conclusions && saves:
		how = o.saved(over)
	case k.Table == conclusions && k.Column != lostColumn:
		how = o.drawn(k, 100)
	default:
		return Row{}, false
	}
	return o.row(s, c, k, generatedSuffix, how), true
}

// drawn is a number of the made-up jobs, times a unit.
func (o offers) drawn(k Key, unit float64) computation {
	reduction := reductionOf(k)
	if k.Table != resultsTable {
		reduction = noReduction
	}
	return computation{
		note:    fromJobs + byChance + ofDigits,
		formula: func(r *reading) float64 { return unit * o.at(r, k.Variant, reduction)[k.Column].drawn },
		chance:  func(r *reading) float64 { return unit * o.tolerated(r, k.Variant, reduction, k.Column) },
	}
}

// saved is what ApproxDNN saves over another policy, whose users are taken to be
// drawn for themselves in the study.
func (o offers) saved(over string) computation {
	less := func(r *reading) float64 { return o.at(r, string(approx.ApproxDNN), noReduction)[totalColumn].drawn }
	more := func(r *reading) float64 { return o.at(r, over, noReduction)[totalColumn].drawn }
	off := func(r *reading, policy string) float64 { return o.tolerated(r, policy, noReduction, totalColumn) }
	return computation{
		note:    fromJobs + byChance + ofDigits,
		formula: func(r *reading) float64 { return 100 * saving(less(r), more(r)) },
		chance: func(r *reading) float64 {
			return 100 * less(r) / more(r) * math.Hypot(off(r, string(approx.ApproxDNN))/less(r), off(r, over)/more(r))
		},
	}
}

// counted is how many jobs of a network there are, and how many users of it accept.
func (o offers) counted(k Key) computation {
	of := func(r *reading) (tally, float64) {
		at, jobs, policy := o.setting(r, noReduction), r.at(textNumber("candidates")), approx.Policy(k.Variant)
		if policy == "" {
			policy = approx.OnDemand
		}
		r.missing = r.missing || o.work == nil
		if r.missing {
			return tally{}, jobs
		}
		return o.work.accepted(k.Application, policy, at), jobs
	}
	return computation{
		note:    fromJobs + byChance,
		formula: func(r *reading) float64 { t, jobs := of(r); return jobs * t.drawn },
		chance:  func(r *reading) float64 { t, jobs := of(r); return jobs * t.twoDraws() },
	}
}

// sharedRow holds dollars against ours as a share of what on-demand VMs alone
// would cost: the runtimes are not printed.
func (o offers) sharedRow(s sheet, c Cell, suffix string, how computation) Row {
	shown := c
	shown.Column = strings.TrimSuffix(c.Column, "_usd") + "_share"
	shown.Number = nil
	total, saved := resultKey(approx.ApproxDNN, totalColumn), Key{Table: conclusions, Variant: string(approx.ApproxDNN),
		Column: savesOver + string(approx.OnDemand) + perCent}
	if printed,
		ok := s.evaluate(func(r *reading) float64 { return r.at(c.Key) / (r.at(total) / (1 - r.at(saved)/100)) }); ok {
		shown.Number = &Number{Value: printed.value, Half: printed.tolerance}
	}
	how.note += "; published: printed dollars over On-Demand's, which ApproxDNN's total and what it saves give"
	return o.row(s, shown, c.Key, suffix, how)
}

// row holds a number against a printed cell in a table of its own.
func (o offers) row(s sheet, shown Cell, printed Key, suffix string, how computation) Row {
	shown.Table += suffix
	row := s.row(ApproxDNN, shown, how, nil)
	row.Key = printed
	if row.OK != nil && !*row.OK {
		row.Note += "; as one in ten is by chance alone"
	}
	return row
}

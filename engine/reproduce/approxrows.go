package reproduce

import (
	"cmp"
	"fmt"
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
	generatedSuffix = ", synthetic jobs"
	sameMostSuffix  = ", same s_max"
)

// Words of rows that rest on synthetic jobs.
const (
	fromJobs = "from synthetic jobs (see the note on them)"
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

// tolerated is by how much a column of the synthetic jobs may be off: drawn twice,
// and of ratios that are chosen to two digits.
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
// VMs alone cost, by the closed form and from the synthetic jobs.
func (o offers) further(s sheet) []Row {
	var shares, jobs []Row
	for _, c := range o.cells {
		if c.Table == resultsTable && c.Column == totalColumn {
			shares = append(shares, sharedRow(s, c, sameMostSuffix, o.sameMost(c.Key)))
		}
		if row, ok := o.fromJobs(s, c); ok && o.work != nil {
			jobs = append(jobs, row)
		}
	}
	return append(append(shares, jobs...), o.priceRows(s)...)
}

// fromJobs holds a printed cell against the synthetic jobs.
func (o offers) fromJobs(s sheet, c Cell) (Row, bool) {
	k := c.Key
	over, saves := rival(k)
	var how computation
	switch {
	case k.Table == resultsTable && strings.HasSuffix(k.Column, "_usd"):
		return sharedRow(s, c, generatedSuffix, o.drawn(k, 1)), true
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
	return row(s, c, k, generatedSuffix, how), true
}

// drawn is a number of the synthetic jobs, times a unit.
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
		policy = cmp.Or(policy, approx.OnDemand)
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
func sharedRow(s sheet, c Cell, suffix string, how computation) Row {
	shown := c
	shown.Column = strings.TrimSuffix(c.Column, "_usd") + "_share"
	shown.Number = nil
	total, saved := resultKey(approx.ApproxDNN, totalColumn), Key{Table: conclusions, Variant: string(approx.ApproxDNN),
		Column: savesOver + string(approx.OnDemand) + perCent}
	share := func(r *reading) float64 { return r.at(c.Key) / (r.at(total) / (1 - r.at(saved)/100)) }
	if printed, ok := s.evaluate(share); ok {
		shown.Number = &Number{Value: printed.value, Half: printed.tolerance}
	}
	how.note += "; published: printed dollars over On-Demand's, which ApproxDNN's total and what it saves give"
	return row(s, shown, c.Key, suffix, how)
}

// row holds a number against a printed cell in a table of its own.
func row(s sheet, shown Cell, printed Key, suffix string, how computation) Row {
	shown.Table += suffix
	return s.against(ApproxDNN, printed, shown, how, "as one in ten is by chance alone")
}

// sweep is what the policies come to over the on-demand prices of figures 10 to 12.
type sweep struct {
	prices []float64 // US dollars per hour
	of     func(p approx.Policy, price int, column string) tally
	study  float64 // the price everywhere else
}

const (
	priceFigures = "figures 10 to 12"
	mostPrices   = 100
)

// pricesSwept are the on-demand prices that the text gives.
func pricesSwept(r *reading) (prices []float64) {
	lowest, highest, step := r.at(sweepKey("lowest_on_demand")), r.at(sweepKey("highest_on_demand")),
		r.at(sweepKey("on_demand_step"))
	if steps := math.Round((highest - lowest) / step); !r.missing && steps >= 0 && steps < mostPrices {
		for i := range int(steps) + 1 {
			prices = append(prices, lowest+float64(i)*step)
		}
	}
	return prices
}

func sweepKey(column string) Key {
	return Key{Table: "text", VM: studyVM, Column: column + "_usd_per_hour"}
}

// swept is the sweep, of less than two prices none.
func (o offers) swept(s sheet) (w sweep, inputs []Key, ok bool) {
	r := &reading{sheet: s}
	w = sweep{prices: pricesSwept(r), study: r.at(onDemandPrice)}
	reserved := r.at(reservedPrice)
	w.of = func(p approx.Policy, price int, column string) tally {
		return o.outcome(r, string(p), setting{reservedUSD: reserved, onDemandUSD: w.prices[price]})[column]
	}
	return w, r.used, o.work != nil && len(o.work.asked) > 0 && !r.missing && len(w.prices) > 1
}

// usd is a cost in units of what on-demand VMs alone cost at the study's price.
func (w sweep) usd(p approx.Policy, i int, column string) float64 {
	return w.of(p, i, column).drawn * w.prices[i] / w.study
}

// portion is the part of a policy's cost that is penalty, in [0,1].
func (w sweep) portion(p approx.Policy, i int) float64 {
	return w.of(p, i, penaltyColumn).drawn / w.of(p, i, totalColumn).drawn
}

// priceRows are figures 10 to 12, which print no numbers, and what the text says
// of their shapes.
func (o offers) priceRows(s sheet) (rows []Row) {
	w, inputs, ok := o.swept(s)
	if !ok {
		return nil
	}
	add := func(figure, cell string, ours float64, note string) {
		rows = append(rows, Row{Paper: ApproxDNN, Table: figure + generatedSuffix, Cell: cell, Ours: finite(ours),
			Note: fromJobs + note, Inputs: inputs})
	}
	for i, usd := range w.prices {
		for _, p := range approx.Policies[1:] {
			at := fmt.Sprintf("$%.2f/h %s ", usd, p)
			for _, column := range []string{usageColumn, penaltyColumn, totalColumn} {
				add("figure 10", at+strings.TrimSuffix(column, "_usd"), w.usd(p, i, column),
					fmt.Sprintf("; in units of On-Demand's total at $%.2f/h; the study draws it, but prints no number", w.study))
			}
			add("figure 11", at+offerColumn, w.of(p, i, offerColumn).drawn, "; the study draws it, but prints no number")
			add("figure 12", at+lostColumn, 100*w.of(p, i, lostColumn).drawn, "; the study draws it, but prints no number")
		}
	}
	for _, c := range w.claims() {
		c.table, c.note = priceFigures, "a shape that the text states; ours is "+c.note+", "+fromJobs
		rows = append(rows, c.row(ApproxDNN, inputs))
	}
	return rows
}

// finite is nil for a value that is not a number: not every mix has accuracies.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// claims are the shapes of figures 10 to 12 in the text's words.
func (w sweep) claims() []claim {
	last := len(w.prices) - 1
	rise := w.leastRise(approx.Policies, func(p approx.Policy, i int) float64 { return w.usd(p, i, totalColumn) })
	higher := w.leastRise(approx.Policies[1:], w.offer)
	ratio, between := w.offersApart()
	varies, luck := w.losses()
	dominates := 1.0
	for i := range w.prices {
		dominates = math.Min(dominates, 1-w.portion(approx.PenaltyCentric, i))
	}
	slower := w.rises(approx.AcceptanceCentric, usageColumn) / w.rises(approx.AcceptanceCentric, penaltyColumn)
	from, to := w.portion(approx.ApproxDNN, 0), w.portion(approx.ApproxDNN, last)
	return []claim{
		{cell: "a higher on-demand price increases the total cost of all approaches", ours: rise, holds: new(rise > 0),
			note: "the least rise from a price to the next, as a fraction"},
		{cell: "all approaches offer higher s as the price gap increases", ours: higher, holds: new(higher > 0),
			note: "the least rise from a price to the next, as a fraction"},
		{cell: "acceptance-centric always offers much more than penalty-centric, approxdnn between", ours: ratio,
			holds: new(between && ratio > 2), note: "the least ratio of the former two"},
		{cell: "accuracies fluctuate slightly", ours: 100 * varies, holds: new(varies <= luck),
			note: "the largest change of a loss, in percent; the same users are asked at every price, and offered the same " +
				"share of s_max"},
		{cell: "acceptance-centric: usage cost increases slower than penalty cost", ours: slower, holds: new(slower < 1),
			note: "the ratio of the two rises"},
		{cell: "penalty-centric: usage cost dominates penalty cost", ours: dominates, holds: new(dominates > 0.5),
			note: "the least part of the total that is usage"},
		{cell: "approxdnn: the portions of usage and penalty cost remain almost the same", ours: to - from,
			holds: new(math.Abs(to-from) <= w.portionLuck(approx.ApproxDNN, last)),
			note: fmt.Sprintf("by how much the penalty's portion grows; it goes from %.1f %% at $%.2f/h to %.1f %% at $%.2f/h "+
				"as equations 9 to 11 have it", 100*from, w.prices[0], 100*to, w.prices[last])},
	}
}

func (w sweep) offer(p approx.Policy, i int) float64 { return w.of(p, i, offerColumn).drawn }

// rises is by how much a cost grows from the first price to the last.
func (w sweep) rises(p approx.Policy, column string) float64 {
	return w.usd(p, len(w.prices)-1, column) - w.usd(p, 0, column)
}

// offersApart is the least ratio of Acceptance-Centric's offer to Penalty-Centric's,
// and whether ApproxDNN's is always between them.
func (w sweep) offersApart() (ratio float64, between bool) {
	ratio, between = math.Inf(1), true
	for i := range w.prices {
		most, mean, least := w.offer(approx.AcceptanceCentric, i), w.offer(approx.ApproxDNN, i),
			w.offer(approx.PenaltyCentric, i)
		ratio, between = math.Min(ratio, most/least), between && least < mean && mean < most
	}
	return ratio, between
}

// losses is the largest change of a policy's loss of accuracy over the prices,
// and what two draws of it differ by.
func (w sweep) losses() (varies, luck float64) {
	for _, p := range approx.Policies[1:] {
		for i := range w.prices {
			loss := w.of(p, i, lostColumn)
			varies, luck = math.Max(varies, math.Abs(loss.drawn-w.of(p, 0, lostColumn).drawn)), math.Max(luck, loss.twoDraws())
		}
	}
	return varies, luck
}

// portionLuck bounds what two draws of a penalty's portion differ by.
func (w sweep) portionLuck(p approx.Policy, i int) float64 {
	penalty, total := w.of(p, i, penaltyColumn), w.of(p, i, totalColumn)
	return w.portion(p, i) * (penalty.twoDraws()/penalty.drawn + total.twoDraws()/total.drawn)
}

// leastRise is the least rise between neighbouring prices of any policy, as a
// fraction.
func (w sweep) leastRise(policies []approx.Policy, of func(approx.Policy, int) float64) float64 {
	least := math.Inf(1)
	for _, p := range policies {
		for i := 1; i < len(w.prices); i++ {
			least = math.Min(least, of(p, i)/of(p, i-1)-1)
		}
	}
	return least
}

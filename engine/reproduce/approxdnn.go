package reproduce

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/approx"
	"sweetspot/engine/quantity"
)

// ApproxDNN is the name of the paper: reduced precision on reserved VMs for a
// penalty, by Nabavinejad et al. (2019).
const ApproxDNN = "approxdnn"

// Where the paper prints what the rest is computed from: the results by INT8
// runtime and policy, and the VM type.
const (
	resultsTable    = "III"
	accuracyTable   = "II"
	conclusions     = "section IV-B"
	original        = "int8" // as measured; of the other rows the runtimes are reduced
	studyVM         = "p3.2xlarge"
	reductionColumn = "runtime_reduction_percent"
	savesOver       = "saves_over_"
	perCent         = "_percent"
	networkJobs     = "jobs"
)

// offers holds the values of the paper that the formulas use.
type offers struct {
	cells []Cell
	work  *Workload // nil computes only what other printed cells give
	known map[policyAt]map[string]tally
}

// policyAt is a policy in one setting.
type policyAt struct {
	policy approx.Policy
	at     setting
}

// pricedPrecision computes what the paper's equations give: from other printed
// cells, and from synthetic jobs where there are any.
func pricedPrecision(in Inputs) study {
	o := offers{cells: in.Cells, work: in.Workload, known: map[policyAt]map[string]tally{}}
	return study{how: o.how, isInput: o.isInput, findings: o.findings, further: o.further}
}

// isInput tells the cells that nothing printed gives again. Those of table III
// are held against the synthetic jobs all the same.
func (o offers) isInput(k Key) bool {
	switch k.Table {
	case "text", accuracyTable:
		return true
	case resultsTable:
		switch k.Column {
		case offerColumn, usageColumn, totalColumn:
			return false
		case lostColumn: // of the first row the text prints the accuracies too
			return k.Application != original
		}
		return true
	}
	return k.Table == "figure 8" && k.Column == networkJobs
}

func (o offers) how(k Key) computation {
	switch k.Table {
	case resultsTable, "figure 7":
		return o.results(k)
	case "figure 8":
		n, share := k.in(networkJobs).as(""), offered(k.Variant)
		return computation{
			note: fmt.Sprintf("%g of the network's jobs, as many as accept an offer of that share of s_max (eq. 10); "+
				"users are drawn", share),
			formula: cell(n).times(share),
			chance:  func(r *reading) float64 { return nineInTen * math.Sqrt(r.at(n)*share*(1-share)) },
		}
	case conclusions, "abstract":
		return o.concluded(k)
	case "section II-A":
		return ofNetwork(k)
	}
	return measured
}

// offered is the share of s_max that a policy offers, and so of users that
// accept: both for a job whose s_max is 1.
func offered(policy string) float64 {
	return approx.Offer(approx.Policy(policy), approx.Prices{Reserved: 1, OnDemand: 1},
		approx.Acceptance{})(&approx.Candidate{FullS: 2, ReducedS: 1})
}

// relativeCost is the expected cost of jobs of the same s_max over that of
// on-demand VMs (eq. 11).
func relativeCost(share, most float64) float64 {
	job, prices := approx.Candidate{FullS: 1 + most, ReducedS: 1}, approx.Prices{Reserved: 1, OnDemand: 1}
	return prices.Expected(&job, share*most, share) / prices.OnDemandUSD(&job)
}

// results computes table III's cells, and figure 7's, from one another.
func (o offers) results(k Key) computation {
	switch k.Column {
	case usageColumn:
		return by("reserved + on-demand", total(k.in(reservedColumn), k.in(onDemandColumn)))
	case totalColumn:
		return by("usage + penalty", total(k.in(usageColumn), k.in(penaltyColumn)))
	case lostColumn:
		return lossOfPolicy(k.Variant)
	case offerColumn:
		if k.Table == resultsTable && k.Application != original {
			return o.shortened(k)
		}
		return o.otherPolicy(k)
	}
	return measured
}

// lossOfPolicy is the loss under a policy, by the accuracies of the conclusions.
func lossOfPolicy(policy string) computation {
	at := Key{Table: conclusions, Variant: policy, Column: accuracyColumn}
	return lossOf(at, at.as(string(approx.OnDemand)), "accuracies of "+conclusions+", relative to that of On-Demand")
}

// lossOf is what an accuracy is below that of full precision, relative to it.
func lossOf(at, full Key, note string) computation {
	return by(note, reduction(at, full).times(100)).or("in points it is %s", difference(full, at))
}

// otherPolicy is the mean offer of a policy from that of another: both are fixed
// shares of every job's s_max.
func (o offers) otherPolicy(k Key) computation {
	from := k.as(string(approx.ApproxDNN))
	if k == from {
		from.Variant = string(approx.AcceptanceCentric)
	}
	ratio := offered(k.Variant) / offered(from.Variant)
	note := fmt.Sprintf("%.3g times the mean offer of %s: both are shares of s_max", ratio, from.Variant)
	how := by(note, cell(from).times(ratio))
	if k.Table == resultsTable {
		return how
	}
	return how.or("the synthetic jobs, like table III, have %s",
		func(r *reading) float64 { return o.at(r, k.Variant, noReduction)[offerColumn].drawn })
}

// shortened predicts the offers for shorter INT8 runtimes R from those of the
// first row: 1 + s_max is proportional to 1/R for every job, and so on average.
func (o offers) shortened(k Key) computation {
	first, share := k, offered(k.Variant)
	first.Application = original
	return by("the offer for the original runtimes: 1 + s_max is proportional to 1 / INT8 runtime (eq. 9)",
		func(r *reading) float64 { return share * ((1+r.at(first)/share)/(1-r.at(reductionOf(k))/100) - 1) })
}

func reductionOf(k Key) Key {
	return Key{Table: resultsTable, Application: k.Application, Column: reductionColumn}
}

func resultKey(policy approx.Policy, column string) Key {
	return Key{Table: resultsTable, Application: original, Variant: string(policy), Column: column}
}

// rival is the policy that a saving is over.
func rival(k Key) (policy string, ok bool) {
	policy, ok = strings.CutPrefix(k.Column, savesOver)
	return strings.TrimSuffix(policy, perCent), ok
}

// concluded computes what the text concludes from table III and figure 8.
func (o offers) concluded(k Key) computation {
	over, saves := rival(k)
	switch {
	case saves && k.Table == "abstract":
		return printedAgain("that of "+conclusions, k.of(conclusions, ""))
	case saves && over == string(approx.OnDemand):
		how := o.sameMost(resultKey(approx.ApproxDNN, totalColumn))
		return computation{
			note:    how.note,
			formula: func(r *reading) float64 { return 100 * (1 - how.formula(r)) },
			chance:  how.chance.times(100),
		}
	case saves:
		ours, theirs := resultKey(approx.ApproxDNN, totalColumn), resultKey(approx.Policy(over), totalColumn)
		return by("total costs of table III", reduction(ours, theirs).times(100))
	case k.Column == lostColumn:
		return lossOfPolicy(k.Variant)
	case k.Column == accuracyColumn && k.Variant == string(approx.OnDemand):
		loss := resultKey(approx.ApproxDNN, lostColumn)
		return by("the accuracy under ApproxDNN and table III's loss",
			func(r *reading) float64 { return r.at(k.as(loss.Variant)) / (1 - r.at(loss)/100) })
	case k.Column == accuracyColumn:
		loss, full := resultKey(approx.Policy(k.Variant), lostColumn), k.as(string(approx.OnDemand))
		return by("the accuracy under On-Demand and table III's loss, relative to it",
			func(r *reading) float64 { return r.at(full) * (1 - r.at(loss)/100) },
		).or("if the loss is in points it is %s", difference(full, loss))
	}
	return measured
}

// sameMost is the closed form: what a total of table III is relative to
// on-demand VMs alone, if all jobs had the s_max that its mean offer is a share
// of. It needs no draws of the users' decisions, of which the study made one.
func (o offers) sameMost(k Key) computation {
	share := offered(k.Variant)
	return computation{
		note: fmt.Sprintf("equation 11 with %g of the s_max that table III's mean s implies; the study's users are drawn",
			share),
		formula: func(r *reading) float64 { return relativeCost(share, r.at(k.in(offerColumn))/share) },
		chance:  func(r *reading) float64 { return o.at(r, k.Variant, reductionOf(k))[totalColumn].oneDraw() },
	}
}

// ofNetwork computes what section II-A says of one network.
func ofNetwork(k Key) computation {
	if k.Column == lostColumn {
		at := Key{Table: accuracyTable, Application: k.Application}
		return lossOf(at.in("int8_percent"), at.in("full_percent"), "accuracies of table II, relative")
	}
	how := computation{note: measuredByStudy + ", and the only ratio of the mix that is printed"}
	return how.or("table III's mean s is that of %s", func(r *reading) float64 {
		prices := approx.Prices{Reserved: r.at(reservedPrice), OnDemand: r.at(onDemandPrice)}
		most := r.at(resultKey(approx.ApproxDNN, offerColumn)) / offered(string(approx.ApproxDNN))
		return 100 * (1 - prices.OnDemand/prices.Reserved/(1+most))
	})
}

// findings are what is synthetic, and where the paper contradicts itself.
func (o offers) findings(s sheet) (found []string) {
	if o.work != nil {
		found = append(found, o.work.assumptions())
		if n := len(o.work.asked); n > 0 {
			found = append(found, fmt.Sprintf("the study does not check that a reduced job has room before the jobs "+
				"behind it: of the %s synthetic candidates only %s (%.0f %%) have their VM to themselves until they end",
				quantity.Count(float64(n)), quantity.Count(float64(o.work.roomy)), 100*float64(o.work.roomy)/float64(n)))
		}
	}
	if w, _, ok := o.swept(s); ok {
		last := len(w.prices) - 1
		found = append(found, fmt.Sprintf("section IV-C says that the portions of usage and penalty cost remain almost "+
			"the same in ApproxDNN whatever the on-demand price; by its equations 9 to 11 the penalty's portion grows "+
			"with it, on the synthetic jobs from %.1f %% at $%.2f/h to %.1f %% at $%.2f/h",
			100*w.portion(approx.ApproxDNN, 0), w.prices[0], 100*w.portion(approx.ApproxDNN, last), w.prices[last]))
	}
	return append(found, s.contradictions(twoOffers, relativeLosses, o.repeatedCosts, o.noRise)...)
}

// twoOffers finds that figure 7 and table III's first row print other offers for
// the same experiment.
func twoOffers(s sheet) (string, bool) {
	tabled := resultKey(approx.ApproxDNN, offerColumn)
	drawn := Key{Table: "figure 7", Variant: tabled.Variant, Column: offerColumn}
	share := offered(tabled.Variant)
	a, ok := s.value(func(r *reading) float64 { return r.at(drawn) / share })
	b, known := s.value(func(r *reading) float64 { return r.at(tabled) / share })
	return fmt.Sprintf("figure 7 and the first row of table III show the same experiment, but the mean offers %g "+
		"and %g: s_max is %.3f on average in one and %.3f in the other",
		s[drawn].Value, s[tabled].Value, a.value, b.value), ok && known && a.value != b.value
}

// relativeLosses finds of what table III's losses are a percentage, which it
// does not say.
func relativeLosses(s sheet) (string, bool) {
	at := Key{Table: conclusions, Variant: string(approx.AcceptanceCentric), Column: accuracyColumn}
	loss := resultKey(approx.AcceptanceCentric, lostColumn)
	how := lossOfPolicy(at.Variant)
	relative, ok := s.value(how.formula)
	points, known := s.value(how.other)
	return fmt.Sprintf("table III does not say of what its accuracy losses are a percentage: %s's %g is relative to "+
		"On-Demand's accuracy, of which it loses %.3f %% or %.2f points",
		at.Variant, s[loss].Value, relative.value, points.value), ok && known && s[loss].Value > 0
}

// repeatedCosts finds on-demand costs that are equal to the dollar in rows whose
// users were drawn again, as other policies' costs in them show.
func (o offers) repeatedCosts(s sheet) (string, bool) {
	times := map[string]int{}
	for _, c := range o.cells {
		if c.Table == resultsTable && c.Column == onDemandColumn && c.Number != nil {
			times[fmt.Sprintf("$%s of %s", quantity.Count(c.Number.Value), c.Variant)]++
		}
	}
	var again []string
	for _, cost := range slices.Sorted(maps.Keys(times)) {
		if n := times[cost]; n > 1 {
			again = append(again, fmt.Sprintf("%s in %d rows", cost, n))
		}
	}
	return fmt.Sprintf("table III's on-demand costs are sums over the users who decline, drawn again in each row to "+
		"judge by Acceptance-Centric's, yet some are equal to the dollar: %s", strings.Join(again, ", ")), len(again) > 0
}

// noRise finds that Penalty-Centric's on-demand cost does not increase with
// shorter INT8 runtimes as the text says.
func (o offers) noRise(s sheet) (string, bool) {
	var costs []string
	last, falls := 0.0, false
	for _, c := range o.cells {
		if c.Table == resultsTable && c.Column == onDemandColumn && c.Variant == string(approx.PenaltyCentric) &&
			c.Number != nil {
			costs = append(costs, "$"+quantity.Count(c.Number.Value))
			falls = falls || c.Number.Value < last
			last = c.Number.Value
		}
	}
	return fmt.Sprintf("section IV-C says that Penalty-Centric's on-demand cost increases with shorter INT8 "+
		"runtimes; table III has %s, and as its users accept a tenth of s_max whatever it is, all that changes is who "+
		"they are", strings.Join(costs, ", ")), falls
}

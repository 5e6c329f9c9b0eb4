package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/engine/approx"
	"sweetspot/engine/quantity"
)

// findings are what was made up, and where the paper contradicts itself.
func (o offers) findings(s sheet) (found []string) {
	if o.work != nil {
		found = append(found, o.work.assumptions())
		if n := len(o.work.asked); n > 0 {
			found = append(found, fmt.Sprintf("the study does not check that a reduced job has room before the jobs "+
				"behind it: of the %s made-up candidates only %s (%.0f %%) have their VM to themselves until they end",
				quantity.Count(float64(n)), quantity.Count(float64(o.work.roomy)), 100*float64(o.work.roomy)/float64(n)))
		}
	}
	if w, _, ok := o.swept(s); ok {
		last := len(w.prices) - 1
		found = append(found, fmt.Sprintf("section IV-C says that the portions of usage and penalty cost remain almost "+
			"the same in ApproxDNN whatever the on-demand price; by its equations 9 to 11 the penalty's portion grows "+
			"with it, on the made-up jobs from %.1f %% at $%.2f/h to %.1f %% at $%.2f/h",
			100*w.portion(approx.ApproxDNN, 0), w.prices[0], 100*w.portion(approx.ApproxDNN, last), w.prices[last]))
	}
	for _, find := range []func(sheet) (string, bool){twoOffers, relativeLosses, o.repeatedCosts, o.noRise} {
		if words, ok := find(s); ok {
			found = append(found, words)
		}
	}
	return found
}

// twoOffers finds that figure 7 and table III's first row print other offers for
// the same experiment.
func twoOffers(s sheet) (string, bool) {
	drawn, tabled := Key{Table: "figure 7", Variant: string(approx.ApproxDNN), Column: offerColumn},
		resultKey(approx.ApproxDNN, offerColumn)
	share := offered(string(approx.ApproxDNN))
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
	how := lossOf(at, "")
	relative, ok := s.value(how.formula)
	points, known := s.value(how.other)
	return fmt.Sprintf("table III does not say of what its accuracy losses are a percentage: %s's %g is relative to "+
		"On-Demand's accuracy, of which it loses %.3f %% or %.2f points",
		at.Variant, s[loss].Value, relative.value, points.value), ok && known && s[loss].Value > 0
}

// repeatedCosts finds on-demand costs that are equal to the dollar in rows whose
// users were drawn anew, as other policies' costs in them show.
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
	return fmt.Sprintf("table III's on-demand costs are sums over the users who decline, drawn anew in each row to "+
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

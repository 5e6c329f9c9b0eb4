package fleet

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/data/wording"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
	"sweetspot/tui/text"
)

// sentences put what the numbers mean into words, the most useful first.
func (s *Screen) sentences() []string {
	a := s.Shown
	if a == nil {
		return nil
	}
	out := []string{s.winner()}
	if low, _, ok := a.Result.BreakEven(a.Engine.Prices); ok {
		out = append(out, fmt.Sprintf("Offers stop paying off once on-demand VMs cost %s or less.", priceText(low)))
	}
	if s.IsFound() {
		out = append(out, s.elsewhere()...)
	}
	out = append(out, s.load())
	for _, n := range wording.FleetNotes(a.Result) {
		out = append(out, text.Sentence(n))
	}
	for _, n := range s.Trace.Notes {
		out = append(out, "Trace: "+text.Clean(n)+".")
	}
	return out
}

// elsewhere says what other schedulers, numbers of VMs and orders would cost.
func (s *Screen) elsewhere() (out []string) {
	a, o := s.Shown, s.Found
	base := a.Bills[0].USD()
	for i, scheduler := range fleet.Schedulers {
		if usd := o.Schedulers[i].USD(); usd < base*(1-noticeable) {
			out = append(out, fmt.Sprintf("%s instead of %s (d) would make the whole bill %s: %s less.", scheduler,
				a.Question.Scheduler, quantity.Money(usd), quantity.Percent(1-usd/base)))
		}
	}
	least, none := o.Sizes[fleet.Least(o.Sizes, 0)].Bills[0], o.Sizes[0].Bills[0]
	words := fmt.Sprintf("%s cost least: %s a month, against %s with all VMs on demand",
		quantity.Several(o.Sizes[fleet.Least(o.Sizes, 0)].VMs,
			"reserved VM"), quantity.Money(least.USD()), quantity.Money(none.USD()))
	if months := s.months(); months > 0 && least.ReservedUSD > 0 && !math.IsInf(fleet.PaysAfter(least, none, months), 1) {
		words += fmt.Sprintf("; reserving them for %.0f months pays off if the load lasts %.1f", months,
			fleet.PaysAfter(least, none, months))
	}
	out = append(out, words+".")
	if o.Come.Asked > 0 && base > 0 {
		usd, word := o.Come.Bill.USD(), "less"
		if usd > base {
			word = "more"
		}
		out = append(out, fmt.Sprintf("If INT8 jobs delayed the jobs queued behind them, %d of the %d users asked would "+
			"accept and the whole bill would be %.2g %% %s.", o.Come.Accepted, o.Come.Asked, 100*math.Abs(usd/base-1), word))
	}
	return out
}

// noticeable is a share of the bill that is worth a sentence.
const noticeable = 0.005

// winner says which policy expects to pay least, and by how much.
func (s *Screen) winner() string {
	a := s.Shown
	if len(a.Result.Asked) == 0 {
		return nobody(a)
	}
	best, onDemand := a.Result.Outcomes[best(a, nil)], a.Result.Outcomes[slices.Index(approx.Policies, approx.OnDemand)]
	if best.Policy == approx.OnDemand {
		return "No offer pays off: an INT8 job on reserved VMs costs more than renting on demand."
	}
	saved := best.AllUSD - best.Expected.USD()
	words := fmt.Sprintf("%s is expected to cost %s less than no offers, for the jobs asked: %s, %.2g %% of the whole "+
		"bill",
		names[best.Policy],
		quantity.Percent(saved/best.AllUSD), quantity.Money(saved), 100*saved/a.Bills[0].USD())
	if loss := onDemand.Expected.Accuracy - best.Expected.Accuracy; !math.IsNaN(loss) {
		words += fmt.Sprintf("; accuracy %+.2f points", -100*loss)
	}
	return words + "."
}

func (s *Screen) load() string {
	r := s.Shown.Result.Rest
	words := fmt.Sprintf("Reserved VMs run %s, %s are rented on demand.", quantity.Several(r.Reserved, "job"),
		quantity.Count(float64(r.Rented)))
	if u := s.Shown.Bills[0].Utilisation; !math.IsNaN(u) {
		words = fmt.Sprintf("Reserved VMs are busy %s of the time and run %s (mean wait %s); %s are rented on demand.",
			quantity.Percent(u),
			quantity.Several(r.Reserved, "job"), quantity.Duration(r.WaitS), quantity.Count(float64(r.Rented)))
	}
	return words
}

// months of the term whose price is asked about, 0 for a price of one's own.
func (s *Screen) months() float64 {
	i := slices.IndexFunc(s.offers, func(o vmOffer) bool {
		return o.VM.InstanceType == s.Question().VM && o.Reservation.Purchase == s.Question().Purchase
	})
	if i < 0 {
		return 0
	}
	return s.offers[i].Months
}

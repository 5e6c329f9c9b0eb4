package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: "Fleet", Note: s.vmName(), Body: s.settings},
		First:   desk.Pane{Title: "monthly bill", Note: s.billsNote(), Body: s.plots.bills.Draw},
		Second:  desk.Pane{Title: "least bill", Note: plot.Legend(s.Theme, parts[:2]...), Body: s.schedulers},
		Table:   desk.Pane{Title: "Offers of INT8 " + s.Theme.Symbols.Dot + " by " + s.Column, Note: s.policiesNote()},
		Third:   desk.Pane{Title: "offers", Note: "× reduced cost", Body: s.plots.offers.Draw},
		Fourth:  desk.Pane{Title: "cost of a job", Note: "cumulative share", Body: s.plots.costs.Draw},
	}, s.sentences)
}

// billsNote says where the bills are still of an older question.
func (s *Screen) billsNote() string {
	if !s.sized() {
		return "computing…"
	}
	return "by reserved VMs"
}

// sized reports whether what was found out of other numbers of VMs holds for what is
// shown.
func (s *Screen) sized() bool {
	return s.Shown != nil && s.Found != nil && unsized(s.Found.Question) == unsized(s.Shown.Question)
}

func (s *Screen) vmName() string {
	if s.Question().VM == "" {
		return "your own prices"
	}
	return text.Clean(s.Question().VM)
}

// settings are what no slider shows, below the sliders.
func (s *Screen) settings(w, h int) string {
	if h < 1 {
		return ""
	}
	parts := []string{fmt.Sprintf("seed %d", s.Question().Seed)}
	if s.Question().GPUsPerVM > 1 {
		parts = append(parts, fmt.Sprintf("%d GPUs a VM", s.Question().GPUsPerVM))
	}
	return strings.Join(s.Theme.Dim.Wrap(strings.Join(parts, " "+s.Theme.Symbols.Dot+" "), "", w+1), "\n")
}

// parts of a cost, as the bars are stacked.
var parts = []string{"reserved", "on demand", "penalty"}

// policyName names a policy beside its rune in the charts.
func policyName(th *theme.Theme, k int) string {
	return th.Series(k).Render(string(th.SeriesRune(k))) + " " + names[approx.Policies[k]]
}

// schedulers draws the least bill of each.
func (s *Screen) schedulers(w, h int) string {
	if s.Shown == nil {
		return s.Theme.Dim.Render("reading the trace…")
	}
	if !s.sized() {
		return s.Theme.Dim.Render("trying other numbers of VMs…")
	}
	var bars []plot.StackedBar
	for _, p := range s.Found.Plans {
		bars = append(bars, plot.StackedBar{
			Name:  fmt.Sprintf("%s, %s", p.Scheduler, quantity.Several(p.VMs, "VM")),
			Value: s.Theme.Title.Render(quantity.Money(p.Bill.USD())),
			Parts: []float64{p.Bill.ReservedUSD, p.Bill.OnDemandUSD},
		})
	}
	return plot.Bars(s.Theme, bars, w, h)
}

func nobody(a *Answer) string {
	if a.Question.VMs == 0 {
		return "No VM is reserved, so no job can be asked."
	}
	return "No job can be asked: even in INT8, none would finish in time on the free reserved VMs."
}

func (s *Screen) policiesNote() string {
	if s.Shown == nil {
		return ""
	}
	a := s.Shown
	dot := " " + s.Theme.Symbols.Dot + " "
	note := string(a.Question.Scheduler) + dot
	if a.Question.AsStudied {
		note += "INT8 jobs overlap others" + dot
	}
	return note + fmt.Sprintf("%s of %s can be asked", quantity.Count(float64(len(a.Result.Asked))),
		quantity.Several(len(a.Result.Tasks), "job"))
}

// measures of the policies.
var measures = []desk.Measure[Answer]{
	{ID: "policy", Title: "policy", Width: 20, Text: func(th *theme.Theme, _ *Answer, i int) string {
		return policyName(th, i)
	}},
	{ID: "total", Title: "asked jobs", Width: 10, Value: total, Write: quantity.Money},
	{ID: "relative", Title: "of on-demand", Width: 18, Drop: 3, Value: total, Text: relative},
	of("reserved", "reserved", 9, 5, quantity.Money, func(o *approx.Outcome) float64 { return o.Drawn.ReservedUSD }),
	of("rented", "on demand", 9, 6, quantity.Money, func(o *approx.Outcome) float64 { return o.Drawn.OnDemandUSD }),
	of("penalty", "penalty", 9, 4, quantity.Money, func(o *approx.Outcome) float64 { return o.Drawn.PenaltyUSD }),
	{ID: "accepted", Title: "accepted", Width: 13, Drop: 7,
		Value: func(a *Answer, i int) float64 { return a.Result.Outcomes[i].Drawn.Accepted },
		Text: func(_ *theme.Theme, a *Answer, i int) string {
			return fmt.Sprintf("%.0f of %d", a.Result.Outcomes[i].Drawn.Accepted, a.Result.Outcomes[i].Offered)
		}},
	of("offer", "offer", 6, 2, func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) },
		func(o *approx.Outcome) float64 { return o.MeanOffer }),
	// A digit more than elsewhere: a policy changes hundredths of a point.
	of("accuracy", "accuracy", 9, 8, func(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) },
		func(o *approx.Outcome) float64 { return o.Drawn.Accuracy }),
	{ID: "late", Title: "late", Width: 5, Drop: 9,
		Write: func(v float64) string { return strconv.Itoa(int(v)) },
		Value: func(a *Answer, i int) float64 { return float64(a.Late[i]) }},
	{ID: "bill", Title: "whole bill", Width: 10, Drop: 1, Write: quantity.Money,
		Value: func(a *Answer, i int) float64 { return a.Bills[i].USD() }},
}

// of is a measure of a policy's outcome.
//
//nolint:revive // a column of the table, on one line where it is called
func of(id, title string, width, drop int, write func(float64) string,
	value func(o *approx.Outcome) float64) desk.Measure[Answer] {
	return desk.Measure[Answer]{ID: id, Title: title, Width: width, Drop: drop, Write: write,
		Value: func(a *Answer, i int) float64 { return value(&a.Result.Outcomes[i]) }}
}

func total(a *Answer, i int) float64 { return a.Result.Outcomes[i].Drawn.USD() }

// relative is what a policy pays as a share of renting on demand, with its interval.
func relative(_ *theme.Theme, a *Answer, i int) string {
	o := &a.Result.Outcomes[i]
	value, low, high := o.Relative()
	if math.IsNaN(value) || o.Offered == 0 {
		return quantity.Percent(value)
	}
	return fmt.Sprintf("%s (%.0f…%.0f)", quantity.Percent(value), 100*math.Max(low, 0), 100*math.Min(high, 1))
}

// best is the policy that expects to pay least, −1 where no job can be asked.
func best(a *Answer, _ *Alternatives) int {
	if len(a.Result.Asked) == 0 {
		return -1
	}
	least := 0
	for i, o := range a.Result.Outcomes {
		if o.Expected.USD() < a.Result.Outcomes[least].Expected.USD() {
			least = i
		}
	}
	return least
}

// plots are the charts of the screen.
type plots struct {
	bills  *plot.Lines   // over the number of reserved VMs
	offers *plot.Scatter // over the time of submission
	costs  *plot.Lines   // of a job, as a distribution
}

func newPlots(th *theme.Theme) *plots {
	p := &plots{bills: plot.NewLines(th), offers: plot.NewScatter(th), costs: plot.NewLines(th)}
	p.bills.SetAxes(plot.Axis{Title: "VMs", Label: plot.CountLabel}, plot.Axis{Title: "bill", Label: plot.MoneyLabel})
	p.bills.SetEmpty("trying other numbers of VMs…")
	p.offers.SetAxes(plot.Axis{Title: "submitted", Label: plot.DurationLabel, Ticks: plot.DurationTicks},
		plot.Axis{Title: "offer"})
	p.costs.SetAxes(plot.Axis{Title: "cost", Log: true, Label: plot.MoneyLabel},
		plot.Axis{Title: "share", Min: 0, Max: 1, Label: plot.PercentLabel})
	p.costs.SetEmpty("no job can be asked")
	return p
}

// show brings the charts to an answer and to the bills known of it.
func (p *plots) show(a *Answer, o *Alternatives) {
	p.offers.SetData(a.offers)
	p.costs.SetData(uint64(a.Seq), a.costs)
	if o == nil {
		p.bills.SetData(0, nil)
		return
	}
	// Two lines say it all: the bill without offers and the least one with them.
	lines := []plot.Line{{Class: 0}, {Class: approxClass}}
	for _, s := range o.Sizes {
		for k, policy := range []int{0, approxClass} {
			lines[k].X, lines[k].Y = append(lines[k].X, float64(s.VMs)), append(lines[k].Y, s.Bills[policy].USD())
		}
	}
	p.bills.SetData(uint64(o.Seq), lines)
	p.bills.SetMarks(plot.Mark{X: float64(o.Sizes[fleet.Least(o.Sizes, 0)].VMs)},
		plot.Mark{X: a.Question.VMs, Here: true})
}

// approxClass is the place of ApproxDNN among the policies.
const approxClass = 1

// names of the policies on screen, in their order, short enough for legends.
var names = map[approx.Policy]string{approx.OnDemand: "on-demand", approx.ApproxDNN: "ApproxDNN",
	approx.AcceptanceCentric: "acceptance-centric", approx.PenaltyCentric: "penalty-centric"}

// decision says what the jobs cost, and what would cost least.
func (s *Screen) decision() []string {
	a := s.Shown
	if a == nil {
		return nil
	}
	now := a.Result.Rest.Monthly(a.Bills[0]).USD()
	words := fmt.Sprintf("The jobs cost %s a month with %s", quantity.Money(now),
		s.reserved(int(math.Round(a.Question.VMs))))
	if a.Question.VMs > 0 {
		words += fmt.Sprintf(", placed %s", a.Question.Scheduler)
	}
	out := []string{words + "."}
	if !s.sized() {
		return append(out, "Looking for what would cost less…")
	}
	best := slices.MinFunc(s.Found.Plans, func(x, y fleet.Plan) int { return cmp.Compare(x.Bill.USD(), y.Bill.USD()) })
	less := quantity.Money(best.Bill.USD()) + ", " + quantity.Percent(1-best.Bill.USD()/now) + " less"
	switch {
	case best.Bill.USD() > now*(1-noticeable):
		return append(out, "No other number of VMs and no other scheduler was found to cost less.")
	case s.W < desk.WideWidth: // one line has to say it all
		return []string{fmt.Sprintf("%s a month; with %s, %s: %s.", quantity.Money(now),
			quantity.Several(best.VMs, "reserved VM"), best.Scheduler, less)}
	}
	words = s.reserved(best.VMs)
	if best.Scheduler != a.Question.Scheduler {
		words += fmt.Sprintf(", placed %s (d),", best.Scheduler)
	}
	return append(out, text.Sentence(words+" would cost least of what was tried: "+less))
}

// reserved names a number of reserved VMs.
func (s *Screen) reserved(n int) string {
	switch name := s.Question().VM; {
	case n == 0:
		return "all VMs on demand"
	case name == "":
		return quantity.Several(n, "reserved VM")
	default:
		return fmt.Sprintf("%d reserved %s", n, text.Clean(name))
	}
}

// sentences put what the numbers mean into words, the most useful first.
func (s *Screen) sentences() []string {
	a := s.Shown
	if a == nil {
		return nil
	}
	out := s.fit()
	if s.sized() {
		out = append(out, s.paysAfter())
	}
	out = append(out, s.winner())
	if low, _, ok := a.Result.BreakEven(a.Engine.Prices); ok {
		out = append(out, fmt.Sprintf("Offers stop paying off once on-demand VMs cost %s or less.", priceText(low)))
	}
	out = append(out, s.load())
	for _, n := range wording.FleetNotes(a.Result) {
		out = append(out, text.Sentence(n))
	}
	if s.IsFound() {
		out = append(out, s.delayed()...)
	}
	for _, n := range s.Trace.Notes {
		out = append(out, "Trace: "+text.Clean(n)+".")
	}
	return out
}

// fit says how jobs of several GPUs are placed.
func (s *Screen) fit() []string {
	f := s.Shown.Engine.Fleet
	wide, most := f.Wide(s.Shown.Result.Tasks)
	if wide == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s need more than the %s of a VM: they take up to %d VMs at once, and the network "+
		"between them is taken to cost no time. n goes to a VM type with more GPUs.", quantity.Several(wide, "job"),
		quantity.Several(f.GPUsPerVM, "GPU"), most)}
}

// paysAfter says what reserving is worth under the scheduler asked for.
func (s *Screen) paysAfter() string {
	sizes := s.Found.Sizes
	least, none := sizes[fleet.Least(sizes, 0)], sizes[0].Bills[0]
	words := fmt.Sprintf("Placed %s, %s cost least: %s a month, against %s with all VMs on demand",
		s.Shown.Question.Scheduler,
		quantity.Several(least.VMs, "reserved VM"), quantity.Money(least.Bills[0].USD()), quantity.Money(none.USD()))
	if months := s.months(); months > 0 && least.Bills[0].ReservedUSD > 0 &&
		!math.IsInf(fleet.PaysAfter(least.Bills[0], none, months), 1) {
		words += fmt.Sprintf("; reserving them for %.0f months pays off if the load lasts %.1f", months,
			fleet.PaysAfter(least.Bills[0], none, months))
	}
	return words + "."
}

// delayed says what the offers come to if INT8 jobs delayed those behind them.
func (s *Screen) delayed() []string {
	base, come := s.Shown.Bills[0].USD(), s.Found.Come
	if come.Asked == 0 || !(base > 0) {
		return nil
	}
	usd, word := come.Bill.USD(), "less"
	if usd > base {
		word = "more"
	}
	return []string{fmt.Sprintf("If INT8 jobs delayed the jobs queued behind them, %d of the %d users asked would "+
		"accept and the whole bill would be %.2g %% %s.", come.Accepted, come.Asked, 100*math.Abs(usd/base-1), word)}
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

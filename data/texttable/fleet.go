package texttable

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
)

// Fleet prints what a fleet costs under each policy.
func Fleet(w io.Writer, described contract.Fleet) error {
	f := fleet{described}
	var b strings.Builder
	f.writeHead(&b)
	f.writePolicies(&b)
	for _, line := range f.verdict() {
		fmt.Fprintln(&b, line)
	}
	f.writeSizing(&b)
	for _, n := range f.Warnings {
		fmt.Fprintln(&b, "note: "+n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fleet is a fleet while it is printed, part by part.
type fleet struct{ contract.Fleet }

func (f fleet) writeHead(b *strings.Builder) {
	q, work := f.Query, f.Workload
	found := ""
	if q.ReservedVMsFound {
		found = ", the number with the lowest bill of those tried"
	}
	fmt.Fprintf(b, "%s\n", work.Source)
	fmt.Fprintf(b, "%d× %s reserved at %s/h%s · on demand at %s/h · %s · seed %d\n", q.ReservedVMs,
		cmp.Or(contract.Known(q.VM), "VM"), price(q.Reserved), found, price(q.OnDemand), q.Scheduler, q.Seed)
	wait := ""
	if f.Rest.MeanWaitS != nil {
		wait = fmt.Sprintf(" (%s wait on average, 19 in 20 at most %s)", quantity.Duration(*f.Rest.MeanWaitS),
			quantity.Duration(*f.Rest.P95WaitS))
	}
	fmt.Fprintf(b, "%s run at full precision on reserved VMs%s, %s on demand;\n", quantity.Several(f.Rest.ReservedJobs,
		"job"), wait, quantity.Count(float64(f.Rest.OnDemandJobs)))
	fmt.Fprintf(b, "%s, %s of all, would be in time on reserved VMs only in INT8 and can be asked\n\n",
		quantity.Count(float64(work.Candidates)), share(work.Candidates, work.Jobs))
}

func (f fleet) writePolicies(b *strings.Builder) {
	tw := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "policy\tcost of the jobs asked\treserved\ton demand\tpenalty\tof "+
		"on-demand\taccepted\toffer\taccuracy\tlate\twhole bill")
	for _, p := range f.Policies {
		relative := amount(p.Relative.Value, quantity.Percent)
		if p.Relative.Low != nil {
			relative += fmt.Sprintf(" (%s…%s)", quantity.Percent(*p.Relative.Low), quantity.Percent(*p.Relative.High))
		}
		mark := ""
		if p.Policy == contract.Known(f.Best) {
			mark = " *"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\t%s\t%d\t%s\n", p.Policy+mark, usd(p.TotalUSD),
			usd(p.ReservedUSD), usd(p.OnDemandUSD), usd(p.PenaltyUSD), relative, p.Accepted, p.Offered,
			amount(p.MeanOffer, decimals), amount(p.Accuracy, quantity.Percent), p.Missed, usd(p.BillUSD))
	}
	tw.Flush()
}

// verdict says which policy wins and by how much, when offers stop paying, and
// what would change more.
func (f fleet) verdict() []string {
	lines := []string{}
	best, base := f.policy(contract.Known(f.Best)), f.policy("on-demand")
	switch {
	case f.Query.ReservedVMs == 0:
		return []string{"no job can be asked: there is no reserved VM"}
	case f.Rest.ReservedJobs == f.Workload.Jobs:
		lines = append(lines, "no job needs to be asked: all are in time on reserved VMs at full precision")
	case f.Workload.Candidates == 0:
		lines = append(lines, "no job can be asked: even in INT8, none would finish in time on the free reserved VMs")
	case base != nil && best != base && base.ExpectedUSD > 0:
		saved := base.ExpectedUSD - best.ExpectedUSD
		lines = append(lines, fmt.Sprintf("%s has the lowest expected cost for them: %s, %s less than without offers, "+
			"which is %.2g %% of the whole bill",
			best.Policy, usd(best.ExpectedUSD), quantity.Percent(saved/base.ExpectedUSD), 100*saved/base.BillUSD))
	}
	if e := f.BreakEven; e != nil {
		lines = append(lines, breakEven(e, f.Query.OnDemand))
	}
	for _, p := range f.Policies {
		if p.Policy == "approxdnn" && base != nil && base.BillUSD > 0 && p.AsTheyCome.Asked > 0 {
			lines = append(lines, fmt.Sprintf("if INT8 jobs delayed the jobs queued behind them, %d of the %d users asked "+
				"would accept %s's offers and the whole bill would be %s, %s", p.AsTheyCome.Accepted, p.AsTheyCome.Asked,
				p.Policy, usd(p.AsTheyCome.BillUSD), differs(p.AsTheyCome.BillUSD, base.BillUSD)))
		}
	}
	for _, s := range f.Schedulers {
		if base != nil && s.BillUSD < base.BillUSD*(1-noticeable) {
			lines = append(lines, fmt.Sprintf("%s instead of %s would make the bill without offers %s, %s", s.Scheduler,
				f.Query.Scheduler, usd(s.BillUSD), differs(s.BillUSD, base.BillUSD)))
		}
	}
	return lines
}

// noticeable is the share of the bill from which a saving is worth a sentence.
const noticeable = 0.005

func (f fleet) policy(name string) *contract.FleetPolicy {
	for i := range f.Policies {
		if f.Policies[i].Policy == name {
			return &f.Policies[i]
		}
	}
	return nil
}

func differs(usd, from float64) string {
	if math.Abs(usd/from-1) < 5e-5 {
		return "as much"
	}
	if usd > from {
		return fmt.Sprintf("%.2g %% more", 100*(usd/from-1))
	}
	return fmt.Sprintf("%.2g %% less", 100*(1-usd/from))
}

func breakEven(e *contract.BreakEven, onDemand float64) string {
	switch {
	case onDemand <= e.Low:
		return fmt.Sprintf("no offer pays off: on-demand VMs would have to cost more than %s/h", price(e.Low))
	case e.Low == e.High:
		return fmt.Sprintf("offers pay off as long as on-demand VMs cost more than %s/h", price(e.Low))
	}
	return fmt.Sprintf("offers stop paying off once on-demand VMs cost %s/h or less; every candidate gets one above %s/h",
		price(e.Low), price(e.High))
}

func (f fleet) writeSizing(b *strings.Builder) {
	if len(f.Sizing) == 0 {
		return
	}
	fmt.Fprintln(b, "\nreserved VMs for this load, if it goes on")
	tw := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "reserved\t$/h\tpolicy\tVMs\tmonthly bill\tall on demand\tpays off if the load lasts\tprice from")
	for _, r := range f.Sizing {
		for _, l := range r.Least {
			pays := "never"
			if l.ReservedVMs == 0 {
				pays = "—"
			} else if l.PaysAfter != nil {
				pays = fmt.Sprintf("%.1f of %.0f months", *l.PaysAfter, r.Months)
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", r.Purchase, price(r.USDPerHour), l.Policy, l.ReservedVMs,
				usd(l.USDPerMonth), usd(l.WithoutUSD), pays, r.PriceFrom)
		}
	}
	tw.Flush()
}

func usd(v float64) string { return quantity.Money(v) }

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// price writes a price per hour with as many digits as clouds give.
func price(usdPerHour float64) string { return "$" + strconv.FormatFloat(usdPerHour, 'g', 4, 64) }

func share(n, of int) string {
	if of == 0 {
		return "none"
	}
	return quantity.Percent(float64(n) / float64(of))
}

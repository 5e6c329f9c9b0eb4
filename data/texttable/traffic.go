package texttable

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
)

// Traffic prints what each scheme costs and how many requests it serves late.
func Traffic(w io.Writer, described contract.Traffic) error {
	t := traffic{described}
	var b strings.Builder
	q := t.Query
	fmt.Fprintln(&b, t.Trace.Source)
	fmt.Fprintf(&b, "%s in %s, at most %s a second, peak to median %s · %s strict within %s, the others within %s\n",
		quantity.Several(t.Trace.Requests, "request"), quantity.Duration(float64(t.Trace.Seconds)),
		quantity.Count(float64(t.Trace.Peak)), amount(t.Trace.PeakToMedian, decimals), quantity.Percent(q.StrictShare),
		quantity.Duration(q.StrictLimitS), quantity.Duration(q.RelaxedLimitS))
	fmt.Fprintf(&b, "%s at %s/h holds %s requests/s at %s, starts in %s · functions of %.4g GiB take %s, %s more when "+
		"cold\n\n", cmp.Or(contract.Known(q.VM), "a VM"), price(q.VMUSD), decimals(q.VMRate),
		quantity.Duration(q.VMLatencyS), quantity.Duration(float64(q.VMStartS)), q.FunctionGiB,
		quantity.Duration(q.FunctionS), quantity.Duration(q.ColdStartS+q.ModelLoadS))
	t.writeSchemes(&b)
	for _, line := range t.Advice {
		fmt.Fprintln(&b, line)
	}
	t.writeVariants(&b)
	t.writeFunction(&b)
	for _, n := range t.Warnings {
		fmt.Fprintln(&b, "note: "+n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// traffic is the answer while it is printed, part by part.
type traffic struct{ contract.Traffic }

func (t traffic) writeSchemes(b *strings.Builder) {
	tw := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "scheme\tcost\tVMs\tfunctions\tVM-hours\tmore than reactive\tstrict late\trelaxed "+
		"late\tp50\tp99\ton functions\tmost VMs")
	for _, s := range t.Schemes {
		mark := ""
		if s.Scheme == t.Pick {
			mark = " *"
		}
		fmt.Fprintf(tw, "%s%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", s.Scheme, mark, usd(s.CostUSD), usd(s.VMUSD),
			usd(s.FunctionUSD), float64(s.VMSeconds)/3600, amount(s.OverProvisioning, quantity.Percent),
			amount(s.Violations.Strict, hundredths), amount(s.Violations.Relaxed, hundredths), amount(s.P50S, quantity.Duration),
			amount(s.P99S, quantity.Duration), hundredths(s.FunctionShare), s.MostVMs)
	}
	tw.Flush()
}

// hundredths writes a share to a hundredth of a percent: violations are few.
func hundredths(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }

func (t traffic) writeVariants(b *strings.Builder) {
	if len(t.Variants) == 0 {
		return
	}
	fmt.Fprintf(b, "\nvariants that serve within %s\n", quantity.Duration(t.Query.StrictLimitS))
	tw := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "variant\taccuracy\tlatency\tbatch\trequests/s a VM\ta million\tfrontier")
	hidden := 0
	for _, v := range t.Variants {
		if !v.Frontier && !v.Chosen {
			hidden++ // another one is as accurate and faster
			continue
		}
		front, mark := "", ""
		if v.Frontier {
			front = "yes"
		}
		if v.Chosen {
			mark = " *"
		}
		fmt.Fprintf(tw, "%s%s\t%s\t%s\t%d\t%s\t%s\t%s\n", v.Name, mark, amount(v.Accuracy, quantity.Percent),
			quantity.Duration(v.LatencyS), v.Batch, decimals(v.PerSecond), usd(v.USDPerMillion), front)
	}
	tw.Flush()
	if hidden > 0 {
		fmt.Fprintf(b, "… and %d more that another as accurate beats in latency: --json lists them all\n", hidden)
	}
}

func (t traffic) writeFunction(b *strings.Builder) {
	if len(t.Function) == 0 {
		return
	}
	fmt.Fprintln(b, "\nmemory of the function")
	tw := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "GiB\ttime\ta million\tin time")
	for i, f := range t.Function {
		if i > 0 && f.Seconds == t.Function[i-1].Seconds && !f.Cheapest && i < len(t.Function)-1 {
			continue // beyond the knee more memory only costs more
		}
		in := "no"
		if f.InTime {
			in = "yes"
		}
		if f.Cheapest {
			in += ", the cheapest"
		}
		fmt.Fprintf(tw, "%.4g\t%s\t%s\t%s\n", f.MemoryGiB, quantity.Duration(f.Seconds), usd(f.USDPerMillion), in)
	}
	tw.Flush()
}

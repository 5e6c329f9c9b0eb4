package texttable

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
)

// LLM prints how replicas of a language model's server serve a trace.
func LLM(w io.Writer, l contract.LLM) error {
	var b strings.Builder
	fmt.Fprintln(&b, l.Trace.Source)
	fmt.Fprintf(&b, "%s in %s, %s tokens in and %s out\n", quantity.Several(l.Trace.Requests, "request"),
		quantity.Duration(l.Trace.PeriodS), quantity.Count(float64(l.Trace.Input)), quantity.Count(float64(l.Trace.Output)))
	writeServer(&b, l.Server)
	for _, line := range l.Advice {
		fmt.Fprintln(&b, line)
	}
	tw := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "\nload\treplicas\trequests/s\tTTFT p50\tp95\tp99\tTPOT p50\tp95\tp99\tITL p99\twithin "+
		"limits\tbusy\tpreempted")
	writeLoad(tw, "the trace", l.Load)
	if m := l.Measured; m != nil {
		fmt.Fprintf(tw, "as measured\t\t%s\t%s—\t%s\t—\t—\n", amount(l.Trace.PerSecond, decimals),
			latencies(m.TTFT, m.TPOT), quantity.Percent(m.Within))
	}
	if l.Most != nil {
		writeLoad(tw, "most of one", *l.Most)
	}
	tw.Flush()
	if len(l.Costs) > 0 {
		fmt.Fprintln(tw, "\npurchase\t$/h each\tthe trace\ta month\tmillion in\tmillion out\tmillion tokens\tat the most "+
			"load")
		for _, c := range l.Costs {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Purchase, price(c.USDPerHour), usd(c.USD), usd(c.Monthly),
				amount(c.Input, usd), amount(c.Output, usd), amount(c.Token, usd), amount(c.Full, usd))
		}
		tw.Flush()
	}
	for _, n := range l.Warnings {
		fmt.Fprintln(&b, "note: "+n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeServer(b *strings.Builder, s contract.LLMServer) {
	if s.Precision != nil {
		fmt.Fprintf(b, "weights in %s: ", *s.Precision)
	}
	fmt.Fprintf(b, "a step takes %s, %s more for a thousand prompt tokens, %s for a sequence, %s for a thousand tokens "+
		"in its cache", quantity.Duration(s.StepS), quantity.Duration(1000*s.PromptS), quantity.Duration(s.SequenceS),
		quantity.Duration(1000*s.ContextS))
	if s.BatchedS > 0 {
		fmt.Fprintf(b, ", %s where it has more than one token", quantity.Duration(s.BatchedS))
	}
	if s.MaskedS > 0 {
		fmt.Fprintf(b, ", %s for a million pairs of a token of the step and one of any sequence",
			quantity.Duration(1e6*s.MaskedS))
	}
	limit := func(n *int, what string) {
		if n != nil {
			fmt.Fprintf(b, " · at most %s", quantity.Several(*n, what))
		}
	}
	limit(s.MaxSequences, "sequence")
	limit(&s.TokenBudget, "token")
	limit(s.CacheTokens, "cached token")
	if s.From != nil {
		fmt.Fprintf(b, " · as on %s, made to meet the loads on this server", *s.From)
	}
	if s.FittedTo != nil {
		fmt.Fprintf(b, " · fitted to %s, off by %s", quantity.Several(*s.FittedTo, "request"), amount(s.Off,
			quantity.Percent))
	}
	fmt.Fprint(b, "\n\n")
}

func writeLoad(tw io.Writer, name string, l contract.LLMLoad) {
	fmt.Fprintf(tw, "%s\t%d\t%s\t%s%s\t%s\t%s\t%d\n", name, l.Replicas, amount(l.PerSecond, decimals),
		latencies(l.TTFT, l.TPOT), amount(l.ITL.P99.S, quantity.Duration), quantity.Percent(l.Within),
		quantity.Percent(l.Busy), l.Preemptions)
}

// latencies are the cells of a load's percentiles, each with its interval.
func latencies(ttft, tpot contract.LLMPercentiles) (cells string) {
	for _, x := range []contract.Latency{ttft.P50, ttft.P95, ttft.P99, tpot.P50, tpot.P95, tpot.P99} {
		cells += amount(x.S, quantity.Duration) + x.PlusMinus(x.S) + "\t"
	}
	return cells
}

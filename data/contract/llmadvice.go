package contract

import (
	"fmt"

	"sweetspot/engine/quantity"
)

// advise is what the numbers mean, in sentences.
func (out *LLM) advise() (words []string) {
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	limits := fmt.Sprintf("TTFT ≤ %s and TPOT ≤ %s for %s of the requests", quantity.Duration(out.Query.TTFTLimitS),
		quantity.Duration(out.Query.TPOTLimitS), quantity.Percent(1-out.Query.MaxViolations))
	most := out.MostPerSecond
	switch {
	case out.Trace.PerSecond == nil:
		say("all requests arrive at once, so the most load that one replica holds is unknown")
	case most.Value == nil:
		say("one replica keeps %s at no load", limits)
	default:
		say("one replica holds %s requests/s with %s", rateText(most), limits)
	}
	if say("%s", out.Verdict()); !out.Keeps && out.Query.Replicas == nil {
		return words
	}
	for _, c := range out.Costs {
		if c.Input != nil && c.Output != nil {
			say("%s: %s a month; a million tokens cost %s in and %s out", c.Purchase, quantity.Money(c.Monthly),
				quantity.Money(*c.Input), quantity.Money(*c.Output))
		}
	}
	if a := out.API; a != nil && a.BreakEven != nil {
		beyond := ""
		if a.Reached != nil && !*a.Reached {
			beyond = ", which it does not hold"
		}
		say("the API costs %s for the trace, the replicas %s; one replica is cheaper from %.3g requests/s on%s",
			quantity.Money(a.USD), quantity.Money(out.Costs[0].USD), *a.BreakEven, beyond)
	}
	if out.Load.Rejected > 0 {
		say("%s", refusedText(out.Load.Rejected))
	}
	return words
}

// Verdict says whether the limits hold for the trace, and on how many replicas.
func (out *LLM) Verdict() string {
	replicas := quantity.Several(out.Load.Replicas, "replica")
	switch {
	case !out.Keeps && out.Query.Replicas == nil:
		why := fmt.Sprintf("on a replica of its own a request has %s to its first token and %s per further token, as the "+
			"95th percentile", timeText(out.Load.TTFT.P95), timeText(out.Load.TPOT.P95))
		if out.Load.TTFT.P95.S == nil && out.Load.Rejected > 0 {
			why = refusedText(out.Load.Rejected)
		}
		return "no number of replicas keeps the limits for the trace: " + why
	case !out.Keeps:
		return fmt.Sprintf("with %s the limits hold for %s of the trace's requests only", replicas,
			quantity.Percent(out.Load.Within))
	case out.Query.Replicas != nil:
		return fmt.Sprintf("with %s the limits hold for the trace", replicas)
	}
	return fmt.Sprintf("the trace needs %s", replicas)
}

// refusedText says how many requests the cache has no room for.
func refusedText(n int) string {
	if n == 1 {
		return "1 request does not fit in the cache and is refused"
	}
	return fmt.Sprintf("%s do not fit in the cache and are refused", quantity.Several(n, "request"))
}

func timeText(l Latency) string {
	if l.S == nil {
		return "an unknown time"
	}
	return quantity.Duration(*l.S)
}

func rateText(r Rate) string {
	if r.Low == nil {
		return fmt.Sprintf("%.3g", *r.Value)
	}
	return fmt.Sprintf("%.3g (%.3g to %.3g)", *r.Value, *r.Low, *r.High)
}

package traffic

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/engine/batching"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the screen in exactly its size.
func (s *Tokens) View() string {
	fourth := desk.Pane{Title: "cost per million tokens", Body: s.costs}
	if s.byLoad {
		fourth = desk.Pane{Title: "$ per million tokens by load", Note: s.firstPurchase(), Body: s.plots.cost.Draw}
	}
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: "Language model", Note: s.name()},
		First:   desk.Pane{Title: "TTFT by load", Note: s.legend("p50", "p95", "p99"), Body: s.plots.ttft.Draw},
		Second:  desk.Pane{Title: "TPOT by load", Note: s.legend("p50", "p95", "", "ITL p99"), Body: s.plots.tpot.Draw},
		Table:   desk.Pane{Title: "Loads of one replica " + s.Theme.Symbols.Dot + " by " + s.Column, Note: s.traceNote()},
		Third:   desk.Pane{Title: "goodput by load", Note: s.legend("", "all"), Body: s.plots.goodput.Draw},
		Fourth:  fourth,
	}, s.sentences)
}

// name is that of the server's log, "" before there is one.
func (s *Tokens) name() string {
	if s.log == "" {
		return ""
	}
	return text.Clean(strings.TrimSuffix(filepath.Base(s.log), ".jsonl"))
}

// legend names the lines of a chart, in the order of their pens; "" is one that needs no
// name.
func (s *Tokens) legend(names ...string) string {
	var out []string
	for k, n := range names {
		if n != "" {
			out = append(out, figure.Sign(s.Theme, k)+" "+n)
		}
	}
	return strings.Join(out, " ")
}

func (s *Tokens) firstPurchase() string {
	if s.Shown == nil || len(s.Shown.Prices) == 0 {
		return ""
	}
	return text.Clean(s.Shown.Prices[0].Purchase)
}

func (s *Tokens) traceNote() string {
	if s.Shown == nil || s.Shown.Why != "" {
		return ""
	}
	t := s.Shown.Described.Trace
	return fmt.Sprintf("%s in %s", quantity.Several(t.Requests, "request"), quantity.Duration(t.PeriodS))
}

// known is what is known of the answer: with intervals once they are.
func (s *Tokens) known() *TokenAnswer {
	if s.IsFound() {
		return s.Found
	}
	return s.Shown
}

// decision is what a replica holds, how many are needed, and what they cost.
func (s *Tokens) decision() (out []string) {
	a := s.known()
	switch {
	case a == nil:
		return nil
	case a.Why != "":
		return figure.WhyNot(a.Why)
	}
	for _, w := range a.Described.Advice[:min(saidAbove, len(a.Described.Advice))] {
		out = append(out, text.Sentence(w))
	}
	return out
}

// saidAbove is how much of the advice stands above the panes, where these are wide.
const saidAbove = 3

// sentences put what the numbers mean into words.
func (s *Tokens) sentences() (out []string) {
	a := s.known()
	if a == nil {
		return nil
	}
	if a.Why != "" {
		return []string{a.Why}
	}
	d := a.Described
	for k, w := range d.Advice {
		if k >= saidAbove || s.W < desk.WideWidth {
			out = append(out, text.Sentence(w))
		}
	}
	l := d.Load
	out = append(out, fmt.Sprintf("The trace on %s: TTFT %s (p95 %s, p99 %s), TPOT %s (p95 %s, p99 %s), ITL p99 %s; %s "+
		"of the requests in time.", quantity.Several(l.Replicas, "replica"), span(l.TTFT.P50), span(l.TTFT.P95),
		span(l.TTFT.P99), span(l.TPOT.P50), span(l.TPOT.P95), span(l.TPOT.P99), span(l.ITL.P99),
		quantity.Percent(l.Within)))
	if len(s.Shown.Prices) == 0 {
		out = append(out, "What it costs is unknown: n chooses a VM type, or the slider sets a replica's price.")
	}
	if vm := s.Question().VM; vm != "" {
		out = append(out, text.Clean(vm)+" gives the price alone: the times are those of the server that was measured.")
	}
	for _, c := range d.Costs {
		if c.Full != nil {
			out = append(out, fmt.Sprintf("At its most load a million tokens cost %s %s.", quantity.Money(*c.Full),
				text.Clean(c.Purchase)))
		}
	}
	if d.API == nil {
		out = append(out, "The sliders API in and API out compare it with an API's prices per million tokens.")
	}
	out = append(out, serverWords(d.Server))
	for _, w := range d.Warnings {
		out = append(out, "Trace: "+text.Clean(w)+".")
	}
	return out
}

// serverWords say what the simulation stands on.
func serverWords(of contract.LLMServer) string {
	limited := func(n *int) string {
		if n == nil {
			return "no limit seen"
		}
		return quantity.Count(float64(*n))
	}
	fit := ""
	if of.FittedTo != nil {
		fit = fmt.Sprintf(" Fitted to %s", quantity.Several(*of.FittedTo, "request"))
		if of.Off != nil {
			fit += ", off by " + quantity.Percent(*of.Off)
		}
		fit += "."
	}
	if of.From != nil {
		fit = " These are the times on " + *of.From + ", made to meet the loads on this server." + fit
	}
	return fmt.Sprintf("A step takes %s, %s more for a thousand prompt tokens, %s for a sequence; sequences at once %s, "+
		"tokens of a step %s, cached tokens %s.%s", quantity.Duration(of.StepS), quantity.Duration(1000*of.PromptS),
		quantity.Duration(of.SequenceS), limited(of.MaxSequences), limited(&of.TokenBudget), limited(of.CacheTokens), fit)
}

// span is a latency with its interval.
func span(l contract.Latency) string {
	if l.S == nil {
		return "—"
	}
	return quantity.Duration(*l.S) + l.PlusMinus(l.S)
}

// costs are what a million tokens cost in each way to buy the replicas, beside the API.
func (s *Tokens) costs(w, h int) string {
	if s.Shown == nil || s.Shown.Why != "" {
		return ""
	}
	d := s.known().Described
	money := func(v *float64) string {
		if v == nil {
			return "—"
		}
		return quantity.Money(*v)
	}
	rows := [][]string{{"", "in", "out", "all", "a month", "replica/h"}}
	for _, c := range d.Costs {
		rows = append(rows, []string{c.Purchase, money(c.Input), money(c.Output), money(c.Token), money(&c.Monthly),
			quantity.Money(c.USDPerHour)})
	}
	if a := d.API; a != nil {
		rows = append(rows, []string{"the API", money(&a.Input), money(&a.Output), money(a.Token), money(a.Monthly), "—"})
	}
	if vm := s.Shown.Question.VM; vm != "" && len(d.Costs) == 0 {
		return text.Block(text.Wrap("The catalog has no price of "+text.Clean(vm)+
			", or no number of replicas keeps the limits.", w), w, h)
	}
	if len(rows) == 1 {
		return text.Block(text.Wrap("n chooses a VM type, or the slider sets a replica's price.", w), w, h)
	}
	return text.Block(columns(s.Theme, rows, w), w, h)
}

// columns are rows in as many columns as fit in w cells, the first row a head.
func columns(th *theme.Theme, rows [][]string, w int) (lines []string) {
	lines, used := make([]string, len(rows)), 0
	for c := range rows[0] {
		width := 0
		for _, r := range rows {
			width = max(width, text.Width(text.Clean(r[c])))
		}
		if used += width + 1; used-1 > w {
			break
		}
		for i, r := range rows {
			cell := text.Clean(r[c])
			if pad := strings.Repeat(" ", width-text.Width(cell)); c == 0 {
				lines[i] = cell + pad
			} else {
				lines[i] += " " + pad + cell
			}
		}
	}
	lines[0] = th.Dim.Render(lines[0])
	return lines
}

// measures of the loads.
func (s *Tokens) measures() []desk.Measure[TokenAnswer] {
	of := func(id, title string, width, drop int, write func(float64) string,
		value func(l *contract.LLMLoad) float64) desk.Measure[TokenAnswer] {
		return desk.Measure[TokenAnswer]{ID: id, Title: title, Width: width, Drop: drop, Write: write,
			Value: func(a *TokenAnswer, i int) float64 { return value(&a.Described.Loads[i]) }}
	}
	latency := func(id, title string, width, drop int,
		at func(l *contract.LLMLoad) contract.Latency) desk.Measure[TokenAnswer] {
		m := of(id, title, width, drop, quantity.Duration, func(l *contract.LLMLoad) float64 { return figure.Value(at(l).S) })
		m.Text = func(_ *theme.Theme, a *TokenAnswer, i int) string {
			if s.IsFound() && s.Shown == a {
				a = s.Found
			}
			return span(at(&a.Described.Loads[i]))
		}
		return m
	}
	return []desk.Measure[TokenAnswer]{
		{ID: "load", Title: "load", Width: 20, Text: func(_ *theme.Theme, a *TokenAnswer, i int) string {
			of := "of the most"
			if !a.OfMost {
				of = "of what it can"
			}
			return fmt.Sprintf("%3.0f %% %s", 100*batching.Shares[i], of)
		}},
		of("requests", "requests/s", 10, 0, figure.Rate,
			func(l *contract.LLMLoad) float64 { return figure.Value(l.PerSecond) }),
		latency("ttft50", "TTFT p50", 14, 6, func(l *contract.LLMLoad) contract.Latency { return l.TTFT.P50 }),
		latency("ttft95", "TTFT p95", 15, 0, func(l *contract.LLMLoad) contract.Latency { return l.TTFT.P95 }),
		latency("ttft99", "TTFT p99", 15, 4, func(l *contract.LLMLoad) contract.Latency { return l.TTFT.P99 }),
		latency("tpot50", "TPOT p50", 14, 7, func(l *contract.LLMLoad) contract.Latency { return l.TPOT.P50 }),
		latency("tpot95", "TPOT p95", 15, 1, func(l *contract.LLMLoad) contract.Latency { return l.TPOT.P95 }),
		latency("tpot99", "TPOT p99", 15, 5, func(l *contract.LLMLoad) contract.Latency { return l.TPOT.P99 }),
		latency("itl99", "ITL p99", 9, 3, func(l *contract.LLMLoad) contract.Latency { return l.ITL.P99 }),
		of("within", "in time", 9, 0, quantity.Percent, func(l *contract.LLMLoad) float64 { return l.Within }),
		of("goodput", "goodput/s", 9, 2, figure.Rate, func(l *contract.LLMLoad) float64 { return figure.Value(l.Goodput) }),
		{ID: "cost", Title: "$/M tokens", Width: 10, Drop: 2, Write: quantity.Money, Value: (*TokenAnswer).perMillion},
	}
}

// perMillion is what a million tokens cost at a load, at the first price; NaN without one.
func (a *TokenAnswer) perMillion(i int) float64 {
	if len(a.Prices) == 0 {
		return math.NaN()
	}
	return 1e6 * a.input.Curve.Loads[i].CostOf(a.Prices[0].USDPerHour).PerToken
}

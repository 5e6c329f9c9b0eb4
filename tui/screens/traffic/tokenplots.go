package traffic

import (
	"math"

	"sweetspot/data/contract"
	"sweetspot/engine/batching"
	"sweetspot/tui/plot"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/theme"
)

// tokenPlots are the charts of a language model's loads.
type tokenPlots struct {
	ttft, tpot, goodput, cost *plot.Lines
	ver                       uint64
	drawn                     *TokenAnswer
}

func newTokenPlots(th *theme.Theme) *tokenPlots {
	p := &tokenPlots{ttft: plot.NewLines(th), tpot: plot.NewLines(th), goodput: plot.NewLines(th), cost: plot.NewLines(th)}
	load := plot.Axis{Title: "requests/s", Label: plot.CountLabel}
	late := plot.Axis{Log: true, Label: plot.DurationLabel, Ticks: plot.DurationTicks}
	p.ttft.SetAxes(load, late)
	p.tpot.SetAxes(load, late)
	p.goodput.SetAxes(load, plot.Axis{Title: "requests/s", Label: plot.CountLabel})
	p.cost.SetAxes(load, plot.Axis{Label: plot.MoneyLabel})
	p.cost.SetEmpty("no price is given")
	return p
}

// limitClass is the pen of a limit, beside those of the percentiles.
const limitClass = 6

// show brings the charts to an answer, with a mark at the most load and at the one under
// the cursor.
func (p *tokenPlots) show(a *TokenAnswer, chosen int) {
	if p.drawn != a {
		p.drawn = a
		p.ver++
		p.draw(a)
	}
	var marks []plot.Mark
	at := func(i int) float64 { return figure.Value(a.Described.Loads[i].PerSecond) }
	if a.OfMost && a.loads() > 0 {
		marks = append(marks, plot.Mark{X: at(batching.AtMost)})
	}
	if chosen < a.loads() {
		marks = append(marks, plot.Mark{X: at(chosen), Here: true})
	}
	for _, l := range []*plot.Lines{p.ttft, p.tpot, p.goodput, p.cost} {
		l.SetMarks(marks...)
	}
}

func (p *tokenPlots) draw(a *TokenAnswer) {
	line := func(class int, value func(l *contract.LLMLoad, i int) float64) (l plot.Line) {
		l.Class = class
		for i := range a.Described.Loads {
			x := &a.Described.Loads[i]
			l.X, l.Y = append(l.X, figure.Value(x.PerSecond)), append(l.Y, value(x, i))
		}
		return l
	}
	latency := func(class int, of func(l *contract.LLMLoad) contract.Latency) plot.Line {
		return line(class, func(l *contract.LLMLoad, _ int) float64 { return figure.Value(of(l).S) })
	}
	limit := func(s float64) plot.Line {
		return line(limitClass, func(*contract.LLMLoad, int) float64 { return s })
	}
	p.ttft.SetData(p.ver, []plot.Line{limit(a.Question.TTFTS),
		latency(0, func(l *contract.LLMLoad) contract.Latency { return l.TTFT.P50 }),
		latency(1, func(l *contract.LLMLoad) contract.Latency { return l.TTFT.P95 }),
		latency(2, func(l *contract.LLMLoad) contract.Latency { return l.TTFT.P99 })})
	p.tpot.SetData(p.ver, []plot.Line{limit(a.Question.TPOTS),
		latency(0, func(l *contract.LLMLoad) contract.Latency { return l.TPOT.P50 }),
		latency(1, func(l *contract.LLMLoad) contract.Latency { return l.TPOT.P95 }),
		latency(3, func(l *contract.LLMLoad) contract.Latency { return l.ITL.P99 })})
	p.goodput.SetData(p.ver, []plot.Line{
		line(1, func(l *contract.LLMLoad, _ int) float64 { return figure.Value(l.PerSecond) }),
		line(0, func(l *contract.LLMLoad, _ int) float64 { return figure.Value(l.Goodput) })})
	var costs []plot.Line
	if len(a.Prices) > 0 {
		costs = []plot.Line{line(0, func(_ *contract.LLMLoad, i int) float64 {
			if v := a.perMillion(i); v > 0 {
				return v
			}
			return math.NaN()
		})}
	}
	p.cost.SetData(p.ver, costs)
}

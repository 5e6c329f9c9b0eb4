package traffic

import (
	"math"

	"sweetspot/engine/serving"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// plots are the charts of the screen.
type plots struct {
	load     *plot.Lines   // what comes, and what VMs hold
	late     *plot.Lines   // queries that miss their limit
	memory   *plot.Lines   // what a function costs by its memory
	even     *plot.Lines   // what a steady rate costs on VMs and on functions
	variants *plot.Scatter // latency × accuracy, where a model is chosen
	ver      uint64
	drawn    *Answer
	scheme   int
}

func newPlots(th *theme.Theme) *plots {
	p := &plots{load: plot.NewLines(th), late: plot.NewLines(th), memory: plot.NewLines(th), even: plot.NewLines(th),
		variants: plot.NewScatter(th)}
	at := plot.Axis{Title: "time", Label: plot.DurationLabel, Ticks: plot.DurationTicks}
	p.load.SetAxes(at, plot.Axis{Title: "queries/s", Label: plot.CountLabel})
	p.late.SetAxes(at, plot.Axis{Title: "late/s", Label: plot.CountLabel})
	p.late.SetEmpty("no query misses its limit")
	p.memory.SetAxes(plot.Axis{Title: "GB"}, plot.Axis{Title: "a million", Label: plot.MoneyLabel})
	p.even.SetAxes(plot.Axis{Title: "queries/s", Log: true},
		plot.Axis{Title: "an hour", Log: true, Label: plot.MoneyLabel})
	p.variants.SetAxes(plot.Axis{Title: "latency", Log: true, Label: plot.DurationLabel, Ticks: plot.DurationTicks},
		plot.Axis{Title: "accuracy", Label: plot.PercentLabel})
	return p
}

// loadClass is the pen of what comes, beside those of the schemes.
const loadClass = 6

// show brings the charts to an answer, with the VMs of a scheme.
func (p *plots) show(a *Answer, scheme int) {
	if p.drawn == a && p.scheme == scheme {
		return
	}
	p.drawn, p.scheme = a, scheme
	p.ver++
	if a.Why != "" {
		p.load.SetData(p.ver, nil)
		p.late.SetData(p.ver, nil)
		p.load.SetEmpty(a.Why)
	} else {
		p.load.SetData(p.ver, loadLines(a, scheme))
		p.late.SetData(p.ver, lateLines(a))
	}
	p.showChoice(a)
}

// loadLines are what comes and what the scheme's running VMs hold, per second.
func loadLines(a *Answer, scheme int) []plot.Line {
	return []plot.Line{
		overTime(a.Spans[scheme], scheme, func(s serving.Span) float64 {
			return s.Running * a.Engine.Settings.VM.QueriesPerSecond
		}),
		overTime(a.Spans[scheme], loadClass, func(s serving.Span) float64 { return float64(s.Queries) / float64(s.Seconds) }),
	}
}

// lateLines are the queries that miss their limit, per second and scheme;
// schemes that miss none have no line.
func lateLines(a *Answer) (lines []plot.Line) {
	for k, spans := range a.Spans {
		if a.Outcomes[k].Violations.Total() > 0 {
			lines = append(lines, overTime(spans, k, func(s serving.Span) float64 {
				return float64(s.Violations) / float64(s.Seconds)
			}))
		}
	}
	return lines
}

// overTime is the line of a value of spans, at their middles.
func overTime(spans []serving.Span, class int, value func(serving.Span) float64) plot.Line {
	line, at := plot.Line{Class: class}, 0.0
	for _, s := range spans {
		line.X, line.Y = append(line.X, at+float64(s.Seconds)/2), append(line.Y, value(s))
		at += float64(s.Seconds)
	}
	return line
}

// showChoice draws what is chosen from: variants of a model, sizes of a function,
// and VMs or functions.
func (p *plots) showChoice(a *Answer) {
	d := plot.Data{Version: p.ver, Of: "variants"}
	for _, v := range a.Engine.Variants.List {
		d.X, d.Y = append(d.X, v.LatencyS), append(d.Y, v.Accuracy)
	}
	p.variants.SetData(d)
	p.variants.SetFrontier(a.Engine.Variants.Frontier())
	p.variants.SetSelected(a.Engine.Chosen, plot.Whiskers{})
	p.showMemory(a)
	p.showEven(a)
}

// showMemory draws a line for the sizes that are too slow, and one for the others.
func (p *plots) showMemory(a *Answer) {
	slow, fast := plot.Line{Class: 1}, plot.Line{Class: 2}
	for _, c := range a.Engine.Memory.Choices(a.Engine.Settings.Function.Prices) {
		line := &fast
		if c.Seconds > a.Engine.Settings.StrictLimitS {
			line = &slow
		}
		line.X, line.Y = append(line.X, c.MemoryGB), append(line.Y, c.USDPerMillion)
	}
	p.memory.SetData(p.ver, []plot.Line{slow, fast})
	suits, _ := a.suits()
	p.memory.SetMarks(plot.Mark{X: suits}, plot.Mark{X: a.Engine.Settings.Function.MemoryGB, Here: true})
}

// rates is how many rates the break-even chart shows.
const rates = 120

// showEven draws what steady rates up to ten VMs cost on VMs and on functions.
func (p *plots) showEven(a *Answer) {
	s := a.Engine.Settings
	vms, functions := plot.Line{Class: 0}, plot.Line{Class: 3}
	for k := range rates {
		rate := s.VM.QueriesPerSecond * math.Pow(10, 3*float64(k)/(rates-1)-2)
		onVMs, onFunctions := serving.HourlyCost(rate, s)
		vms.X, vms.Y = append(vms.X, rate), append(vms.Y, onVMs)
		functions.X, functions.Y = append(functions.X, rate), append(functions.Y, onFunctions)
	}
	p.even.SetData(p.ver, []plot.Line{functions, vms})
	p.even.SetMarks()
	if rate, ok := serving.BreakEven(s.VM, s.Function); ok {
		p.even.SetMarks(plot.Mark{X: rate, Here: true})
	}
}

// schemeName names a scheme beside its rune in the charts.
func schemeName(th *theme.Theme, k int) string {
	return schemeRune(th, k) + " " + string(serving.Schemes()[k])
}

package traffic

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the screen in exactly its size.
func (s *VMs) View() string {
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: "Traffic", Note: s.modelName()},
		First:   desk.Pane{Title: "requests/s", Note: s.loadLegend(), Body: s.plots.load.Draw},
		Second:  desk.Pane{Title: "cost", Note: plot.Legend(s.Theme, "VMs", "functions"), Body: s.costs},
		Table:   desk.Pane{Title: "Schemes " + s.Theme.Symbols.Dot + " by " + s.Column, Note: s.traceNote()},
		Third:   desk.Pane{Title: "late requests/s", Body: s.plots.late.Draw},
		Fourth:  s.choice(),
	}, s.sentences)
}

func (s *VMs) modelName() string {
	if s.Question().Model == "" {
		return "the study's m4.large"
	}
	return text.Clean(s.Question().Model)
}

// loadLegend names the two lines of the load.
func (s *VMs) loadLegend() string {
	return string(s.Theme.SeriesRune(loadClass)) + " load " + string(s.Theme.SeriesRune(s.Chosen())) +
		" capacity, " +
		string(serving.Schemes()[s.Chosen()])
}

// choice is the chart that is turned to.
func (s *VMs) choice() desk.Pane {
	switch s.shown() {
	case variantsChart:
		return desk.Pane{Title: "accuracy × latency", Note: "of a batch", Body: s.plots.variants.Draw}
	case evenChart:
		note := ""
		if a := s.Shown; a != nil {
			if rate, ok := serving.BreakEven(a.Engine.Settings.VM, a.Engine.Settings.Function); ok {
				note = fmt.Sprintf("equal at %.3g/s", rate)
			} else {
				note = "VMs cost more at every rate"
			}
		}
		return desk.Pane{Title: schemeRune(s.Theme, 0) + " VMs " + schemeRune(s.Theme, 3) + " functions, $/h", Note: note,
			Body: s.plots.even.Draw}
	}
	return desk.Pane{Title: "cost per million on functions", Note: "by GB", Body: s.plots.memory.Draw}
}

// chart is what the panel of choices shows.
type chart int

const (
	memoryChart chart = iota
	evenChart
	variantsChart
	charts
)

// shown is the chart turned to; without a model there are no variants to show.
func (s *VMs) shown() chart {
	if s.chart == variantsChart && s.Question().Model == "" {
		return memoryChart
	}
	return s.chart
}

// turn goes to the next chart.
func (s *VMs) turn() {
	s.chart = (s.shown() + 1) % charts
	s.chart = s.shown()
}

func schemeRune(th *theme.Theme, k int) string {
	return th.Series(k).Render(string(th.SeriesRune(k)))
}

// rateText writes requests per second.
func rateText(v float64) string {
	if v >= 1000 {
		return quantity.Count(math.Round(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// costs draws what each scheme costs, by kind, and what it misses.
func (s *VMs) costs(w, h int) string {
	if s.Shown == nil || s.Shown.Why != "" {
		return ""
	}
	var bars []plot.StackedBar
	for k, o := range s.Shown.Outcomes {
		late := s.Theme.Dim
		if o.ViolationShare() > serving.UsualViolations {
			late = s.Theme.Warn
		}
		value := s.Theme.Title.Render(quantity.Money(o.USD)) + late.Render(" "+hundredths(o.ViolationShare())+" late")
		bars = append(bars, plot.StackedBar{Name: schemeName(s.Theme, k), Value: value,
			Parts: []float64{o.VMUSD, o.FunctionUSD}})
	}
	return plot.Bars(s.Theme, bars, w, h)
}

func (s *VMs) traceNote() string {
	if s.Shown == nil {
		return ""
	}
	tr := s.Shown.Engine.Trace
	return fmt.Sprintf("%s requests in %s", quantity.Count(float64(tr.Requests())), quantity.Duration(float64(len(tr))))
}

// decision is the advice that matters most: what to run, and whether mixing pays.
func (s *VMs) decision() (out []string) {
	switch a := s.Shown; {
	case a == nil:
		return nil
	case a.Why != "":
		return []string{text.Sentence(strings.TrimSuffix(a.Why, "."))}
	case !s.IsFound():
		return []string{"Advice appears once the sliders rest."}
	}
	for _, w := range s.Found.Words[:min(decided, len(s.Found.Words))] {
		out = append(out, text.Sentence(w))
	}
	return out
}

// decided is how much of the advice the decision is.
const decided = 2

// sentences put what the numbers mean into words, beside the decision.
func (s *VMs) sentences() (out []string) {
	a := s.Shown
	if a == nil {
		return nil
	}
	if a.Why != "" {
		return []string{a.Why}
	}
	if o := a.Engine.Offer(); o != nil {
		of := a.Engine.Served[a.Engine.Chosen]
		out = append(out, fmt.Sprintf("Serves %s at batch %d: %s requests/s within %s, $%.4g/h (%s).", text.Clean(o.Name()),
			of.Batch, rateText(of.VM.QueriesPerSecond), quantity.Duration(of.VM.LatencyS), o.USDPerHour, text.Clean(
				o.PriceFrom)))
	}
	if s.IsFound() {
		for _, w := range s.Found.Words[min(decided, len(s.Found.Words)):] {
			out = append(out, text.Sentence(w))
		}
	}
	f := a.Engine.Settings.Function
	out = append(out, fmt.Sprintf("A function of %.4g GB takes %s, %s more when cold (assumed). Relaxed requests may "+
		"take %s.", f.MemoryGB, quantity.Duration(f.Seconds), quantity.Duration(f.ColdStartS+f.ModelLoadS),
		quantity.Duration(a.Engine.Settings.RelaxedLimitS)))
	for _, n := range s.Trace.Notes {
		out = append(out, "Trace: "+text.Clean(n)+".")
	}
	return out
}

// measures of the schemes.
var measures = []desk.Measure[Answer]{
	{ID: "scheme", Title: "scheme", Width: 14, Text: func(th *theme.Theme, _ *Answer, i int) string {
		return schemeName(th, i)
	}},
	of("cost", "cost", 9, 0, quantity.Money, func(o *serving.Outcome) float64 { return o.USD }),
	of("vms", "VMs", 9, 5, quantity.Money, func(o *serving.Outcome) float64 { return o.VMUSD }),
	of("functions", "functions", 9, 4, quantity.Money, func(o *serving.Outcome) float64 { return o.FunctionUSD }),
	of("over", "extra", 8, 3, func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) },
		func(o *serving.Outcome) float64 {
			if o.OverProvisioning == nil {
				return math.NaN()
			}
			return *o.OverProvisioning
		}),
	of("strict", "strict late", 11, 0, hundredths, func(o *serving.Outcome) float64 {
		strict, _ := o.ViolationShares()
		return strict
	}),
	of("relaxed", "relaxed late", 12, 2, hundredths, func(o *serving.Outcome) float64 {
		_, relaxed := o.ViolationShares()
		return relaxed
	}),
	of("p50", "p50", 8, 7, quantity.Duration, func(o *serving.Outcome) float64 { return o.P50S }),
	of("p99", "p99", 9, 1, quantity.Duration, func(o *serving.Outcome) float64 { return o.P99S }),
	of("share", "on functions", 12, 6, hundredths, (*serving.Outcome).FunctionShare),
	of("most", "most VMs", 8, 8, func(v float64) string { return strconv.Itoa(int(v)) },
		func(o *serving.Outcome) float64 { return float64(o.MostVMs) }),
}

// of is a measure of a scheme's outcome.
//
//nolint:revive // a column of the table, on one line where it is called
func of(id, title string, width, drop int, write func(float64) string,
	value func(o *serving.Outcome) float64) desk.Measure[Answer] {
	return desk.Measure[Answer]{ID: id, Title: title, Width: width, Drop: drop, Write: write,
		Value: func(a *Answer, i int) float64 { return value(&a.Outcomes[i]) }}
}

// hundredths writes a share to a hundredth of a percent: what is late is little.
func hundredths(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }

// plots are the charts of the screen.
type plots struct {
	load     *plot.Lines   // what comes, and what VMs hold
	late     *plot.Lines   // requests that miss their limit
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
	p.load.SetAxes(at, plot.Axis{Title: "requests/s", Label: plot.CountLabel})
	p.late.SetAxes(at, plot.Axis{Title: "late/s", Label: plot.CountLabel})
	p.late.SetEmpty("no request misses its limit")
	p.memory.SetAxes(plot.Axis{Title: "GB"}, plot.Axis{Title: "a million", Label: plot.MoneyLabel})
	p.even.SetAxes(plot.Axis{Title: "requests/s", Log: true},
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

// lateLines are the requests that miss their limit, per second and scheme;
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

package traffic

import (
	"fmt"
	"math"
	"strconv"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the screen in exactly its size.
func (s *VMs) View() string {
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: "Traffic", Note: s.modelName()},
		First:   desk.Pane{Title: "requests/s", Note: s.loadLegend(), Body: s.plots.load.Draw},
		Second:  desk.Pane{Title: "cost", Note: figure.SchemeLegend(s.Theme), Body: s.costs},
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
		return desk.Pane{Title: "accuracy × latency", Note: "of a batch", Body: s.plots.choice.Variants.Draw}
	case evenChart:
		note := ""
		if a := s.Shown; a != nil {
			if rate, ok := serving.BreakEven(a.Engine.Settings.VM, a.Engine.Settings.Function); ok {
				note = fmt.Sprintf("equal at %.3g/s", rate)
			} else {
				note = "VMs cost more at every rate"
			}
		}
		return desk.Pane{Title: figure.Sign(s.Theme, 0) + " VMs " + figure.Sign(s.Theme, 3) + " functions, $/h", Note: note,
			Body: s.plots.even.Draw}
	}
	return desk.Pane{Title: "cost per million on functions", Note: "by GiB", Body: s.plots.choice.Memory.Draw}
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

// costs draws what each scheme costs, by kind, and what it misses.
func (s *VMs) costs(w, h int) string {
	if s.Shown == nil || s.Shown.Why != "" {
		return ""
	}
	return figure.SchemeCosts(s.Theme, s.Shown.Outcomes, serving.DefaultViolations, w, h)
}

func (s *VMs) traceNote() string {
	if s.Shown == nil {
		return ""
	}
	return figure.Trace(s.Shown.Engine.Trace)
}

// decision is the advice that matters most: what to run, and whether mixing pays.
func (s *VMs) decision() (out []string) {
	switch a := s.Shown; {
	case a == nil:
		return nil
	case a.Why != "":
		return figure.WhyNot(a.Why)
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
			of.Batch, figure.Rate(of.VM.RequestsPerSecond), quantity.Duration(of.VM.LatencyS), o.USDPerHour, text.Clean(
				o.PriceFrom)))
	}
	if s.IsFound() {
		for _, w := range s.Found.Words[min(decided, len(s.Found.Words)):] {
			out = append(out, text.Sentence(w))
		}
	}
	f := a.Engine.Settings.Function
	out = append(out, fmt.Sprintf("A function of %.4g GiB takes %s, %s more when cold (assumed). Relaxed requests may "+
		"take %s.", f.MemoryGiB, quantity.Duration(f.Seconds), quantity.Duration(f.ColdStartS+f.ModelLoadS),
		quantity.Duration(a.Engine.Settings.RelaxedLimitS)))
	for _, n := range a.Load.Notes {
		out = append(out, "Trace: "+text.Clean(n)+".")
	}
	return out
}

// measures of the schemes.
var measures = []desk.Measure[Answer]{
	{ID: "scheme", Title: "scheme", Width: 14, Text: func(th *theme.Theme, _ *Answer, i int) string {
		return figure.Scheme(th, i)
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
	of("strict", "strict late", 11, 0, figure.Hundredths, func(o *serving.Outcome) float64 {
		strict, _ := o.ViolationShares()
		return strict
	}),
	of("relaxed", "relaxed late", 12, 2, figure.Hundredths, func(o *serving.Outcome) float64 {
		_, relaxed := o.ViolationShares()
		return relaxed
	}),
	of("p50", "p50", 8, 7, quantity.Duration, func(o *serving.Outcome) float64 { return o.P50S }),
	of("p99", "p99", 9, 1, quantity.Duration, func(o *serving.Outcome) float64 { return o.P99S }),
	of("share", "on functions", 12, 6, figure.Hundredths, (*serving.Outcome).FunctionShare),
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

package traffic

import (
	"fmt"
	"math"
	"strconv"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: "Traffic", Note: s.modelName()},
		First:   desk.Pane{Title: "queries per second", Note: s.loadLegend(), Body: s.plots.load.Draw},
		Second:  desk.Pane{Title: "cost", Note: plot.Legend(s.Theme, "VMs", "functions"), Body: s.costs},
		Table:   desk.Pane{Title: "Schemes " + s.Theme.Symbols.Dot + " by " + s.Column, Note: s.traceNote()},
		Third:   desk.Pane{Title: "late queries per second", Body: s.plots.late.Draw},
		Fourth:  s.choice(),
	}, s.sentences)
}

func (s *Screen) modelName() string {
	if s.Question().Model == "" {
		return "the study's m4.large"
	}
	return text.Clean(s.Question().Model)
}

// loadLegend names the two lines of the load.
func (s *Screen) loadLegend() string {
	return string(s.Theme.SeriesRune(loadClass)) + " load " + string(s.Theme.SeriesRune(s.selected())) +
		" capacity, " +
		string(serving.Schemes()[s.selected()])
}

// choice is the chart that is turned to.
func (s *Screen) choice() desk.Pane {
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
func (s *Screen) shown() chart {
	if s.chart == variantsChart && s.Question().Model == "" {
		return memoryChart
	}
	return s.chart
}

// turn goes to the next chart.
func (s *Screen) turn() {
	s.chart = (s.shown() + 1) % charts
	s.chart = s.shown()
}

func schemeRune(th *theme.Theme, k int) string {
	return th.Series(k).Render(string(th.SeriesRune(k)))
}

// rateText writes queries per second.
func rateText(v float64) string {
	if v >= 1000 {
		return quantity.Count(math.Round(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// costs draws what each scheme costs, by kind, and what it misses.
func (s *Screen) costs(w, h int) string {
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

func (s *Screen) traceNote() string {
	if s.Shown == nil {
		return ""
	}
	tr := s.Shown.Engine.Trace
	return fmt.Sprintf("%s queries in %s", quantity.Count(float64(tr.Requests())), quantity.Duration(float64(len(tr))))
}

// sentences put what the numbers mean into words.
func (s *Screen) sentences() (out []string) {
	a := s.Shown
	if a == nil {
		return nil
	}
	if a.Why != "" {
		return []string{a.Why}
	}
	words := []string{"Advice appears once the sliders rest"}
	if s.IsFound() {
		words = s.Found.Words
	}
	for i, w := range words {
		out = append(out, text.Sentence(w))
		if o := a.Engine.Offer(); o != nil && i == 0 {
			of := a.Engine.Served[a.Engine.Chosen]
			out = append(out, fmt.Sprintf("Serves %s at batch %d: %s queries/s within %s, $%.4g/h (%s).", text.Clean(o.Name()),
				of.Batch, rateText(of.VM.QueriesPerSecond), quantity.Duration(of.VM.LatencyS), o.USDPerHour, text.Clean(
					o.PriceFrom)))
		}
	}
	f := a.Engine.Settings.Function
	out = append(out, fmt.Sprintf("A function of %.4g GB takes %s, %s more when cold (assumed). Relaxed queries may "+
		"take %s.", f.MemoryGB, quantity.Duration(f.Seconds), quantity.Duration(f.ColdStartS+f.ModelLoadS),
		quantity.Duration(a.Engine.Settings.RelaxedLimitS)))
	for _, n := range s.Trace.Notes {
		out = append(out, "Trace: "+text.Clean(n)+".")
	}
	return out
}

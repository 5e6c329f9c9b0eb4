package figure

import (
	"sweetspot/engine/serving"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// timeAxis is that of charts over the time of a trace.
var timeAxis = plot.Axis{Title: "time", Label: plot.DurationLabel, Ticks: plot.DurationTicks}

// NewLoad is a chart of requests over time.
func NewLoad(th *theme.Theme) *plot.Lines {
	l := plot.NewLines(th)
	l.SetAxes(timeAxis, plot.Axis{Title: "requests/s", Label: plot.CountLabel})
	return l
}

// NewLate is a chart of requests that miss their limit over time.
func NewLate(th *theme.Theme) *plot.Lines {
	l := plot.NewLines(th)
	l.SetAxes(timeAxis, plot.Axis{Title: "late/s", Label: plot.CountLabel})
	l.SetEmpty("no request misses its limit")
	return l
}

// Spans is about how many stretches of time charts over time show.
const Spans = 240

// SpanS is the length of a stretch of so many seconds of trace, in seconds.
func SpanS(seconds int) int { return max(1, (seconds+Spans-1)/Spans) }

// OverTime is the line of a value of spans, at their middles.
func OverTime(spans []serving.Span, class int, value func(serving.Span) float64) plot.Line {
	line, at := plot.Line{Class: class}, 0.0
	for _, s := range spans {
		line.X, line.Y = append(line.X, at+float64(s.Seconds)/2), append(line.Y, value(s))
		at += float64(s.Seconds)
	}
	return line
}

// LateLines are the requests that miss their limit, per second and scheme; schemes that miss none
// have no line.
func LateLines(outcomes []serving.Outcome, spans [][]serving.Span) (lines []plot.Line) {
	for k := range spans {
		if outcomes[k].Violations.Total() > 0 {
			lines = append(lines, OverTime(spans[k], k, func(s serving.Span) float64 {
				return float64(s.Violations) / float64(s.Seconds)
			}))
		}
	}
	return lines
}

// Choice draws what is chosen from: variants of models, and sizes of a function.
type Choice struct {
	Variants *plot.Scatter
	Memory   *plot.Lines
}

// NewChoice returns charts of nothing.
func NewChoice(th *theme.Theme) Choice {
	c := Choice{plot.NewScatter(th), plot.NewLines(th)}
	c.Variants.SetAxes(plot.Axis{Title: "latency", Log: true, Label: plot.DurationLabel, Ticks: plot.DurationTicks},
		plot.Axis{Title: "accuracy", Label: plot.PercentLabel})
	c.Memory.SetAxes(plot.Axis{Title: "GiB"}, plot.Axis{Title: "a million", Label: plot.MoneyLabel})
	return c
}

// Show draws what was chosen from for what serves; a nil one leaves the charts empty.
func (c *Choice) Show(version uint64, of *serving.Procured) {
	if of == nil {
		c.Variants.SetData(plot.Data{Version: version})
		c.Memory.SetData(version, nil)
		c.Memory.SetMarks()
		return
	}
	d := plot.Data{Version: version, Of: "variants"}
	for _, v := range of.Variants.List {
		d.X, d.Y = append(d.X, v.LatencyS), append(d.Y, v.Accuracy)
	}
	c.Variants.SetData(d)
	c.Variants.SetFrontier(of.Variants.Frontier())
	c.Variants.SetSelected(of.Chosen, plot.Whiskers{})
	c.showMemory(version, of)
}

// showMemory draws a line for the sizes that are too slow, and one for the others.
func (c *Choice) showMemory(version uint64, of *serving.Procured) {
	slow, fast := plot.Line{Class: 1}, plot.Line{Class: 2}
	s := &of.Settings
	for _, size := range of.Memory.Choices(s.Function.Prices) {
		line := &fast
		if size.Seconds > s.StrictLimitS {
			line = &slow
		}
		line.X, line.Y = append(line.X, size.MemoryGiB), append(line.Y, size.USDPerMillion)
	}
	c.Memory.SetData(version, []plot.Line{slow, fast})
	suits, _ := of.Memory.Suits(s.StrictLimitS, s.Function.Prices)
	c.Memory.SetMarks(plot.Mark{X: suits}, plot.Mark{X: s.Function.MemoryGiB, Here: true})
}

package traffic

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/serving"
	"sweetspot/tui/plot"
	"sweetspot/tui/screens/traffic/figure"
)

func TestLinesAreOfTheirSpans(t *testing.T) {
	s := asked(t, 200, 50)
	spans := []serving.Span{{Seconds: 10, Requests: 50, Violations: 5, Running: 2},
		{Seconds: 20, Requests: 60, Running: 3}}
	line := figure.OverTime(spans, 4, func(s serving.Span) float64 { return s.Running })
	if !slices.Equal(line.X, []float64{5, 20}) || !slices.Equal(line.Y, []float64{2, 3}) || line.Class != 4 {
		t.Errorf("the line is %+v", line)
	}
	a := *s.Shown
	a.Spans, a.Outcomes = [][]serving.Span{spans, spans}, make([]serving.Outcome, 2)
	a.Outcomes[1].Violations = serving.Split{Strict: 1}
	lines := loadLines(&a, 1)
	perVM := a.Engine.Settings.VM.RequestsPerSecond
	if len(lines) != 2 || lines[0].Class != 1 || lines[1].Class != loadClass ||
		!slices.Equal(lines[0].Y, []float64{2 * perVM, 3 * perVM}) || !slices.Equal(lines[1].Y, []float64{5, 3}) {
		t.Errorf("load and capacity are %+v", lines)
	}
	if late := figure.LateLines(a.Outcomes, a.Spans); len(late) != 1 || late[0].Class != 1 ||
		!slices.Equal(late[0].Y, []float64{0.5, 0}) {
		t.Errorf("late ones are %+v", late)
	}
}

func TestSpansFillTheChartWhateverTheTrace(t *testing.T) {
	s := asked(t, 120, 40)
	for seconds, want := range map[int]int{1: 1, figure.Spans: 1, figure.Spans + 1: 2, 10 * figure.Spans: 10} {
		a := solve(Trace{Arrivals: make(serving.Trace, seconds)}, s.set, s.Question())
		if a.Why != "" || a.Spans[0][0].Seconds != want {
			t.Errorf("%d seconds in spans of %d (%s), not %d", seconds, a.Spans[0][0].Seconds, a.Why, want)
		}
	}
}

func TestMemoryPartsAtTheLimitAndRatesAreEven(t *testing.T) {
	s := asked(t, 200, 50)
	e := s.Shown.Engine
	var slow, fast int
	for _, c := range e.Memory.Choices(e.Settings.Function.Prices) {
		if c.Seconds > e.Settings.StrictLimitS {
			slow++
		} else {
			fast++
		}
	}
	s.plots.drawn = nil
	memory, even := plot.NewLines(s.Theme), plot.NewLines(s.Theme)
	s.plots.choice.Memory, s.plots.even = memory, even
	s.plots.show(s.Shown, 0)
	if slow == 0 || fast == 0 {
		t.Fatal("the study's function is too slow with little memory, and fast enough with much")
	}
	memory.SetSize(100, 30)
	even.SetSize(100, 30)
	for name, view := range map[string]string{"memory": ansi.Strip(memory.View()), "rates": ansi.Strip(even.View())} {
		if strings.Contains(view, "nothing to plot") || len(view) < 100 {
			t.Errorf("%s:\n%s", name, view)
		}
	}
}

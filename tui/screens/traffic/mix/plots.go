package mix

import (
	"sweetspot/engine/serving"
	"sweetspot/tui/plot"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/theme"
)

// plots are the charts of a mix.
type plots struct {
	load, late *plot.Lines
	choice     figure.Choice // of the kind under the cursor
	ver        uint64
	drawn      *Answer
	row        int
}

func newPlots(th *theme.Theme) *plots {
	return &plots{load: figure.NewLoad(th), late: figure.NewLate(th), choice: figure.NewChoice(th)}
}

func (p *plots) charts() []interface{ SetTheme(*theme.Theme) } {
	return []interface{ SetTheme(*theme.Theme) }{p.load, p.late, p.choice.Memory, p.choice.Variants}
}

// show brings the charts to an answer, with the choices for a kind.
func (p *plots) show(a *Answer, row int) {
	if p.drawn == a && p.row == row {
		return
	}
	p.drawn, p.row = a, row
	p.ver++
	p.load.SetEmpty(a.Why)
	p.load.SetData(p.ver, loadLines(a, row))
	var late []plot.Line
	if a.Mix != nil {
		late = figure.LateLines(a.Mix.Outcomes, a.Late)
	}
	p.late.SetData(p.ver, late)
	if g := a.of(row); g != nil {
		p.choice.Show(p.ver, &g.Procured)
	} else {
		p.choice.Show(p.ver, nil) // the row of all has none
	}
}

// loadLines are what comes of each kind per second, that under the cursor above the others.
func loadLines(a *Answer, row int) (lines []plot.Line) {
	if a.Mix == nil {
		return nil
	}
	add := func(i int, tr serving.Trace) {
		lines = append(lines, overTime(tr, pen(i, len(a.Mix.Parts))))
	}
	if row >= len(a.Mix.Parts) {
		add(row, a.asked.Trace)
	} else {
		add(row, a.Mix.Parts[row])
	}
	for i, tr := range a.Mix.Parts {
		if i != row {
			add(i, tr)
		}
	}
	return lines
}

// overTime is the line of a trace, per second.
func overTime(tr serving.Trace, class int) plot.Line {
	spanS := figure.SpanS(len(tr))
	spans := make([]serving.Span, 0, figure.Spans+1)
	for i, n := range tr.Buckets(spanS) {
		spans = append(spans, serving.Span{Seconds: min(spanS, len(tr)-i*spanS), Requests: int64(n)})
	}
	return figure.OverTime(spans, class, func(s serving.Span) float64 { return float64(s.Requests) / float64(s.Seconds) })
}

package traffic

import (
	"math"

	"sweetspot/engine/serving"
	"sweetspot/tui/plot"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/theme"
)

// plots are the charts of the screen.
type plots struct {
	load   *plot.Lines   // what comes, and what VMs hold
	late   *plot.Lines   // requests that miss their limit
	even   *plot.Lines   // what a steady rate costs on VMs and on functions
	choice figure.Choice // what is chosen from; the variants where a model is chosen
	ver    uint64
	drawn  *Answer
	scheme int
}

func newPlots(th *theme.Theme) *plots {
	p := &plots{load: figure.NewLoad(th), late: figure.NewLate(th), even: plot.NewLines(th), choice: figure.NewChoice(th)}
	p.even.SetAxes(plot.Axis{Title: "requests/s", Log: true},
		plot.Axis{Title: "an hour", Log: true, Label: plot.MoneyLabel})
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
		p.late.SetData(p.ver, figure.LateLines(a.Outcomes, a.Spans))
	}
	p.choice.Show(p.ver, &a.Engine)
	p.showEven(a)
}

// loadLines are what comes and what the scheme's running VMs hold, per second.
func loadLines(a *Answer, scheme int) []plot.Line {
	return []plot.Line{
		figure.OverTime(a.Spans[scheme], scheme, func(s serving.Span) float64 {
			return s.Running * a.Engine.Settings.VM.RequestsPerSecond
		}),
		figure.OverTime(a.Spans[scheme], loadClass, func(s serving.Span) float64 {
			return float64(s.Requests) / float64(s.Seconds)
		}),
	}
}

// rates is how many rates the break-even chart shows.
const rates = 120

// showEven draws what steady rates up to ten VMs cost on VMs and on functions.
func (p *plots) showEven(a *Answer) {
	s := a.Engine.Settings
	vms, functions := plot.Line{Class: 0}, plot.Line{Class: 3}
	for k := range rates {
		rate := s.VM.RequestsPerSecond * math.Pow(10, 3*float64(k)/(rates-1)-2)
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

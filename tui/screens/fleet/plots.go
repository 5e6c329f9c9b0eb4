package fleet

import (
	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// plots are the charts of the screen.
type plots struct {
	bills  *plot.Lines   // over the number of reserved VMs
	offers *plot.Scatter // over the time of submission
	costs  *plot.Lines   // of a job, as a distribution
}

func newPlots(th *theme.Theme) *plots {
	p := &plots{bills: plot.NewLines(th), offers: plot.NewScatter(th), costs: plot.NewLines(th)}
	p.bills.SetAxes(plot.Axis{Title: "VMs", Label: plot.CountLabel}, plot.Axis{Title: "bill", Label: plot.MoneyLabel})
	p.bills.SetEmpty("trying other numbers of VMs…")
	p.offers.SetAxes(plot.Axis{Title: "submitted", Label: plot.DurationLabel, Ticks: plot.DurationTicks},
		plot.Axis{Title: "s"})
	p.costs.SetAxes(plot.Axis{Title: "cost", Log: true, Label: plot.MoneyLabel},
		plot.Axis{Title: "share", Min: 0, Max: 1, Label: plot.PercentLabel})
	p.costs.SetEmpty("no job can be asked")
	return p
}

// show brings the charts to an answer and to the bills known of it.
func (p *plots) show(a *Answer, o *Alternatives) {
	p.offers.SetData(a.offers)
	p.costs.SetData(uint64(a.Seq), a.costs)
	if o == nil {
		p.bills.SetData(0, nil)
		return
	}
	// Two lines say it all: the bill without offers and the least one with them.
	lines := []plot.Line{{Class: 0}, {Class: approxClass}}
	for _, s := range o.Sizes {
		for k, policy := range []int{0, approxClass} {
			lines[k].X, lines[k].Y = append(lines[k].X, float64(s.VMs)), append(lines[k].Y, s.Bills[policy].USD())
		}
	}
	p.bills.SetData(uint64(o.Seq), lines)
	p.bills.SetMarks(plot.Mark{X: float64(o.Sizes[fleet.Least(o.Sizes, 0)].VMs)},
		plot.Mark{X: a.Question.VMs, Here: true})
}

// approxClass is the place of ApproxDNN among the policies.
const approxClass = 1

// names of the policies on screen, in their order, short enough for legends.
var names = map[approx.Policy]string{approx.OnDemand: "on-demand", approx.ApproxDNN: "ApproxDNN",
	approx.AcceptanceCentric: "acceptance-centric", approx.PenaltyCentric: "penalty-centric"}

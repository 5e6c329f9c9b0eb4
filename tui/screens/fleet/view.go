package fleet

import (
	"fmt"
	"strings"

	"sweetspot/engine/approx"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// View draws the screen in exactly its size.
func (s *Screen) View() string {
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: "Fleet", Note: s.vmName(), Body: s.settings},
		First:   desk.Pane{Title: "cost", Note: plot.Legend(s.Theme, parts...), Body: s.shares},
		Second:  desk.Pane{Title: "monthly bill", Note: s.billsNote(), Body: s.plots.bills.Draw},
		Table:   desk.Pane{Title: "Policies " + s.Theme.Symbols.Dot + " by " + s.Column, Note: s.policiesNote()},
		Third:   desk.Pane{Title: "offers s", Note: "by submission", Body: s.plots.offers.Draw},
		Fourth:  desk.Pane{Title: "cost of a job", Note: "cumulative share", Body: s.plots.costs.Draw},
	}, s.sentences)
}

// billsNote says where the bills are still of an older question.
func (s *Screen) billsNote() string {
	if s.Shown != nil && s.Found != nil && unsized(s.Found.Question) != unsized(s.Shown.Question) {
		return "computing…"
	}
	return "by reserved VMs"
}

func (s *Screen) vmName() string {
	if s.Question().VM == "" {
		return "your own prices"
	}
	return text.Clean(s.Question().VM)
}

// settings are what no slider shows, below the sliders.
func (s *Screen) settings(w, h int) string {
	if h < 1 {
		return ""
	}
	parts := []string{fmt.Sprintf("seed %d", s.Question().Seed)}
	if s.Question().GPUsPerVM > 1 {
		parts = append(parts, fmt.Sprintf("%d GPUs a VM", s.Question().GPUsPerVM))
	}
	return strings.Join(s.Theme.Dim.Wrap(strings.Join(parts, " "+s.Theme.Symbols.Dot+" "), "", w+1), "\n")
}

// parts of a cost, as the bars are stacked.
var parts = []string{"reserved", "on demand", "penalty"}

// policyName names a policy beside its rune in the charts.
func policyName(th *theme.Theme, k int) string {
	return th.Series(k).Render(string(th.SeriesRune(k))) + " " + names[approx.Policies[k]]
}

// shares draws what each policy pays, by kind, and how that compares.
func (s *Screen) shares(w, h int) string {
	if s.Shown == nil {
		return s.Theme.Dim.Render("reading the trace…")
	}
	a := s.Shown
	if len(a.Result.Asked) == 0 {
		return strings.Join(text.Wrap(nobody(a), w), "\n")
	}
	var bars []plot.StackedBar
	for k, o := range a.Result.Outcomes {
		relative, _, _ := o.Relative()
		value := s.Theme.Title.Render(quantity.Money(o.Drawn.USD())) + s.Theme.Dim.Render(" "+quantity.Percent(relative))
		paid := []float64{o.Drawn.ReservedUSD, o.Drawn.OnDemandUSD, o.Drawn.PenaltyUSD}
		bars = append(bars, plot.StackedBar{Name: policyName(s.Theme, k), Value: value, Parts: paid})
	}
	return plot.Bars(s.Theme, bars, w, h)
}

func nobody(a *Answer) string {
	if a.Question.VMs == 0 {
		return "No VM is reserved, so no job can be asked."
	}
	return "No job can be asked: even in INT8, none would finish in time on the free reserved VMs."
}

func (s *Screen) policiesNote() string {
	if s.Shown == nil {
		return ""
	}
	a := s.Shown
	dot := " " + s.Theme.Symbols.Dot + " "
	note := string(a.Question.Scheduler) + dot
	if a.Question.AsStudied {
		note += "INT8 jobs overlap others" + dot
	}
	return note + fmt.Sprintf("%s of %s can be asked", quantity.Count(float64(len(a.Result.Asked))),
		quantity.Several(len(a.Result.Tasks), "job"))
}

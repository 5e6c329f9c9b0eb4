package mix

import (
	"fmt"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/text"
)

// View draws the screen in exactly its size.
func (s *Desk) View() string {
	q := s.Question()
	name := q.name(s.controls.row)
	fourth := desk.Pane{Title: name + ": a million on functions", Note: "by GiB", Body: s.plots.choice.Memory.Draw}
	if s.late {
		fourth = desk.Pane{Title: "late requests/s", Note: "of all, by scheme", Body: s.plots.late.Draw}
	}
	return s.Traced.View(desk.Panes{
		Sliders: desk.Pane{Title: name, Note: s.place()},
		First:   desk.Pane{Title: "requests/s", Note: s.legend(), Body: s.plots.load.Draw},
		Second:  desk.Pane{Title: "cost of all", Note: figure.SchemeLegend(s.Theme), Body: s.costs},
		Table:   desk.Pane{Title: "Kinds of request " + s.Theme.Symbols.Dot + " by " + s.Column, Note: s.traceNote()},
		Third:   desk.Pane{Title: name + ": accuracy × latency", Body: s.plots.choice.Variants.Draw},
		Fourth:  fourth,
	}, s.sentences)
}

// place says which of the kinds the sliders are of.
func (s *Desk) place() string {
	n := len(s.Question().Kinds)
	if !s.OnKind() {
		return quantity.Several(n, "kind")
	}
	return fmt.Sprintf("kind %d of %d", s.controls.row+1, n)
}

// legend names the line of the kind under the cursor.
func (s *Desk) legend() string {
	q := s.Question()
	return figure.Sign(s.Theme, pen(s.controls.row, len(q.Kinds))) + " " + q.name(s.controls.row)
}

func (s *Desk) traceNote() string {
	if s.Shown == nil || s.Shown.Why != "" {
		return ""
	}
	return figure.Trace(s.Shown.asked.Trace)
}

// costs draws what each scheme costs.
func (s *Desk) costs(w, h int) string {
	if s.Shown == nil || s.Shown.Mix == nil {
		return ""
	}
	return figure.SchemeCosts(s.Theme, s.Shown.Mix.Outcomes, s.Shown.Question.MostLate, w, h)
}

// decision is what to run, and what choosing by cost saves.
func (s *Desk) decision() (out []string) {
	a := s.known()
	switch {
	case a == nil:
		return nil
	case a.Why != "":
		return figure.WhyNot(a.Why)
	}
	for _, w := range a.Described.Advice {
		out = append(out, text.Sentence(w))
	}
	return out
}

// sentences put what the numbers mean into words.
func (s *Desk) sentences() (out []string) {
	a := s.known()
	switch {
	case a == nil:
		return nil
	case a.Why != "":
		return []string{a.Why}
	}
	d := a.Described
	if s.W < desk.WideWidth {
		out = s.decision()
	}
	if !d.Keeps {
		out = append(out, fmt.Sprintf("No scheme keeps what is late to %s: loosen a limit, or allow more.",
			quantity.Percent(a.Question.MostLate)))
	}
	if k := s.controls.row; k < len(d.Kinds) {
		out = append(out, kindWords(d.Kinds[k])...)
	}
	for k := range d.Kinds {
		if k != s.controls.row {
			out = append(out, kindWords(d.Kinds[k])...)
		}
	}
	out = append(out, fmt.Sprintf("Of each kind %s are strict; the others may take %s. Intervals are those of the "+
		"measured times alone.", quantity.Percent(d.Query.StrictShare), quantity.Duration(d.Query.RelaxedLimitS)))
	for _, w := range d.Warnings {
		out = append(out, text.Sentence(text.Clean(w)))
	}
	return out
}

// functionWords say what the time of a function rests on.
var functionWords = map[string]string{contract.FunctionMeasured: "fitted to measured times",
	contract.FunctionGiven: "as given", contract.FunctionAssumed: "assumed"}

// kindWords say what serves a kind.
func kindWords(k contract.MixKind) []string {
	alone := "alone"
	if len(k.SharesWith) > 0 {
		alone = "together with " + text.Clean(strings.Join(k.SharesWith, ", "))
	}
	return []string{fmt.Sprintf("%s: %s at batch %d serves %s requests/s within %s for $%.4g/h, %s; a function of %.4g "+
		"GiB takes %s (%s).", text.Clean(k.Name), text.Clean(k.Serves), k.Batch, figure.Rate(k.VMRate),
		quantity.Duration(k.VMLatencyS), k.VMUSD, alone, k.FunctionGiB, quantity.Duration(k.FunctionS),
		functionWords[k.FunctionFrom])}
}

package mix

import (
	"fmt"
	"math"

	"sweetspot/data/contract"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/desk"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// unknown stands for what is not known.
const unknown = "—"

// kindOf is what is described of a kind; nil where nothing is, or the row is that of all.
func (a *Answer) kindOf(i int) *contract.MixKind {
	if i >= len(a.Described.Kinds) {
		return nil
	}
	return &a.Described.Kinds[i]
}

// usdOf writes dollars with their interval.
func usdOf(n contract.Number) string {
	return quantity.Money(*n.Value) + n.PlusMinus(n.Value)
}

// shareOf writes a share of requests with its interval, which a hundredth of a percent hides.
func shareOf(n contract.Number) string {
	out := figure.Hundredths(*n.Value)
	if n.Low != nil && *n.High-*n.Low >= 1e-4 {
		out = fmt.Sprintf("%.2f ±%.2f %%", 100**n.Value, 50*(*n.High-*n.Low))
	}
	return out
}

// measures are the columns of the table of kinds.
func (s *Desk) measures() []desk.Measure[Answer] {
	all := []desk.Measure[Answer]{
		{ID: "kind", Title: "kind", Width: 14, Text: func(th *theme.Theme, a *Answer, i int) string {
			return figure.Sign(th, pen(i, len(a.Question.Kinds))) + " " + text.Clean(a.Question.name(i))
		}},
		of("share", "share", 8, 1, quantity.Percent, func(a *Answer, i int) float64 {
			if i == len(a.Question.Kinds) {
				return 1
			}
			return a.Question.Kinds[i].Share
		}),
		of("within", "within", 9, 5, quantity.Duration, func(a *Answer, i int) float64 {
			if i == len(a.Question.Kinds) {
				return math.NaN()
			}
			return a.Question.Kinds[i].LimitS
		}),
		{ID: "limit", Title: "limit", Width: 10, Drop: 6, Text: limit},
		{ID: "serves", Title: "served by", Width: 26, Drop: 3, Text: serves},
		of("accuracy", "accuracy", 9, 2, quantity.Percent, func(a *Answer, i int) float64 {
			if k := a.kindOf(i); k != nil {
				return figure.Value(k.Accuracy)
			}
			return figure.Value(a.Described.Accuracy)
		}),
	}
	all = append(all, s.ranged("in", "in time", 14, 0, shareOf, func(a *Answer, i int) contract.Number {
		if k := a.kindOf(i); k != nil {
			return k.InTime
		}
		return a.Described.InTime
	}))
	all = append(all, of("p99", "p99", 9, 7, quantity.Duration, func(a *Answer, i int) float64 {
		if k := a.kindOf(i); k != nil {
			return figure.Value(k.P99S)
		}
		return math.NaN()
	}))
	all = append(all, s.ranged("cost", "cost", 13, 0, usdOf, func(a *Answer, i int) contract.Number {
		if k := a.kindOf(i); k != nil {
			return k.OwnUSD
		}
		return a.Described.USD
	}))
	return append(all, of("million", "$/M", 8, 4, quantity.Money, perMillionOf), desk.Measure[Answer]{ID: "basis",
		Title: "basis", Width: 9, Drop: 8, Text: func(_ *theme.Theme, a *Answer, i int) string { return basis(a, i) }})
}

// of is a measure of a kind.
//
//nolint:revive // a column of the table, on one line where it is called
func of(id, title string, width, drop int, write func(float64) string,
	value func(a *Answer, i int) float64) desk.Measure[Answer] {
	return desk.Measure[Answer]{ID: id, Title: title, Width: width, Drop: drop, Write: write, Value: value}
}

// ranged is a measure with an interval once it is known.
//
//nolint:revive // as above
func (s *Desk) ranged(id, title string, width, drop int, write func(contract.Number) string,
	value func(a *Answer, i int) contract.Number) desk.Measure[Answer] {
	m := of(id, title, width, drop, nil, func(a *Answer, i int) float64 { return figure.Value(value(a, i).Value) })
	m.Text = func(_ *theme.Theme, a *Answer, i int) string {
		if s.IsFound() && s.Shown == a {
			a = s.Found
		}
		if n := value(a, i); n.Value != nil {
			return write(n)
		}
		return unknown
	}
	return m
}

// limit is what a kind asks for beside its latency.
func limit(th *theme.Theme, a *Answer, i int) string {
	if i == len(a.Question.Kinds) {
		return ""
	}
	w := &a.Question.Kinds[i]
	switch {
	case w.MaxUSDPerMillion != nil:
		return th.Symbols.AtMost + " " + quantity.Money(*w.MaxUSDPerMillion) + "/M"
	case w.MinAccuracy != nil:
		sign := th.Symbols.AtLeast
		if g := a.of(i); g != nil && g.Variants.LowerIsBetter {
			sign = th.Symbols.AtMost
		}
		return sign + " " + quantity.Percent(*w.MinAccuracy)
	}
	return "cheapest"
}

// serves is what serves a kind; of all kinds, the scheme.
func serves(th *theme.Theme, a *Answer, i int) string {
	switch {
	case i == a.Unserved:
		return th.Bad.Render("nothing")
	case a.Mix == nil:
		return unknown
	case i == len(a.Question.Kinds):
		return figure.Scheme(th, a.Mix.Pick)
	}
	k := a.kindOf(i)
	return text.Clean(k.Serves)
}

// perMillionOf is what a million requests of a kind, or of all, cost.
func perMillionOf(a *Answer, i int) float64 {
	if k := a.kindOf(i); k != nil {
		return figure.Value(k.PerMillion)
	}
	if a.Described.USD.Value == nil || a.Described.Trace.Requests == 0 {
		return math.NaN()
	}
	return *a.Described.USD.Value / float64(a.Described.Trace.Requests) * 1e6
}

// basis is what the times of a kind rest on; of all, the least trusted one.
func basis(a *Answer, i int) string {
	n := a.Described.USD
	if k := a.kindOf(i); k != nil {
		n = k.OwnUSD
	}
	if n.Basis == nil {
		return unknown
	}
	return *n.Basis
}

// pens is how many kinds have lines of their own beside that of all.
const pens = 6

// pen is that of a kind's line; all requests have the last one.
func pen(i, kinds int) int {
	if i >= kinds {
		return pens
	}
	return i % pens
}

package probe

import (
	"cmp"
	"math"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/probes/queue"
	"sweetspot/probes/request"
	"sweetspot/tui/text"
)

// offerColumn is a column of the GPU types of a queue.
type offerColumn struct {
	title  string
	rented string // its title where GPUs are rented, if that is another
	width  int
	least  int // width of the form from which it is shown
	value  func(s *Screen, o queue.Offer) string
}

// offerColumns stand behind the GPU type. What an engine says is cleaned here.
var offerColumns = []offerColumn{
	{"a probe gets", "", 13, leastStates, func(s *Screen, o queue.Offer) string {
		at, n := s.form.chosen(o.GPU)
		if at < 0 {
			return ""
		}
		return quantity.Several(n, "GPU")
	}},
	{"price", "", 12, 0, func(s *Screen, o queue.Offer) string {
		if o.USDPerHour == nil {
			return "unknown"
		}
		_, n := s.form.chosen(o.GPU)
		return quantity.Money(*o.USDPerHour*float64(n)) + "/h"
	}},
	{"wait", "", 18, 0, func(s *Screen, o queue.Offer) string {
		wait, _, _ := strings.Cut(o.Wait(s.there.asked), ":") // why it is unknown stands below the form
		return wait
	}},
	{"there are", "", 24, 92, func(_ *Screen, o queue.Offer) string { return o.There() }},
	{"partitions", "infra", 22, 114, func(_ *Screen, o queue.Offer) string { return strings.Join(o.Partitions, ", ") }},
}

// gpuWidth is the room for the name of a GPU type.
func gpuWidth(w int) int {
	if w < leastStates {
		return 14
	}
	return 20
}

// offersHead heads the GPU types, or says why there are none.
func (s *Screen) offersHead(w int) []string {
	th := s.th
	switch {
	case !s.form.IsQueued():
		return nil
	case s.offers() == nil && s.there.err != nil:
		return s.noted(text.Sentence(s.there.err.Error()), th.Bad, w)
	case s.offers() == nil && s.asks.Busy():
		return []string{text.Fit("   "+th.Dim.Render("asking "+text.Clean(s.form.where())+" what it has"+
			th.Symbols.Ellipsis), w)}
	case len(s.offers()) == 0:
		return s.noted("There are no GPUs that "+s.form.where()+" knows of.", th.Warn, w)
	}
	line := "     " + text.Fit("GPU type", gpuWidth(w))
	for _, c := range offerColumns {
		title := c.title
		if s.offers()[0].Rented {
			title = cmp.Or(c.rented, title)
		}
		if w >= c.least {
			line += text.Fit(title, c.width)
		}
	}
	return []string{th.Dim.Over(text.Fit(line, w))}
}

// offerLine is a GPU type, taken or not.
func (s *Screen) offerLine(o queue.Offer, here bool, w int) string {
	th := s.th
	mark, taken := " ", " "
	if here {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	pen := th.Text
	if at, _ := s.form.chosen(o.GPU); at >= 0 {
		taken, pen = th.Symbols.Check, th.Title
	}
	tail := th.Symbols.Ellipsis
	line := " " + mark + " " + text.Fit(th.Good.Render(taken), text.Width(th.Symbols.Check)+1)
	line += text.Fit(pen.Render(text.Truncate(text.Clean(o.GPU), gpuWidth(w)-1, tail)), gpuWidth(w))
	for _, c := range offerColumns {
		if w < c.least {
			continue
		}
		line += text.Fit(text.Truncate(text.Clean(c.value(s, o)), c.width-1, tail), c.width)
	}
	line = text.Fit(line, w)
	if here {
		return th.Selected.Over(line)
	}
	return line
}

// offerHint says what keys do on a GPU type, and what its row had no room for.
func offerHint(o queue.Offer) string {
	words := "space takes it or leaves it; left and right say how many GPUs a probe gets"
	if o.Starts.IsZero() && o.NoStart != "" {
		words += "; it is not known when a job would start: " + plaintext.Line(o.NoStart, 200)
	}
	return words
}

// sizing says what the form comes to.
func (s *Screen) sizing() string {
	f := s.form
	if !f.IsQueued() {
		return f.Sizing()
	}
	if len(f.GPUs) == 0 {
		return "no GPU type is chosen yet"
	}
	if f.MaxSeconds == 0 {
		f.MaxSeconds = request.QueuedCap.Seconds()
	}
	n := f.size()
	low, high := f.wall()
	words, each := quantity.Several(n.probes(), "probe"), ""
	if by := n.String(); by != "" {
		words = by + " = " + words
	}
	if n.hosts > 1 {
		each = " each"
	}
	words += ", in " + quantity.Several(n.hosts, "job") + " of about " + between(low, high, quantity.Duration) + each
	return words + s.cost(low, high)
}

// cost is what the jobs cost, as far as prices are known.
func (s *Screen) cost(low, high float64) string {
	total, known := 0.0, false // dollars for a second of all jobs
	for _, usd := range s.prices() {
		if usd != nil {
			total, known = total+*usd/3600, true
		}
	}
	low, high = low*total, high*total
	if most := s.form.MaxUSD; most > 0 {
		low, high = math.Min(low, most), math.Min(high, most)
	}
	unknown := text.Clean(strings.Join(s.unpriced(), " and "))
	switch {
	case !known:
		return ", at prices that are not known"
	case unknown != "":
		return ", " + between(low, high, quantity.Money) + " without " + unknown + ", whose price is not known"
	}
	return ", " + between(low, high, quantity.Money)
}

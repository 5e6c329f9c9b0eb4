package explore

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// plots are the two linked scatter plots, each of a [view].
type plots struct {
	scatter  [2]*plot.Scatter
	name     [2]string // what a plot shows
	title    [2]string // the same, and how large
	log      bool
	space    *rank.Space // the space the columns were laid out for
	model    string      // that the space is of
	classes  []string    // names of the point classes, in order
	length   *lengthPlot // the second plot's lines; nil where its points are candidates
	hovered  int         // plot that shows the mouse's crosshair, −1 for none
	grab     grab        // what the mouse holds
	ver      uint64
	unplaced [2]int            // candidates that a plot can't place
	chosen   [2]*view          // nil: the usual one
	pairs    [2]objective.Pair // what is drawn; of a plot of something else zero
	axes     [2][2]plot.Axis   // of the pairs, over all candidates
	fitted   [2]string         // how the axes fit what is feasible, behind the name
	spanned  *rank.Space       // that spans are of
	spans    map[objective.Name][2]float64
}

func newPlots(th *theme.Theme, log bool) *plots {
	return &plots{scatter: [2]*plot.Scatter{plot.NewScatter(th), plot.NewScatter(th)}, log: log, hovered: -1}
}

func (p *plots) setTheme(th *theme.Theme) {
	for _, s := range p.scatter {
		s.SetTheme(th)
	}
}

// show brings the plots to an answer, with candidate selected and others
// pinned.
func (p *plots) show(a *Answer, selected int, pinned []int) {
	r := a.Result
	if p.space != r.Space {
		p.layOut(a)
	}
	for k, s := range p.scatter {
		if k == 1 && p.length != nil {
			p.length.show(s, r, a.Seq, int(p.ver), selected)
			continue
		}
		s.SetFeasible(uint64(a.Seq), r.Feasible)
		p.fit(r, k, selected)
		s.SetFrontier(r.Frontiers[p.pairs[k]])
		s.SetPinned(pinned)
		s.SetSelected(selected, p.whiskers(r.Space, k, selected))
	}
	p.retitle()
}

// layOut gives the plots the columns of a new space.
func (p *plots) layOut(a *Answer) {
	s := a.Result.Space
	p.space = s
	p.ver++
	p.length = nil
	if model := a.Question.Model; model != p.model {
		p.model = model
		p.whole()
	}
	class := p.classify(s)
	p.pairs, p.fitted = [2]objective.Pair{}, [2]string{}
	for k := range p.scatter {
		switch v := p.view(s, k); {
		case v.length != "":
			p.layOutLength(a, class, p.axis(v.length), v.length)
		case v == byBatch:
			p.drawBatches(k, class)
		default:
			p.draw(k, v.pair, class)
		}
	}
}

// drawBatches makes plot k the time by batch size: without any price, as on a machine of
// one's own, time is all there is.
func (p *plots) drawBatches(k int, class []uint8) {
	s := p.space
	batch := plot.Axis{Title: "batch", Label: plot.CountLabel}
	sizes := make([]float64, s.Len())
	s.Groups(func(first, end int, c *candidate.Candidate) {
		size := float64(c.BatchSize)
		for i := first; i < end; i++ {
			sizes[i] = size
		}
	})
	p.name[k] = "time × batch size"
	p.set(k, p.axis(objective.Time), batch, s.Values(objective.Time), sizes, class)
}

// draw makes plot k the one of two objectives.
func (p *plots) draw(k int, of objective.Pair, class []uint8) {
	p.axes[k] = p.axesOf(of)
	x, y := p.axes[k][0], p.axes[k][1]
	p.pairs[k], p.name[k] = of, x.Title+" × "+y.Title
	p.set(k, x, y, p.space.Values(of.A), p.space.Values(of.B), class)
}

// axis is the axis of an objective.
func (p *plots) axis(name objective.Name) plot.Axis {
	o, _ := p.space.Objective(name)
	axis := plot.Axis{Title: string(name), Log: p.log && o.Log, Label: func(v, _ float64) string { return o.Write(v) }}
	switch name {
	case objective.Time:
		axis.Label, axis.Read, axis.Ticks = plot.DurationLabel, plot.DurationReading, plot.DurationTicks
	case objective.Cost:
		axis.Label, axis.Read = plot.MoneyLabel, plot.MoneyReading
	case objective.Accuracy:
		axis.Title, axis.Invert = p.space.Metric, !o.HigherIsBetter
		axis.Label = func(v, step float64) string { return axisAccuracy(v, step, o.HigherIsBetter) }
		if o.HigherIsBetter {
			axis.Read = plot.PercentReading
		}
	}
	return axis
}

// note says what plot k leaves out, or how its lines are to be read; "" where
// there is nothing to say.
func (p *plots) note(k int, th *theme.Theme) string {
	switch {
	case k == 1 && p.length != nil:
		return p.length.note(th)
	case p.unplaced[k] == 0 || p.space == nil:
		return ""
	default:
		return fmt.Sprintf("%d without %s", p.unplaced[k], p.lacking(k)) + hidden
	}
}

// hidden ends a note where there is room for it.
const hidden = " not shown"

// lacking names what most of the candidates that plot k can't place lack.
func (p *plots) lacking(k int) string {
	for _, name := range []objective.Name{p.pairs[k].B, p.pairs[k].A} {
		o, ok := p.space.Objective(name)
		unknown := 0
		for _, v := range p.space.Values(name) {
			if math.IsNaN(v) {
				unknown++
			}
		}
		switch {
		case !ok || 2*unknown < p.unplaced[k]:
		case name == objective.Accuracy:
			return o.Label
		case name != objective.Cost:
			return string(name)
		}
	}
	return "price"
}

func anyKnown(column []float64) bool {
	return slices.ContainsFunc(column, func(v float64) bool { return !math.IsNaN(v) })
}

//nolint:revive // two axes and their columns
func (p *plots) set(k int, x, y plot.Axis, xs, ys []float64, class []uint8) {
	p.unplaced[k] = 0
	for i := range xs {
		if math.IsNaN(xs[i]) || math.IsNaN(ys[i]) {
			p.unplaced[k]++
		}
	}
	p.scatter[k].SetAxes(x, y)
	p.scatter[k].SetData(plot.Data{Version: p.ver, X: xs, Y: ys, Class: class, Of: "candidate"})
}

// layOutLength draws the cost (or time) of each candidate over epochs or units.
func (p *plots) layOutLength(a *Answer, class []uint8, axis plot.Axis, o objective.Name) {
	d, title := newLengthPlot(a.Result.Space, class, o, a.Result.Query.Workload)
	d.ver = p.ver << 32 // other points than any before
	p.length = d
	p.name[1] = axis.Title + " × " + title
	p.scatter[1].SetAxes(plot.Axis{Title: title, Label: plot.CountLabel}, axis)
}

// whiskers are the intervals of the selected candidate on plot k.
func (p *plots) whiskers(s *rank.Space, k, i int) plot.Whiskers {
	if i < 0 {
		return plot.Whiskers{}
	}
	c, pair := s.At(i), p.pairs[k]
	if pair == (objective.Pair{}) {
		pair = objective.Pair{A: objective.Time, B: objective.Cost}
	}
	x, y := c.Of(pair.A), c.Of(pair.B)
	return plot.Whiskers{XLow: x.Low, XHigh: x.High, YLow: y.Low, YHigh: y.High}
}

// classify numbers the candidates' classes, the most frequent first, so that
// each has a rune and a colour of its own.
func (p *plots) classify(s *rank.Space) []uint8 {
	count, met := map[string]int{}, map[string]uint8{} // numbers in the order they are met
	out := make([]uint8, s.Len())
	s.Groups(func(first, end int, c *candidate.Candidate) {
		name := className(c)
		if _, ok := met[name]; !ok {
			met[name] = uint8(min(len(met), 255))
		}
		count[name] += end - first
		for i := first; i < end; i++ {
			out[i] = met[name]
		}
	})
	p.classes = slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(
			// so that others keep their runes
			cmp.Compare(btoi(strings.HasPrefix(a, mixedGPUs)), btoi(strings.HasPrefix(b, mixedGPUs))),
			cmp.Compare(count[b], count[a]), strings.Compare(a, b),
		)
	})
	var number [256]uint8
	for k, name := range p.classes {
		number[met[name]] = uint8(min(k, 255))
	}
	for i, n := range out {
		out[i] = number[n]
	}
	return out
}

// mixedGPUs names the class of what runs on several GPUs at once.
const mixedGPUs = "mixed"

// className is the GPU, and whether its times were measured by this program:
// one's own measurements must not look like printed ones.
func className(c *candidate.Candidate) string {
	name := cmp.Or(c.Configuration[0].VM.GPU, "CPU")
	if slices.ContainsFunc(c.Configuration, func(p candidate.Part) bool { return p.VM.GPU != c.Configuration[0].VM.GPU }) {
		name = mixedGPUs
	}
	if c.Time.Basis == estimate.Measured {
		name += " measured"
	}
	return name
}

func axisAccuracy(v, step float64, higher bool) string {
	if !higher && v > 1 {
		return plot.Digits(v, step, 4)
	}
	if p := v * 100; math.Abs(p-math.Round(p)) < 1e-9 {
		return quantity.Count(math.Round(p)) + "%"
	}
	if step > 0 && step < 0.002 {
		return plot.PercentLabel(v, step)
	}
	return quantity.Percent(v)
}

package explore

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/data/export"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/runtime"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// plots are the two linked scatter plots. Where accuracy tells candidates
// apart they show time × accuracy and cost × accuracy, else time × cost and
// cost over the workload's dial.
type plots struct {
	scatter [2]*plot.Scatter
	title   [2]string
	log     bool
	space   *rank.Space // the space the columns were laid out for
	classes []string    // names of the point classes, in order
	// dialOf maps the points of a cost-over-dial plot back to candidates; nil
	// where points are candidates.
	dialOf       []int
	dialX, dialY []float64
	dialVer      uint64
	dialShown    [3]int // columns, answer and selection that dialVer is of
	ver          uint64
	unplaced     [2]int // candidates that a plot can't place
}

func newPlots(th *theme.Theme, log bool) *plots {
	return &plots{scatter: [2]*plot.Scatter{plot.NewScatter(th), plot.NewScatter(th)}, log: log}
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
	fronts := [2][]int{r.TimeAccuracy, r.CostAccuracy}
	if !r.Space.AccuracyVaries() {
		fronts = [2][]int{r.TimeCost, nil} // empty where no price is known
	}
	for k, s := range p.scatter {
		if k == 1 && p.dialOf != nil {
			p.showDial(a, selected)
			continue
		}
		s.SetFeasible(uint64(a.Seq), r.Feasible)
		s.SetFrontier(fronts[k])
		s.SetPinned(pinned)
		s.SetSelected(selected, p.whiskers(r.Space, k, selected))
	}
}

// layOut gives the plots the columns of a new space.
func (p *plots) layOut(a *Answer) {
	s := a.Result.Space
	p.space = s
	p.ver++
	p.dialOf = nil
	class := p.classify(s)
	timeAxis := plot.Axis{Title: "time", Log: p.log, Label: plot.DurationLabel, Ticks: plot.DurationTicks}
	costAxis := plot.Axis{Title: "cost", Log: p.log, Label: plot.MoneyLabel}
	if s.AccuracyVaries() {
		accuracy := plot.Axis{Title: s.Metric, Invert: !s.HigherIsBetter, Label: func(v float64) string { return axisAccuracy(v, s.HigherIsBetter) }}
		p.title = [2]string{"time × " + s.Metric, "cost × " + s.Metric}
		p.set(0, timeAxis, accuracy, s.Time, s.Accuracy, class)
		p.set(1, costAxis, accuracy, s.Cost, s.Accuracy, class)
		return
	}
	if anyKnown(s.Cost) {
		p.title[0] = "time × cost"
		p.set(0, timeAxis, costAxis, s.Time, s.Cost, class)
		p.layOutDial(a, class, costAxis, (*rank.Candidate).CostLine)
		return
	}
	// Without any price, as on a machine of one's own, time is all there is.
	batch := plot.Axis{Title: "batch", Label: quantity.Count}
	sizes := make([]float64, s.Len())
	for i := range s.Len() {
		sizes[i] = float64(s.At(i).BatchSize)
	}
	p.title[0] = "time × batch size"
	p.set(0, timeAxis, batch, s.Time, sizes, class)
	p.layOutDial(a, class, timeAxis, (*rank.Candidate).TimeLine)
}

// note says what plot k leaves out, or how its lines are to be read; "" where
// there is nothing to say.
func (p *plots) note(k int, th *theme.Theme) string {
	switch {
	case k == 1 && p.dialOf != nil:
		return "lowest, " + string(th.Symbols.Selected) + " selected"
	case p.unplaced[k] == 0 || p.space == nil:
		return ""
	case p.space.AccuracyVaries():
		return fmt.Sprintf("%d without %s", p.unplaced[k], p.lacking(k)) + hidden
	default:
		return fmt.Sprintf("%d without price", p.unplaced[k]) + hidden
	}
}

// hidden ends a note where there is room for it.
const hidden = " not shown"

// lacking names what most of the candidates that plot k can't place lack.
func (p *plots) lacking(k int) string {
	accuracy := 0
	for _, v := range p.space.Accuracy {
		if math.IsNaN(v) {
			accuracy++
		}
	}
	if 2*accuracy >= p.unplaced[k] {
		return p.space.Metric
	}
	return "price"
}

func anyKnown(column []float64) bool {
	return slices.ContainsFunc(column, func(v float64) bool { return !math.IsNaN(v) })
}

func (p *plots) set(k int, x, y plot.Axis, xs, ys []float64, class []uint8) {
	p.unplaced[k] = 0
	for i := range xs {
		if math.IsNaN(xs[i]) || math.IsNaN(ys[i]) {
			p.unplaced[k]++
		}
	}
	p.scatter[k].SetAxes(x, y)
	p.scatter[k].SetData(plot.Data{Version: p.ver, X: xs, Y: ys, Class: class})
}

// dialPoints is how many points draw one candidate's line over the dial.
const dialPoints = 32

// layOutDial draws the cost (or time) of each candidate over epochs or units,
// up to twice what is asked.
func (p *plots) layOutDial(a *Answer, class []uint8, axis plot.Axis, lineOf func(*rank.Candidate) (runtime.Line, bool)) {
	s := a.Result.Space
	dial := plot.Axis{Title: "epochs", Label: quantity.Count}
	most := 0.0
	for i := range s.Len() {
		c := s.At(i)
		switch {
		case c.Mode == profile.Infer && c.Units != nil:
			dial.Title, most = "units", math.Max(most, 2**c.Units)
		case c.Epochs != nil:
			most = math.Max(most, 2**c.Epochs)
		}
	}
	p.title[1] = axis.Title + " × " + dial.Title
	var xs, ys []float64
	var classes []uint8
	p.dialOf = []int{}
	for i := range s.Len() {
		line, ok := lineOf(s.At(i))
		for k := range dialPoints {
			if x := most * float64(k+1) / dialPoints; ok {
				xs, ys = append(xs, x), append(ys, line.At(x))
				classes, p.dialOf = append(classes, class[i]), append(p.dialOf, i)
			}
		}
	}
	p.dialX, p.dialY = xs, ys
	p.set(1, dial, axis, xs, ys, classes)
}

// showDial draws, on the cost-over-dial plot, the lowest line of all feasible
// candidates and the line of the selected one, which is marked where it is
// asked. All others are a faint ground: a cloud of dots says nothing.
func (p *plots) showDial(a *Answer, selected int) {
	r := a.Result
	drawn := make([]bool, len(p.dialOf))
	var lowest []int
	at := -1
	asked := math.NaN()
	if selected >= 0 {
		if c := r.Space.At(selected); c.Epochs != nil {
			asked = *c.Epochs
		} else if c.Units != nil {
			asked = *c.Units
		}
	}
	line := map[int]int{} // step on the dial → cheapest feasible point
	for j, i := range p.dialOf {
		drawn[j] = i == selected
		step := j % dialPoints
		if r.Feasible[i] {
			if best, ok := line[step]; !ok || p.dialY[j] < p.dialY[best] {
				line[step] = j
			}
		}
		if i == selected && (at < 0 || math.Abs(p.dialX[j]-asked) < math.Abs(p.dialX[at]-asked)) {
			at = j
		}
	}
	for step := range dialPoints {
		if j, ok := line[step]; ok {
			lowest = append(lowest, j)
		}
	}
	s := p.scatter[1]
	if now := [3]int{int(p.ver), a.Seq, selected}; now != p.dialShown {
		p.dialShown = now
		p.dialVer++
	}
	s.SetFeasible(p.dialVer, drawn)
	s.SetFrontier(lowest)
	s.SetSelected(at, plot.Whiskers{})
}

// whiskers are the intervals of the selected candidate on plot k.
func (p *plots) whiskers(s *rank.Space, k, i int) plot.Whiskers {
	if i < 0 {
		return plot.Whiskers{}
	}
	c := s.At(i)
	x, y := c.Time, c.Cost
	if s.AccuracyVaries() {
		y = x.Times(0)
		if k == 1 {
			x = c.Cost
		}
		if c.Quality != nil {
			y = c.Quality.Estimate
		}
	}
	return plot.Whiskers{XLow: x.Low, XHigh: x.High, YLow: y.Low, YHigh: y.High}
}

// classify numbers the candidates' classes, the most frequent first, so that
// each has a rune and a colour of its own.
func (p *plots) classify(s *rank.Space) []uint8 {
	count := map[string]int{}
	names := make([]string, 0, s.Len())
	s.Groups(func(first, end int) {
		name := className(s.At(first))
		count[name] += end - first
		for range end - first {
			names = append(names, name)
		}
	})
	p.classes = p.classes[:0]
	for name := range count {
		p.classes = append(p.classes, name)
	}
	slices.SortFunc(p.classes, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	number := map[string]uint8{}
	for k, name := range p.classes {
		number[name] = uint8(min(k, 255))
	}
	out := make([]uint8, s.Len())
	for i, name := range names {
		out[i] = number[name]
	}
	return out
}

// className is the GPU, and whether its times were measured by this program:
// one's own measurements must not look like printed ones.
func className(c *rank.Candidate) string {
	name := c.Configuration[0].VM.GPU
	if name == "" {
		name = "CPU"
	}
	if c.Time.Basis == estimate.Measured {
		name += " measured"
	}
	return name
}

func axisAccuracy(v float64, higher bool) string {
	if !higher && v > 1 {
		return export.AccuracyText(v, higher)
	}
	if p := v * 100; math.Abs(p-math.Round(p)) < 1e-9 {
		return quantity.Count(math.Round(p)) + "%"
	}
	return quantity.Percent(v)
}

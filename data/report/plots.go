package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/training"
)

// mostDots is how many points a picture draws beside its frontier; of more,
// every so-manieth.
const mostDots = 2000

// pictures are the frontiers of everything with the accuracy, and the ranking.
// Where no accuracy tells the candidates apart they are those of the others, and
// cost over the workload's length.
func pictures(r *rank.Result) (out []Picture, err error) {
	put := func(p Picture, ok bool, e error) {
		if ok {
			out = append(out, p)
		}
		err = errors.Join(err, e)
	}
	varies := r.Space.AccuracyVaries()
	for _, p := range r.Space.Objectives.Pairs() {
		if (p.B == objective.Accuracy) == varies {
			put(frontierPicture(r, p))
		}
	}
	if !varies {
		put(costByLength(r))
	}
	put(rankingPicture(r))
	return out, err
}

// scattered is what a plot of two objectives is made of.
type scattered struct {
	name, title string
	x, y        []float64
	xScale      scale
	yScale      scale
	front       []int
}

func frontierPicture(r *rank.Result, p objective.Pair) (Picture, bool, error) {
	name := fmt.Sprintf("%s-%s", p.A, p.B)
	title := strings.ToUpper(name[:1]) + name[1:len(p.A)] + " and " + string(p.B)
	s := r.Space
	return scatter(r, scattered{name, title, s.Values(p.A), s.Values(p.B), scaleOf(r, p.A), scaleOf(r, p.B),
		r.Frontiers[p]})
}

// scaleOf is the scale of an objective's axis.
func scaleOf(r *rank.Result, o objective.Name) scale {
	switch o {
	case objective.Time:
		return timeScale(r, r.Order())
	case objective.Cost:
		return dollars
	case objective.Accuracy:
		return accuracyScale(r.Space)
	}
	of, _ := r.Space.Objective(o)
	return scale{1, string(o) + ", " + of.Symbol}
}

func timeScale(r *rank.Result, of []int) scale {
	most := 0.0
	for _, i := range of {
		if v := r.Space.Values(objective.Time)[i]; finite(v) {
			most = math.Max(most, v)
		}
	}
	return scaleOfTime(most)
}

// accuracyScale is in % where the metric is a fraction.
func accuracyScale(s *rank.Space) scale {
	name, per := plaintext.Clean(s.Metric), 0.01
	for _, v := range s.Values(objective.Accuracy) {
		if v > 1 {
			per = 1
		}
	}
	name = cmp.Or(name, "accuracy")
	if per < 1 {
		name += ", %"
	}
	if !s.HigherIsBetter() {
		name += " (lower is better)"
	}
	return scale{per, name}
}

// scatter draws candidates, infeasible ones in grey, with their frontier and the
// first of the ranking. ok is false where there is nothing to draw.
func scatter(r *rank.Result, d scattered) (out Picture, ok bool, err error) {
	at := func(i int) (plotter.XY, bool) {
		xy := plotter.XY{X: d.x[i] / d.xScale.per, Y: d.y[i] / d.yScale.per}
		return xy, finite(xy.X) && finite(xy.Y)
	}
	stride := max(1, (r.Space.Len()+mostDots-1)/mostDots)
	var sure, estimated, barred plotter.XYs
	for i := 0; i < r.Space.Len(); i += stride {
		switch xy, known := at(i); {
		case !known:
		case !r.Feasible.Has(i):
			barred = append(barred, xy)
		case isMeasured(r.Space.At(i)):
			sure = append(sure, xy)
		default:
			estimated = append(estimated, xy)
		}
	}
	var front plotter.XYs
	for _, i := range d.front {
		if xy, known := at(i); known {
			front = append(front, xy)
		}
	}
	if len(front) == 0 {
		return Picture{}, false, nil
	}
	p := newPlot(d.xScale.title, d.yScale.title)
	legend := plot.NewLegend()
	if err := layers(p, &legend, barred, estimated, sure, front); err != nil {
		return Picture{}, false, err
	}
	if xy, known := at(r.First()); known {
		first, err := dots(plotter.XYs{xy}, black, 6, false)
		if err != nil {
			return Picture{}, false, err
		}
		p.Add(first)
		legend.Add("first of the ranking", first)
	}
	fit(&p.X)
	fit(&p.Y)
	caption := fmt.Sprintf("%d candidates on the frontier.", len(front))
	if stride > 1 {
		caption += fmt.Sprintf(" Of %s, every %dth is drawn.", quantity.Several(r.Space.Len(), "candidate"), stride)
	}
	return Picture{d.name, d.title, caption, p, pictureHeight, legend}, true, nil
}

// layers draws from what matters least to what matters most.
//
//nolint:revive // the layers in the order in which they are drawn
func layers(p *plot.Plot, legend *plot.Legend, barred, estimated, sure, front plotter.XYs) error {
	for _, layer := range []struct {
		name   string
		at     plotter.XYs
		grey   bool
		filled bool
	}{{"outside the limits", barred, true, true}, {"estimated", estimated, false, false},
		{"measured", sure, false, true}} {
		if len(layer.at) == 0 {
			continue
		}
		colour := blue
		if layer.grey {
			colour = lightGrey
		}
		s, err := dots(layer.at, colour, 2.2, layer.filled)
		if err != nil {
			return err
		}
		p.Add(s)
		legend.Add(layer.name, s)
	}
	line, err := plotter.NewLine(front)
	if err != nil {
		return err
	}
	line.Color, line.Width, line.StepStyle = orange, vg.Points(1.5), plotter.PostStep
	marks, err := dots(front, orange, 3, true)
	if err != nil {
		return err
	}
	p.Add(line, marks)
	legend.Add("frontier", line, marks)
	return nil
}

func isMeasured(c *candidate.Candidate) bool { return c.Time.Basis == estimate.Measured }

// costByLength draws the candidates' costs over the workload's length, with the
// lowest of the feasible ones.
func costByLength(r *rank.Result) (out Picture, ok bool, err error) {
	title, most := r.Query.LengthUnit()+"s", 0.0
	for _, i := range r.Head(tableRows) {
		c := r.Space.At(i)
		if c.Mode == profile.Infer {
			title = "units"
		}
		if at, ok := c.Length(r.Query.Workload); ok && finite(2*at) {
			most = math.Max(most, 2*at)
		}
	}
	p, legend := newPlot(title, dollars.title), plot.NewLegend()
	n := 0
	for k, i := range r.Head(tableRows) {
		l, known := r.Space.At(i).Line(objective.Cost)
		l.Slope /= r.Query.InLengthUnit(1)
		if !known || most <= 0 || !finite(l.At(0)) || !finite(l.At(most)) {
			continue
		}
		line, err := plotter.NewLine(along(l, most))
		if err != nil {
			return out, false, err
		}
		line.Color, line.Width = lightGrey, vg.Points(0.75)
		if n++; n <= len(firstLines) {
			line.LineStyle = firstLines[n-1]
			legend.Add(fmt.Sprintf("%d: %s", k+1, short(r.Space.At(i))), line)
		}
		p.Add(line)
	}
	if n == 0 {
		return out, false, nil
	}
	p.X.Tick.Marker = counts{}
	fit(&p.Y)
	caption := fmt.Sprintf("Cost as the workload grows to twice its size. The best %d of the ranking are in colour.",
		min(n, len(firstLines)))
	return Picture{"cost-" + title, "Cost over " + title, caption, p, pictureHeight, legend}, true, nil
}

// along is a straight line in so many points that it is drawn right on a
// logarithmic axis too.
func along(l training.Line, most float64) plotter.XYs {
	xys := make(plotter.XYs, 65)
	for k := range xys {
		xys[k].X = most * float64(k) / float64(len(xys)-1)
		xys[k].Y = l.At(xys[k].X)
	}
	return xys
}

// barRows is how many candidates the picture of the ranking shows, and lineName
// the most letters of a name in a picture.
const (
	barRows  = 15
	lineName = 44
)

// firstLines tell the best candidates' lines apart, by their dashes too.
var firstLines = []draw.LineStyle{
	{Color: orange, Width: vg.Points(1.5)},
	{Color: blue, Width: vg.Points(1.5), Dashes: []vg.Length{vg.Points(5), vg.Points(3)}},
	{Color: black, Width: vg.Points(1.5), Dashes: []vg.Length{vg.Points(1.5), vg.Points(2.5)}},
}

// short names a candidate where room is scarce.
func short(c *candidate.Candidate) string {
	name := wording.ShortVMs(wording.VMParts(c)) + " " + wording.VariantLabel(c.Variant)
	if c.BatchSize > 0 {
		name += fmt.Sprintf(" b%d", c.BatchSize)
	}
	return plaintext.Cut(plaintext.Clean(name), lineName)
}

// rankingPicture draws the best candidates with their 90 % intervals: what
// orders them, or the time where that is unknown.
func rankingPicture(r *rank.Result) (out Picture, ok bool, err error) {
	shown := r.Head(barRows)
	by, _ := r.Query.Sort.Objective()
	if !r.Space.At(r.First()).Of(by).Known() {
		by = objective.Time
	}
	in, name := scaleOf(r, by), string(by)
	if by == objective.Time {
		in = timeScale(r, shown)
	}
	bars := intervals{}
	labels := make([]string, len(shown))
	for k, i := range shown {
		c := r.Space.At(i)
		row := len(shown) - 1 - k // the first at the top
		labels[row] = fmt.Sprintf("%s  %d", short(c), k+1)
		if e := c.Of(by); e.Known() && finite(e.Value) && finite(e.Low) && finite(e.High) {
			bars.XYs = append(bars.XYs, plotter.XY{X: e.Value / in.per, Y: float64(row)})
			bars.XErrors = append(bars.XErrors, struct{ Low, High float64 }{(e.Value - e.Low) / in.per,
				(e.High - e.Value) / in.per})
		}
	}
	if len(bars.XYs) == 0 {
		return out, false, nil
	}
	p := newPlot(in.title, "")
	whiskers, err := plotter.NewXErrorBars(bars)
	if err != nil {
		return out, false, err
	}
	whiskers.LineStyle = draw.LineStyle{Color: blue, Width: vg.Points(1)}
	marks, err := dots(bars.XYs, blue, 3, true)
	if err != nil {
		return out, false, err
	}
	p.Add(whiskers, marks)
	p.NominalY(labels...)
	p.Y.Padding = vg.Points(14) // for letters wider than those measured here
	p.Y.Min, p.Y.Max = -0.5, float64(len(shown))-0.5
	fit(&p.X)
	height := vg.Length(len(shown))*0.55*vg.Centimeter + 1.8*vg.Centimeter
	caption := fmt.Sprintf("The best %d by %s; lines are 90 %% intervals.", len(shown), r.Query.Sort.Label())
	return Picture{"ranking", "Ranking, by " + name, caption, p, height, plot.NewLegend()}, true, nil
}

// intervals are points with what they may be less or more.
type intervals struct {
	plotter.XYs
	plotter.XErrors
}

// escapeURL writes a file's name as the address in a link.
func escapeURL(name string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\\", "%5C", "#",
		"%23", "?", "%3F").Replace(name)
}

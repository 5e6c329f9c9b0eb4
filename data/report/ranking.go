package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/rank"
)

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
	shown := r.Order[:min(len(r.Order), barRows)]
	by, _ := r.Query.Sort.Objective()
	if !r.Space.At(r.Order[0]).Of(by).Known() {
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

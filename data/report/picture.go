package report

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"sweetspot/engine/quantity"
)

// Picture is a plot with its words.
type Picture struct {
	Name    string // for a file: time-accuracy
	Title   string
	Caption string
	plot    *plot.Plot
	height  vg.Length
	legend  plot.Legend
}

// Width and usual height of a picture.
const (
	pictureWidth  = 16 * vg.Centimeter
	pictureHeight = 9.5 * vg.Centimeter
)

// The colours of Okabe and Ito, which the colour-blind tell apart.
var (
	blue      = color.RGBA{0, 114, 178, 255}
	orange    = color.RGBA{213, 94, 0, 255}
	lightGrey = color.RGBA{190, 190, 190, 255}
	black     = color.RGBA{0, 0, 0, 255}
)

// newPlot is an empty plot, its letters without serifs as on the page.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font,
		&p.Y.Tick.Label.Font} {
		f.Variant, f.Size = "Sans", vg.Points(9)
	}
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
	return p
}

// margin keeps the first letter and the last point inside the picture.
const margin = 5 * vg.Millimeter / 2

// draw puts the legend above the plot, where it hides no point.
func (p Picture) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	p.legend.Top, p.legend.Left, p.legend.Padding = true, true, vg.Points(2)
	p.legend.TextStyle.Font.Variant, p.legend.TextStyle.Font.Size = "Sans", vg.Points(9)
	high := p.legend.Rectangle(c).Size().Y
	p.legend.Draw(c)
	p.plot.Draw(draw.Crop(c, 0, 0, 0, -high-margin))
}

// SVG is the picture for a page: an svg element with its title for those who
// hear it.
func (p Picture) SVG() (string, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(pictureWidth, p.height))
	p.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	_, svg, _ := strings.Cut(b.String(), "<svg ")
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;",
		"font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	return `<svg role="img" ` + idle.ReplaceAllString(svg, ""), nil
}

// idle is what every text of a picture repeats and is so anyway.
var idle = regexp.MustCompile(`font-variant:normal;font-weight:normal;font-style:normal;`)

// PNG writes the picture at 150 dots an inch.
func (p Picture) PNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pictureWidth, p.height), vgimg.UseDPI(150))}
	p.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// dots draws points, filled or as rings.
func dots(xys plotter.XYs, c color.Color, radius float64, filled bool) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: draw.RingGlyph{}}
	if filled {
		s.Shape = draw.CircleGlyph{}
	}
	return s, nil
}

// scale is how an objective is drawn: in which unit, and how that is called.
type scale struct {
	per   float64
	title string
}

// scaleOfTime finds the unit in which times up to most seconds read best.
func scaleOfTime(most float64) scale {
	switch {
	case most < 120:
		return scale{1, "time, seconds"}
	case most < 120*60:
		return scale{60, "time, minutes"}
	case most < 48*3600:
		return scale{3600, "time, hours"}
	}
	return scale{86400, "time, days"}
}

var dollars = scale{1, "cost, US dollars"}

// wide is from which ratio on an axis is logarithmic.
const wide = 50

// fit makes an axis logarithmic where values are all above 0 and lie far apart,
// and gives one with a single value some room.
func fit(a *plot.Axis) {
	switch {
	case a.Min > 0 && a.Max > wide*a.Min:
		a.Scale, a.Tick.Marker = plot.LogScale{}, decades{}
	case a.Max <= a.Min:
		room := math.Max(math.Abs(a.Min)/10, 1e-9)
		a.Min, a.Max = a.Min-room, a.Max+room
	}
}

// decades marks 1, 2 and 5 times the powers of ten.
type decades struct{}

// Ticks are those between low and high.
func (decades) Ticks(low, high float64) (out []plot.Tick) {
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= low*0.999 && v <= high*1.001 {
				out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 4, 64)})
			}
		}
	}
	return out
}

// counts writes the ticks of a linear axis with thousands apart.
type counts struct{}

// Ticks are those between low and high.
func (counts) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = quantity.Count(ticks[i].Value)
		}
	}
	return ticks
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

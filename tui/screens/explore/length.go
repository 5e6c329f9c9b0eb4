package explore

import (
	"math"

	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/training"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// lengthPoints is how many points draw one candidate's line over the length.
const lengthPoints = 32

// groundLines is of how many candidates the lines are drawn as the plot's
// ground; of more, every so-manieth.
const groundLines = 1000

// lengthPlot is the plot of cost (or time) over the workload's length, epochs or
// units: the lowest line of all feasible candidates and that of the selected
// one, before the others' as a faint ground.
type lengthPlot struct {
	lines  []training.Line // by candidate; NaN where there is none
	x      [lengthPoints]float64
	stride int // of the candidates, one in so many is in the ground
	class  []uint8
	points plot.Data // the ground, the selected line, the lowest one
	ground int       // points of the ground
	of     []int     // point → candidate
	work   question.Workload

	lowest [lengthPoints]int // candidate that is lowest at each step; −1 where none is
	answer int               // that lowest is of
	shown  [3]int            // columns, answer and selection that are drawn
	ver    uint64
}

// newLengthPlot lays out the lines of a space up to twice what is asked.
func newLengthPlot(s *rank.Space, class []uint8, o objective.Name, w question.Workload) (d *lengthPlot, title string) {
	n := s.Len()
	d = &lengthPlot{work: w, lines: make([]training.Line, n), class: class,
		stride: max((n+groundLines-1)/groundLines, 1), answer: -1, shown: [3]int{-1}}
	title, most := w.LengthUnit()+"s", 0.0
	if n > 0 && w.InUnits() && s.At(0).Units != nil {
		title, most = "units", 2**s.At(0).Units
		d.inferred(s, o, *s.At(0).Units)
	} else {
		most = d.trained(s, o)
	}
	for k := range d.x {
		d.x[k] = most * float64(k+1) / lengthPoints
	}
	d.layGround()
	return d, title
}

// inferred takes the lines of batch inference, which begin at nothing, from a
// space's columns: the candidates, of which there may be a million, needn't be
// made for it.
func (d *lengthPlot) inferred(s *rank.Space, o objective.Name, units float64) {
	for i, v := range s.Values(o) {
		if d.work.TargetLoss != nil { // which takes others at each batch size
			units = *s.At(i).Units
		}
		d.lines[i] = training.Line{At0: v - v, Slope: v / units} // NaN stays NaN
	}
}

// trained takes the lines of trainings and returns how far they are drawn.
func (d *lengthPlot) trained(s *rank.Space, o objective.Name) (most float64) {
	for i := range d.lines {
		c := s.At(i)
		if at, ok := c.Length(d.work); ok {
			most = math.Max(most, 2*at)
		}
		line, ok := c.Line(o)
		if !ok {
			line = training.Line{At0: math.NaN(), Slope: math.NaN()}
		}
		line.Slope /= d.work.InLengthUnit(1)
		d.lines[i] = line
	}
	return most
}

// layGround draws some candidates' lines, among them the lowest and the highest,
// so that the axes reach over all.
func (d *lengthPlot) layGround() {
	low, high := -1, -1
	for i, l := range d.lines {
		if math.IsNaN(l.At0) {
			continue
		}
		if low < 0 || l.At(d.x[0]) < d.lines[low].At(d.x[0]) {
			low = i
		}
		if high < 0 || l.At(d.x[lengthPoints-1]) > d.lines[high].At(d.x[lengthPoints-1]) {
			high = i
		}
	}
	for i := range d.lines {
		if i%d.stride == 0 || i == low || i == high {
			d.addLine(i)
		}
	}
	d.ground = len(d.of)
	for range 2 * lengthPoints { // room for the selected and the lowest line
		d.add(math.NaN(), math.NaN(), 0, -1)
	}
}

func (d *lengthPlot) addLine(i int) {
	if math.IsNaN(d.lines[i].At0) {
		return
	}
	for _, x := range d.x {
		d.add(x, d.lines[i].At(x), d.class[i], i)
	}
}

func (d *lengthPlot) add(x, y float64, class uint8, candidate int) {
	p := &d.points
	p.X, p.Y, p.Class = append(p.X, x), append(p.Y, y), append(p.Class, class)
	d.of = append(d.of, candidate)
}

// put makes point j the one of a candidate at a step, or none for −1.
func (d *lengthPlot) put(j, step, candidate int) {
	p := &d.points
	d.of[j], p.X[j], p.Y[j] = candidate, math.NaN(), math.NaN()
	if candidate >= 0 {
		p.X[j], p.Y[j], p.Class[j] = d.x[step], d.lines[candidate].At(d.x[step]), d.class[candidate]
	}
}

// show draws, on a plot, the lowest line of the feasible candidates and that of
// the selected one, marked at what is asked.
func (d *lengthPlot) show(s *plot.Scatter, r *rank.Result, seq, columns, selected int) {
	now := [3]int{columns, seq, selected}
	if now == d.shown {
		return
	}
	d.shown = now
	if d.answer != seq {
		d.answer, d.lowest = seq, lowestLines(d.lines, r.Feasible, d.x)
	}
	chosen, lowest := d.ground, d.ground+lengthPoints
	drawn := pareto.NewSet(len(d.of))
	var front []int
	for step := range lengthPoints {
		d.put(chosen+step, step, selected)
		d.put(lowest+step, step, d.lowest[step])
		drawn.Put(chosen+step, true)
		if d.lowest[step] >= 0 {
			front = append(front, lowest+step)
		}
	}
	d.ver++
	d.points.Version = d.ver
	s.SetData(d.points)
	s.SetFeasible(d.ver, drawn)
	s.SetFrontier(front)
	at := -1
	if selected >= 0 && !math.IsNaN(d.lines[selected].At0) {
		if place, ok := r.Space.At(selected).Length(d.work); ok {
			at = chosen + d.stepAt(place)
		}
	}
	s.SetSelected(at, plot.Whiskers{})
}

// stepAt is the step of the length nearest to a place on it.
func (d *lengthPlot) stepAt(x float64) int {
	best := 0
	for k := range d.x {
		if math.Abs(d.x[k]-x) < math.Abs(d.x[best]-x) {
			best = k
		}
	}
	return best
}

// lowestLines finds the feasible line that is lowest at each of rising places,
// −1 where there is none. A straight line that is above another at both ends is
// so in between: of a million, all but a few are told by one that is low.
func lowestLines(lines []training.Line, feasible pareto.Set, x [lengthPoints]float64) (lowest [lengthPoints]int) {
	first, middle, last := x[0], x[lengthPoints/2], x[lengthPoints-1]
	low := -1
	for i, l := range lines {
		if v := l.At(middle); feasible.Has(i) && (low < 0 && !math.IsNaN(v) || low >= 0 && v < lines[low].At(middle)) {
			low = i
		}
	}
	for k := range lowest {
		lowest[k] = low
	}
	if low < 0 {
		return lowest
	}
	start, end := lines[low].At(first), lines[low].At(last)
	for i, l := range lines {
		if !feasible.Has(i) || !(l.At(first) < start || l.At(last) < end) {
			continue
		}
		for k := range lowest {
			if l.At(x[k]) < lines[lowest[k]].At(x[k]) {
				lowest[k] = i
			}
		}
	}
	return lowest
}

// note says how the lines are to be read.
func (d *lengthPlot) note(th *theme.Theme) string {
	note := "lowest, " + string(th.Symbols.Selected) + " selected"
	if d.stride > 1 {
		note += ", 1 in " + quantity.Count(float64(d.stride)) + " others"
	}
	return note
}

package tokens

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// axis is what the loads of a curve differ in.
type axis struct {
	name string
	at   func(Load) float64
	near float64 // the largest ratio of two places that count as one
	// common is what its loads have in common, within how much of each other.
	common func(Load) [2]float64
	within [2]float64
	two    func(low, high Point, at float64) (seconds float64, shape []float64)
	three  bool // a parabola goes through three
}

// closeBy is the largest ratio of two lengths that count as the same: tools draw them at random, or count
// tokens by themselves.
const closeBy = 1.03

var (
	byNumber = axis{"number", func(l Load) float64 { return l.AtOnce }, 1,
		func(l Load) [2]float64 { return [2]float64{l.Input, l.Output} }, [2]float64{closeBy, closeBy}, Line, true}
	byLength = axis{"length", func(l Load) float64 { return l.Input + l.Output }, closeBy,
		func(l Load) [2]float64 { return [2]float64{l.AtOnce, l.Output / l.Input} }, [2]float64{1, closeBy}, Squares, false}
)

func same(a, b, near float64) bool { return a <= b*near && b <= a*near }

// sample is how long a load took on a server.
type sample struct {
	Point
	server profile.Server
	load   Load
	runs   []int64
}

// curve is what was measured of one server along an axis.
type curve struct {
	axis
	server  profile.Server
	common  [2]float64
	samples []sample // rising
}

// curvesOf gathers samples; repeats count as one, by their median.
func curvesOf(samples []sample, along axis) (out []curve) {
	for _, s := range samples {
		s.At = along.at(s.load)
		i := slices.IndexFunc(out, func(c curve) bool { return c.isOf(s.server, s.load) })
		if i < 0 {
			i, out = len(out), append(out, curve{axis: along, server: s.server, common: along.common(s.load)})
		}
		out[i].samples = append(out[i].samples, s)
	}
	for i := range out {
		out[i].merge()
	}
	return out
}

// isOf reports whether a load on a server is one of the curve, wherever on it.
func (c *curve) isOf(s profile.Server, l Load) bool {
	return c.like(c.axis.common(l)) && c.server.Same(s)
}

func (c *curve) like(common [2]float64) bool { return c.matches(c.common, common) }

func (a axis) matches(x, y [2]float64) bool {
	return same(x[0], y[0], a.within[0]) && same(x[1], y[1], a.within[1])
}

func (c *curve) merge() {
	slices.SortStableFunc(c.samples, func(a, b sample) int { return cmp.Compare(a.At, b.At) })
	var out []sample
	for rest := c.samples; len(rest) > 0; {
		n := 1
		for n < len(rest) && same(rest[n].At, rest[0].At, c.near) {
			n++
		}
		one, seconds := rest[0], []float64{}
		one.runs = nil
		for _, s := range rest[:n] {
			seconds, one.runs = append(seconds, s.Seconds), append(one.runs, s.runs...)
		}
		one.Seconds = estimate.Median(seconds)
		out, rest = append(out, one), rest[n:]
	}
	c.samples = out
}

func (c *curve) points() []Point {
	out := make([]Point, len(c.samples))
	for i, s := range c.samples {
		out[i] = s.Point
	}
	return out
}

// measured is the sample at a place.
func (c *curve) measured(at float64) (sample, bool) {
	i := slices.IndexFunc(c.samples, func(s sample) bool { return same(s.At, at, c.near) })
	if i < 0 {
		return sample{}, false
	}
	return c.samples[i], true
}

// between is the plain rule's case at a place between samples: a line between two, and with more of
// them a parabola through the three nearest, where the axis has one. ok is false beyond the ends.
func (c *curve) between(at float64) (q Case, used []sample, ok bool) {
	above := slices.IndexFunc(c.samples, func(s sample) bool { return s.At > at })
	if above < 1 {
		return q, nil, false
	}
	first, last := above-1, above // of those that are used
	if n := len(c.samples); c.three && n > 2 {
		far := func(i int) float64 {
			if i < 0 || i >= n {
				return math.Inf(1)
			}
			return math.Abs(math.Log(c.samples[i].At / at))
		}
		if far(first-1) < far(last+1) {
			first--
		} else {
			last++
		}
	}
	used = c.samples[first : last+1]
	if len(used) == 3 {
		return c.parabola(used[0], used[1], used[2], at), used, true
	}
	return c.line(used[0], used[1], at), used, true
}

func (c *curve) line(low, high sample, at float64) Case {
	plain, shape := c.two(low.Point, high.Point, at)
	return c.asked("two", plain, shape)
}

// parabola goes through three: where it is unknown how far it is off, it counts as half as far as a line.
// Nine in ten of the published TPOTs that docs/accuracy.md lists are within 8 % of it, and within 20 % of
// a line.
func (c *curve) parabola(low, middle, high sample, at float64) Case {
	plain, shape := Parabola(low.Point, middle.Point, high.Point, at)
	q := c.asked("three", plain, shape)
	q.Spread = unlearned / 2
	return q
}

// asked is a case of the curve.
func (c *curve) asked(rule string, plain float64, shape []float64) Case {
	return Case{Kind: c.name + " " + rule, Group: c.key(), Plain: plain,
		Tags:  []string{profile.NetworkName(c.server.Model), c.server.Words(), c.place()},
		Shape: append(shape, Logs(c.common[0], c.common[1], max(float64(c.server.GPUs), 1))...)}
}

func (c *curve) key() string { return fmt.Sprint(c.place(), c.server.Machine, c.common) }

// place is the model and what it runs on.
func (c *curve) place() string {
	return profile.NetworkName(c.server.Model) + "\x00" + c.server.Words()
}

// known are the cases between the ends of a curve, from these, and with more samples from the
// middle one too.
func (c *curve) known() (out []Known) {
	n := len(c.samples)
	if n < 3 {
		return nil
	}
	low, high := c.samples[0], c.samples[n-1]
	middle := Middle(c.points())
	for i, s := range c.samples[1 : n-1] {
		out = append(out, Known{c.line(low, high, s.At), s.Seconds})
		if c.three && i+1 != middle {
			out = append(out, Known{c.parabola(low, c.samples[middle], high, s.At), s.Seconds})
		}
	}
	return out
}

// words name the places of samples.
func (c *curve) words(of []sample) string {
	at := plaintext.Join(of, ", ", func(s sample) string { return quantity.Count(s.At) })
	if c.name == byLength.name {
		return at + " tokens a request"
	}
	return at + " at once"
}

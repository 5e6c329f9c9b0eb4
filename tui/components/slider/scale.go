package slider

import (
	"math"

	"sweetspot/tui/plot"
)

// fraction places v on the track: 0 at Lo, 1 at Hi, beyond them outside;
// ok is false where v has no place.
func (c *Config) fraction(v float64) (f float64, ok bool) {
	lo, hi := c.Lo, c.Hi
	if c.log() {
		if !(v > 0) {
			return 0, false
		}
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	if !(lo < hi) {
		return 0.5, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	f = (v - lo) / (hi - lo)
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// at is the inverse of fraction.
func (c *Config) at(f float64) float64 {
	if c.log() {
		return math.Exp(math.Log(c.Lo) + f*(math.Log(c.Hi)-math.Log(c.Lo)))
	}
	return c.Lo + f*(c.Hi-c.Lo)
}

func (c *Config) log() bool { return c.Log && c.Lo > 0 }

// step is the size of a small move at v: round, about a hundredth of a linear
// range and about a twelfth of the value on a logarithmic one.
func (c *Config) step(v float64) float64 {
	switch {
	case c.Step != nil:
		return c.Step(v)
	case c.log():
		return plot.RoundDown(v / 12)
	}
	return plot.RoundDown((c.Hi - c.Lo) / 60)
}

// next is the round value after v in the direction of sign.
func (c *Config) next(v float64, sign int) float64 {
	const slack = 1e-6 // of a step, against rounding
	s := c.step(v)
	if sign < 0 {
		// On a logarithmic track steps shrink on the way down.
		s = c.step(v * (1 - 1e-9))
	}
	if !(s > 0) || math.IsInf(s, 0) {
		return v
	}
	if sign > 0 {
		return (math.Floor(v/s+slack) + 1) * s
	}
	return (math.Ceil(v/s-slack) - 1) * s
}

// nearest rounds v to the steps around it.
func (c *Config) nearest(v float64) float64 {
	s := c.step(v)
	if !(s > 0) || math.IsInf(s, 0) {
		return v
	}
	return math.Round(v/s) * s
}

// DurationStep is the step of a track in seconds: 1, 2, 5, 10, 15 or 30
// seconds or minutes, hours, days, about a twelfth of the value.
func DurationStep(seconds float64) float64 { return plot.RoundDuration(seconds / 12) }

// CountStep is the step of a track of whole numbers: never less than one.
func CountStep(v float64) float64 { return math.Max(1, plot.RoundDown(v/12)) }

// Bins counts values into n equal parts of the track. Values beyond an end
// count there; what has no place, unknown or not positive on a logarithmic
// track, isn't counted.
func (s *Slider) Bins(values []float64, n int) []int {
	if n <= 0 {
		return nil
	}
	bins := make([]int, n)
	for _, v := range values {
		if f, ok := s.cfg.fraction(v); ok {
			bins[min(max(int(f*float64(n)), 0), n-1)]++
		}
	}
	return bins
}

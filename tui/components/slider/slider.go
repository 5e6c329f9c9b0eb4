// Package slider is the control of a constraint or of a workload's size: a track
// that is also a histogram of the candidates, a value that can be moved, dragged
// or typed, and the number of candidates that remain.
package slider

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
)

// Direction says what a slider does to the candidates.
type Direction uint8

// The directions. A constraint has a loose end where it is off: AtLeast the
// left one, AtMost the right one. Exactly always has a value.
const (
	AtLeast Direction = iota
	AtMost
	Exactly
)

// Config is what a slider is made of.
type Config struct {
	Label     string
	Direction Direction
	Log       bool // logarithmic track, where Lo is positive
	Lo, Hi    float64
	Format    func(float64) string
	Parse     func(string) (float64, error) // its error is shown as it is
	Step      func(float64) float64         // size of a small move at a value; nil takes round steps
}

// Slider is the state of one control. Its methods report whether the value
// changed, so that the caller asks the engine only then.
type Slider struct {
	Histogram []int     // candidates per equal part of the track, as [Slider.Bins] counts them
	Marks     []float64 // values at which the answer changes
	Binds     bool      // this constraint is the binding one

	cfg     Config
	value   float64
	on      bool
	focused bool
	note    string
	typing  bool
	typed   string
	err     string
}

// New returns a slider at its loose end, or one that has none at its low end.
func New(cfg Config) *Slider {
	return &Slider{cfg: cfg, on: cfg.Direction == Exactly, value: cfg.Lo}
}

// NewExact returns a slider without a loose end, which refuses values beyond the ends of its track.
func NewExact(cfg Config) *Slider {
	cfg.Direction, cfg.Parse = Exactly, within(cfg.Parse, cfg.Lo, cfg.Hi)
	return New(cfg)
}

// within refuses what is read beyond the ends of a track.
func within(parse func(string) (float64, error), lo, hi float64) func(string) (float64, error) {
	return func(s string) (float64, error) {
		v, err := parse(s)
		if err == nil && (v < lo || v > hi) {
			err = fmt.Errorf("give a number from %g to %g", lo, hi)
		}
		return v, err
	}
}

// ParsePercent reads a share; a bare 70 is 70 %, as tracks show it. An error
// quotes what was typed.
func ParsePercent(s string) (float64, error) {
	return FirstOf(quantity.ParseFraction, s, strings.TrimSpace(s)+"%")
}

// FirstOf reads what was typed, or else what it is likely to mean; an error quotes
// what was typed.
func FirstOf(parse func(string) (float64, error), typed, meant string) (float64, error) {
	v, err := parse(typed)
	if err == nil {
		return v, nil
	}
	if v, second := parse(meant); second == nil {
		return v, nil
	}
	return 0, err
}

// bigMove is the number of small steps in a big one.
const bigMove = 8

// Value returns the value; on is false where the constraint is off.
func (s *Slider) Value() (value float64, on bool) { return s.value, s.on }

// Set sets the value. It may lie beyond the ends of the track.
func (s *Slider) Set(v float64) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) || s.on && s.value == v {
		return false
	}
	s.value, s.on = v, true
	return true
}

// Off removes the constraint; one without a loose end keeps its value.
func (s *Slider) Off() bool {
	if !s.on || s.cfg.Direction == Exactly {
		return false
	}
	s.on = false
	return true
}

// SetRange changes the ends of the track; the value stays.
func (s *Slider) SetRange(lo, hi float64) {
	if lo <= hi && !math.IsInf(hi-lo, 0) {
		s.cfg.Lo, s.cfg.Hi = lo, hi
	}
}

// Range returns the ends of the track.
func (s *Slider) Range() (lo, hi float64) { return s.cfg.Lo, s.cfg.Hi }

// Label returns the name of the slider.
func (s *Slider) Label() string { return s.cfg.Label }

// SetLabel renames the slider: the metric of the accuracy, say.
func (s *Slider) SetLabel(label string) { s.cfg.Label = text.Clean(label) }

// SetDirection turns a floor into a ceiling: for metrics where lower is
// better.
func (s *Slider) SetDirection(d Direction) {
	s.cfg.Direction = d
}

// SetNote sets the text at the right end, such as how many candidates remain.
func (s *Slider) SetNote(note string) { s.note = text.Clean(note) }

// SetFocused says whether the slider has the keys.
func (s *Slider) SetFocused(focused bool) {
	s.focused = focused
	if !focused {
		s.Cancel()
	}
}

// Move moves the value by small round steps, to the right for n > 0. Past the
// loose end the constraint is off; from there the first step comes back to
// that end.
func (s *Slider) Move(n int) bool {
	before, was := s.value, s.on
	for ; n > 0; n-- {
		s.stepOnce(1)
	}
	for ; n < 0; n++ {
		s.stepOnce(-1)
	}
	return s.on != was || s.on && s.value != before
}

// BigMove moves by big steps.
func (s *Slider) BigMove(n int) bool { return s.Move(n * bigMove) }

// stepOnce makes one small step.
func (s *Slider) stepOnce(sign int) {
	lo, hi := s.cfg.Lo, s.cfg.Hi
	if !s.on {
		s.enter(sign)
		return
	}
	v := s.cfg.next(s.value, sign)
	// A value typed beyond an end comes back to it first.
	if sign < 0 && s.value > hi {
		v = hi
	}
	if sign > 0 && s.value < lo {
		v = lo
	}
	switch {
	case sign > 0 && v > hi && s.value >= hi*(1-1e-12)-1e-300:
		if s.cfg.Direction == AtMost {
			s.on = false
		}
		return
	case sign < 0 && v < lo && s.value <= lo*(1+1e-12)+1e-300:
		if s.cfg.Direction == AtLeast {
			s.on = false
		}
		return
	}
	s.value = min(max(v, lo), hi)
}

// enter switches an inactive constraint on at its loose end when the step leads
// onto the track.
func (s *Slider) enter(sign int) {
	switch {
	case s.cfg.Direction == AtLeast && sign > 0:
		s.value, s.on = s.cfg.Lo, true
	case s.cfg.Direction == AtMost && sign < 0:
		s.value, s.on = s.cfg.Hi, true
	}
}

// Click puts the knob at column x of a track of the given width, as the mouse
// does when it is pressed or dragged. The column at the loose end, and
// everything beyond it, removes the constraint.
func (s *Slider) Click(x, width int) bool {
	if width < 2 {
		return false
	}
	if s.cfg.Direction == AtLeast && x <= 0 || s.cfg.Direction == AtMost && x >= width-1 {
		return s.Off()
	}
	f := min(max((float64(x)+0.5)/float64(width), 0), 1)
	return s.Set(min(max(s.cfg.nearest(s.cfg.at(f)), s.cfg.Lo), s.cfg.Hi))
}

// Begin starts typing a value.
func (s *Slider) Begin() { s.typing, s.typed, s.err = true, "", "" }

// Typing reports whether a value is being typed, so that keys are text.
func (s *Slider) Typing() bool { return s.typing }

// maxTyped bounds what is typed or pasted, in bytes.
const maxTyped = 32

// Type adds text to the value being typed.
func (s *Slider) Type(t string) {
	t = text.Clean(t)
	if s.typing && len(s.typed)+len(t) <= maxTyped {
		s.typed += t
		s.err = ""
	}
}

// Backspace deletes the last character.
func (s *Slider) Backspace() {
	if r := []rune(s.typed); s.typing && len(r) > 0 {
		s.typed, s.err = string(r[:len(r)-1]), ""
	}
}

// Commit takes over the typed value; an empty one removes the constraint. On an
// error, which the slider shows, typing goes on.
func (s *Slider) Commit() (changed bool, err error) {
	if !s.typing {
		return false, nil
	}
	if s.typed == "" {
		s.Cancel()
		return s.Off(), nil
	}
	v, err := s.cfg.Parse(s.typed)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = errors.New("this is not a number")
	}
	if err != nil {
		s.err = text.Clean(err.Error())
		return false, err
	}
	s.Cancel()
	return s.Set(v), nil
}

// Cancel ends typing and keeps the value.
func (s *Slider) Cancel() { s.typing, s.typed, s.err = false, "", "" }

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

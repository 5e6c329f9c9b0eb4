package mix

import (
	"fmt"

	"sweetspot/data/workload"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/screens/traffic/sliders"
)

// The sliders of a kind, from top to bottom.
const (
	shareSlider = iota
	limitSlider
	accuracySlider
	costSlider
	memorySlider
	timeSlider
	kneeSlider
	fixedSlider
)

// kindSlider is a slider, and what it sets of a kind of request.
type kindSlider struct {
	slider.Config
	get func(w *serving.Kind) (v float64, on bool)
	set func(w *serving.Kind, v float64, on bool)
}

// kindSliders are the sliders of a kind but for that of the share, which changes the others, too.
var kindSliders = []kindSlider{
	shareSlider: {Config: slider.Config{Label: "share", Direction: slider.Exactly, Lo: serving.LeastShare, Hi: 1,
		Format: quantity.Percent, Parse: slider.ParsePercent, Step: func(float64) float64 { return 0.01 }},
		get: func(w *serving.Kind) (float64, bool) { return w.Share, true }},
	limitSlider: {Config: sliders.Latency,
		get: func(w *serving.Kind) (float64, bool) { return w.LimitS, true },
		set: func(w *serving.Kind, v float64, _ bool) { w.LimitS = v }},
	accuracySlider: {Config: sliders.Accuracy,
		get: func(w *serving.Kind) (float64, bool) { return optional(w.MinAccuracy) },
		set: func(w *serving.Kind, v float64, on bool) { w.MinAccuracy = given(v, on) }},
	costSlider: {Config: slider.Config{Label: "cost", Direction: slider.AtMost, Log: true, Lo: 0.01, Hi: 1000,
		Format: perMillion, Parse: quantity.ParseMoney},
		get: func(w *serving.Kind) (float64, bool) { return optional(w.MaxUSDPerMillion) },
		set: func(w *serving.Kind, v float64, on bool) {
			w.MaxUSDPerMillion, w.Best = given(v, on), serving.Cost
			if on {
				w.Best = serving.Accuracy
			}
		}},
	memorySlider: {Config: sliders.Memory,
		get: func(w *serving.Kind) (float64, bool) { return w.MemoryGiB, w.MemoryGiB > 0 },
		set: func(w *serving.Kind, v float64, _ bool) { w.MemoryGiB = v }},
	timeSlider: {Config: slider.Config{Label: "its time", Log: true, Lo: 0.001, Hi: 60,
		Format: func(v float64) string { return quantity.Duration(v) + " at " + sliders.Gibibytes(defaultGiB) },
		Parse:  quantity.ParseDuration},
		get: func(w *serving.Kind) (float64, bool) { s, _, _ := function(w); return s, true },
		set: func(w *serving.Kind, v float64, _ bool) {
			_, knee, fixed := function(w)
			setFunction(w, v, knee, fixed)
		}},
	kneeSlider: {Config: slider.Config{Label: "its knee", Log: true, Lo: 0.5, Hi: 10, Format: sliders.Gibibytes,
		Parse: quantity.ParseCount},
		get: func(w *serving.Kind) (float64, bool) { _, knee, _ := function(w); return knee, true },
		set: func(w *serving.Kind, v float64, _ bool) { s, _, fixed := function(w); setFunction(w, s, v, fixed) }},
	fixedSlider: {Config: slider.Config{Label: "its fixed share", Hi: 1, Format: quantity.Percent,
		Parse: slider.ParsePercent},
		get: func(w *serving.Kind) (float64, bool) { _, _, fixed := function(w); return fixed, true },
		set: func(w *serving.Kind, v float64, _ bool) { s, knee, _ := function(w); setFunction(w, s, knee, v) }},
}

func perMillion(v float64) string { return quantity.Money(v) + " a million" }

func optional(v *float64) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return *v, true
}

func given(v float64, on bool) *float64 {
	if !on {
		return nil
	}
	return &v
}

// defaultGiB is the size of a function at which its time is set.
var defaultGiB = serving.Defaults().Function.MemoryGiB

// function is how the time of a kind's function falls with its memory: the time at the usual size
// in seconds, the knee in GiB, and the fixed share.
func function(w *serving.Kind) (seconds, kneeGiB, fixed float64) {
	if w.Function == nil {
		return serving.Defaults().Function.Seconds, serving.DefaultKneeGiB, serving.DefaultFixed
	}
	seconds, fixed = w.Function.Known(defaultGiB)
	return seconds, w.Function.KneeGiB, fixed
}

// setFunction sets it as given in place of what was measured or assumed.
func setFunction(w *serving.Kind, seconds, kneeGiB, fixed float64) {
	if m, err := serving.MemoryWith(seconds, defaultGiB, kneeGiB, fixed); err == nil {
		w.Function, w.Measured = &m, nil
	}
}

// allSliders are the sliders of what all kinds share. The last one, the length of the load, is there
// where it is synthetic.
var allSliders = []slider.Of[Question]{
	{Config: sliders.Scale, At: func(q *Question) *float64 { return &q.Scale }},
	{Config: sliders.Strict, At: func(q *Question) *float64 { return &q.StrictShare }},
	{Config: slider.Config{Label: "relaxed", Log: true, Lo: 0.01, Hi: serving.MaxLatencyS, Format: sliders.Limit,
		Parse: quantity.ParseDuration, Step: slider.DurationStep}, At: func(q *Question) *float64 { return &q.RelaxedS }},
	{Config: slider.Config{Label: "late at most", Hi: 0.2, Format: quantity.Percent, Parse: slider.ParsePercent,
		Step: func(float64) float64 { return 0.001 }}, At: func(q *Question) *float64 { return &q.MostLate }},
	{Config: sliders.Start, At: func(q *Question) *float64 { return &q.StartS }},
	{Config: sliders.Price, At: func(q *Question) *float64 { return &q.USDPerHour }},
	{Config: sliders.Warm, At: func(q *Question) *float64 { return &q.Warm }},
	{Config: sliders.Predictor, At: func(q *Question) *float64 { return &q.Predictor }},
	{Config: sliders.Window, At: func(q *Question) *float64 { return &q.WindowS }},
	{Config: sliders.Length, At: func(*Question) *float64 { return new(float64) }},
}

const (
	scaleSlider  = 0
	priceSlider  = 5
	lengthSlider = 9
)

// controls is the panel of sliders: those of the kind of request under the cursor of the table, or
// of all.
type controls struct {
	slider.Stack
	kind, all []*slider.Slider
	row       int // whose sliders are shown; that after the last kind is all
	trace     *workload.Requests
}

func newControls() *controls {
	c := &controls{all: slider.StackOf(allSliders).All, trace: &workload.Requests{}}
	for k, d := range kindSliders {
		s := slider.NewExact(d.Config)
		switch k {
		case accuracySlider:
			s.SetDirection(slider.AtLeast)
		case costSlider:
			s = slider.New(d.Config)
		}
		c.kind = append(c.kind, s)
	}
	c.All = c.kind
	return c
}

// onAll reports whether the sliders are those of all kinds.
func (c *controls) onAll(q *Question) bool { return c.row >= len(q.Kinds) }

// turn shows the sliders of another row.
func (c *controls) turn(row int, q Question) {
	if row == c.row {
		return
	}
	c.row, c.Active = row, 0
	c.load(q)
}

// load puts the sliders where a question has them.
func (c *controls) load(q Question) {
	if !c.onAll(&q) {
		c.All = c.kind
		w := &q.Kinds[c.row]
		for k, d := range kindSliders {
			if v, on := d.get(w); on {
				c.All[k].Set(v)
			} else {
				c.All[k].Off()
			}
		}
		return
	}
	made, ok := sliders.Made(q.Load, c.trace)
	c.All = c.all
	if !ok {
		c.All = c.all[:lengthSlider]
	}
	c.Active = min(c.Active, len(c.All)-1)
	for k, d := range allSliders[:lengthSlider] {
		c.All[k].Set(*d.At(&q))
	}
	c.all[lengthSlider].Set(float64(made.Seconds))
	c.all[lengthSlider].SetNote("w: " + made.Words())
}

// save writes slider k into a question.
func (c *controls) save(k int, q *Question) {
	v, on := c.All[k].Value()
	switch {
	case c.onAll(q) && k == lengthSlider:
		q.Load = sliders.WithLength(q.Load, c.trace, v)
	case c.onAll(q):
		*allSliders[k].At(q) = v
	case k == shareSlider:
		*q = q.reshare(c.row, v)
	default:
		*q = q.with(c.row, func(w *serving.Kind) { kindSliders[k].set(w, v, on) })
	}
}

// show brings notes and marks to an answer.
func (c *controls) show(a *Answer) {
	if c.onAll(&a.Question) {
		c.all[scaleSlider].SetNote(fmt.Sprintf("peak %s/s", quantity.Count(float64(a.asked.Trace.Peak()))))
		c.all[priceSlider].SetNote("where none is known")
		return
	}
	for _, s := range c.kind {
		s.SetNote("")
	}
	w := &a.Question.Kinds[c.row]
	if a.Question.FromTrace {
		c.kind[shareSlider].SetNote("of the trace")
	}
	c.kind[timeSlider].SetNote("assumed")
	switch {
	case len(w.Measured) > 0:
		c.kind[timeSlider].SetNote("measured")
	case w.Function != nil:
		c.kind[timeSlider].SetNote("as given")
	}
	memory := c.kind[memorySlider]
	memory.Marks = nil
	g := a.of(c.row)
	if g == nil {
		return
	}
	sliders.ShowMemory(memory, &g.Procured, w.MemoryGiB)
	sliders.ShowAccuracy(c.kind[accuracySlider], &g.Procured)
	c.kind[costSlider].SetNote("then the most accurate")
	if w.MaxUSDPerMillion == nil {
		c.kind[costSlider].SetNote("the cheapest")
	}
}

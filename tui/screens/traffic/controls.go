package traffic

import (
	"context"
	"fmt"

	"sweetspot/data/workload"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/screens/traffic/sliders"
)

// The sliders, from top to bottom. The last one is there where a load is synthetic.
const (
	limitSlider = iota
	accuracySlider
	strictSlider
	startSlider
	memorySlider
	priceSlider
	scaleSlider
	warmSlider
	predictorSlider
	windowSlider
	lengthSlider
)

// settings are the sliders, and what each sets. That of accuracy is a limit; that of the length sets the
// load.
var settings = []slider.Of[Question]{
	limitSlider:     {Config: sliders.Latency, At: func(q *Question) *float64 { return &q.LimitS }},
	accuracySlider:  {Config: sliders.Accuracy, At: func(q *Question) *float64 { return &q.MinAccuracy }},
	strictSlider:    {Config: sliders.Strict, At: func(q *Question) *float64 { return &q.StrictShare }},
	startSlider:     {Config: sliders.Start, At: func(q *Question) *float64 { return &q.StartS }},
	memorySlider:    {Config: sliders.Memory, At: func(q *Question) *float64 { return &q.MemoryGiB }},
	priceSlider:     {Config: sliders.Price, At: func(q *Question) *float64 { return &q.USDPerHour }},
	scaleSlider:     {Config: sliders.Scale, At: func(q *Question) *float64 { return &q.Scale }},
	warmSlider:      {Config: sliders.Warm, At: func(q *Question) *float64 { return &q.Warm }},
	predictorSlider: {Config: sliders.Predictor, At: func(q *Question) *float64 { return &q.Predictor }},
	windowSlider:    {Config: sliders.Window, At: func(q *Question) *float64 { return &q.WindowS }},
	lengthSlider:    {Config: sliders.Length, At: func(*Question) *float64 { return new(float64) }},
}

// controls is the panel of sliders.
type controls struct {
	slider.Stack
	every []*slider.Slider
	trace *workload.Requests
}

func newControls() *controls {
	c := &controls{Stack: slider.StackOf(settings), trace: &workload.Requests{}}
	c.All[accuracySlider].SetDirection(slider.AtLeast)
	c.every = c.All
	return c
}

// load puts the sliders where a question has them. Without a memory of its own the
// function's slider goes where the answer says.
func (c *controls) load(q Question) {
	made, ok := sliders.Made(q.Load, c.trace)
	c.every[lengthSlider].Set(float64(made.Seconds))
	c.All = c.every
	if !ok {
		c.All = c.every[:lengthSlider]
	}
	c.Active = min(c.Active, len(c.All)-1)
	for k, d := range settings[:lengthSlider] {
		if v := *d.At(&q); v > 0 || d.Lo == 0 && k != accuracySlider {
			c.All[k].Set(v)
		} else {
			c.All[k].Off()
		}
	}
}

// save writes slider k into a question. Without a model there is nothing to choose
// by accuracy.
func (c *controls) save(k int, q *Question) {
	v, on := c.All[k].Value()
	if k == lengthSlider {
		q.Load = sliders.WithLength(q.Load, c.trace, v)
		return
	}
	if k == accuracySlider && (!on || q.Model == "") {
		v = 0
	}
	*settings[k].At(q) = v
}

// show brings notes and marks to an answer.
func (c *controls) show(a *Answer) {
	sliders.ShowMemory(c.All[memorySlider], &a.Engine, a.Question.MemoryGiB)
	accuracy := c.All[accuracySlider]
	accuracy.SetNote("m chooses a model")
	if a.Question.Model != "" {
		sliders.ShowAccuracy(accuracy, &a.Engine)
	}
	price := c.All[priceSlider]
	price.SetNote("")
	if a.Why == "" {
		price.SetNote(figure.Rate(a.Engine.Settings.VM.RequestsPerSecond) + " requests/s")
	}
	if o := a.Engine.Offer(); o != nil && o.PriceFrom != "as given" {
		price.SetNote(fmt.Sprintf("catalog: $%.3g/h", o.USDPerHour))
	}
	made, _ := sliders.Made(a.Question.Load, c.trace)
	c.every[lengthSlider].SetNote("w: " + made.Words())
	c.All[scaleSlider].SetNote(fmt.Sprintf("peak %s/s", quantity.Count(float64(a.Engine.Trace.Peak()))))
}

// Answer is what the schemes make of a question; nobody changes it.
type Answer struct {
	Question Question
	Load     workload.Requests // that was asked about
	Engine   serving.Procured
	Outcomes []serving.Outcome
	Spans    [][]serving.Span
	Why      string // there are no outcomes; "" where there are
}

func solve(t Trace, set *profile.Set, q Question) *Answer {
	a := &Answer{Question: q, Load: sliders.Requests(q.Load, t)}
	engine := serving.Question{Trace: a.Load.Arrivals.Scaled(q.Scale), Settings: q.Settings(),
		MaxViolations: serving.DefaultViolations}
	s := &engine.Settings
	s.StrictLimitS, s.RelaxedLimitS, s.VM.USDPerHour = q.LimitS, max(s.RelaxedLimitS, q.LimitS), q.USDPerHour
	var err error
	if a.Engine, err = q.wanted().Procure(engine, set); err == nil {
		a.Outcomes, a.Spans, err = serving.WatchAll(a.Engine.Trace, a.Engine.Settings,
			figure.SpanS(len(a.Engine.Trace)))
	}
	if err != nil {
		a.Why = figure.Why(err)
	}
	return a
}

// wanted is what is to serve.
func (q Question) wanted() serving.Wanted {
	w := serving.Wanted{USDPerHour: q.USDPerHour, Best: serving.Cost, MemoryGiB: q.MemoryGiB}
	if q.Model != "" {
		w.Models = []string{q.Model}
	}
	if q.MinAccuracy > 0 {
		w.MinAccuracy = &q.MinAccuracy
	}
	return w
}

// advise seeks the advice for an answer; without outcomes there is none.
func advise(a *Answer) ask.Work[*serving.Advice] {
	if a.Why != "" {
		return nil
	}
	return func(context.Context) *serving.Advice {
		advice, err := serving.Advise(a.Engine.Question)
		if err != nil {
			return nil
		}
		return &advice
	}
}

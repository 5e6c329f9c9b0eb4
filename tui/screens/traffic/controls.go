package traffic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/slider"
)

// The sliders, from top to bottom.
const (
	limitSlider = iota
	accuracySlider
	strictSlider
	startSlider
	memorySlider
	priceSlider
	scaleSlider
)

// dials are the sliders, and what each sets. That of accuracy is a limit.
var dials = []slider.DialOf[Question]{
	limitSlider: {Config: slider.Config{Label: "latency", Log: true, Lo: 0.01, Hi: 60, Format: limitText,
		Parse: quantity.ParseDuration}, At: func(q *Question) *float64 { return &q.LimitS }},
	accuracySlider: {Config: slider.Config{Label: "accuracy", Hi: 1, Format: quantity.Percent,
		Parse: slider.ParsePercent}, At: func(q *Question) *float64 { return &q.MinAccuracy }},
	strictSlider: {Config: slider.Config{Label: "strict", Hi: 1, Format: quantity.Percent, Parse: slider.ParsePercent,
		Step: func(float64) float64 { return 0.02 }}, At: func(q *Question) *float64 { return &q.StrictShare }},
	startSlider: {Config: slider.Config{Label: "VM start-up", Log: true, Lo: 1, Hi: 3600, Format: quantity.Duration,
		Parse: quantity.ParseDuration, Step: slider.DurationStep}, At: func(q *Question) *float64 { return &q.StartS }},
	memorySlider: {Config: slider.Config{Label: "function", Log: true, Lo: 0.5, Hi: 10.24, Format: gigabytes,
		Parse: quantity.ParseCount}, At: func(q *Question) *float64 { return &q.MemoryGB }},
	priceSlider: {Config: slider.Config{Label: "VM", Log: true, Lo: 0.005, Hi: 50, Format: priceText,
		Parse: quantity.ParseMoney}, At: func(q *Question) *float64 { return &q.USDPerHour }},
	scaleSlider: {Config: slider.Config{Label: "load", Log: true, Lo: 0.01, Hi: 1000, Format: timesText,
		Parse: quantity.ParseCount}, At: func(q *Question) *float64 { return &q.Scale }},
}

// controls is the panel of sliders.
type controls struct{ slider.Stack }

func newControls() *controls {
	c := &controls{slider.Dials(dials)}
	c.All[accuracySlider].SetDirection(slider.AtLeast)
	return c
}

func timesText(v float64) string { return fmt.Sprintf("×%.3g", v) }

func priceText(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 3, 64) + "/h" }

func limitText(v float64) string { return "≤ " + quantity.Duration(v) }

func gigabytes(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + " GB" }

// load puts the sliders where a question has them. Without a memory of its own the
// function's slider goes where the answer says.
func (c *controls) load(q Question) {
	for k, d := range dials {
		if v := *d.At(&q); v > 0 || k == strictSlider {
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
	if k == accuracySlider && (!on || q.Model == "") {
		v = 0
	}
	*dials[k].At(q) = v
}

// show brings notes and marks to an answer.
func (c *controls) show(a *Answer) {
	suits, inTime := a.suits()
	memory := c.All[memorySlider]
	memory.Marks = []float64{suits}
	if a.Question.MemoryGB == 0 {
		memory.Set(suits)
	}
	switch {
	case a.Question.MemoryGB > 0:
		memory.SetNote(quantity.Duration(a.Engine.Settings.Function.Seconds))
	case inTime:
		memory.SetNote("cheapest in time")
	default:
		memory.SetNote("none is in time")
	}
	accuracy := c.All[accuracySlider]
	accuracy.SetNote("m chooses a model")
	if a.Question.Model != "" {
		lo, hi := accuracies(a.Engine.Variants)
		if lo < hi {
			accuracy.SetRange(lo, hi)
		}
		accuracy.SetNote(quantity.Several(len(a.Engine.Served), "choice"))
	}
	price := c.All[priceSlider]
	price.SetNote("")
	if a.Why == "" {
		price.SetNote(rateText(a.Engine.Settings.VM.QueriesPerSecond) + " requests/s")
	}
	if o := a.Engine.Offer(); o != nil && o.PriceFrom != "as given" {
		price.SetNote(fmt.Sprintf("catalog: $%.3g/h", o.USDPerHour))
	}
	c.All[scaleSlider].SetNote(fmt.Sprintf("peak %s/s", quantity.Count(float64(a.Engine.Trace.Peak()))))
}

func accuracies(v serving.Variants) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v.List {
		if !math.IsNaN(x.Accuracy) {
			lo, hi = math.Min(lo, x.Accuracy), math.Max(hi, x.Accuracy)
		}
	}
	return lo, hi
}

// Answer is what the schemes make of a question; nobody changes it.
type Answer struct {
	Question Question
	Engine   serving.Procured
	Outcomes []serving.Outcome
	Spans    [][]serving.Span
	Why      string // there are no outcomes; "" where there are
}

// spans is about how many stretches of time the charts show.
const spans = 240

func solve(t Trace, set *profile.Set, q Question) *Answer {
	a := &Answer{Question: q}
	engine := serving.Question{Trace: t.Arrivals, Settings: serving.Defaults(), MaxViolations: serving.UsualViolations}
	if q.Scale != 1 {
		engine.Trace = t.Arrivals.Scaled(q.Scale)
	}
	s := &engine.Settings
	s.StrictLimitS, s.RelaxedLimitS, s.StrictShare = q.LimitS, math.Max(s.RelaxedLimitS, q.LimitS), q.StrictShare
	s.VM.StartS, s.VM.USDPerHour = int(q.StartS+0.5), q.USDPerHour
	var err error
	if a.Engine, err = q.wanted().Procure(engine, set); err == nil {
		a.Outcomes, a.Spans, err = serving.WatchAll(a.Engine.Trace, a.Engine.Settings,
			max(1, (len(a.Engine.Trace)+spans-1)/spans))
	}
	if err != nil {
		a.Why = why(err)
	}
	return a
}

// wanted is what is to serve.
func (q Question) wanted() serving.Wanted {
	w := serving.Wanted{USDPerHour: q.USDPerHour, Best: serving.Cost, MemoryGB: q.MemoryGB}
	if q.Model != "" {
		w.Models = []string{q.Model}
	}
	if q.MinAccuracy > 0 {
		w.MinAccuracy = &q.MinAccuracy
	}
	return w
}

// why says in a sentence that nothing serves, and the mend.
func why(err error) string {
	words := []rune(err.Error())
	words[0] = unicode.ToUpper(words[0])
	mend := ""
	if infeasible := (*serving.InfeasibleError)(nil); errors.As(err, &infeasible) {
		mend = ": loosen one of the limits"
		if infeasible.Of == serving.Latency {
			mend = ": loosen the limit, or probe smaller batches"
		}
	}
	return string(words) + mend + "."
}

// suits is the function's memory that the limit asks for, and whether it is in
// time.
func (a *Answer) suits() (gb float64, inTime bool) {
	return a.Engine.Memory.Suits(a.Engine.Settings.StrictLimitS, a.Engine.Settings.Function.Prices)
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

package traffic

import (
	"fmt"
	"math"
	"strconv"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/components/sliders"
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
	sliderCount
)

// controls is the panel of sliders: two limits, and dials.
type controls struct{ sliders.Stack }

func newControls() *controls {
	c := &controls{sliders.Stack{All: make([]*slider.Slider, sliderCount)}}
	dial := func(k int, label string, log bool, lo, hi float64, format func(float64) string, parse func(string) (float64, error), step func(float64) float64) {
		c.All[k] = slider.New(slider.Config{Label: label, Direction: slider.Dial, Log: log, Lo: lo, Hi: hi, Format: format, Parse: within(parse, lo, hi), Step: step})
	}
	dial(limitSlider, "latency", true, 0.01, 60, limitText, quantity.ParseDuration, nil)
	dial(strictSlider, "strict", false, 0, 1, quantity.Percent, parseShare, func(float64) float64 { return 0.02 })
	dial(startSlider, "VM start-up", true, 1, 3600, quantity.Duration, quantity.ParseDuration, slider.DurationStep)
	dial(memorySlider, "function", true, 0.5, 10.24, gigabytes, quantity.ParseCount, nil)
	dial(priceSlider, "VM", true, 0.005, 50, func(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 3, 64) + "/h" }, quantity.ParseMoney, nil)
	dial(scaleSlider, "load", true, 0.01, 1000, func(v float64) string { return fmt.Sprintf("×%.3g", v) }, quantity.ParseCount, nil)
	c.All[accuracySlider] = slider.New(slider.Config{Label: "accuracy", Direction: slider.AtLeast, Hi: 1, Format: quantity.Percent, Parse: within(parseShare, 0, 1)})
	return c
}

// within refuses what the screen can't be asked.
func within(parse func(string) (float64, error), lo, hi float64) func(string) (float64, error) {
	return func(s string) (float64, error) {
		v, err := parse(s)
		if err == nil && (v < lo || v > hi) {
			err = fmt.Errorf("give a number from %g to %g", lo, hi)
		}
		return v, err
	}
}

// parseShare lets people type 50 where percents are shown.
func parseShare(s string) (float64, error) {
	v, err := quantity.ParseFraction(s)
	if err != nil {
		if meant, second := quantity.ParseFraction(s + "%"); second == nil {
			return meant, nil
		}
	}
	return v, err
}

func limitText(v float64) string { return "≤ " + quantity.Duration(v) }

func gigabytes(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + " GB" }

// load puts the sliders where a question has them.
func (c *controls) load(q Question) {
	for k, v := range map[int]float64{limitSlider: q.LimitS, strictSlider: q.StrictShare, startSlider: q.StartS, priceSlider: q.USDPerHour, scaleSlider: q.Scale} {
		c.All[k].Set(v)
	}
	if q.MemoryGB > 0 {
		c.All[memorySlider].Set(q.MemoryGB)
	}
	if q.MinAccuracy > 0 {
		c.All[accuracySlider].Set(q.MinAccuracy)
	} else {
		c.All[accuracySlider].Off()
	}
}

// save writes slider k into a question.
func (c *controls) save(k int, q *Question) {
	v, on := c.All[k].Value()
	switch k {
	case limitSlider:
		q.LimitS = v
	case accuracySlider:
		q.MinAccuracy = 0
		if on && q.Model != "" { // without a model there is nothing to choose by it
			q.MinAccuracy = v
		}
	case strictSlider:
		q.StrictShare = v
	case startSlider:
		q.StartS = v
	case memorySlider:
		q.MemoryGB = v
	case priceSlider:
		q.USDPerHour = v
	case scaleSlider:
		q.Scale = v
	}
}

// show brings notes and marks to an answer.
func (c *controls) show(a *Answer) {
	suits, inTime := a.suits()
	memory := c.All[memorySlider]
	memory.SetMarks([]float64{suits})
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
		price.SetNote(rateText(a.Engine.Settings.VM.QueriesPerSecond) + " queries/s")
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

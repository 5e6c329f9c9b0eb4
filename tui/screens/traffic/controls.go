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
	for k, cfg := range map[int]slider.Config{
		limitSlider: {Label: "latency", Log: true, Lo: 0.01, Hi: 60, Format: limitText, Parse: quantity.ParseDuration},
		strictSlider: {Label: "strict", Hi: 1, Format: quantity.Percent, Parse: slider.ParsePercent,
			Step: func(float64) float64 { return 0.02 }},
		startSlider: {Label: "VM start-up", Log: true, Lo: 1, Hi: 3600, Format: quantity.Duration,
			Parse: quantity.ParseDuration, Step: slider.DurationStep},
		memorySlider: {Label: "function", Log: true, Lo: 0.5, Hi: 10.24, Format: gigabytes, Parse: quantity.ParseCount},
		priceSlider:  {Label: "VM", Log: true, Lo: 0.005, Hi: 50, Format: priceText, Parse: quantity.ParseMoney},
		scaleSlider: {Label: "load", Log: true, Lo: 0.01, Hi: 1000,
			Format: func(v float64) string { return fmt.Sprintf("×%.3g", v) }, Parse: quantity.ParseCount},
	} {
		c.All[k] = slider.NewDial(cfg)
	}
	c.All[accuracySlider] = slider.New(slider.Config{
		Label: "accuracy", Direction: slider.AtLeast, Hi: 1, Format: quantity.Percent,
		Parse: slider.Within(slider.ParsePercent, 0, 1),
	})
	return c
}

func priceText(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 3, 64) + "/h" }

func limitText(v float64) string { return "≤ " + quantity.Duration(v) }

func gigabytes(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + " GB" }

// load puts the sliders where a question has them.
func (c *controls) load(q Question) {
	for k, v := range map[int]float64{limitSlider: q.LimitS, strictSlider: q.StrictShare, startSlider: q.StartS,
		priceSlider: q.USDPerHour, scaleSlider: q.Scale} {
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

package explore

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/components/sliders"
	"sweetspot/tui/state"
)

// The sliders, from top to bottom.
const (
	accuracySlider = iota
	costSlider
	timeSlider
	dialSlider
	weightSlider
	sliderCount
)

// constraints is the panel of sliders: three limits, the workload's own dial
// and the weight between time and cost.
type constraints struct {
	sliders.Stack
	space *rank.Space // the space the ranges are of
	mode  profile.Mode
}

// histogramBins is how finely a track's histogram is counted; the slider
// scales it to its width.
const histogramBins = 48

func newConstraints() *constraints {
	c := &constraints{Stack: sliders.Stack{All: make([]*slider.Slider, sliderCount)}}
	c.All[accuracySlider] = slider.New(slider.Config{Label: "accuracy", Direction: slider.AtLeast, Hi: 1,
		Format: quantity.Percent, Parse: slider.ParsePercent})
	c.All[costSlider] = slider.New(slider.Config{Label: "cost", Direction: slider.AtMost, Log: true, Lo: 1, Hi: 10,
		Format: quantity.Money, Parse: quantity.ParseMoney})
	c.All[timeSlider] = slider.New(slider.Config{Label: "deadline", Direction: slider.AtMost, Log: true, Lo: 1, Hi: 10,
		Format: quantity.Duration, Parse: parseDeadline, Step: slider.DurationStep})
	c.All[weightSlider] = slider.New(slider.Config{Label: "weight", Direction: slider.Dial, Hi: 1, Format: weightText,
		Parse: slider.ParsePercent, Step: func(float64) float64 { return 0.05 }})
	c.setDial(profile.Infer, "unit")
	return c
}

// parseDeadline takes a bare number as minutes.
func parseDeadline(s string) (float64, error) {
	return slider.FirstOf(quantity.ParseDuration, s, s+"m")
}

func weightText(cost float64) string {
	return fmt.Sprintf("time %.0f : cost %.0f", 100*(1-cost), 100*cost)
}

// setDial makes the dial that belongs to the mode. Zero epochs stand for as
// many as each source needed.
func (c *constraints) setDial(mode profile.Mode, unit string) {
	c.mode = mode
	cfg := slider.Config{
		Label: unit + "s", Direction: slider.Dial, Log: true, Lo: 1e3, Hi: 1e9,
		Format: quantity.Count, Parse: quantity.ParseCount, Step: slider.CountStep,
	}
	if mode == profile.Train {
		cfg = slider.Config{Label: "epochs", Direction: slider.Dial, Lo: 0, Hi: 100, Format: epochsText, Parse: parseEpochs,
			Step: slider.CountStep}
	}
	c.All[dialSlider] = slider.New(cfg)
}

func epochsText(v float64) string {
	if v == 0 {
		return "as each source"
	}
	return quantity.Count(math.Round(v))
}

func parseEpochs(s string) (float64, error) {
	if strings.TrimSpace(s) == "0" {
		return 0, nil
	}
	return quantity.ParseCount(s)
}

// load puts the sliders where a question has them.
func (c *constraints) load(q state.Question, unit string) {
	if q.Mode != c.mode || c.All[dialSlider].Label() != unit+"s" {
		c.setDial(q.Mode, unit)
	}
	for k, v := range map[int]*float64{accuracySlider: q.MinAccuracy, costSlider: q.MaxCost, timeSlider: q.MaxTime} {
		if v == nil {
			c.All[k].Off()
		} else {
			c.All[k].Set(*v)
		}
	}
	dial := q.Units
	if q.Mode == profile.Train {
		dial = 0
		if q.Epochs != nil {
			dial = *q.Epochs
		}
	}
	c.All[dialSlider].Set(dial)
	c.All[weightSlider].Set(q.CostWeight)
}

// save writes slider k into a question.
func (c *constraints) save(k int, q *state.Question) {
	v, on := c.All[k].Value()
	limit := &v
	if !on {
		limit = nil
	}
	switch k {
	case accuracySlider:
		q.MinAccuracy = limit
	case costSlider:
		q.MaxCost = limit
	case timeSlider:
		q.MaxTime = limit
	case weightSlider:
		q.CostWeight, q.Sort = v, question.ByScore
	case dialSlider:
		switch {
		case q.Mode == profile.Infer:
			q.Units = v
		case v < 1:
			q.Epochs = nil
		default:
			q.Epochs = new(math.Round(v))
		}
	}
}

// show brings ranges, histograms, notes and marks to an answer.
func (c *constraints) show(a *Answer) {
	r := a.Result
	if c.space != r.Space {
		c.space = r.Space
		c.layOut(r.Space)
	}
	for k, name := range map[int]question.Constraint{accuracySlider: objective.Accuracy, costSlider: objective.Cost,
		timeSlider: objective.Time} {
		note := ""
		if n := r.Because[name]; n > 0 {
			note = "rules out " + quantity.Count(float64(n))
		}
		c.All[k].SetNote(note)
		binds := false
		for _, x := range a.Relaxations {
			binds = binds || x.Constraint == name
		}
		c.All[k].SetBinds(binds)
	}
	var marks []float64
	for _, x := range a.Crossovers {
		marks = append(marks, x.Epochs)
	}
	c.All[dialSlider].SetMarks(marks)
	c.All[dialSlider].SetNote(crossoverNote(a))
}

func crossoverNote(a *Answer) string {
	switch n := len(a.Crossovers); n {
	case 0:
		return ""
	case 1:
		return "1 crossover"
	default:
		return fmt.Sprintf("%d crossovers", n)
	}
}

// layOut gives the sliders the ranges and histograms of a space.
func (c *constraints) layOut(s *rank.Space) {
	acc := c.All[accuracySlider]
	acc.SetDirection(slider.AtLeast)
	if !s.HigherIsBetter() {
		acc.SetDirection(slider.AtMost)
	}
	acc.SetLabel("accuracy")
	if s.Metric != "" {
		acc.SetLabel(s.Metric)
	}
	for k, column := range map[int][]float64{accuracySlider: s.Values(objective.Accuracy),
		costSlider: s.Values(objective.Cost), timeSlider: s.Values(objective.Time)} {
		sl := c.All[k]
		lo, hi := extremes(column)
		if lo <= hi {
			sl.SetRange(lo, hi)
		}
		sl.SetHistogram(sl.Bins(column, histogramBins))
	}
}

func extremes(column []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range column {
		if !math.IsNaN(v) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// accuracyFormat is how the accuracy metric of a space is written.
func accuracyFormat(s *rank.Space) func(float64) string {
	return func(v float64) string { return objective.WriteAccuracy(v, s.HigherIsBetter()) }
}

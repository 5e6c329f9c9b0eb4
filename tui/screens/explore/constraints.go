package explore

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/slider"
)

// constraints is the panel of sliders: a limit for each objective, the workload's
// length, and the weight between time and cost.
type constraints struct {
	slider.Stack
	limits objective.List // of the first sliders
	loss   *slider.Slider // that a language model is trained to, the last one; nil where none is known
	space  *rank.Space    // the space the ranges are of
	mode   profile.Mode
}

// histogramBins is how finely a track's histogram is counted; the slider
// scales it to its width.
const histogramBins = 48

func newConstraints() *constraints {
	c := &constraints{}
	c.All = []*slider.Slider{nil, slider.New(slider.Config{
		Label: "weight", Direction: slider.Exactly, Hi: 1, Format: weightText, Parse: slider.ParsePercent, Step: func(
			float64) float64 {
			return 0.05
		},
	})}
	c.setLength(profile.Infer, "unit", false)
	c.setLimits(required())
	return c
}

// setLimits makes a slider for each objective of a list, the budget above the
// deadline. Those that are there already stay as they are.
func (c *constraints) setLimits(of objective.List) {
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b objective.Objective) int { return limitPlace(a.Name) - limitPlace(b.Name) })
	all := make([]*slider.Slider, len(of), len(of)+2)
	for k, o := range of {
		if at := c.limits.Index(o.Name); at >= 0 {
			all[k] = c.All[at]
		} else {
			all[k] = limitSlider(o)
		}
	}
	before := len(c.limits)
	c.All, c.limits = append(all, c.All[before:]...), of
	if before > 0 && c.Active >= before { // the length and the weight stay active
		c.Active += len(of) - before
	}
	c.Active = min(c.Active, len(c.All)-1)
}

// limitPlace is where the slider of a limit stands: the usual ones at the top, the
// others below them in the order of the list.
func limitPlace(o objective.Name) int {
	usual := []objective.Name{objective.Accuracy, objective.Cost, objective.Time}
	if k := slices.Index(usual, o); k >= 0 {
		return k
	}
	return len(usual)
}

// limitSlider is the slider of a limit on an objective.
func limitSlider(o objective.Objective) *slider.Slider {
	config := slider.Config{Label: o.Label, Direction: slider.AtMost, Log: o.Log, Lo: 1, Hi: 10, Format: o.Write,
		Parse: o.Read}
	switch o.Name {
	case objective.Accuracy:
		config.Direction, config.Lo, config.Hi = slider.AtLeast, 0, 1
		config.Format, config.Parse = quantity.Percent, slider.ParsePercent
	case objective.Time:
		config.Parse, config.Step = parseDeadline, slider.DurationStep
	}
	return slider.New(config)
}

// length is the slider of the workload's length, weight that below it.
func (c *constraints) length() *slider.Slider { return c.All[len(c.limits)] }
func (c *constraints) weight() *slider.Slider { return c.All[len(c.limits)+1] }

// parseDeadline takes a bare number as minutes.
func parseDeadline(s string) (float64, error) {
	return slider.FirstOf(quantity.ParseDuration, s, s+"m")
}

func weightText(cost float64) string {
	return fmt.Sprintf("time %.0f : cost %.0f", 100*(1-cost), 100*cost)
}

// setLength makes the slider that belongs to the mode, in epochs or steps or units. Zero epochs stand
// for as many as each source needed, which nobody asks of a training of one's own.
func (c *constraints) setLength(mode profile.Mode, unit string, own bool) {
	c.mode = mode
	cfg := slider.Config{
		Label: unit + "s", Direction: slider.Exactly, Log: true, Lo: 1e3, Hi: 1e9,
		Format: quantity.Count, Parse: quantity.ParseCount, Step: slider.CountStep,
	}
	switch {
	case mode == profile.Train && unit == "step":
		cfg.Lo, cfg.Hi, cfg.Parse = 1, 1e7, parseOwnEpochs
	case mode == profile.Train:
		cfg = slider.Config{Label: "epochs", Direction: slider.Exactly, Lo: 0, Hi: 100, Format: epochsText,
			Parse: parseEpochs, Step: slider.CountStep}
		if own {
			cfg.Lo, cfg.Parse = 1, parseOwnEpochs
		}
	}
	c.All[len(c.limits)] = slider.New(cfg)
}

func epochsText(v float64) string {
	if v == 0 {
		return "as each source"
	}
	return quantity.Count(math.Round(v))
}

// parseOwnEpochs reads the epochs of a training of one's own, which has no other source.
func parseOwnEpochs(s string) (float64, error) {
	n, err := quantity.ParseCount(s)
	if err == nil && n < 1 {
		err = errors.New("a training has at least 1")
	}
	return n, err
}

func parseEpochs(s string) (float64, error) {
	if strings.TrimSpace(s) == "0" {
		return 0, nil
	}
	return quantity.ParseCount(s)
}

// load puts the sliders where a question has them; unit is one of inference.
func (c *constraints) load(q question.Query, unit string) {
	mode := q.Mode
	switch {
	case q.InTokens():
		mode, unit = profile.Infer, question.Token
	case mode == profile.Train:
		unit = q.LengthUnit()
	}
	if mode != c.mode || c.length().Label() != unit+"s" {
		c.setLength(mode, unit, q.TrainSize != nil)
	}
	if extra := c.missing(q); len(extra) > 0 {
		c.setLimits(append(slices.Clone(c.limits), extra...))
	}
	for k, o := range c.limits {
		if v := q.Limits.Get(o.Name); v != nil {
			c.All[k].Set(*v)
		} else {
			c.All[k].Off()
		}
	}
	if c.loss != nil {
		if c.loss.Off(); q.TargetLoss != nil {
			c.loss.Set(*q.TargetLoss)
		}
	}
	length := q.Units
	if !q.InUnits() {
		length = 0
		if q.Epochs != nil {
			length = q.InLengthUnit(*q.Epochs)
		}
		if q.Steps != nil {
			length = *q.Steps
		}
	}
	c.length().Set(length)
	c.weight().Set(costShare(q.Weights))
}

// missing are the objectives that a question limits and no slider is of.
func (c *constraints) missing(q question.Query) objective.List {
	return slices.DeleteFunc(
		objective.All(),
		func(o objective.Objective) bool { return c.limits.Has(o.Name) || q.Limits.Get(o.Name) == nil },
	)
}

// costShare is the share of the cost in the weights of time and cost.
func costShare(w question.Weights) float64 {
	sum := w[objective.Time] + w[objective.Cost]
	if sum == 0 {
		return 0.5
	}
	return w[objective.Cost] / sum
}

// save writes slider k into a question.
func (c *constraints) save(k int, q *question.Query) {
	v, on := c.All[k].Value()
	limit := &v
	if !on {
		limit = nil
	}
	switch {
	case k < len(c.limits):
		q.Limits = q.Limits.With(c.limits[k].Name, limit)
	case c.All[k] == c.loss:
		q.TargetLoss = limit
	case c.All[k] == c.weight():
		weights := question.Weights{objective.Time: 1 - v, objective.Cost: v}
		for o, w := range q.Weights {
			if _, own := weights[o]; !own {
				weights[o] = w
			}
		}
		q.Weights, q.Sort = weights, question.ByScore
	default:
		switch {
		case q.InUnits():
			q.Units, q.TargetLoss = v, nil
		case q.Steps != nil:
			q.Steps = new(math.Round(v))
		case v < 1:
			q.Epochs = nil
		default:
			q.Epochs = new(math.Round(v) / q.InLengthUnit(1))
		}
	}
}

// show brings ranges, histograms, notes and marks to an answer, and returns how
// many sliders there are now.
func (c *constraints) show(a *Answer) int {
	r := a.Result
	if c.space != r.Space {
		c.space = r.Space
		c.offerLoss(r.Space.Losses, a.Question)
		c.layOut(r.Space, a.Question)
	}
	for k, o := range c.limits {
		note := ""
		if n := r.Because[o.Name]; n > 0 {
			note = "rules out " + quantity.Count(float64(n))
		}
		c.All[k].SetNote(note)
		c.All[k].Binds = slices.ContainsFunc(a.Relaxations,
			func(x advice.Relaxation) bool { return x.Constraint == o.Name })
	}
	var marks []float64
	for _, x := range a.Crossovers {
		marks = append(marks, a.Question.InLengthUnit(x.Epochs))
	}
	c.length().Marks = marks
	c.length().Histogram = c.length().Bins(a.announced, histogramBins)
	if c.loss != nil {
		c.loss.SetNote("")
		if r.Count() > 0 && r.Space.At(r.First()).ToLoss != nil {
			c.length().Set(r.Space.At(r.First()).ToLoss.Tokens.Value)
			c.loss.SetNote("decides the tokens")
		}
	}
	c.length().SetNote(strings.Join(slices.DeleteFunc([]string{sizeNote(a.Question.Workload), crossoverNote(a)},
		func(s string) bool { return s == "" }), " · "))
	return len(c.All)
}

// offerLoss has a slider of the loss to train to where evaluations of the model's trainings showed any.
func (c *constraints) offerLoss(seen []float64, q question.Query) {
	switch offered := len(seen) > 0 && q.Tuning != nil; {
	case offered && c.loss == nil:
		c.loss = slider.New(slider.Config{Label: "loss", Direction: slider.AtMost, Parse: question.ParseLoss,
			Format: func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }})
		if q.TargetLoss != nil {
			c.loss.Set(*q.TargetLoss)
		}
		c.All = append(c.All, c.loss)
	case !offered && c.loss != nil:
		c.All, c.loss = c.All[:len(c.All)-1], nil
	}
	if c.loss != nil {
		c.loss.SetRange(seen[0], seen[len(seen)-1])
		c.loss.Histogram = c.loss.Bins(seen, histogramBins)
	}
	c.Active = min(c.Active, len(c.All)-1)
}

// sizeNote says how much an epoch or a step is.
func sizeNote(w question.Workload) string {
	switch {
	case w.Steps != nil:
		return "at every batch size"
	case w.Counted.Batch > 0 && w.Counted.InSteps():
		return wording.OfBatch(w)
	case w.TrainSize == nil || w.Counted.InSteps():
		return ""
	}
	return "of " + quantity.Count(*w.TrainSize) + " " + cmp.Or(w.Unit, "unit") + "s"
}

func crossoverNote(a *Answer) string {
	if a.AsPublished {
		return "as published"
	}
	switch n := len(a.Crossovers); n {
	case 0:
		return ""
	case 1:
		return "1 crossover"
	default:
		return fmt.Sprintf("%d crossovers", n)
	}
}

// layOut gives the sliders the ranges and histograms of a space. Objectives that no
// candidate has take no slider, unless they are limited.
func (c *constraints) layOut(s *rank.Space, q question.Query) {
	shown := slices.Clone(s.Objectives)
	for _, o := range objective.All() {
		if !shown.Has(o.Name) && q.Limits.Get(o.Name) != nil {
			shown = append(shown, o)
		}
	}
	if len(shown) != len(c.limits) {
		c.setLimits(shown)
		c.load(q, strings.TrimSuffix(c.length().Label(), "s"))
	}
	for k, of := range c.limits {
		sl, column := c.All[k], s.Values(of.Name)
		if of.Name == objective.Accuracy {
			accuracy, _ := s.Objective(of.Name)
			sl.SetDirection(slider.AtMost)
			if accuracy.HigherIsBetter {
				sl.SetDirection(slider.AtLeast)
			}
			sl.SetLabel(accuracy.Label)
		}
		if lo, hi := extremes(column); lo <= hi {
			sl.SetRange(lo, hi)
		}
		sl.Histogram = sl.Bins(column, histogramBins)
	}
}

func extremes(column []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range column {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// accuracyFormat is how the accuracy metric of a space is written.
func accuracyFormat(s *rank.Space) func(float64) string {
	return func(v float64) string { return objective.WriteAccuracy(v, s.HigherIsBetter()) }
}

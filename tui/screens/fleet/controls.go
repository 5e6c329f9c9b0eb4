package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/plot"
)

// The sliders, from top to bottom.
const (
	vmsSlider = iota
	onDemandSlider
	reservedSlider
	deadlineSlider
	speedSlider
	acceptanceSlider
)

// settings are the sliders, and what each sets.
var settings = []slider.Of[Question]{
	vmsSlider: {Config: slider.Config{
		Label: "reserved VMs", Hi: mostVMs, Step: slider.CountStep, Parse: parseWhole,
		Format: func(v float64) string { return quantity.Count(math.Round(v)) },
	}, At: func(q *Question) *float64 { return &q.VMs }},
	onDemandSlider: {Config: price("on demand"), At: func(q *Question) *float64 { return &q.OnDemand }},
	reservedSlider: {Config: price("reserved"), At: func(q *Question) *float64 { return &q.Reserved }},
	deadlineSlider: {Config: slider.Config{Label: "deadline", Log: true, Lo: 0.34, Hi: 3, Format: deadlineText,
		Parse: parseTimes, Step: hundredth}, At: func(q *Question) *float64 { return &q.Tightness }},
	speedSlider: {Config: slider.Config{Label: "INT8 time", Lo: 0.2, Hi: 1.4, Format: timesText, Parse: parseTimes,
		Step: hundredth}, At: func(q *Question) *float64 { return &q.Speed }},
	acceptanceSlider: {Config: slider.Config{Label: "users", Log: true, Lo: 0.2, Hi: 5, Format: acceptanceText,
		Parse: parseTimes, Step: func(v float64) float64 { return math.Max(0.05, hundredth(v)) },
	}, At: func(q *Question) *float64 { return &q.Reluctant }},
}

// price is a slider of US dollars per hour.
func price(label string) slider.Config {
	return slider.Config{Label: label, Log: true, Lo: 0.05, Hi: 100, Format: priceText, Parse: quantity.ParseMoney}
}

// controls is the panel of sliders.
type controls struct{ slider.Stack }

func newControls() *controls {
	c := &controls{slider.StackOf(settings)}
	c.All[vmsSlider].SetRange(0, usualVMs)
	return c
}

func hundredth(float64) float64 { return 0.02 }

// As many VMs may be typed as anyone reserves: the track ends where all are busy,
// and at the usual number until that is known.
const (
	mostVMs  = 100_000
	usualVMs = 50
)

// forget takes marks and range of another trace away.
func (c *controls) forget() {
	c.All[vmsSlider].SetRange(0, usualVMs)
	c.All[vmsSlider].Marks = nil
	c.All[vmsSlider].SetNote("")
}

func parseWhole(s string) (float64, error) {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || v < 0 || v > mostVMs {
		return 0, fmt.Errorf("give a whole number from 0 to %d", mostVMs)
	}
	return float64(v), nil
}

// parseTimes reads 0.9, ×0.9 and 90%.
func parseTimes(s string) (float64, error) {
	text := strings.TrimLeft(strings.TrimSpace(s), "×x")
	share, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0) {
		return 0, errors.New("write a factor above 0, as 0.9 or 90%")
	}
	return v, nil
}

func priceText(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 4, 64) + "/h" }

func timesText(v float64) string { return fmt.Sprintf("×%.2f", v) }

func deadlineText(v float64) string {
	return fmt.Sprintf("×%.2f (%.2g–%.2g runtimes)", v, 1.5*v, 3*v)
}

func acceptanceText(v float64) string {
	switch {
	case math.Abs(v-1) < 1e-9:
		return "accept (s/max), as studied"
	case v < 1:
		return fmt.Sprintf("eager: (s/max)^%.2g", v)
	}
	return fmt.Sprintf("reluctant: (s/max)^%.2g", v)
}

// load puts the sliders where a question has them.
func (c *controls) load(q Question) {
	for k, d := range settings {
		c.All[k].Set(*d.At(&q))
	}
}

// save writes slider k into a question.
func (c *controls) save(k int, q *Question) {
	*settings[k].At(q), _ = c.All[k].Value()
	switch k {
	case vmsSlider:
		q.VMs = math.Round(q.VMs)
	case onDemandSlider, reservedSlider:
		q.VM = "" // no VM type's price any more
	}
}

// show brings notes, marks and the range of VMs to an answer.
func (c *controls) show(a *Answer, o *Alternatives) {
	q := a.Question
	vms := c.All[vmsSlider]
	vms.SetNote("")
	vms.Marks = nil
	if o != nil && unsized(o.Question) == unsized(q) {
		last := o.Sizes[len(o.Sizes)-1].VMs
		vms.SetRange(0, math.Max(float64(last), 1))
		least := o.Sizes[fleet.Least(o.Sizes, 0)].VMs
		vms.Marks = []float64{float64(least)}
		vms.SetNote(fmt.Sprintf("lowest bill at %d", least))
	}
	c.All[reservedSlider].SetNote("")
	if q.VM != "" {
		c.All[reservedSlider].SetNote(string(q.Purchase))
	}
	c.All[onDemandSlider].SetNote("")
	if low, high, ok := a.Result.BreakEven(a.Engine.Prices); ok {
		c.All[onDemandSlider].Marks = []float64{low, high}
		if q.OnDemand <= low {
			c.All[onDemandSlider].SetNote("no offer pays off")
		}
	}
	c.All[speedSlider].SetNote(quantity.Several(len(a.Result.Asked), "candidate"))
}

// Answer is what the policies make of a question; nobody changes it.
type Answer struct {
	Seq      int
	Question Question
	Engine   fleet.Question
	Result   *fleet.Answer
	Bills    []fleet.Bill // of the whole fleet, by policy
	Late     []int

	offers plot.Data
	costs  []plot.Line
}

// engineQuestion is a question in the engine's words.
func engineQuestion(t Trace, q Question) fleet.Question {
	out := fleet.Defaults()
	out.Jobs, out.Load, out.Seed = t.Jobs, t.Load, q.Seed
	out.Terms.Tightness, out.Terms.Speed, out.Terms.Mix = q.Tightness, q.Speed, t.Mix
	out.Fleet = fleet.Fleet{VMs: int(math.Round(q.VMs)), GPUsPerVM: q.GPUsPerVM, Scheduler: q.Scheduler,
		AsStudied: q.AsStudied}
	out.Prices = approx.Prices{Reserved: q.Reserved, OnDemand: q.OnDemand}
	out.Acceptance = approx.Acceptance{Shape: approx.Power, At: q.Reluctant}
	return out
}

func solve(seq int, t Trace, draws fleet.Draws, q Question) *Answer {
	a := &Answer{Seq: seq, Question: q, Engine: engineQuestion(t, q)}
	a.Result = a.Engine.Answer(draws)
	for i := range approx.Policies {
		a.Bills = append(a.Bills, a.Result.Bill(&a.Engine, i))
		a.Late = append(a.Late, a.Result.Late(&a.Engine, i))
	}
	a.layOffers()
	a.layCosts()
	return a
}

// layOffers are the offers of the policies over the time of submission, each
// point an offer.
func (a *Answer) layOffers() {
	d := plot.Data{Version: uint64(a.Seq), Of: "offers"}
	for k, p := range approx.Policies {
		if p == approx.OnDemand {
			continue
		}
		for i, s := range approx.Offers(p, a.Result.Asked, a.Engine.Prices, a.Engine.Acceptance) {
			if s > 0 {
				d.X = append(d.X, a.Result.Tasks[a.Result.Schedule.Candidates[i]].SubmitS)
				d.Y = append(d.Y, s)
				d.Class = append(d.Class, uint8(k))
			}
		}
	}
	a.offers = d
}

// layCosts are the distributions of what a job costs, as the share of jobs that
// cost no more, by policy.
func (a *Answer) layCosts() {
	for k, p := range approx.Policies {
		offers := approx.Offers(p, a.Result.Asked, a.Engine.Prices, a.Engine.Acceptance)
		usd := make([]float64, len(offers))
		for i, s := range offers {
			c := &a.Result.Asked[i]
			usd[i] = a.Engine.Prices.OnDemandUSD(c)
			if c.Draw < a.Engine.Acceptance.Probability(s, a.Engine.Prices.Most(c)) {
				usd[i], _ = a.Engine.Prices.Accepted(c, s)
			}
		}
		slices.Sort(usd)
		line := plot.Line{Class: k, X: usd, Y: make([]float64, len(usd))}
		for i := range line.Y {
			line.Y[i] = float64(i+1) / float64(len(usd))
		}
		a.costs = append(a.costs, line)
	}
}

// Alternatives are what else could be done than what is asked.
type Alternatives struct {
	Seq      int
	Question Question
	Sizes    []fleet.Size     // bills of other numbers of reserved VMs
	Come     fleet.AsTheyCome // ApproxDNN's offers, reduced jobs running as they come
	Plans    []fleet.Plan     // the least bills of the schedulers
}

// unsized is a question without the number of VMs, on which the sizes don't
// depend.
func unsized(q Question) Question {
	q.VMs = 0
	return q
}

// unscheduled is a question without the scheduler either, on which the plans of all of
// them don't depend.
func unscheduled(q Question) Question {
	q.Scheduler = ""
	return unsized(q)
}

// alternatives finds out what else could be done than what is shown; the work ends
// early with its context, and then gives nil.
func (s *Screen) alternatives(a *Answer) ask.Work[*Alternatives] {
	last := s.Found
	return func(ctx context.Context) *Alternatives {
		o := &Alternatives{Seq: a.Seq, Question: a.Question}
		o.Come = a.Engine.AsTheyCome(a.Result.Tasks, approx.ApproxDNN)
		if last != nil && unsized(last.Question) == unsized(a.Question) {
			o.Sizes = last.Sizes
		} else {
			o.Sizes = a.Engine.Sizes(ctx, a.Result.Tasks, math.MaxInt)
		}
		if last != nil && unscheduled(last.Question) == unscheduled(a.Question) {
			o.Plans = last.Plans
		} else {
			o.Plans = a.Engine.Plans(ctx, a.Result.Tasks)
		}
		if ctx.Err() != nil {
			return nil
		}
		return o
	}
}

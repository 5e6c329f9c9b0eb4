package fleet

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/components/sliders"
)

// The sliders, from top to bottom.
const (
	vmsSlider = iota
	onDemandSlider
	reservedSlider
	speedSlider
	deadlineSlider
	acceptanceSlider
	sliderCount
)

// controls is the panel of sliders; all are dials.
type controls struct{ sliders.Stack }

// Ends of the tracks.
const (
	leastPrice, mostPrice = 0.05, 100.0
	leastSpeed, mostSpeed = 0.2, 1.4
	leastTight, mostTight = 0.34, 3.0
	eager, reluctant      = 0.2, 5.0
)

func newControls() *controls {
	c := &controls{sliders.Stack{All: make([]*slider.Slider, sliderCount)}}
	// As many VMs may be typed as anyone reserves: the track ends where all are busy.
	c.All[vmsSlider] = slider.New(slider.Config{
		Label: "reserved VMs", Direction: slider.Dial, Hi: usualVMs,
		Format: func(v float64) string { return quantity.Count(math.Round(v)) }, Parse: parseWhole, Step: slider.CountStep,
	})
	for k, cfg := range map[int]slider.Config{
		onDemandSlider: {Label: "on demand", Log: true, Lo: leastPrice, Hi: mostPrice, Format: priceText,
			Parse: quantity.ParseMoney},
		reservedSlider: {Label: "reserved", Log: true, Lo: leastPrice, Hi: mostPrice, Format: priceText,
			Parse: quantity.ParseMoney},
		speedSlider: {Label: "INT8 time", Lo: leastSpeed, Hi: mostSpeed, Format: timesText, Parse: parseTimes,
			Step: hundredth},
		deadlineSlider: {Label: "deadline", Log: true, Lo: leastTight, Hi: mostTight, Format: deadlineText,
			Parse: parseTimes, Step: hundredth},
		acceptanceSlider: {
			Label: "users", Log: true, Lo: eager, Hi: reluctant, Format: acceptanceText, Parse: parseTimes,
			Step: func(v float64) float64 { return math.Max(0.05, hundredth(v)) },
		},
	} {
		c.All[k] = slider.NewDial(cfg)
	}
	return c
}

func hundredth(float64) float64 { return 0.02 }

// usualVMs is the end of the track until it is known how many are ever busy.
const usualVMs = 50

// forget takes marks and range of another trace away.
func (c *controls) forget() {
	c.All[vmsSlider].SetRange(0, usualVMs)
	c.All[vmsSlider].SetMarks(nil)
	c.All[vmsSlider].SetNote("")
}

// mostVMs bounds what is typed.
const mostVMs = 100_000

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
	for k, v := range map[int]float64{vmsSlider: float64(q.VMs), onDemandSlider: q.OnDemand, reservedSlider: q.Reserved,
		speedSlider: q.Speed, deadlineSlider: q.Tightness, acceptanceSlider: q.Reluctant} {
		c.All[k].Set(v)
	}
}

// save writes slider k into a question.
func (c *controls) save(k int, q *Question) {
	v, _ := c.All[k].Value()
	switch k {
	case vmsSlider:
		q.VMs = int(math.Round(v))
	case onDemandSlider:
		q.OnDemand, q.VM = v, ""
	case reservedSlider:
		q.Reserved, q.VM = v, ""
	case speedSlider:
		q.Speed = v
	case deadlineSlider:
		q.Tightness = v
	case acceptanceSlider:
		q.Reluctant = v
	}
}

// show brings notes, marks and the range of VMs to an answer.
func (c *controls) show(a *Answer, o *Alternatives) {
	q := a.Question
	vms := c.All[vmsSlider]
	vms.SetNote("")
	vms.SetMarks(nil)
	if o != nil && unsized(o.Question) == unsized(q) {
		last := o.Sizes[len(o.Sizes)-1].VMs
		vms.SetRange(0, math.Max(float64(last), 1))
		least := o.Sizes[fleet.Least(o.Sizes, 0)].VMs
		vms.SetMarks([]float64{float64(least)})
		vms.SetNote(fmt.Sprintf("least bill at %d", least))
	}
	c.All[reservedSlider].SetNote("")
	if q.VM != "" {
		c.All[reservedSlider].SetNote(string(q.Purchase))
	}
	c.All[onDemandSlider].SetNote("")
	if low, high, ok := a.Result.BreakEven(a.Engine.Prices); ok {
		c.All[onDemandSlider].SetMarks([]float64{low, high})
		if q.OnDemand <= low {
			c.All[onDemandSlider].SetNote("no offer pays")
		}
	}
	c.All[speedSlider].SetNote(quantity.Several(len(a.Result.Asked), "candidate"))
}

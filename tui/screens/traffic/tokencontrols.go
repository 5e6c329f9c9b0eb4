package traffic

import (
	"context"
	"strconv"

	"sweetspot/data/contract"
	"sweetspot/data/workload"
	"sweetspot/engine/batching"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/screens/traffic/figure"
	"sweetspot/tui/screens/traffic/sliders"
	"sweetspot/tui/text"
)

// TokenQuestion is what is asked of a language model's server.
type TokenQuestion struct {
	TTFTS, TPOTS        float64 // limits, seconds
	Share               float64 // of the requests that keep them
	Scale               float64 // of the trace's load
	VM                  string  // whose prices a replica has; "" takes USDPerHour
	USDPerHour          float64 // 0 is unknown
	APIInput, APIOutput float64 // $ per million tokens of an API to compare with; 0 is not given
}

func firstTokenQuestion() TokenQuestion {
	return TokenQuestion{TTFTS: 1, TPOTS: 0.05, Share: 1 - serving.DefaultViolations, Scale: 1}
}

// The sliders, from top to bottom.
const (
	ttftSlider = iota
	tpotSlider
	shareSlider
	tokenScaleSlider
	replicaSlider
	inputSlider
	outputSlider
)

// tokenSliders are the sliders, and what each sets. Prices at the low end are not given.
var tokenSliders = []slider.Of[TokenQuestion]{
	ttftSlider: {Config: slider.Config{Label: "TTFT", Log: true, Lo: 0.01, Hi: 60, Format: sliders.Limit,
		Parse: quantity.ParseDuration}, At: func(q *TokenQuestion) *float64 { return &q.TTFTS }},
	tpotSlider: {Config: slider.Config{Label: "TPOT", Log: true, Lo: 0.001, Hi: 2, Format: sliders.Limit,
		Parse: quantity.ParseDuration}, At: func(q *TokenQuestion) *float64 { return &q.TPOTS }},
	shareSlider: {Config: slider.Config{Label: "in time", Lo: 0.5, Hi: 1, Format: quantity.Percent,
		Parse: slider.ParsePercent, Step: func(float64) float64 { return 0.005 }},
		At: func(q *TokenQuestion) *float64 { return &q.Share }},
	tokenScaleSlider: {Config: slider.Config{Label: "load", Log: true, Lo: 0.01, Hi: 1000, Format: sliders.Times,
		Parse: quantity.ParseCount}, At: func(q *TokenQuestion) *float64 { return &q.Scale }},
	replicaSlider: {Config: slider.Config{Label: "replica", Log: true, Lo: leastHourly, Hi: 500, Format: given(leastHourly,
		sliders.Hourly), Parse: quantity.ParseMoney}, At: func(q *TokenQuestion) *float64 { return &q.USDPerHour }},
	inputSlider: {Config: slider.Config{Label: "API in", Log: true, Lo: leastToken, Hi: 1000, Format: given(leastToken,
		millionText), Parse: quantity.ParseMoney}, At: func(q *TokenQuestion) *float64 { return &q.APIInput }},
	outputSlider: {Config: slider.Config{Label: "API out", Log: true, Lo: leastToken, Hi: 1000, Format: given(leastToken,
		millionText), Parse: quantity.ParseMoney}, At: func(q *TokenQuestion) *float64 { return &q.APIOutput }},
}

// The low ends of prices, at which they are not given, in US dollars per hour and per
// million tokens.
const leastHourly, leastToken = 0.01, 0.001

// given writes a price, or that none is given.
func given(least float64, write func(float64) string) func(float64) string {
	return func(v float64) string {
		if v <= least {
			return "not given"
		}
		return write(v)
	}
}

func millionText(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 3, 64) + "/M tokens" }

// tokenControls is the panel of sliders.
type tokenControls struct{ slider.Stack }

func newTokenControls() *tokenControls { return &tokenControls{slider.StackOf(tokenSliders)} }

// load puts the sliders where a question has them.
func (c *tokenControls) load(q TokenQuestion) {
	for k, d := range tokenSliders {
		c.All[k].Set(max(*d.At(&q), d.Lo))
	}
}

// save writes slider k into a question.
func (c *tokenControls) save(k int, q *TokenQuestion) {
	v, _ := c.All[k].Value()
	if k >= replicaSlider && v <= tokenSliders[k].Lo {
		v = 0
	}
	if k == replicaSlider && v > 0 {
		q.VM = ""
	}
	*tokenSliders[k].At(q) = v
}

// show brings notes and marks to an answer.
func (c *tokenControls) show(a *TokenAnswer) {
	for _, s := range c.All {
		s.SetNote("")
	}
	c.All[replicaSlider].SetNote("n: a VM type")
	if vm := a.Question.VM; vm != "" {
		c.All[replicaSlider].SetNote(text.Clean(vm))
		if len(a.Prices) > 0 {
			c.All[replicaSlider].Set(a.Prices[0].USDPerHour)
		}
	}
	if (a.Question.APIInput > 0) != (a.Question.APIOutput > 0) {
		c.All[map[bool]int{true: outputSlider, false: inputSlider}[a.Question.APIInput > 0]].SetNote("give both")
	}
	if a.Why == "" && a.Described.Trace.PerSecond != nil {
		c.All[tokenScaleSlider].SetNote(figure.Rate(*a.Described.Trace.PerSecond) + " requests/s")
	}
}

// TokenAnswer is how replicas serve a trace; nobody changes it.
type TokenAnswer struct {
	Question  TokenQuestion
	Prices    []contract.HourlyPrice
	Described contract.LLM
	OfMost    bool   // the loads are shares of the most one, else of what a replica can compute
	Why       string // nothing was simulated; "" where it was

	input contract.LLMInput
}

// loads is how many loads of one replica were simulated.
func (a *TokenAnswer) loads() int { return len(a.Described.Loads) }

// mostLoad is the load that one replica just holds, −1 where it keeps the limits at none.
func mostLoad(a, _ *TokenAnswer) int {
	if !a.OfMost {
		return -1
	}
	return batching.AtMost
}

// solveTokens answers a question without intervals.
func solveTokens(load workload.Tokens, of batching.Fitted, weights string, q TokenQuestion,
	prices []contract.HourlyPrice) *TokenAnswer {
	a := &TokenAnswer{Question: q, Prices: prices}
	load = load.Quicker(q.Scale)
	in := contract.LLMInput{VM: q.VM, Precision: weights, Prices: prices, Source: load.Source, Remarks: load.Notes}
	in.Question = batching.Question{
		Requests: load.Requests, Of: of, Limits: batching.Limits{TTFTS: q.TTFTS, TPOTS: q.TPOTS, Share: q.Share}}
	if q.APIInput > 0 && q.APIOutput > 0 {
		in.API = &batching.Prices{Input: q.APIInput, Output: q.APIOutput}
	}
	if load.Drawn {
		in.Seed = new(uint64(drawnBy))
	}
	var err error
	if in.Answer, err = in.Simulate(); err == nil {
		in.Curve, err = in.Question.Curve(in.Answer)
	}
	if err != nil {
		a.Why = figure.Why(err)
		return a
	}
	return a.described(in)
}

// described is the answer with the words and numbers of what was simulated.
func (a *TokenAnswer) described(in contract.LLMInput) *TokenAnswer {
	a.input, a.Described, a.OfMost = in, contract.NewLLM(in), in.Curve.OfMost
	return a
}

// intervals is the answer with intervals.
func (a *TokenAnswer) intervals(ctx context.Context) (*TokenAnswer, error) {
	in := a.input
	var err error
	if in.Answer, err = in.Intervals(ctx, in.Answer); err == nil {
		in.Curve, err = in.Curve.Intervals(ctx, in.Question)
	}
	if err != nil {
		return nil, err
	}
	out := *a
	return out.described(in), nil
}

// withIntervals adds intervals to an answer.
func withIntervals(a *TokenAnswer) ask.Work[*TokenAnswer] {
	if a.Why != "" {
		return nil
	}
	return func(ctx context.Context) *TokenAnswer {
		full, err := a.intervals(ctx)
		if err != nil {
			return nil
		}
		return full
	}
}

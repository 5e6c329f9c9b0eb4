package contract

import (
	"math"
	"slices"

	"sweetspot/engine/batching"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// LLM is the JSON of traffic llm. Unknown is null.
type LLM struct {
	Head
	Query  LLMQuery  `json:"query"`
	Server LLMServer `json:"server"`
	Trace  LLMTrace  `json:"trace"`
	// Most is the most load of one replica within the limits; null where it keeps them at
	// no load.
	Most *LLMLoad `json:"most"`
	// MostPerSecond is that load with its interval.
	MostPerSecond Rate `json:"most_per_second"`
	// Loads are those of one replica around its most, or, where it keeps the limits at none,
	// around what it can compute; empty where all requests arrive at once.
	Loads []LLMLoad `json:"loads"`
	Load  LLMLoad   `json:"load"` // of the trace, on the replicas
	// Measured is what the requests of the trace got, where it is the log of a server; null elsewhere.
	Measured *LLMMeasured `json:"measured"`
	Keeps    bool         `json:"keeps"` // the replicas keep the limits
	Costs    []LLMCost    `json:"costs"` // by purchase option; empty without a price
	API      *LLMAPI      `json:"api"`   // the yardstick; null where no price is given
	Advice   []string     `json:"advice"`
}

// Rate is a number per second with its 90 % interval.
type Rate struct {
	Value *float64 `json:"value" yaml:"value"`
	Range `yaml:",inline"`
}

// LLMQuery is what was asked.
type LLMQuery struct {
	TTFTLimitS    float64 `json:"slo_ttft_s"` // limit on the time to the first token
	TPOTLimitS    float64 `json:"slo_tpot_s"` // limit on the mean time per further token
	MaxViolations float64 `json:"max_violations"`
	Replicas      *int    `json:"replicas"` // null: as few as keep the limits
	VM            *string `json:"vm"`
	Seed          *uint64 `json:"seed"` // of a synthetic load, and of lengths that a trace lacks
}

// LLMServer is a replica: its step times and settings.
type LLMServer struct {
	StepS        float64  `json:"step_s"`             // every step
	PromptS      float64  `json:"prompt_token_s"`     // more for each prompt token
	PairS        float64  `json:"prompt_pair_s"`      // more for each pair of a prompt token and one before it
	SequenceS    float64  `json:"sequence_s"`         // more for each sequence that decodes
	ContextS     float64  `json:"context_token_s"`    // more for each token in the cache of these
	RequestS     float64  `json:"request_s"`          // a request until it is queued, beside the steps
	BatchedS     float64  `json:"batched_step_s"`     // more for a step of more than one token
	MaskedS      float64  `json:"step_pair_s"`        // more for each pair of a token of the step and one of any sequence
	MaxSequences *int     `json:"max_sequences"`      // at once; null where nothing limits it
	TokenBudget  int      `json:"token_budget"`       // of a step
	CacheTokens  *int     `json:"cache_tokens"`       // null where nothing limits it
	FittedTo     *int     `json:"fitted_to_requests"` // null where the times are given
	Off          *float64 `json:"fit_off"`            // median relative error of a request's TPOT in the fit
	Basis        string   `json:"basis"`
	// From is another server that the times are of, made to meet the loads on this one; null for its own.
	From      *string `json:"times_of"`
	Precision *string `json:"precision"` // what it keeps its weights in; null where nobody said
}

// LLMTrace is the load.
type LLMTrace struct {
	Source    string   `json:"source"`
	PeriodS   float64  `json:"period_s"`
	Requests  int      `json:"requests"`
	PerSecond *float64 `json:"per_second"`
	Input     int64    `json:"input_tokens"`
	Output    int64    `json:"output_tokens"`
}

// LLMLoad is how replicas serve a load.
type LLMLoad struct {
	Replicas    int            `json:"replicas"`
	PerSecond   *float64       `json:"per_second"`         // requests, on average
	Within      float64        `json:"within"`             // share of the requests that keep both limits
	Goodput     *float64       `json:"goodput_per_second"` // requests that keep both limits
	TTFT        LLMPercentiles `json:"ttft"`               // time to first token
	TPOT        LLMPercentiles `json:"tpot"`               // time per output token, without the first
	ITL         LLMPercentiles `json:"itl"`                // between any two tokens
	Queue       LLMPercentiles `json:"queue"`              // until a request's first step
	Busy        float64        `json:"busy"`               // share of the time that replicas compute
	Preemptions int64          `json:"preemptions"`
	Rejected    int            `json:"rejected"` // requests that the cache has no room for
	MostRunning int            `json:"most_running"`
	MostCached  int            `json:"most_cached_tokens"`
}

// LLMMeasured is how a server served the requests of its log.
type LLMMeasured struct {
	Requests int            `json:"requests"` // whose first and last tokens are known
	Within   float64        `json:"within"`   // share of these that kept both limits
	Goodput  *float64       `json:"goodput_per_second"`
	TTFT     LLMPercentiles `json:"ttft"`
	TPOT     LLMPercentiles `json:"tpot"`
}

// newLLMMeasured describes a log; nil where it has no times.
func newLLMMeasured(log []batching.Observed, l batching.Limits, perSecond float64) *LLMMeasured {
	log = slices.DeleteFunc(slices.Clone(log), func(o batching.Observed) bool { return !o.Complete() })
	if len(log) == 0 {
		return nil
	}
	of, within := batching.LatenciesOf(log, nil), l.Within(log)
	return &LLMMeasured{len(log), within, known(perSecond * within), NewPercentiles(of.TTFT), NewPercentiles(of.TPOT)}
}

// LLMPercentiles are seconds.
type LLMPercentiles struct {
	P50 Latency `json:"p50"`
	P90 Latency `json:"p90"`
	P95 Latency `json:"p95"`
	P99 Latency `json:"p99"`
}

// Latency is a time with its interval, null where it has none.
type Latency struct {
	S *float64 `json:"s"`
	Range
}

// LLMCost is what the replicas cost in one way to buy them.
type LLMCost struct {
	Purchase   string   `json:"purchase"`
	USDPerHour float64  `json:"usd_per_hour"` // of one replica
	USD        float64  `json:"usd"`          // of the trace
	Monthly    float64  `json:"usd_per_month"`
	Input      *float64 `json:"usd_per_million_input_tokens"`
	Output     *float64 `json:"usd_per_million_output_tokens"`
	Token      *float64 `json:"usd_per_million_tokens"`
	// Full is usd_per_million_tokens of one replica at its most load.
	Full *float64 `json:"usd_per_million_tokens_at_most"`
}

// LLMAPI is an API with prices per token, as the user gave them.
type LLMAPI struct {
	Input     float64  `json:"usd_per_million_input_tokens"`
	Output    float64  `json:"usd_per_million_output_tokens"`
	USD       float64  `json:"usd"`                    // of the trace
	Token     *float64 `json:"usd_per_million_tokens"` // of the trace
	Monthly   *float64 `json:"usd_per_month"`          // of such load; null where all requests arrive at once
	BreakEven *float64 `json:"break_even_per_second"`  // requests from which one replica is cheaper
	Reached   *bool    `json:"break_even_reached"`     // one replica holds so many within the limits
}

// HourlyPrice is a price of one replica.
type HourlyPrice struct {
	Purchase   string
	USDPerHour float64
}

// HourlyPrices are the least of a VM type, by purchase option.
func HourlyPrices(set *profile.Set, vm string) (out []HourlyPrice) {
	for _, p := range profile.Purchases {
		if usd, ok := set.LeastPrice(vm, p); ok {
			out = append(out, HourlyPrice{string(p), usd})
		}
	}
	return out
}

// LLMInput is everything that is described.
type LLMInput struct {
	batching.Question
	Answer *batching.Answer
	Curve  *batching.Curve
	Prices []HourlyPrice    // the first one counts for the yardstick
	API    *batching.Prices // per million tokens
	VM     string
	// Precision is what the server keeps its weights in; "" where nobody said.
	Precision string
	Log       []batching.Observed // of these requests; nil where nobody has measured them
	Source    string
	Remarks   []string
	Seed      *uint64
}

// NewLLM describes how a server does.
func NewLLM(in LLMInput) LLM {
	a := in.Answer
	out := LLM{
		Head: NewHead("traffic llm"), Server: NewLLMServer(in.Of), Load: newLLMLoad(a.Load), Keeps: a.Keeps,
		Costs: []LLMCost{}, Advice: []string{}, Loads: []LLMLoad{},
		Query: LLMQuery{
			TTFTLimitS: in.Limits.TTFTS, TPOTLimitS: in.Limits.TPOTS, MaxViolations: math.Round(1e9*(1-in.Limits.Share)) / 1e9,
			Replicas: OrNull(in.Replicas), VM: OrNull(clean(in.VM)), Seed: in.Seed,
		},
		Trace: LLMTrace{
			Source: clean(in.Source), Requests: len(in.Requests), PerSecond: known(a.Load.PerSecond), Input: a.Load.Input,
			Output: a.Load.Output, PeriodS: in.Requests[len(in.Requests)-1].ArrivalS - in.Requests[0].ArrivalS,
		},
	}
	out.Server.Precision = OrNull(clean(in.Precision))
	out.Load.spread(a.TTFT, a.TPOT)
	out.Measured = newLLMMeasured(in.Log, in.Limits, a.Load.PerSecond)
	for i, l := range in.Curve.Loads {
		load := newLLMLoad(l)
		load.spread(in.Curve.TTFT[i], in.Curve.TPOT[i])
		out.Loads = append(out.Loads, load)
	}
	if a.Alone != nil {
		most := newLLMLoad(a.Alone)
		out.Most = &most
		out.MostPerSecond = Rate{Value: known(a.Most.Value), Range: rangeOf(a.Most)}
	}
	for _, n := range in.Remarks {
		out.Warnings = append(out.Warnings, clean(n))
	}
	out.addCosts(in)
	out.Advice = append(out.Advice, out.advise()...)
	return out
}

// NewLLMServer describes a server with its step times.
func NewLLMServer(f batching.Fitted) LLMServer {
	limited := func(n int) *int {
		if n == batching.Unlimited {
			return nil
		}
		return &n
	}
	s := LLMServer{
		StepS: f.StepS, PromptS: f.PromptS, PairS: f.PairS, SequenceS: f.SequenceS, ContextS: f.ContextS,
		RequestS: f.RequestS, BatchedS: f.BatchedS, MaskedS: f.MaskedS,
		MaxSequences: limited(f.MaxSequences), TokenBudget: f.TokenBudget, CacheTokens: limited(f.CacheTokens),
		Basis: estimate.Spec.String(),
	}
	if len(f.Draws) > 0 {
		s.FittedTo, s.Off, s.Basis = &f.Used, known(f.Off), estimate.Measured.String()
	}
	if f.From != "" {
		s.From, s.Basis = new(clean(f.From)), estimate.Transferred.String()
	}
	return s
}

// spread takes latencies with their intervals.
func (l *LLMLoad) spread(ttft, tpot batching.Spread) {
	for _, s := range []struct {
		to *LLMPercentiles
		of batching.Spread
	}{{&l.TTFT, ttft}, {&l.TPOT, tpot}} {
		s.to.P50, s.to.P95, s.to.P99 = newLatency(s.of.P50), newLatency(s.of.P95), newLatency(s.of.P99)
	}
}

func newLatency(e estimate.Estimate) Latency {
	if !e.Known() {
		return Latency{}
	}
	return Latency{&e.Value, rangeOf(e)}
}

// rangeOf is the interval of an estimate; one without width is none.
func rangeOf(e estimate.Estimate) Range {
	if !e.Known() {
		return Range{}
	}
	r := Range{Basis: new(e.Basis.String())}
	if e.High > e.Low {
		r.Low, r.High = &e.Low, &e.High
	}
	return r
}

// NewPercentiles describes percentiles without intervals.
func NewPercentiles(p batching.Percentiles) LLMPercentiles {
	one := func(v float64) Latency { return Latency{S: known(v)} }
	return LLMPercentiles{one(p.P50), one(p.P90), one(p.P95), one(p.P99)}
}

func newLLMLoad(l *batching.Load) LLMLoad {
	of := NewPercentiles
	out := LLMLoad{
		Replicas: l.Replicas, PerSecond: known(l.PerSecond), Within: l.Within, TTFT: of(l.Latencies.TTFT),
		TPOT: of(l.Latencies.TPOT), ITL: of(l.Latencies.ITL), Queue: of(l.Latencies.Queue), Preemptions: l.Preemptions,
		Rejected: l.Rejected, MostRunning: l.MostRunning, MostCached: l.MostCached,
	}
	out.Goodput = known(l.PerSecond * l.Within)
	if l.SpanS > 0 {
		out.Busy = (l.PromptS + l.DecodeS) / l.SpanS / float64(l.Replicas)
	}
	return out
}

func (out *LLM) addCosts(in LLMInput) {
	if !in.Answer.Keeps && in.Replicas == 0 {
		return // nothing that would be rented
	}
	million := func(v float64) *float64 { return known(1e6 * v) }
	for _, p := range in.Prices {
		c := in.Answer.Load.CostOf(p.USDPerHour)
		cost := LLMCost{
			Purchase: clean(p.Purchase), USDPerHour: p.USDPerHour, USD: c.USD,
			Monthly: p.USDPerHour * float64(in.Answer.Load.Replicas) * quantity.HoursPerMonth,
			Input:   known(c.PerMillion.Input), Output: known(c.PerMillion.Output), Token: million(c.PerToken),
		}
		if at := in.Answer.Alone; at != nil {
			cost.Full = million(at.CostOf(p.USDPerHour).PerToken)
		}
		out.Costs = append(out.Costs, cost)
	}
	if in.API == nil {
		return
	}
	usd := in.API.USD(in.Answer.Load.Input, in.Answer.Load.Output)
	out.API = &LLMAPI{Input: in.API.Input, Output: in.API.Output, USD: usd,
		Token:   million(usd / float64(out.Trace.Input+out.Trace.Output)),
		Monthly: known(usd / out.Trace.PeriodS * 3600 * quantity.HoursPerMonth)}
	if len(in.Prices) > 0 {
		even := in.Answer.Load.BreakEven(in.Prices[0].USDPerHour, *in.API)
		out.API.BreakEven = known(even)
		if out.MostPerSecond.Value != nil {
			reached := even <= *out.MostPerSecond.Value
			out.API.Reached = &reached
		}
	}
}

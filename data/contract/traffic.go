package contract

import (
	"cmp"
	"slices"

	"sweetspot/engine/serving"
)

// Traffic is the JSON of the traffic subcommand. Unknown is null.
type Traffic struct {
	Head
	Query   TrafficQuery    `json:"query"`
	Trace   TrafficTrace    `json:"trace"`
	Schemes []TrafficScheme `json:"schemes"`       // those asked for
	Pick    string          `json:"pick"`          // the cheapest that keeps the violations, else the one with the fewest
	Keeps   bool            `json:"keeps"`         // the pick keeps the violations
	Mixing  bool            `json:"mixing_pays"`   // functions beside VMs
	Monthly float64         `json:"usd_per_month"` // of the pick, 730 hours of such load
	// BreakEven is the rate in requests per second above which one VM is cheaper than
	// functions.
	BreakEven *float64          `json:"break_even_per_second"`
	Alone     TrafficScheme     `json:"functions_alone"` // without any VM, beside the schemes
	Function  []TrafficFunction `json:"function_memory"` // the sizes that could be taken
	Variants  []TrafficVariant  `json:"variants"`        // that serve within the limit; empty where none were asked for
	Advice    []string          `json:"advice"`          // sentences
	Savings   []TrafficSaving   `json:"savings"`         // what a looser limit would save
}

// TrafficQuery is what was asked.
type TrafficQuery struct {
	VM            *string  `json:"vm"` // null where only its price and its rate are given
	VMUSD         float64  `json:"vm_usd_per_hour"`
	VMRate        float64  `json:"vm_requests_per_second"` // that one VM serves
	VMQueries     float64  `json:"vm_queries_per_second"`  // Deprecated: vm_requests_per_second
	VMLatencyS    float64  `json:"vm_latency_s"`
	VMStartS      int      `json:"vm_startup_s"` // from ordering to serving
	FunctionGiB   float64  `json:"function_memory_gib"`
	FunctionGB    float64  `json:"function_memory_gb"` // Deprecated: function_memory_gib
	FunctionS     float64  `json:"function_s"`         // of a warm request
	ColdStartS    float64  `json:"cold_start_s"`       // of a new function
	ModelLoadS    float64  `json:"model_load_s"`       // of a new function
	Prewarmed     int      `json:"prewarmed"`          // functions that are kept warm
	Predictor     string   `json:"predictor"`          // of the load, for exascale
	StrictShare   float64  `json:"strict_share"`       // of the requests
	StrictLimitS  float64  `json:"slo_s"`              // limit of strict requests
	RelaxedLimitS float64  `json:"relaxed_slo_s"`      // limit of the others
	MinAccuracy   *float64 `json:"min_accuracy"`
	MaxCost       *float64 `json:"max_usd_per_million"`
	MaxViolations float64  `json:"max_violations"` // share that may be late
	Seed          *uint64  `json:"seed"`           // of a synthetic load
}

// TrafficTrace is the load.
type TrafficTrace struct {
	Source       string   `json:"source"` // where the requests are from
	PeriodS      int      `json:"period_s"`
	Seconds      int      `json:"seconds"` // Deprecated: period_s
	Requests     int      `json:"requests"`
	Peak         int      `json:"peak_per_second"` // requests
	PeakToMedian *float64 `json:"peak_to_median"`  // by the minute
}

// TrafficScheme is how a scheme does.
type TrafficScheme struct {
	Scheme           string              `json:"scheme"`
	CostUSD          float64             `json:"cost_usd"`
	VMUSD            float64             `json:"vm_usd"`
	FunctionUSD      float64             `json:"function_usd"`
	VMSeconds        int64               `json:"vm_seconds"`
	OverProvisioning *float64            `json:"over_provisioning"` // against reactive
	Violations       TrafficViolations   `json:"violations"`        // shares of the requests of each kind
	P50S             *float64            `json:"p50_s"`             // latency
	P99S             *float64            `json:"p99_s"`             // latency
	FunctionShare    float64             `json:"function_share"`    // of the requests
	MostVMs          int                 `json:"most_vms"`          // at once
	ColdStarts       int64               `json:"cold_starts"`       // of functions
	Warming          int64               `json:"warming_requests"`  // that only keep functions warm
	Requests         TrafficConservation `json:"requests"`          // where they were served
	Queries          TrafficConservation `json:"queries"`           // Deprecated: requests
}

// TrafficViolations are shares of the strict, of the relaxed and of all requests.
type TrafficViolations struct {
	Strict  *float64 `json:"strict"` // null where there is none
	Relaxed *float64 `json:"relaxed"`
	All     float64  `json:"all"`
}

// TrafficConservation counts every request once.
type TrafficConservation struct {
	OnVMs       int64 `json:"on_vms"`
	OnFunctions int64 `json:"on_functions"`
	Queued      int64 `json:"queued"` // still waiting at the end
}

// TrafficFunction is a memory size of the function.
type TrafficFunction struct {
	MemoryGiB     float64 `json:"memory_gib"`
	MemoryGB      float64 `json:"memory_gb"` // Deprecated: memory_gib
	Seconds       float64 `json:"s"`         // time of a warm request
	USDPerMillion float64 `json:"usd_per_million"`
	InTime        bool    `json:"in_time"`  // a warm request is within the strict limit
	Cheapest      bool    `json:"cheapest"` // of those in time
}

// TrafficVariant is a variant on a VM type at a batch size that serves within the limit.
type TrafficVariant struct {
	Name          string   `json:"name"`
	Accuracy      *float64 `json:"accuracy"`
	LatencyS      float64  `json:"latency_s"` // p99 of its batch
	Batch         int      `json:"batch_size"`
	PerSecond     float64  `json:"requests_per_second"` // of one VM
	Queries       float64  `json:"queries_per_second"`  // Deprecated: requests_per_second
	USDPerMillion float64  `json:"usd_per_million"`     // at the trace's mean rate, on whole VMs
	Frontier      bool     `json:"frontier"`            // none is as accurate and faster
	Chosen        bool     `json:"chosen"`              // it is served
}

// TrafficSaving is what a limit that gives way would save.
type TrafficSaving struct {
	Slack      string  `json:"slack"`   // latency or accuracy
	From       float64 `json:"from"`    // the limit: seconds or a fraction
	To         float64 `json:"to"`      // the limit that saves
	Variant    *string `json:"variant"` // null where it stays as it is
	SavesUSD   float64 `json:"saves_usd_per_month"`
	Violations float64 `json:"violations"` // share of late requests then
}

// TrafficInput is everything that is described.
type TrafficInput struct {
	serving.Procured
	Advice      serving.Advice
	Schemes     []serving.Scheme // to be listed; the advice is of all
	Source      string           // where the requests are from
	Remarks     []string         // about the trace and the settings, before the notes of what serves
	MinAccuracy *float64
	MaxCost     *float64 // of a million requests
	Seed        *uint64
}

// NewTraffic describes how the schemes do.
func NewTraffic(in TrafficInput) Traffic {
	q, a, s := &in.Question, &in.Advice, &in.Question.Settings
	t := Traffic{
		Head: NewHead("traffic"), Alone: newTrafficScheme(a.Alone),
		Pick: string(a.Outcomes[a.Pick].Scheme), Keeps: a.Keeps, Mixing: a.MixingPays, Monthly: a.MonthlyUSD,
		BreakEven: a.BreakEven, Schemes: []TrafficScheme{}, Function: []TrafficFunction{}, Variants: []TrafficVariant{},
		Advice: []string{}, Savings: []TrafficSaving{},
		Query: TrafficQuery{
			VM: OrNull(clean(in.VM)), VMUSD: s.VM.USDPerHour, VMRate: s.VM.RequestsPerSecond, VMQueries: s.VM.RequestsPerSecond,
			VMLatencyS:  s.VM.LatencyS,
			VMStartS:    s.VM.StartS,
			FunctionGiB: s.Function.MemoryGiB, FunctionGB: s.Function.MemoryGiB,
			FunctionS: s.Function.Seconds, ColdStartS: s.Function.ColdStartS,
			ModelLoadS:  s.Function.ModelLoadS,
			Prewarmed:   s.Function.Prewarmed,
			Predictor:   string(cmp.Or(s.Predictor, serving.Trend)),
			StrictShare: s.StrictShare, StrictLimitS: s.StrictLimitS, RelaxedLimitS: s.RelaxedLimitS,
			MinAccuracy: in.MinAccuracy, MaxCost: in.MaxCost, MaxViolations: q.MaxViolations, Seed: in.Seed,
		},
		Trace: TrafficTrace{Source: clean(in.Source), PeriodS: len(q.Trace), Seconds: len(q.Trace),
			Requests: q.Trace.Requests(), Peak: q.Trace.Peak(), PeakToMedian: a.PeakToMedian},
	}
	for _, n := range slices.Concat(in.Remarks, in.Notes) {
		t.Warnings = append(t.Warnings, clean(n))
	}
	for _, w := range a.Words {
		t.Advice = append(t.Advice, clean(w))
	}
	for _, o := range a.Outcomes {
		if slices.Contains(in.Schemes, o.Scheme) {
			t.Schemes = append(t.Schemes, newTrafficScheme(o))
		}
	}
	t.describeFunction(q)
	t.describeVariants(in)
	for _, x := range a.Savings {
		t.Savings = append(t.Savings, TrafficSaving{string(x.Slack), x.From, x.To, OrNull(clean(x.Variant)), x.SavesUSD,
			x.Violations})
	}
	return t
}

func newTrafficScheme(o serving.Outcome) TrafficScheme {
	strict, relaxed := o.ViolationShares()
	violations := TrafficViolations{&strict, &relaxed, o.ViolationShare()}
	if o.Requests.Strict == 0 {
		violations.Strict = nil
	}
	if o.Requests.Relaxed == 0 {
		violations.Relaxed = nil
	}
	served := TrafficConservation{o.OnVMs.Total(), o.OnFunctions.Total(), o.Queued.Total()}
	return TrafficScheme{
		Scheme: string(o.Scheme), CostUSD: o.USD, VMUSD: o.VMUSD, FunctionUSD: o.FunctionUSD, VMSeconds: o.VMSeconds,
		OverProvisioning: o.OverProvisioning,
		Violations:       violations, P50S: known(o.P50S), P99S: known(o.P99S), FunctionShare: o.FunctionShare(),
		MostVMs: o.MostVMs, ColdStarts: o.ColdStarts, Warming: o.Warming, Requests: served, Queries: served,
	}
}

// memoryStep is how many of the sizes are listed, every so many.
const memoryStep = 8

func (t *Traffic) describeFunction(q *serving.Question) {
	if q.Memory == nil {
		return
	}
	cheapest, any := q.Memory.Cheapest(q.Settings.StrictLimitS, q.Settings.Function.Prices)
	for i, c := range q.Memory.Choices(q.Settings.Function.Prices) {
		best := any && c.MemoryGiB == cheapest.MemoryGiB
		if i%memoryStep == 0 || best {
			t.Function = append(t.Function, TrafficFunction{c.MemoryGiB, c.MemoryGiB, c.Seconds, c.USDPerMillion,
				c.Seconds <= q.Settings.StrictLimitS, best})
		}
	}
}

func (t *Traffic) describeVariants(in TrafficInput) {
	pool := in.Question.Variants
	front := map[int]bool{}
	for _, i := range pool.Frontier() {
		front[i] = true
	}
	for i, v := range pool.List {
		of := in.Served[i]
		t.Variants = append(t.Variants, TrafficVariant{
			clean(v.Name), known(v.Accuracy), v.LatencyS, of.Batch, of.VM.RequestsPerSecond, of.VM.RequestsPerSecond,
			v.USDPerMillion, front[i],
			i == in.Question.Chosen,
		})
	}
}

package contract

import (
	"slices"

	"sweetspot/engine/serving"
)

// Traffic is the JSON of the traffic subcommand. Unknown is null.
type Traffic struct {
	Head
	Query   TrafficQuery    `json:"query"`
	Trace   TrafficTrace    `json:"trace"`
	Schemes []TrafficScheme `json:"schemes"`
	Pick    string          `json:"pick"`  // the cheapest that keeps the violations, else the one with the fewest
	Keeps   bool            `json:"keeps"` // it does
	Mixing  bool            `json:"mixing_pays"`
	Monthly float64         `json:"usd_per_month"` // of the pick, 730 hours of such load
	// BreakEven is the rate in queries per second above which one VM is cheaper than
	// functions.
	BreakEven *float64          `json:"break_even_per_second"`
	Alone     TrafficScheme     `json:"functions_alone"` // without any VM, beside the schemes
	Function  []TrafficFunction `json:"function_memory"` // the sizes that could be taken
	Variants  []TrafficVariant  `json:"variants"`        // that serve within the limit; empty where none were asked for
	Advice    []string          `json:"advice"`
	Savings   []TrafficSaving   `json:"savings"`
}

// TrafficQuery is what was asked.
type TrafficQuery struct {
	VM            string   `json:"vm"`
	VMUSD         float64  `json:"vm_usd_per_hour"`
	VMRate        float64  `json:"vm_queries_per_second"`
	VMLatencyS    float64  `json:"vm_latency_s"`
	VMStartS      int      `json:"vm_startup_s"`
	FunctionGB    float64  `json:"function_memory_gb"`
	FunctionS     float64  `json:"function_s"`
	ColdStartS    float64  `json:"cold_start_s"`
	ModelLoadS    float64  `json:"model_load_s"`
	StrictShare   float64  `json:"strict_share"`
	StrictLimitS  float64  `json:"slo_s"`
	RelaxedLimitS float64  `json:"relaxed_slo_s"`
	MinAccuracy   *float64 `json:"min_accuracy"`
	MaxCost       *float64 `json:"max_usd_per_million"`
	MaxViolations float64  `json:"max_violations"`
	Seed          *uint64  `json:"seed"` // of a made-up load
}

// TrafficTrace is the load.
type TrafficTrace struct {
	Source       string   `json:"source"`
	Seconds      int      `json:"seconds"`
	Requests     int      `json:"requests"`
	Peak         int      `json:"peak_per_second"`
	PeakToMedian *float64 `json:"peak_to_median"` // by the minute
}

// TrafficScheme is how a scheme does.
type TrafficScheme struct {
	Scheme           string              `json:"scheme"`
	CostUSD          float64             `json:"cost_usd"`
	VMUSD            float64             `json:"vm_usd"`
	FunctionUSD      float64             `json:"function_usd"`
	VMSeconds        int64               `json:"vm_seconds"`
	OverProvisioning *float64            `json:"over_provisioning"` // against reactive
	Violations       TrafficViolations   `json:"violations"`        // shares of the queries of each kind
	P50S             *float64            `json:"p50_s"`
	P99S             *float64            `json:"p99_s"`
	FunctionShare    float64             `json:"function_share"`
	MostVMs          int                 `json:"most_vms"`
	ColdStarts       int64               `json:"cold_starts"`
	Queries          TrafficConservation `json:"queries"`
}

// TrafficViolations are shares of the strict, of the relaxed and of all queries.
type TrafficViolations struct {
	Strict  *float64 `json:"strict"` // null where no query is
	Relaxed *float64 `json:"relaxed"`
	All     float64  `json:"all"`
}

// TrafficConservation counts every query once.
type TrafficConservation struct {
	OnVMs       int64 `json:"on_vms"`
	OnFunctions int64 `json:"on_functions"`
	Queued      int64 `json:"queued"` // still waiting at the end
}

// TrafficFunction is a memory size of the function.
type TrafficFunction struct {
	MemoryGB      float64 `json:"memory_gb"`
	Seconds       float64 `json:"s"`
	USDPerMillion float64 `json:"usd_per_million"`
	InTime        bool    `json:"in_time"`  // a warm query is within the strict limit
	Cheapest      bool    `json:"cheapest"` // of those in time
}

// TrafficVariant is a variant on a VM type at a batch size that serves within the limit.
type TrafficVariant struct {
	Name          string   `json:"name"`
	Accuracy      *float64 `json:"accuracy"`
	LatencyS      float64  `json:"latency_s"` // p99 of its batch
	Batch         int      `json:"batch_size"`
	PerSecond     float64  `json:"queries_per_second"` // of one VM
	USDPerMillion float64  `json:"usd_per_million"`    // at the trace's mean rate, on whole VMs
	Frontier      bool     `json:"frontier"`           // none is as accurate and faster
	Chosen        bool     `json:"chosen"`
}

// TrafficSaving is what a limit that gives way would save.
type TrafficSaving struct {
	Slack      string  `json:"slack"` // latency or accuracy
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Variant    string  `json:"variant"`
	SavesUSD   float64 `json:"saves_usd_per_month"`
	Violations float64 `json:"violations"`
}

// TrafficInput is everything that is described.
type TrafficInput struct {
	serving.Procured
	Advice      serving.Advice
	Schemes     []serving.Scheme // to be listed; the advice is of all
	Source      string           // where the requests are from
	Remarks     []string         // about the trace and the settings, before the notes of what serves
	MinAccuracy *float64
	MaxCost     *float64 // of a million queries
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
			VM: clean(in.VM), VMUSD: s.VM.USDPerHour, VMRate: s.VM.QueriesPerSecond, VMLatencyS: s.VM.LatencyS,
			VMStartS:   s.VM.StartS,
			FunctionGB: s.Function.MemoryGB, FunctionS: s.Function.Seconds, ColdStartS: s.Function.ColdStartS,
			ModelLoadS:  s.Function.ModelLoadS,
			StrictShare: s.StrictShare, StrictLimitS: s.StrictLimitS, RelaxedLimitS: s.RelaxedLimitS,
			MinAccuracy: in.MinAccuracy, MaxCost: in.MaxCost, MaxViolations: q.MaxViolations, Seed: in.Seed,
		},
		Trace: TrafficTrace{Source: clean(in.Source), Seconds: len(q.Trace), Requests: q.Trace.Requests(),
			Peak: q.Trace.Peak(), PeakToMedian: a.PeakToMedian},
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
		t.Savings = append(t.Savings, TrafficSaving{string(x.Slack), x.From, x.To, clean(x.Variant), x.SavesUSD,
			x.Violations})
	}
	return t
}

func newTrafficScheme(o serving.Outcome) TrafficScheme {
	strict, relaxed := o.ViolationShares()
	violations := TrafficViolations{&strict, &relaxed, o.ViolationShare()}
	if o.Queries.Strict == 0 {
		violations.Strict = nil
	}
	if o.Queries.Relaxed == 0 {
		violations.Relaxed = nil
	}
	return TrafficScheme{
		Scheme: string(o.Scheme), CostUSD: o.USD, VMUSD: o.VMUSD, FunctionUSD: o.FunctionUSD, VMSeconds: o.VMSeconds,
		OverProvisioning: o.OverProvisioning,
		Violations:       violations, P50S: known(o.P50S), P99S: known(o.P99S), FunctionShare: o.FunctionShare(),
		MostVMs: o.MostVMs, ColdStarts: o.ColdStarts, Queries: TrafficConservation{o.OnVMs.Total(), o.OnFunctions.Total(),
			o.Queued.Total()},
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
		best := any && c.MemoryGB == cheapest.MemoryGB
		if i%memoryStep == 0 || best {
			t.Function = append(t.Function, TrafficFunction{c.MemoryGB, c.Seconds, c.USDPerMillion,
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
			clean(v.Name), known(v.Accuracy), v.LatencyS, of.Batch, of.VM.QueriesPerSecond, v.USDPerMillion, front[i],
			i == in.Question.Chosen,
		})
	}
}

package contract

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"sweetspot/engine/estimate"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// Mix is the JSON of traffic mix. Unknown is null.
type Mix struct {
	Head
	Query   MixQuery        `json:"query"`
	Trace   TrafficTrace    `json:"trace"`
	Kinds   []MixKind       `json:"queries"`       // by kind
	Schemes []TrafficScheme `json:"schemes"`       // sums over all kinds; latencies are those of the kinds
	Pick    string          `json:"pick"`          // the cheapest that keeps the violations, else the one with the fewest
	Keeps   bool            `json:"keeps"`         // the pick keeps the violations
	Monthly float64         `json:"usd_per_month"` // of the pick, 730 hours of such load
	// Naive is the cost of the pick where each kind gets the most accurate model within its
	// limits, whatever it costs, and Saves the share of it that the choice by cost spares.
	Naive *float64 `json:"naive_usd"`
	Saves *float64 `json:"saves_over_naive"`
	// What the pick makes of this load: its cost, the share of the requests that are answered within
	// their limit, and their mean accuracy, null where it is unknown or of several metrics.
	USD      Number   `json:"usd"`
	InTime   Number   `json:"in_time"`
	Accuracy *float64 `json:"accuracy"`
	Metric   *string  `json:"metric"` // of the accuracy
	Advice   []string `json:"advice"`
}

// Number is a value with its 90 % interval.
type Number struct {
	Value *float64 `json:"value"`
	Range
}

func newNumber(e estimate.Estimate) Number {
	if !e.Known() {
		return Number{}
	}
	return Number{known(e.Value), rangeOf(e)}
}

// What the time of a function rests on.
const (
	FunctionMeasured = "measured"
	FunctionGiven    = "given"
	FunctionAssumed  = "assumed"
)

// MixQuery is what all kinds share.
type MixQuery struct {
	StrictShare   float64 `json:"strict_share"`  // of the requests
	RelaxedLimitS float64 `json:"relaxed_slo_s"` // limit of those that are not strict
	VMStartS      int     `json:"vm_startup_s"`
	ColdStartS    float64 `json:"cold_start_s"`
	ModelLoadS    float64 `json:"model_load_s"`
	MaxViolations float64 `json:"max_violations"`
	Seed          *uint64 `json:"seed"` // of a synthetic load
}

// MixKind is requests of one kind and what serves them.
type MixKind struct {
	Name        string   `json:"name"`
	Models      []string `json:"models"` // to choose from
	Share       float64  `json:"share"`
	Requests    int      `json:"requests"`
	LimitS      float64  `json:"slo_s"`
	MinAccuracy *float64 `json:"min_accuracy"`
	MaxCost     *float64 `json:"max_usd_per_million"`
	Serves      string   `json:"serves"` // variant and VM type
	Batch       int      `json:"batch_size"`
	Accuracy    *float64 `json:"accuracy"`
	VMRate      float64  `json:"vm_requests_per_second"`
	VMLatencyS  float64  `json:"vm_latency_s"`
	VMUSD       float64  `json:"vm_usd_per_hour"`
	FunctionGiB float64  `json:"function_memory_gib"`
	FunctionS   float64  `json:"function_s"`
	// What function_s rests on: measured (times that it is fitted to), given, or assumed, the usual time.
	FunctionFrom string   `json:"function_from"`
	AccuracyOf   Range    `json:"accuracy_range"`  // interval of the accuracy
	Metric       *string  `json:"metric"`          // of the accuracy; null where it has none
	OwnUSD       Number   `json:"own_usd"`         // its part of cost_usd, by its requests
	PerMillion   *float64 `json:"usd_per_million"` // of its requests
	InTime       Number   `json:"in_time"`         // share of its requests within their limit
	SharesWith   []string `json:"shares_vms_with"` // other kinds
	// What the pick makes of all kinds that share these VMs.
	CostUSD    float64           `json:"cost_usd"`
	Violations TrafficViolations `json:"violations"`
	P50S       *float64          `json:"p50_s"`
	P99S       *float64          `json:"p99_s"`
}

// MixInput is everything that is described.
type MixInput struct {
	Mix     serving.Mix
	Answer  *serving.MixAnswer
	Source  string
	Remarks []string
	Seed    *uint64
}

// NewMix describes how a mix is served.
func NewMix(in MixInput) Mix {
	a, s := in.Answer, &in.Mix.Settings
	m := Mix{Head: NewHead("traffic mix"), Kinds: []MixKind{}, Schemes: []TrafficScheme{}, Advice: []string{},
		Pick: string(a.Outcomes[a.Pick].Scheme), Keeps: a.Keeps, Monthly: a.MonthlyUSD,
		Query: MixQuery{StrictShare: s.StrictShare, RelaxedLimitS: s.RelaxedLimitS, VMStartS: s.VM.StartS,
			ColdStartS: s.Function.ColdStartS, ModelLoadS: s.Function.ModelLoadS, MaxViolations: in.Mix.MaxViolations,
			Seed: in.Seed}}
	all := in.Mix.Trace
	m.Trace = TrafficTrace{Source: clean(in.Source), PeriodS: len(all), Seconds: len(all), Requests: all.Requests(),
		Peak: all.Peak()}
	if ratio, ok := all.PeakToMedian(60); ok {
		m.Trace.PeakToMedian = &ratio
	}
	for _, o := range a.Outcomes {
		m.Schemes = append(m.Schemes, newTrafficScheme(o))
	}
	notes := append([]string{}, in.Remarks...)
	for i := range in.Mix.Kinds {
		m.Kinds = append(m.Kinds, newMixKind(in, i))
		for _, n := range a.Groups[a.Of[i]].Notes {
			notes = append(notes, "kind "+in.Mix.Kinds[i].Name+": "+n)
		}
	}
	m.USD, m.InTime = newNumber(a.USD), newNumber(a.Within)
	m.Accuracy, m.Metric = m.meanAccuracy()
	for _, n := range notes {
		m.Warnings = append(m.Warnings, clean(n))
	}
	m.Advice = append(m.Advice, fmt.Sprintf("%s: %s%s a month; %.2f %% of the requests violate their limit", m.Pick,
		quantity.Money(m.Monthly), m.USD.PlusMinus(m.USD.Value), 100*a.Outcomes[a.Pick].ViolationShare()))
	if usd := a.Outcomes[a.Pick].USD; a.Naive != nil && *a.Naive > 0 {
		m.Naive, m.Saves = a.Naive, new(1 - usd / *a.Naive)
		said := fmt.Sprintf("the most accurate model within the limits of each kind would cost %s in place of %s for this "+
			"load: choosing by cost saves %s", quantity.Money(*a.Naive), quantity.Money(usd), quantity.Percent(*m.Saves))
		if *m.Saves < leastSaved {
			said = "the most accurate model within the limits of each kind costs no more"
		}
		m.Advice = append(m.Advice, said)
	}
	return m
}

// leastSaved is the least share of a cost that counts as saved.
const leastSaved = 0.0005

// meanAccuracy is that of all requests, where their models' accuracies are known and of one metric.
func (m *Mix) meanAccuracy() (mean *float64, metric *string) {
	sum, of := 0.0, 0.0
	for _, k := range m.Kinds {
		if k.Accuracy == nil || Known(k.Metric) != Known(m.Kinds[0].Metric) {
			return nil, nil
		}
		sum, of = sum+*k.Accuracy*float64(k.Requests), of+float64(k.Requests)
	}
	return known(sum / of), m.Kinds[0].Metric
}

func newMixKind(in MixInput, i int) MixKind {
	w, g := in.Mix.Kinds[i], &in.Answer.Groups[in.Answer.Of[i]]
	k := MixKind{Name: clean(w.Name), Models: []string{}, Requests: in.Answer.Requests[i], LimitS: g.Settings.StrictLimitS,
		MinAccuracy: w.MinAccuracy, MaxCost: w.MaxUSDPerMillion, VMRate: g.Settings.VM.RequestsPerSecond,
		VMLatencyS: g.Settings.VM.LatencyS, VMUSD: g.Settings.VM.USDPerHour, FunctionGiB: g.Settings.Function.MemoryGiB,
		FunctionS: g.Settings.Function.Seconds, SharesWith: []string{}}
	for _, name := range w.Models {
		k.Models = append(k.Models, clean(name))
	}
	total := 0
	for _, n := range in.Answer.Requests {
		total += n
	}
	if total > 0 {
		k.Share = float64(k.Requests) / float64(total)
	}
	if o := g.Offer(); o != nil {
		k.Serves, k.Batch, k.Accuracy = clean(o.Name()), g.Served[g.Chosen].Batch, known(o.Accuracy)
		k.Metric, k.AccuracyOf = OrNull(clean(o.Metric)), rangeOf(o.AccuracyOf)
	}
	switch {
	case len(w.Measured) > 0:
		k.FunctionFrom = FunctionMeasured
	case w.Function != nil:
		k.FunctionFrom = FunctionGiven
	default:
		k.FunctionFrom = FunctionAssumed
	}
	for _, other := range g.Kinds {
		if other != i {
			k.SharesWith = append(k.SharesWith, clean(in.Mix.Kinds[other].Name))
		}
	}
	o := newTrafficScheme(g.Outcomes[in.Answer.Pick])
	k.CostUSD, k.Violations, k.P50S, k.P99S = o.CostUSD, o.Violations, o.P50S, o.P99S
	k.InTime = newNumber(g.Within)
	if n := g.Trace.Requests(); n > 0 {
		k.OwnUSD = newNumber(g.USD.Times(float64(k.Requests) / float64(n)))
		k.PerMillion = known(g.USD.Value / float64(n) * 1e6)
	}
	return k
}

// WriteMixCSV writes what serves each kind as CSV with a header. Columns are only added at
// the end.
func WriteMixCSV(w io.Writer, m Mix) error {
	rows := [][]string{{"name", "share", "requests", "slo_s", "min_accuracy", "max_usd_per_million", "serves",
		"batch_size", "accuracy", "vm_requests_per_second", "vm_latency_s", "function_s", "scheme",
		"cost_usd", "violations", "p99_s", "own_usd", "own_usd_low", "own_usd_high", "in_time", "basis"}}
	for _, k := range m.Kinds {
		basis := ""
		if b := k.OwnUSD.Basis; b != nil {
			basis = *b
		}
		rows = append(rows, []string{k.Name, number(&k.Share), strconv.Itoa(k.Requests), number(&k.LimitS),
			number(k.MinAccuracy), number(k.MaxCost), k.Serves, strconv.Itoa(k.Batch), number(k.Accuracy), number(&k.VMRate),
			number(&k.VMLatencyS), number(&k.FunctionS), m.Pick, number(&k.CostUSD), number(&k.Violations.All), number(k.P99S),
			number(k.OwnUSD.Value), number(k.OwnUSD.Low), number(k.OwnUSD.High), number(k.InTime.Value), basis})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

package serving

import (
	"fmt"
	"math"
	"sort"

	"sweetspot/engine/pareto"
)

// Variant is one way to answer a query: a model, or a modified version of it.
type Variant struct {
	Name          string
	Accuracy      float64 // in [0,1], or a loss; NaN where unknown
	LatencyS      float64 // seconds of one query; NaN where unknown
	USDPerMillion float64 // dollars of a million queries; NaN where unknown
}

// Variants is a pool of variants to choose from (study, figures 1 and 2).
type Variants struct {
	List          []Variant
	LowerIsBetter bool // of the accuracies: a loss or an error rate
}

// Limits are the constraints on a variant; nil is no limit.
type Limits struct {
	Accuracy      *float64 // at least; at most where lower is better
	LatencyS      *float64 // at most, seconds
	USDPerMillion *float64 // at most, dollars
}

// Objective is the objective in which a variant is to be the best.
type Objective string

// The objectives: the three parameters of section 3.1.
const (
	Accuracy Objective = "accuracy"
	Latency  Objective = "latency"
	Cost     Objective = "cost"
)

// Free returns the one objective that has no limit. It is an error unless exactly
// two have one.
func (l Limits) Free() (Objective, error) {
	switch a, t, c := l.Accuracy != nil, l.LatencyS != nil, l.USDPerMillion != nil; {
	case !a && t && c:
		return Accuracy, nil
	case a && !t && c:
		return Latency, nil
	case a && t && !c:
		return Cost, nil
	}
	return "", fmt.Errorf("two of accuracy, latency and cost must have a limit, so that the best in the third is meant")
}

// Within returns the indices of the variants within the limits, the best in the
// objective first, equal ones by the other two objectives and then by index. An
// unknown value is within no limit, and comes last where there is none.
func (v Variants) Within(l Limits, by Objective) []int {
	var kept []int
	for i := range v.List {
		if v.keeps(i, l) {
			kept = append(kept, i)
		}
	}
	order := []Objective{by}
	for _, o := range []Objective{Cost, Latency, Accuracy} {
		if o != by {
			order = append(order, o)
		}
	}
	sort.SliceStable(kept, func(a, b int) bool {
		for _, o := range order {
			if x, y := v.key(kept[a], o), v.key(kept[b], o); x != y {
				return x < y
			}
		}
		return false
	})
	return kept
}

// Best is the first of Within, by the objective without a limit: any two given,
// best in the third (Observation 1). ok is false where no variant keeps the limits.
func (v Variants) Best(l Limits) (index int, ok bool, err error) {
	by, err := l.Free()
	if err != nil {
		return 0, false, err
	}
	if kept := v.Within(l, by); len(kept) > 0 {
		return kept[0], true, nil
	}
	return 0, false, nil
}

// IsoLatency returns the variants within a latency limit, most accurate first (figure 2a).
func (v Variants) IsoLatency(limitS float64) []int {
	return v.Within(Limits{LatencyS: &limitS}, Accuracy)
}

// IsoAccuracy returns the variants of at least this accuracy, fastest first (figure 2b).
func (v Variants) IsoAccuracy(least float64) []int {
	return v.Within(Limits{Accuracy: &least}, Latency)
}

// IsoCost returns the variants up to a cost, most accurate first.
func (v Variants) IsoCost(usdPerMillion float64) []int {
	return v.Within(Limits{USDPerMillion: &usdPerMillion}, Accuracy)
}

// Frontier returns the variants no other beats in accuracy without being
// slower, fastest first (figure 1).
func (v Variants) Frontier() []int {
	latency, accuracy := make([]float64, len(v.List)), make([]float64, len(v.List))
	for i, variant := range v.List {
		latency[i], accuracy[i] = variant.LatencyS, v.directed(variant.Accuracy)
	}
	return pareto.Frontier2D(latency, accuracy)
}

func (v Variants) keeps(i int, l Limits) bool {
	variant := v.List[i]
	return (l.Accuracy == nil || v.directed(variant.Accuracy) <= v.directed(*l.Accuracy)) &&
		(l.LatencyS == nil || variant.LatencyS <= *l.LatencyS) &&
		(l.USDPerMillion == nil || variant.USDPerMillion <= *l.USDPerMillion)
}

// directed turns an accuracy so that smaller is better.
func (v Variants) directed(accuracy float64) float64 {
	if v.LowerIsBetter {
		return accuracy
	}
	return -accuracy
}

// key is smaller for better variants; unknown is worst.
func (v Variants) key(i int, o Objective) float64 {
	variant := v.List[i]
	k := variant.USDPerMillion
	switch o {
	case Accuracy:
		k = v.directed(variant.Accuracy)
	case Latency:
		k = variant.LatencyS
	}
	if math.IsNaN(k) {
		return math.Inf(1)
	}
	return k
}

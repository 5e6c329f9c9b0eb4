// Package question is what is asked of a ranking: the workload, the filters on
// its candidates, the limits, and the order.
package question

import (
	"fmt"
	"strconv"
	"strings"
)

// Constraint names a limit, in flags, JSON and on sliders.
type Constraint string

// The constraints of a ranking.
const (
	Accuracy  Constraint = "accuracy"
	Time      Constraint = "time"
	Cost      Constraint = "cost"
	GPUMemory Constraint = "gpu_memory"
)

var Constraints = [...]Constraint{Accuracy, Time, Cost, GPUMemory}

// Sort is the order of a ranking; ties go by time, then cost.
type Sort string

// The orders.
const (
	ByTime  Sort = "time"
	ByCost  Sort = "cost"
	ByScore Sort = "score"
	ByTAR   Sort = "tar"
	ByCAR   Sort = "car"
)

// ParseSort reads a --sort flag.
func ParseSort(s string) (Sort, error) {
	switch Sort(s) {
	case ByTime, ByCost, ByScore, ByTAR, ByCAR:
		return Sort(s), nil
	}
	return "", fmt.Errorf("sort %q is none of time, cost, score, tar, car", s)
}

// Weights of the score's objectives; only their ratio matters.
type Weights struct{ Time, Cost float64 }

// Limits are the constraints the user sets. Nil is no limit.
type Limits struct {
	MinAccuracy *float64 // at least this good, in the metric's own direction
	MaxTime     *float64 // seconds
	MaxCost     *float64 // US dollars
}

// Equal reports whether both are the same limits.
func (l Limits) Equal(m Limits) bool {
	equal := func(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }
	return equal(l.MinAccuracy, m.MinAccuracy) && equal(l.MaxTime, m.MaxTime) && equal(l.MaxCost, m.MaxCost)
}

// Query is a workload with limits and an order.
type Query struct {
	Workload
	Limits
	Weights Weights
	Sort    Sort
}

// ParseWeights reads time=1,cost=2; empty means equal weights.
func ParseWeights(s string) (Weights, error) {
	w := Weights{Time: 1, Cost: 1}
	if s == "" {
		return w, nil
	}
	w = Weights{}
	for _, part := range strings.Split(s, ",") {
		name, text, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(v >= 0) || v > 1e9 {
			return w, fmt.Errorf("%q is not a weight: write time=1,cost=2", part)
		}
		switch strings.TrimSpace(name) {
		case "time":
			w.Time = v
		case "cost":
			w.Cost = v
		default:
			return w, fmt.Errorf("%q is neither time nor cost", name)
		}
	}
	if w == (Weights{}) {
		return w, fmt.Errorf("one of the weights must be above zero")
	}
	return w, nil
}

// Package question is what is asked of a ranking: the workload, the filters on
// its candidates, the limits, and the order.
package question

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/bill"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// Constraint names what rules a candidate out: a limit on an objective, or the
// memory of a GPU.
type Constraint = objective.Name

// GPUMemory is the constraint that nobody sets.
const GPUMemory Constraint = "gpu_memory"

// Constraints lists them all.
func Constraints() (all []Constraint) {
	for _, o := range objective.All() {
		all = append(all, o.Name)
	}
	return append(all, GPUMemory)
}

// Sort is the order of a ranking: by an objective, by the score, or by an
// objective's value for each unit of accuracy. Ties go by time, then cost.
type Sort string

// The orders.
const (
	ByTime  = Sort(objective.Time)
	ByCost  = Sort(objective.Cost)
	ByScore = Sort("score")
	ByTAR   = Sort("tar")
	ByCAR   = Sort("car")
)

// strict begins the name of an order by an objective in which nothing ties.
const strict = "strict-"

// Strict is the order by the same objective in which nothing ties: strict-cost.
func (s Sort) Strict() Sort { return strict + s }

// Loose is the order by the same objective in which near-equal values tie.
func (s Sort) Loose() Sort { return Sort(strings.TrimPrefix(string(s), strict)) }

// TiesIn is the objective in which candidates may tie; ok is false where none may.
func (s Sort) TiesIn() (o objective.Name, ok bool) {
	o = objective.Name(s)
	return o, objective.All().Minimized().Has(o)
}

// Sorts lists the orders but for the strict ones.
func Sorts() (all []Sort) {
	minimized := objective.All().Minimized()
	for _, o := range minimized {
		all = append(all, Sort(o.Name))
	}
	all = append(all, ByScore)
	for _, o := range minimized {
		if o.PerAccuracy != "" {
			all = append(all, Sort(o.PerAccuracy))
		}
	}
	return all
}

// SortWords lists the orders for people: time, cost or score.
func SortWords() string {
	all := words(Sorts())
	last := strings.LastIndex(all, ", ")
	return all[:last] + " or" + all[last+1:]
}

// Objective is what the order goes by, be it for each unit of accuracy. Of the
// score it is the cost.
func (s Sort) Objective() (o objective.Name, perAccuracy bool) {
	switch s {
	case ByTAR:
		return objective.Time, true
	case ByCAR:
		return objective.Cost, true
	case ByScore, "":
		return objective.Cost, false
	}
	return objective.Name(s.Loose()), false
}

// Label is the order as people write it: cost, TAR.
func (s Sort) Label() string {
	if s == ByTAR || s == ByCAR {
		return strings.ToUpper(string(s))
	}
	return string(s)
}

// ParseSort reads a --sort flag.
func ParseSort(s string) (Sort, error) {
	by := Sort(strings.ToLower(s))
	_, ties := by.Loose().TiesIn()
	if slices.Contains(Sorts(), by) || ties {
		return by, nil
	}
	return "", fmt.Errorf("%q is not one of %s", s, words(Sorts()))
}

// words joins names: time, cost.
func words[T ~string](names []T) string {
	out := make([]string, len(names))
	for k, n := range names {
		out[k] = string(n)
	}
	return strings.Join(out, ", ")
}

// Weights of the score's objectives; only their ratio matters.
type Weights map[objective.Name]float64

// DefaultWeights are those of the objectives themselves.
func DefaultWeights() Weights {
	w := Weights{}
	for _, o := range objective.All() {
		if o.Weight > 0 {
			w[o.Name] = o.Weight
		}
	}
	return w
}

// OrDefault is the weights, or where there is none the default ones.
func (w Weights) OrDefault() Weights {
	for _, v := range w {
		if v > 0 {
			return w
		}
	}
	return DefaultWeights()
}

// ParseWeights reads time=1,cost=2; empty means the default weights.
func ParseWeights(s string) (Weights, error) {
	if s == "" {
		return DefaultWeights(), nil
	}
	w, sum := Weights{}, 0.0
	minimized := objective.All().Minimized()
	for _, part := range strings.Split(s, ",") {
		name, text, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(v >= 0) || v > 1e9 {
			return w, fmt.Errorf("%q is not a weight: write time=1,cost=2", part)
		}
		o := objective.Name(strings.TrimSpace(name))
		if !minimized.Has(o) {
			return w, fmt.Errorf("%q is not one of %s", name, minimized.Words())
		}
		w[o] = v
	}
	for _, v := range w {
		sum += v
	}
	if sum == 0 {
		return w, fmt.Errorf("one of the weights must be above zero")
	}
	return w, nil
}

// Limits are the constraints that the user sets, each in its objective's unit and
// direction: at least so accurate, at most so much of everything else. What is not
// there has no limit. Nobody changes one that is in use: see [Limits.With].
type Limits map[objective.Name]float64

// Get is the limit on an objective; nil is none.
func (l Limits) Get(o objective.Name) *float64 {
	if v, ok := l[o]; ok {
		return &v
	}
	return nil
}

// With is the limits with another one on an objective; nil takes it away.
func (l Limits) With(o objective.Name, limit *float64) Limits {
	out := maps.Clone(l)
	if out == nil {
		out = Limits{}
	}
	if limit == nil {
		if delete(out, o); len(out) == 0 {
			return nil
		}
	} else {
		out[o] = *limit
	}
	return out
}

// Only is the limits on some objectives alone.
func (l Limits) Only(names ...objective.Name) Limits {
	out := Limits{}
	for o, v := range l {
		if slices.Contains(names, o) {
			out[o] = v
		}
	}
	return out
}

// Query is a workload with limits and an order.
type Query struct {
	Workload
	Limits  Limits
	Weights Weights
	Sort    Sort
}

// Workload is what is to be done, and among which candidates to look.
type Workload struct {
	Model          string
	Mode           profile.Mode
	Unit           string   // what one unit of work is, for words: image
	Epochs         *float64 // training; nil: as many as the source of each run needed, see [Workload.Whole]
	TargetAccuracy *float64 // training; epochs follow from the measured validations
	TrainSize      *float64 // training: units in the training set; nil: as many as each run has
	TargetLoss     *float64 // of a language model's training: tokens follow from those that others took
	Steps          *float64 // training: so many iterations, whatever the batch size, in place of epochs
	Counted        Counted  // training: how its script counts, see [Workload.Whole]
	Units          float64  // inference: how many units W; of a language model's training: tokens
	// Tuning is how a language model is trained, whose architecture alone is known; nil is any
	// other work.
	Tuning *transformer.Tuning
	// Lengths are those of the requests in a language model's inference, whose architecture alone is
	// known; units are then tokens, read and written.
	Lengths  *transformer.Lengths
	Purchase profile.Purchase
	MaxCount int       // most VMs of one type in inference
	Bill     bill.Bill // what is paid in addition to the work
	// Combine adds, in inference, the exact frontier over combinations of VM types.
	Combine bool

	// Predicted asks also for what was not probed.
	Predicted bool

	// Filters, see [Filters]; empty keeps everything.
	BatchSizes []int
	Variants   []string
	Clouds     []string
	GPUs       []string
	// Words keep the candidates whose names hold all of them.
	Words string
	// Metric is that in which accuracies are compared; "" is that of the most variants.
	Metric string
}

// Counted is how the script of a training counts its work: in steps of a batch size, or, where
// it is zero, in epochs. Steps of the user's newest run are the word for an amount of units;
// at another batch size as many units are other steps.
type Counted struct {
	StepsPerEpoch float64
	Batch         int // units in a step; 0 where that is not known
}

// InSteps reports whether the script counts steps.
func (c Counted) InSteps() bool { return c.StepsPerEpoch > 0 }

// SaysLength reports whether it is said how long to train.
func (w Workload) SaysLength() bool {
	return w.Epochs != nil || w.TargetAccuracy != nil || w.Steps != nil
}

// InLengthUnit is an amount of epochs in what the slider counts: epochs, or steps of [Counted].
func (w Workload) InLengthUnit(epochs float64) float64 {
	if w.Steps == nil && w.Counted.InSteps() {
		return epochs * w.Counted.StepsPerEpoch
	}
	return epochs
}

// LengthUnit is what the slider of a training's length counts: "epoch" or "step".
func (w Workload) LengthUnit() string {
	if w.Steps != nil || w.Counted.InSteps() {
		return "step"
	}
	return "epoch"
}

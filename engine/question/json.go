package question

import (
	"encoding/json"
	"errors"
	"fmt"

	"sweetspot/engine/bill"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// Default is the question that is asked where a user says nothing.
func Default() Query {
	return Query{
		Workload: Workload{Units: DefaultUnits, Purchase: profile.OnDemand, MaxCount: DefaultCount},
		Weights:  DefaultWeights(), Sort: ByCost,
	}
}

// What is asked where a user says nothing.
const (
	DefaultUnits  = 1e6 // of inference
	DefaultCount  = 4   // VMs of one type that inference is spread over, at most
	MostCount     = 1000
	DefaultEpochs = 10 // of a training of which no run says how many it takes
)

// Check says in a sentence why a question cannot be asked, and what to write
// instead; nil where it can.
func (q Query) Check() error {
	positive := func(v *float64) bool { return v == nil || *v > 0 }
	switch {
	case q.Model == "":
		return fmt.Errorf("no model is named")
	case q.Mode != profile.Train && q.Mode != profile.Infer:
		return fmt.Errorf("mode %q is neither train nor infer", q.Mode)
	case q.Mode == profile.Infer && (q.Epochs != nil || q.TargetAccuracy != nil):
		return fmt.Errorf("--epochs and --target-accuracy belong to training: use --units with --mode infer")
	case q.Mode == profile.Infer && q.Steps != nil:
		return fmt.Errorf("--steps belongs to training: use --units with --mode infer")
	case q.Steps != nil && (q.Epochs != nil || q.TargetAccuracy != nil):
		return fmt.Errorf("--steps, --epochs and --target-accuracy exclude each other: each says how long to train")
	case q.Epochs != nil && q.TargetAccuracy != nil:
		return fmt.Errorf("--epochs and --target-accuracy exclude each other: the target decides the epochs")
	case q.Mode == profile.Infer && q.TrainSize != nil:
		return fmt.Errorf("--train-size belongs to training: use --units with --mode infer")
	case !positive(q.Epochs) || !positive(q.TrainSize) || !positive(q.Steps) || !(q.Units >= 0):
		return fmt.Errorf("the work is not above zero")
	case q.MaxCount < 1 || q.MaxCount > MostCount:
		return fmt.Errorf("%d VMs of one type: give a number from 1 to %d", q.MaxCount, MostCount)
	}
	for o, v := range q.Limits {
		if !(v >= 0) {
			return fmt.Errorf("the limit on %s is below zero", o)
		}
	}
	for o, v := range q.Weights {
		if !(v >= 0) {
			return fmt.Errorf("the weight of %s is below zero", o)
		}
	}
	if _, err := ParseSort(string(q.Sort)); err != nil {
		return fmt.Errorf("the order %w", err)
	}
	if _, err := profile.ParsePurchase(string(q.Purchase)); err != nil {
		return err
	}
	if err := errors.Join(q.checkTuning(), q.checkLengths()); err != nil {
		return err
	}
	_, err := bill.Parse(q.Bill.String())
	return err
}

// Object is the JSON of the question with its fields in order. Limits on optional
// objectives and their weights stand there where they are set.
func (q Query) Object() objective.Each[any] {
	var out objective.Each[any]
	put := func(name string, v any) { out = append(out, objective.Value[any]{Name: name, Value: v}) }
	put("model", plaintext.Clean(q.Model)) // as the database names it
	put("mode", string(q.Mode))            // train or infer
	put("batch_sizes", append([]int{}, q.BatchSizes...))
	for _, f := range Filters()[1:] {
		values := []string{}
		for _, v := range f.Asked(&q.Workload) {
			values = append(values, plaintext.Clean(v))
		}
		put(f.Name, values)
	}
	var units *float64
	switch {
	case q.TargetLoss != nil: // which decides
	case q.Mode == profile.Infer || q.Tuning != nil:
		units = &q.Units
	case q.Epochs != nil && q.TrainSize != nil:
		units = new(*q.Epochs * *q.TrainSize)
	}
	put("epochs", q.Epochs)                  // of a training; null: as many as each source needed
	put("target_accuracy", q.TargetAccuracy) // that a training is to reach, a fraction
	put("units", units)                      // of an inference, or of all epochs of a training where known
	put("train_size", q.TrainSize)           // units in an epoch of a training; null: as many as each source had
	put("steps", q.Steps)                    // of a training, in place of epochs: as many at every batch size
	if q.TargetLoss != nil {
		put("target_loss", q.TargetLoss) // that a language model's training is to reach; left out of other work
	}
	if q.Tuning != nil {
		put("tuning", q.Tuning) // how a language model is trained, whose architecture is known; left out of other work
	}
	if q.Lengths != nil {
		put("lengths", q.Lengths) // of the requests to a language model, whose architecture is known; left out of other work
	}
	put("purchase", string(q.Purchase)) // on-demand, spot, reserved-1y or reserved-3y
	var weights objective.Each[float64]
	for _, o := range objective.All() {
		if limit := q.Limits.Get(o.Name); limit != nil || !o.Optional {
			put(o.Limit, limit)
		}
		if w := q.Weights[o.Name]; o.Name != objective.Accuracy && (w > 0 || !o.Optional) {
			weights = append(weights, objective.Value[float64]{Name: string(o.Name), Value: w})
		}
	}
	put("weights", weights)       // of the score, by objective
	put("sort", string(q.Sort))   // the order of the ranking
	put("predicted", q.Predicted) // predicted candidates are ranked too
	put("combined", q.Combine)    // combinations of VM types are ranked too
	var b any
	if !q.Bill.IsZero() {
		b = q.Bill
	}
	put("bill", b) // additional costs; null where nothing is stated
	if q.Metric != "" {
		put("metric", plaintext.Clean(q.Metric)) // that accuracies are compared in; left out where that of the most is
	}
	if q.Words != "" {
		put("words", plaintext.Clean(q.Words)) // that a candidate's name contains; left out without any
	}
	return out
}

// MarshalJSON writes the question.
func (q Query) MarshalJSON() ([]byte, error) { return q.Object().MarshalJSON() }

// MarshalYAML writes the question.
func (q Query) MarshalYAML() (any, error) { return q.Object().MarshalYAML() }

// UnmarshalJSON reads a question, which need not be one that can be asked.
func (q *Query) UnmarshalJSON(text []byte) error {
	var of struct {
		Model          string
		Mode           profile.Mode
		Epochs         *float64
		TargetAccuracy *float64 `json:"target_accuracy"`
		Units          *float64
		TrainSize      *float64 `json:"train_size"`
		Steps          *float64
		Purchase       profile.Purchase
		Weights        Weights
		Sort           Sort
		Predicted      bool
		Combined       bool
		Bill           *bill.Bill
		Words          string
		Metric         string
		Tuning         *transformer.Tuning
		TargetLoss     *float64 `json:"target_loss"`
		Lengths        *transformer.Lengths
	}
	all := map[string]any{}
	if err := errors.Join(json.Unmarshal(text, &of), json.Unmarshal(text, &all)); err != nil {
		return err
	}
	*q = Query{
		Workload: Workload{
			Model: of.Model, Mode: of.Mode, Epochs: of.Epochs, TargetAccuracy: of.TargetAccuracy, Purchase: of.Purchase,
			TrainSize: of.TrainSize, Steps: of.Steps,
			MaxCount: DefaultCount, Combine: of.Combined, Predicted: of.Predicted, Words: of.Words,
			Metric:     of.Metric,
			TargetLoss: of.TargetLoss, Tuning: of.Tuning, Lengths: of.Lengths,
		},
		Weights: of.Weights, Sort: of.Sort,
	}
	if of.Units != nil && (of.Mode == profile.Infer || of.Tuning != nil) {
		q.Units = *of.Units
	}
	if of.Bill != nil {
		q.Bill = *of.Bill
	}
	for _, f := range Filters() {
		var values []string
		list, _ := all[f.Name].([]any)
		for _, v := range list {
			values = append(values, fmt.Sprint(v))
		}
		if err := f.Ask(&q.Workload, values); err != nil {
			return err
		}
	}
	for _, o := range objective.All() {
		if v, limited := all[o.Limit].(float64); limited {
			q.Limits = q.Limits.With(o.Name, &v)
		}
	}
	return nil
}

package question_test

import (
	"fmt"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Which model and mode a user means follows from what there are runs of.
func ExampleResolve() {
	set := &profile.Set{Runs: []profile.Run{
		{Model: "resnet50", Mode: profile.Train, TotalS: new(3600.0)},
		{Model: "bert", Mode: profile.Infer, TotalS: new(60.0)},
	}}
	q, err := question.Resolve(set, "ResNet50", "")
	fmt.Println(q.Model, q.Mode, err)
	_, err = question.Resolve(set, "resnet50", profile.Infer)
	fmt.Println(err)
	// Output:
	// resnet50 train <nil>
	// resnet50 has no inference runs, only training runs
}

// Limits are values: each change makes another set of them.
func ExampleLimits_With() {
	budget := question.Limits{}.With(objective.Cost, new(100.0))
	both := budget.With(objective.Time, new(7200.0))
	fmt.Println(len(budget), len(both), *both.Get(objective.Time), both.Get(objective.Accuracy) == nil)
	// Output:
	// 1 2 7200 true
}

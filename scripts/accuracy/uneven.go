package main

import (
	"fmt"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/validate"
)

// further are harder questions than those of every database. Only unsteadiness that
// was fitted to the set itself is fitted again without the submitter asked about.
func further(set string) []validate.Question {
	questions := append(validate.Alone(set == "uneven"),
		validate.FamilyNeverProbed(profile.Train), validate.FamilyNeverProbed(profile.Infer))
	questions = append(questions, validate.GenerationNeverSeen(profile.Train), validate.GenerationNeverSeen(profile.Infer))
	questions = append(questions, validate.Power(profile.Train)...)
	if set == "mlperf" {
		questions = append(questions, validate.Later("total-later",
			"total from two epochs, rounds from v1.0 on by those before (at least 6, of 30 s or more)",
			func(r profile.Run) bool { return r.Variant.Name >= "v1.0" }))
	}
	return questions
}

// flagged tells of cases of which some were, and "" of others: how many, how many
// true values were flagged or inside, and how wide the interval of the rest is.
func flagged(cases []validate.Case) string {
	some, told := 0.0, 0.0
	for _, c := range cases {
		if c.Flagged {
			some++
		}
		if c.Flagged || (c.Predicted.Low <= c.Truth && c.Truth <= c.Predicted.High) {
			told++
		}
	}
	if some == 0 {
		return ""
	}
	rest := slices.DeleteFunc(slices.Clone(cases), func(c validate.Case) bool { return c.Flagged })
	n := float64(len(cases))
	return fmt.Sprintf(" %s flagged, %s flagged or inside; half-width of the rest %s", percent(some/n), percent(told/n),
		percent(validate.Summarise(rest).MedianHalfWidth))
}

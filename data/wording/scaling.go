package wording

import (
	"fmt"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/quantity"
)

// Scaling says how the step time and the efficiency of a training go with the number of
// GPUs, or of processes without; "" where only one number was run.
func Scaling(c *candidate.Candidate) string {
	if len(c.Scaling) == 0 {
		return ""
	}
	worker, vm := "process", c.Configuration[0].VM
	if vm.GPU != "" {
		worker = vm.GPU
	}
	var parts []string
	for i, s := range c.Scaling {
		words := fmt.Sprintf("%d %s", s.Workers, quantity.Duration(s.Step.Value))
		if s.Predicted {
			words += fmt.Sprintf(" (90 %%: %s … %s)", quantity.Duration(s.Step.Low), quantity.Duration(s.Step.High))
		}
		if i > 0 {
			words += ", " + quantity.Percent(s.Efficiency.Value)
		}
		if s.Predicted {
			words += fmt.Sprintf(" (%s … %s)", quantity.Percent(s.Efficiency.Low), quantity.Percent(s.Efficiency.High))
			if !c.Scaling[i-1].Predicted {
				words = "predicted: " + words
			}
		}
		parts = append(parts, words)
	}
	at := fmt.Sprintf("at batch %d", c.Scaling[0].Batch)
	if last := c.Scaling[len(c.Scaling)-1]; last.Batch != c.Scaling[0].Batch {
		at = fmt.Sprintf("at batch %g each", float64(last.Batch)/float64(last.Workers))
	}
	return fmt.Sprintf("step time and scaling efficiency by number of %s, %s: %s", worker, at, strings.Join(parts, " · "))
}

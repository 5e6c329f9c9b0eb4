package profile

import (
	"testing"

	"sweetspot/engine/estimate"
)

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		run  Run
		want bool
	}{
		"failed at once":         {Run{Status: Failed, InitS: new(1.0)}, false},
		"interrupted at once":    {Run{Status: Interrupted}, false},
		"out of memory":          {Run{Status: OutOfMemory}, true},
		"failed after some":      {Run{Status: Failed, FirstIterationS: new(1.0)}, true},
		"steady":                 {Run{Status: Done, Steady: estimate.Exact(1, estimate.Measured)}, true},
		"a total":                {Run{Status: Done, TotalS: new(1.0)}, true},
		"a start-up":             {Run{Status: Done, StartupS: new(1.0)}, true},
		"a load on a server":     {Run{Status: Done, Serving: &Serving{}}, true},
		"an accuracy of nowhere": {Run{Status: Done, Accuracy: &Accuracy{}}, true},
	} {
		if got := c.run.Answers(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

package frameworks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// A prediction of the whole, from a third of a script's steps, is to be this near for
// the median script, and to hold the truth for this share of them.
const (
	medianError = 0.10
	coverage    = 0.85
)

// report prints a line for each script, and checks the predictions of all together.
func report(t *testing.T, all []outcome) {
	slices.SortFunc(all, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.environment, b.environment), cmp.Compare(a.name, b.name))
	})
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "environment\tframework\tscript\tsteps\talone\twatched\ta step, of its own\tpredicted")
	var errors []float64
	inside := 0
	for _, o := range all {
		alone, step := "–", "–"
		if o.aloneS > 0 {
			alone = fmt.Sprintf("%.1f s", o.aloneS)
		}
		if o.step > 0 {
			step = fmt.Sprintf("%.3f", o.step)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%.1f s\t%s\t%v\n", o.environment,
			cmp.Or(o.framework, "PyTorch"), o.name, o.iterations, alone, o.watchedS, step,
			o.predicted)
		if o.predicted.S > 0 {
			errors = append(errors, math.Abs(o.predicted.S/o.aloneS-1))
			if o.predicted.Low <= o.aloneS && o.aloneS <= o.predicted.High {
				inside++
			}
		}
	}
	w.Flush()
	t.Log("\n" + text.String())
	if len(errors) == 0 {
		return
	}
	slices.Sort(errors)
	median, share := errors[len(errors)/2], float64(inside)/float64(len(errors))
	t.Logf("predictions of %d scripts: median error %.1f %%, %.0f %% inside their intervals", len(errors), 100*median,
		100*share)
	if median > medianError || share < coverage {
		t.Errorf("the goal is %.0f %% and %.0f %%", 100*medianError, 100*coverage)
	}
}

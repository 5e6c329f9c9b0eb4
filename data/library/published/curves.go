package published

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/reproduce"
)

// ReadCurves reads how accuracy falls as layers are pruned.
func ReadCurves(in io.Reader) ([]reproduce.Curve, error) {
	var curves []reproduce.Curve
	seen := map[string]bool{}
	err := eachRow(in, [][]string{curveColumns}, func(r row) error {
		c := reproduce.Curve{
			Network: r.text("network"), Dataset: r.text("dataset"), Layer: r.text("layer"),
			Removed: r.text("removed"), Metric: r.text("metric"), Source: r.text("source"),
		}
		for _, column := range curveColumns {
			if r.text(column) == "" {
				return r.wrong(column, "is empty")
			}
		}
		name := c.Network + "/" + c.Dataset + "/" + c.Layer
		if seen[name] {
			return r.wrong("layer", "repeats that of "+name)
		}
		seen[name] = true
		c.StepPercent = r.percent("step_percent", r.text("step_percent"))
		for _, text := range strings.Fields(r.text("percent")) {
			c.Percent = append(c.Percent, r.percent("percent", text))
		}
		if most := c.StepPercent * float64(len(c.Percent)-1); !(most > 0 && most <= 100) {
			r.keep(r.wrong("percent", fmt.Sprintf("%d accuracies in steps of %g %% don't lie between 0 and 100 %%",
				len(c.Percent), c.StepPercent)))
		}
		curves = append(curves, c)
		return r.failed()
	})
	return curves, err
}

// percent reads a number between 0 and 100.
func (r row) percent(column, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		r.keep(r.wrong(column, fmt.Sprintf("%s is not a number of percent", plaintext.Quote(text))))
	}
	return v
}

package report

import (
	"cmp"
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Accuracy is the result of the last validation with its 90 % interval: the
// sampling error over its units, or the interval that the source gave. If
// neither is known, low and high are null.
type Accuracy struct {
	Metric         string   `json:"metric"`
	Value          float64  `json:"value"`
	Low            *float64 `json:"low"`
	High           *float64 `json:"high"`
	Units          *float64 `json:"units"` // it was measured on
	HigherIsBetter bool     `json:"higher_is_better"`
}

func accuracy(r profile.Run) *Accuracy {
	a := r.Accuracy
	if a == nil {
		return nil
	}
	out := &Accuracy{Metric: a.Metric, Value: a.Value, HigherIsBetter: a.HigherIsBetter}
	if n := len(r.Validations); n > 0 {
		out.Units = r.Validations[n-1].Units
	}
	sigma := r.AccuracyStdDev()
	switch {
	case sigma == nil:
	case a.StdDev == nil:
		low, high := counted(a.Value, *out.Units)
		out.Low, out.High = &low, &high
	default:
		low, high := a.Value-estimate.Z90**sigma, a.Value+estimate.Z90**sigma
		if out.isFraction() {
			low, high = max(low, 0), min(high, 1)
		}
		out.Low, out.High = &low, &high
	}
	return out
}

// counted is the 90 % interval of a share measured on n units, Wilson's score
// interval (1927). It is not empty even if all or none of them are right.
func counted(share, n float64) (low, high float64) {
	const z2 = estimate.Z90 * estimate.Z90
	middle := (share + z2/(2*n)) / (1 + z2/n)
	half := estimate.Z90 / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}

// isFraction reports whether the value can be shown as a percentage; a loss cannot.
func (a Accuracy) isFraction() bool { return a.HigherIsBetter && 0 <= a.Value && a.Value <= 1 }

// words returns text such as "top1 87.6 % (90 %: 87.1 % … 88.1 %) over 10,000
// images".
func (a Accuracy) words(unit string) string {
	write := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	if a.isFraction() {
		write = quantity.Percent
	}
	text := a.Metric + " " + write(a.Value)
	if a.Low != nil && a.High != nil {
		text += fmt.Sprintf(" (90 %%: %s … %s)", write(*a.Low), write(*a.High))
	}
	if a.Units != nil {
		unit = cmp.Or(unit, "sample")
		text += fmt.Sprintf(" over %s %ss", quantity.Count(*a.Units), unit)
	}
	return text
}

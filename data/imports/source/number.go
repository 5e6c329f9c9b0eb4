package source

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Unknown reports whether a cell means that the value is unknown.
func Unknown(cell string) bool {
	if len(cell) > len("-infinity") || (cell != "" && cell[0] >= '0' && cell[0] <= '9') {
		return false
	}
	switch strings.ToLower(cell) {
	case "", "nan", "na", "n/a", "n.a.", "none", "null", "unknown", "-", "inf", "-inf", "+inf", "infinity", "-infinity":
		return true
	}
	return false
}

// Number reads a finite number; nil for an unknown value. ok is false for
// anything else.
func Number(cell string) (v *float64, ok bool) {
	if Unknown(cell) {
		return nil, true
	}
	x, ok := textfile.Decimal(cell)
	if !ok || math.Abs(x) > estimate.Largest {
		return nil, false
	}
	return &x, true
}

// Loose is a number of a JSON document that may be written as a number, as
// text, as a list with one number, or be missing.
type Loose struct{ V *float64 }

// UnmarshalJSON never fails: anything but a number is unknown.
func (l *Loose) UnmarshalJSON(text []byte) error {
	l.V = nil
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		s = strings.Trim(string(text), "[] \t\r\n")
	}
	if v, ok := Number(strings.TrimSpace(s)); ok {
		l.V = v
	}
	return nil
}

// Positive is the number if it is above 0, else unknown.
func (l Loose) Positive() *float64 {
	if l.V == nil || *l.V <= 0 {
		return nil
	}
	return l.V
}

// Amount is the number if it is above 0, else 0.
func (l Loose) Amount() float64 {
	if v := l.Positive(); v != nil {
		return *v
	}
	return 0
}

// Whole is the number if it is a count from 1 on, else 0.
func (l Loose) Whole() int {
	if v := l.Positive(); v != nil && *v == math.Trunc(*v) && *v <= math.MaxInt32 {
		return int(*v)
	}
	return 0
}

// Words is a text of a JSON document that may also be another value.
type Words string

// UnmarshalJSON never fails: other values become their JSON, null becomes empty.
func (w *Words) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil {
		*w = Words(Text(string(text)))
	} else if s != nil {
		*w = Words(Text(*s))
	}
	return nil
}

// Steady is the mean of iteration times with its interval: the t-interval if
// the spread is known, else the bare number.
func Steady(run *profile.Run, mean float64, stddev *float64, n int) {
	run.Steady = estimate.Exact(mean, run.Basis)
	if stddev == nil || n < 2 {
		return
	}
	run.SteadyStdDevS, run.SteadyN = stddev, n
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.95)
	run.Steady = estimate.Around(mean, t**stddev/math.Sqrt(float64(n)), run.Basis)
}

// lowerWords are parts of names of metrics where lower is better.
var lowerWords = []string{"loss", "error", "err", "wer", "cer", "perplexity", "ppl", "rmse", "mse", "mae", "mape",
	"fid", "fvd"}

// HigherIsBetter derives from a metric's name which direction is better.
func HigherIsBetter(metric string) bool { return !profile.HasWord(metric, lowerWords...) }

// metricRank orders metrics by how well they measure a model's quality: an
// accuracy before other scores before a loss. Lower is better, -1 means that it
// is not a quality metric.
func metricRank(metric string) int {
	switch whole := strings.ToLower(metric); { // epoch and step in a name often only say when something was logged
	case whole == "epoch", whole == "step", whole == "global_step", profile.HasWord(metric, "lr", "time", "runtime",
		"second", "seconds", "rate", "norm", "memory"):
		return -1
	case profile.HasWord(metric, "acc", "accuracy", "top1"):
		return 0
	case profile.IsFraction(metric):
		return 1
	case profile.HasWord(metric, "loss"):
		return 3
	}
	return 2
}

// BestMetric is the metric that says most of a model's quality; "" if none does.
func BestMetric(names []string) (best string) {
	for _, name := range names {
		rank := metricRank(name)
		if rank >= 0 && (best == "" || cmp.Or(cmp.Compare(rank, metricRank(best)), cmp.Compare(name, best)) < 0) {
			best = name
		}
	}
	return best
}

// Fractions converts a metric in percent to [0,1] if its name is that of a
// fraction and any value is above 1. It reports whether it did. Values outside
// [0,100] are not converted.
func Fractions(run *profile.Run) bool {
	most, least := 0.0, 0.0
	if run.Accuracy != nil {
		most = run.Accuracy.Value
	}
	for _, v := range run.Validations {
		if v.Value != nil {
			most, least = max(most, *v.Value), min(least, *v.Value)
		}
	}
	metric := ""
	if run.Accuracy != nil {
		metric = run.Accuracy.Metric
	} else if len(run.Validations) > 0 {
		metric = run.Validations[0].Metric
	}
	if !profile.IsFraction(metric) || most <= 1 || most > 100 || least < 0 {
		return false
	}
	if run.Accuracy != nil {
		run.Accuracy.Value /= 100
	}
	for i, v := range run.Validations {
		if v.Value != nil {
			run.Validations[i].Value = new(*v.Value / 100)
		}
	}
	return true
}

// LastAccuracy sets the run's accuracy to the last validation with a value.
func LastAccuracy(run *profile.Run) {
	for _, v := range slices.Backward(run.Validations) {
		if v.Value != nil {
			run.Accuracy = &profile.Accuracy{Metric: v.Metric, Value: *v.Value, HigherIsBetter: v.HigherIsBetter,
				Basis: run.Basis}
			return
		}
	}
}

// Between is the time in seconds from one moment to another, rounded to
// microseconds: more digits are noise.
func Between(from, to float64) float64 { return math.Round((to-from)*1e6) / 1e6 }

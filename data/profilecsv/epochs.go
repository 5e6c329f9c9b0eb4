package profilecsv

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// rising reads "3.2;232;462.5": numbers of at least 0, each above the one before.
func (r reader) rising(column string) []float64 {
	cell := r.Cell(column)
	if cell == "" {
		return nil
	}
	parts := strings.Split(cell, ";")
	values := make([]float64, 0, len(parts))
	for i, part := range parts {
		v, ok := textfile.Finite(part)
		if !ok || v < 0 || (i > 0 && v <= values[i-1]) {
			_ = r.Fail(column, "%s is not a number of seconds above the one before; write 3.2;232;462.5", plaintext.Quote(part))
			return nil
		}
		values = append(values, v)
	}
	return values
}

// evaluation is one item of the columns evaluations and validations: a time or
// an epoch, and the metric where it is known.
type evaluation struct {
	at    float64
	value *float64
}

// evaluations reads "462.4:0.31;925.1:".
func (r reader) evaluations(column, example string) []evaluation {
	cell := r.Cell(column)
	if cell == "" {
		return nil
	}
	parts := strings.Split(cell, ";")
	list := make([]evaluation, 0, len(parts))
	for _, part := range parts {
		first, second, colon := strings.Cut(part, ":")
		at, ok := textfile.Finite(first)
		e := evaluation{at: at}
		if second = strings.TrimSpace(second); second != "" {
			v, sound := textfile.Finite(second)
			e.value, ok = &v, ok && sound
		}
		if !ok || !colon || at < 0 {
			_ = r.Fail(column, "%s is not an evaluation; write %s", plaintext.Quote(part), example)
			return nil
		}
		list = append(list, e)
	}
	return list
}

// validations puts the columns evaluations and validations together.
func (r reader) validations(run profile.Run) []profile.Validation {
	timed := r.evaluations("evaluations", "462.4:0.31;925.1:0.44")
	placed := r.evaluations("validations", "1:0.31;3:0.44")
	switch {
	case timed == nil && placed == nil:
		return nil
	case r.boolean("higher_is_better") == nil && (r.Cell("metric") != "" || measured(timed) || measured(placed)):
		_ = r.Fail("higher_is_better", "is empty although there are evaluations; write true or false")
		return nil
	case placed == nil && run.EpochStartsS == nil:
		_ = r.Fail("evaluations", "without epoch_starts_s or validations their epochs are unknown; add one")
		return nil
	case timed != nil && placed != nil && len(timed) != len(placed):
		_ = r.Fail("validations", "lists %d evaluations and the column evaluations %d; they must match", len(placed),
			len(timed))
		return nil
	}
	// Without a metric and a value there is no better; nil reads as the zero value.
	metric, higher := r.Cell("metric"), r.boolean("higher_is_better")
	list := make([]profile.Validation, max(len(timed), len(placed)))
	for i := range list {
		list[i].Metric, list[i].HigherIsBetter = metric, higher != nil && *higher
		if timed != nil {
			list[i].AtS, list[i].Value = &timed[i].at, timed[i].value
			list[i].Epoch = max(0, run.EpochAt(timed[i].at))
		}
		if placed != nil {
			list[i].Epoch, list[i].Value = int(placed[i].at), placed[i].value
			if placed[i].at != math.Trunc(placed[i].at) || placed[i].at > math.MaxInt32 {
				_ = r.Fail("validations", "epoch %g is not a whole number up to %d", placed[i].at, math.MaxInt32)
			}
		}
	}
	return list
}

// measured reports whether any evaluation has a value.
func measured(list []evaluation) bool {
	return slices.ContainsFunc(list, func(e evaluation) bool { return e.value != nil })
}

// describeEvaluations writes the columns that [reader.validations] reads.
func describeEvaluations(run profile.Run, cells map[string]string) {
	cells["epoch_starts_s"] = plaintext.Join(run.EpochStartsS, ";", decimalCell)
	run.Validations = sameMetric(run)
	if len(run.Validations) == 0 {
		return
	}
	timed, follows := true, run.EpochStartsS != nil
	times, epochs := make([]string, len(run.Validations)), make([]string, len(run.Validations))
	for i, v := range run.Validations {
		epochs[i] = strconv.Itoa(v.Epoch) + ":" + optional(v.Value)
		if v.AtS == nil {
			timed = false
			continue
		}
		times[i] = decimalCell(*v.AtS) + ":" + optional(v.Value)
		follows = follows && v.Epoch == max(0, run.EpochAt(*v.AtS))
	}
	if timed {
		cells["evaluations"] = strings.Join(times, ";")
	}
	if !timed || !follows {
		cells["validations"] = strings.Join(epochs, ";")
	}
	first := run.Validations[0]
	hasValue := slices.ContainsFunc(run.Validations, func(v profile.Validation) bool { return v.Value != nil })
	if run.Accuracy == nil && (first.Metric != "" || hasValue) {
		cells["metric"] = first.Metric
		cells["higher_is_better"] = strconv.FormatBool(first.HigherIsBetter)
	}
}

// sameMetric drops evaluations of another metric than the run's accuracy, for
// which a row has no columns.
func sameMetric(run profile.Run) []profile.Validation {
	metric := ""
	switch {
	case run.Accuracy != nil:
		metric = run.Accuracy.Metric
	case len(run.Validations) > 0:
		metric = run.Validations[0].Metric
	}
	return slices.DeleteFunc(slices.Clone(run.Validations), func(v profile.Validation) bool { return v.Metric != metric })
}

// pauses reads "63:1.4:782:checkpoint;125.1:1.3::".
func (r reader) pauses(column string) []profile.Pause {
	cell := r.Cell(column)
	if cell == "" {
		return nil
	}
	parts := strings.Split(cell, ";")
	list := make([]profile.Pause, 0, len(parts))
	for _, part := range parts {
		p, ok := parsePause(part)
		if !ok {
			_ = r.Fail(column, "%s is not a pause; write end:seconds:iterations:kind, such as 63:1.4:782:checkpoint",
				plaintext.Quote(part))
			return nil
		}
		list = append(list, p)
	}
	return list
}

func parsePause(part string) (p profile.Pause, ok bool) {
	words := strings.SplitN(part, ":", 4)
	if len(words) != 4 {
		return p, false
	}
	at, sound := textfile.Finite(words[0])
	seconds, alsoSound := textfile.Finite(words[1])
	if !sound || !alsoSound || at < 0 || seconds < 0 {
		return p, false
	}
	p = profile.Pause{AtS: at, Seconds: seconds, Kind: strings.TrimSpace(unescape.Replace(words[3]))}
	if word := strings.TrimSpace(words[2]); word != "" {
		n, sound := textfile.Finite(word)
		if !sound || n < 0 || n != math.Trunc(n) || n > math.MaxInt32 {
			return p, false
		}
		p.Iterations = new(int(n))
	}
	return p, true
}

// Separators are escaped within a kind.
var (
	escape   = strings.NewReplacer("%", "%25", ";", "%3B")
	unescape = strings.NewReplacer("%25", "%", "%3B", ";")
)

// pausesCell writes what [reader.pauses] reads.
func pausesCell(pauses []profile.Pause) string {
	parts := make([]string, len(pauses))
	for i, p := range pauses {
		iterations := ""
		if p.Iterations != nil {
			iterations = strconv.Itoa(*p.Iterations)
		}
		parts[i] = decimalCell(p.AtS) + ":" + decimalCell(p.Seconds) + ":" + iterations + ":" + escape.Replace(p.Kind)
	}
	return strings.Join(parts, ";")
}

// Package wording puts rankings into words: the question, a candidate's VMs and
// variant, why nothing is feasible, and what a reader should know before relying
// on a result. Tables, screens, reports and the warnings in the JSON share it.
package wording

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// Headline says what was asked and how much of it is feasible.
func Headline(r *rank.Result) string {
	return plaintext.Clean(fmt.Sprintf("%s · by %s · %d of %d feasible · %s · 90 %% intervals",
		Workload(r.Query.Workload), r.Query.Sort.Label(), r.Count(), r.Space.Len(), r.Query.Purchase))
}

// Workload says in words what is to be done.
func Workload(w question.Workload) string {
	model := plaintext.Name(w.Model)
	switch {
	case w.Lengths != nil:
		return fmt.Sprintf("%s · read and write %s tokens, %s in and %s out a request", model, quantity.Count(w.Units),
			quantity.Count(float64(w.Lengths.Input)), quantity.Count(float64(w.Lengths.Output)))
	case w.Mode == profile.Infer:
		return fmt.Sprintf("%s · infer %s %ss", model, quantity.Count(w.Units), cmp.Or(w.Unit, "unit"))
	case w.TargetLoss != nil && w.Tuning != nil:
		return fmt.Sprintf("%s · train to a loss of %s, %s", model, quantity.Count(*w.TargetLoss), Tuning(*w.Tuning))
	case w.Tuning != nil:
		return fmt.Sprintf("%s · train on %s tokens, %s", model, quantity.Count(w.Units), Tuning(*w.Tuning))
	case w.Steps != nil:
		return fmt.Sprintf("%s · train %s at every batch size", model, quantity.Several(int(math.Round(*w.Steps)), "step"))
	case w.Epochs != nil && w.Counted.InSteps():
		return strings.TrimSpace(fmt.Sprintf("%s · train %s %s", model, length(w, *w.Epochs), OfBatch(w)))
	case w.Epochs != nil && w.TrainSize != nil:
		return fmt.Sprintf("%s · train %s epochs of %s %ss", model, quantity.Count(*w.Epochs),
			quantity.Count(*w.TrainSize), cmp.Or(w.Unit, "unit"))
	case w.Epochs != nil:
		return fmt.Sprintf("%s · train %s epochs", model, quantity.Count(*w.Epochs))
	case w.TargetAccuracy != nil:
		return fmt.Sprintf("%s · train to %s", model, quantity.Percent(*w.TargetAccuracy))
	default:
		return model + " · train as long as each source did"
	}
}

// length is an amount of epochs as the script counts: 12 epochs, or 10,000 steps.
func length(w question.Workload, epochs float64) string {
	return quantity.Count(math.Round(w.InLengthUnit(epochs))) + " " + w.LengthUnit() + "s"
}

// OfBatch says of which batch size a training counts its steps: of 64 images.
func OfBatch(w question.Workload) string {
	if w.Counted.Batch == 0 {
		return ""
	}
	return fmt.Sprintf("of %d %ss", w.Counted.Batch, cmp.Or(w.Unit, "unit"))
}

// VMs names a configuration: 2× g3.4xlarge.
func VMs(c *candidate.Candidate) string {
	return strings.Join(VMParts(c), " + ")
}

// VMParts names the parts of a configuration.
func VMParts(c *candidate.Candidate) []string {
	parts := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		parts[i] = fmt.Sprintf("%d× %s", p.Count, plaintext.Name(p.VM.InstanceType))
	}
	return parts
}

// ShortVMs names a configuration, in parts as 2× g3.4xlarge, where room is scarce:
// several as 2×g3.4xl+1×p2.xl.
func ShortVMs(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.NewReplacer("× ", "×", "xlarge", "xl").Replace(strings.Join(parts, "+"))
}

// VariantLabel names a variant with its precision.
func VariantLabel(v profile.Variant) string {
	name := v.Title()
	if v.Precision != "" && !strings.Contains(name, v.Precision) {
		name += " " + v.Precision
	}
	return plaintext.Name(name)
}

// Sources names the runs that an estimate rests on. Those of the built-in
// library have numbers below 0.
func Sources(ids []int64) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = fmt.Sprintf("run %d", id); id < 0 {
			names[i] = fmt.Sprintf("built-in library, run %d", -id)
		}
	}
	return strings.Join(names, "; ")
}

// MarkdownCell keeps text inside its cell of a Markdown table, and from being markup: a
// name is not a link, a picture or a tag.
func MarkdownCell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;", "`", "'", "[",
		"\\[", "]", "\\]").Replace(s)
}

// Either joins words as a sentence does: a, b or c.
func Either[S ~string](words []S) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// Limits says within which limits a query asks, of an accuracy that is better
// higher or lower.
func Limits(q question.Query, higherIsBetter bool) string {
	var parts []string
	for _, o := range objective.All().InMetric("", higherIsBetter) {
		if limit := q.Limits.Get(o.Name); limit != nil {
			parts = append(parts, fmt.Sprintf("%s %s %s", o.Name, o.Sign(), o.Write(*limit)))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// WhyNothing explains an empty ranking: the constraint that rules everything
// out, and how far it would have to give.
func WhyNothing(r *rank.Result) string {
	n := r.Space.Len()
	all := r.RulesOutAll()
	if len(all) == 0 {
		var parts []string
		for _, c := range question.Constraints() {
			if k := r.Because[c]; k > 0 {
				parts = append(parts, fmt.Sprintf("%s rules out %d", c, k))
			}
		}
		return fmt.Sprintf("no constraint alone, but together they rule out all %d candidates (%s); loosen one", n,
			strings.Join(parts, ", "))
	}
	return plaintext.Join(all, "; ", func(c question.Constraint) string {
		return fmt.Sprintf("%s rules out all %d candidates (%s)", c, n, nearest(r, c))
	})
}

// nearest says which value of a constraint would let the first candidate in.
func nearest(r *rank.Result, c question.Constraint) string {
	o, ok := r.Space.Objective(c)
	switch {
	case c == question.GPUMemory:
		return "none fits in the GPU's memory"
	case !ok:
		return fmt.Sprintf("no %s is known", c)
	}
	best := math.NaN()
	for _, v := range r.Space.Turned(c) {
		if math.IsNaN(best) || v < best {
			best = v
		}
	}
	if math.IsNaN(best) && c == objective.Accuracy {
		return "no accuracy is known"
	}
	return fmt.Sprintf("the %s %s %s", o.Best, o.Verb, o.Write(o.Turned(best)))
}

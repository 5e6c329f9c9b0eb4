package wording

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/memory"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/transformer"
)

// Tuning says how a language model is trained: LoRA rank 16, AdamW, sequences of 2,048.
func Tuning(t transformer.Tuning) string {
	names := map[transformer.Optimizer]string{transformer.AdamW: "AdamW", transformer.AdamW8bit: "8-bit AdamW",
		transformer.Adafactor: "Adafactor", transformer.SGD: "SGD"}
	words := []string{t.Words(), names[t.Optimizer], fmt.Sprintf("sequences of %s", quantity.Count(float64(t.Sequence)))}
	if len(t.Targets) > 0 {
		words[0] += " on " + plaintext.Clean(strings.Join(t.Targets, "+"))
	}
	if t.Weights == transformer.Half {
		words = append(words, "all in 16 bits")
	}
	return strings.Join(words, ", ")
}

// Memory says what a training takes of what a GPU has: 62 of 80 GiB, or more where it may
// take that; "" of other work.
func Memory(f *candidate.Fit) string {
	if f == nil {
		return ""
	}
	e := f.Need.Total
	return fmt.Sprintf("%.0f…%.0f of %.4g GiB", math.Floor(e.Low/memory.GiB), math.Ceil(e.High/memory.GiB), f.HasGiB)
}

// Unfit says what does not fit for certain, and what would; empty where all fits.
func Unfit(r *rank.Result) (notes []string) {
	may, not := 0, 0
	var nearest *candidate.Candidate
	changes := map[string]int{}
	for i := range r.Space.Len() {
		c := r.Space.At(i)
		if c.Fit == nil || c.Fit.Verdict == memory.Fits {
			continue
		}
		if c.Fit.Verdict == memory.MayFit {
			may++
		} else {
			not++
		}
		for _, words := range c.Fit.WouldFit {
			changes[kind(words)]++
		}
		if nearest == nil || over(c) < over(nearest) {
			nearest = c
		}
	}
	if nearest == nil {
		return nil
	}
	note := fmt.Sprintf("%s: %d may fit, %d do not; the nearest is %s, which may take %s of each GPU's %.4g GiB",
		quantity.Several(may+not, "VM type")+" left out for memory", may, not, VMs(nearest),
		fmt.Sprintf("%.1f", nearest.Fit.Need.Total.High/memory.GiB), nearest.Fit.HasGiB)
	notes = append(notes, note)
	if len(changes) > 0 {
		var words []string
		for w := range changes {
			words = append(words, w)
		}
		slices.SortFunc(words, func(a, b string) int {
			if changes[a] != changes[b] {
				return changes[b] - changes[a]
			}
			return strings.Compare(a, b)
		})
		for k, w := range words {
			words[k] = fmt.Sprintf("%s (%d of them)", w, changes[w])
		}
		notes = append(notes, "what would fit: "+strings.Join(words, ", "))
	}
	return notes
}

// kind is a change without its number, by which those of several VM types are counted.
func kind(change string) string {
	switch {
	case strings.HasPrefix(change, "sequences"):
		return "shorter sequences"
	case strings.Contains(change, "such GPUs"):
		return "more such GPUs with ZeRO-3 or FSDP"
	}
	return change
}

func over(c *candidate.Candidate) float64 { return c.Fit.Need.Total.High / memory.GiB / c.Fit.HasGiB }

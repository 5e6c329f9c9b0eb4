package wording

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/memory"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
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
	if t.Frozen32 {
		words[0] += " beside weights in 32 bits"
	}
	switch t.Weights {
	case transformer.Half:
		words = append(words, "all in 16 bits")
	case transformer.Single:
		words = append(words, "all in 32 bits")
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

// ToLoss says how many tokens a training takes to a loss, and on what that rests; there must be one.
func ToLoss(c *candidate.Candidate) string {
	e := c.ToLoss.Tokens
	count := func(v float64) string { return quantity.Count(math.Round(v)) }
	return fmt.Sprintf("%s tokens to the loss (90 %%: %s … %s): %s", count(e.Value), count(e.Low), count(e.High),
		c.ToLoss.Why)
}

// Unfit says which VM types hold the training for certain at no batch, and what would fit;
// empty where all do at one.
func Unfit(r *rank.Result) (notes []string) {
	if r.Query.Tuning == nil && r.Query.Lengths == nil {
		return nil // nothing else is ranked by what fits, and looking at each of many candidates takes long
	}
	var nearest *candidate.Candidate
	may, not := 0, 0
	changes := map[string]int{}
	for _, c := range unfit(r.Space) {
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
		quantity.Count(math.Round(nearest.Fit.Need.Total.High/memory.GiB*10)/10), nearest.Fit.HasGiB)
	if over(nearest) <= 1 {
		note += ", of which ECC and the driver keep some"
	}
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

// unfit are the candidates, of each VM type that which lacks least, of the VM types that hold
// the training for certain at no batch.
func unfit(s *rank.Space) (out []*candidate.Candidate) {
	var order []profile.VMKey
	least := map[profile.VMKey]*candidate.Candidate{}
	for i := range s.Len() {
		c := s.At(i)
		if c.Fit == nil {
			continue
		}
		key := c.Configuration[0].VM.Key()
		switch before := least[key]; {
		case before == nil:
			order, least[key] = append(order, key), c
		case before.Fit.Verdict != memory.Fits && (c.Fit.Verdict == memory.Fits || over(c) < over(before)):
			least[key] = c
		}
	}
	for _, key := range order {
		if least[key].Fit.Verdict != memory.Fits {
			out = append(out, least[key])
		}
	}
	return out
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

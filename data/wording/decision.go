package wording

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
)

// Decision says what to rent, in sentences. Those but the answer may be "".
type Decision struct {
	advice.Choice
	Chosen bool // something is feasible

	Answer    string   // what to rent, what it takes and costs
	Shorter   []string // the same for less and less room
	Caveat    string   // in what it does not answer what was asked
	Ties      string   // what is as good
	Certainty string   // the probability that it is the best
	Changes   string   // what would make another one the best
	Settle    string   // what to measure next
}

// Decide puts into words which candidate of a ranking to take. chances are
// [rank.Result.BestProbability], or what it has answered before; probes are those to run
// next. Without any candidate there is nothing to say.
func Decide(r *rank.Result, chances func(objective.Name) map[int]float64, crossovers []advice.Crossover,
	probes []advice.Probe) (d Decision) {
	if r.Space.Len() == 0 {
		return d
	}
	d.Choice, d.Chosen = advice.Choose(r, chances, crossovers)
	if !d.Chosen {
		const nothing = "Nothing is within these limits"
		d.Answer, d.Shorter = nothing+": "+WhyNothing(r)+".", []string{nothing + "."}
		return d
	}
	c, of := d.Choice, r.Space.At(d.Candidate)
	if of.IsPredicted() {
		d.Answer, d.Shorter = guess(r, c, of)
	} else {
		d.Answer, d.Shorter = rent(r, of)
	}
	d.Ties, d.Certainty, d.Changes = tied(r, c), certainty(r, c, of), changes(r, c)
	if words := Probes(r, probes); words != "" {
		d.Settle = strings.ToUpper(words[:1]) + words[1:] + "."
	}
	return d
}

// Sentences are those that say something, the most important first.
func (d Decision) Sentences() (out []string) {
	for _, s := range []string{d.Answer, d.Caveat, d.Ties, d.Settle, d.Certainty, d.Changes} {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// rent is the answer that rests on runs of the candidate's own.
func rent(r *rank.Result, c *candidate.Candidate) (long string, shorter []string) {
	verb, bought := "Rent", ""
	switch {
	case c.Configuration[0].VM.Cloud == "": // a machine of one's own
		verb = "Use"
	case c.Purchase != profile.OnDemand && c.Purchase != "":
		bought = " " + string(c.Purchase)
	}
	what, all := withGPU(c)+bought+" for "+job(r, c), takes(r, c)
	few := strings.Join(all[:min(len(all), 2)], ", ")
	return fmt.Sprintf("%s %s: %s.", verb, what, strings.Join(all, ", ")), []string{
		fmt.Sprintf("%s %s: %s.", verb, what, few), fmt.Sprintf("%s %s%s: %s.", verb, withGPU(c), bought, few),
		fmt.Sprintf("%s %s: %s.", verb, VMs(c), few)}
}

// withGPU names a configuration, that of one VM type with its GPU: 1× g6.xlarge (L4).
func withGPU(c *candidate.Candidate) string {
	if vm := c.Configuration[0].VM; len(c.Configuration) == 1 && vm.GPU != "" {
		return fmt.Sprintf("%s (%s)", VMs(c), plaintext.Name(vm.GPU))
	}
	return VMs(c)
}

// job is what the candidate runs: vit_small at batch 128.
func job(r *rank.Result, c *candidate.Candidate) string {
	name := VariantLabel(c.Variant)
	if c.Variant.Name == "" {
		name = strings.TrimSpace(plaintext.Name(r.Query.Model) + " " + c.Variant.Precision)
	}
	if c.BatchSize > 0 {
		name += fmt.Sprintf(" at batch %d", c.BatchSize)
	}
	return name
}

// takes is what the candidate takes and costs and, where candidates differ in it, the
// accuracy that it reaches: 9 m 40 s, $0.13 ±8 %, 62.0 % top-5.
func takes(r *rank.Result, c *candidate.Candidate) []string {
	last, parts := c.Time, []string{quantity.Duration(c.Time.Value)}
	if c.Cost.Known() {
		last, parts = c.Cost, append(parts, quantity.Money(c.Cost.Value))
	}
	parts[len(parts)-1] += " " + quantity.PlusMinus(last.HalfWidth())
	if q := c.Quality; q != nil && r.Space.AccuracyVaries() {
		parts = append(parts, objective.WriteAccuracy(q.Estimate.Value, q.HigherIsBetter)+" "+plaintext.Name(q.Metric))
	}
	return parts
}

// guess is the answer that rests on runs of others.
func guess(r *rank.Result, c advice.Choice, of *candidate.Candidate) (long string, shorter []string) {
	e, write := of.Cost, quantity.Money
	if !e.Known() {
		e, write = of.Time, quantity.Duration
	}
	best := fmt.Sprintf("%s for %s, %s", withGPU(of), job(r, of), between(e, write))
	shorter = []string{"Not measured; the best guess is " + best + ".",
		fmt.Sprintf("Not measured; the best guess is %s, %s.", withGPU(of), between(e, write)),
		fmt.Sprintf("Best guess: %s, %s.", VMs(of), between(e, write))}
	switch {
	case c.Probed >= 0:
		probed := r.Space.At(c.Probed)
		return fmt.Sprintf("The best guess is %s; it was never measured. The best of those that were is %s: %s.", best,
			VMs(probed), strings.Join(takes(r, probed), ", ")), shorter
	case of.Timing() == estimate.OtherBatch:
		return fmt.Sprintf("Nothing is measured at this batch size. The best guess is %s.", best), shorter
	}
	return fmt.Sprintf("Nothing is measured on these VM types. The best guess is %s.", best), shorter
}

func between(e estimate.Estimate, write func(float64) string) string {
	return write(e.Low) + " to " + write(e.High)
}

// tied says how many are as good, and what decides between them.
func tied(r *rank.Result, c advice.Choice) string {
	if c.Tied < 2 {
		return ""
	}
	o, _ := r.Space.Objective(c.By)
	words := fmt.Sprintf("%d configurations tie on %s", c.Tied, o.Name)
	other, ok := r.Space.Objective(r.TieBreaker())
	if c.Decided && ok {
		words += fmt.Sprintf("; this is the %s of them", other.Best)
	}
	return words + "."
}

// certainty says how probable it is that the choice is right, where there is another.
func certainty(r *rank.Result, c advice.Choice, of *candidate.Candidate) string {
	known := r.Known() // others may be better, but nothing says so
	if math.IsNaN(c.Sure) || max(c.Tied, 1) >= known {
		return ""
	}
	o, _ := r.Space.Objective(c.By)
	best := o.Best
	if known < r.Count() {
		best += fmt.Sprintf(" of the %d whose %s is known", known, o.Name)
	}
	what := "that it is the " + best
	if c.Tied > 1 {
		what = fmt.Sprintf("that the %s is among them", best)
	}
	if of.Timing() != estimate.Measured && !of.IsPredicted() {
		what += fmt.Sprintf(" (%s)", of.Timing())
	}
	return fmt.Sprintf("P = %s %s.", probability(c.Sure), what)
}

// probability is one in per cent, as exact as the draws behind it are.
func probability(p float64) string {
	switch {
	case p >= 0.995:
		return "over 99 %"
	case p < 0.005:
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*p)
}

// changes says what would make another candidate the best: a number of epochs, or
// else a price.
func changes(r *rank.Result, c advice.Choice) string {
	switch x := c.Crossover; {
	case x != nil:
		o, _ := r.Space.Objective(x.Objective)
		side, other := "From", x.To
		if x.To == c.Candidate {
			side, other = "Up to", x.From
		}
		return fmt.Sprintf("%s %s, %s at batch %d is the %s.", side, length(r.Query.Workload, x.Epochs),
			VMs(r.Space.At(other)), r.Space.At(other).BatchSize, o.Best)
	case c.Flip != nil:
		return fmt.Sprintf("%s becomes cheaper if %s costs more than %s/h (now %s).", VMs(r.Space.At(c.Flip.To)),
			plaintext.Name(r.Space.At(c.Candidate).Configuration[0].VM.InstanceType), quantity.Money(c.Flip.USDPerHour),
			quantity.Money(c.Flip.Now))
	}
	return ""
}

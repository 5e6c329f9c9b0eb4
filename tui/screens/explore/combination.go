package explore

import (
	"fmt"
	"math"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
)

// combination says what each VM type of several does of the work.
func combination(c *candidate.Candidate) []string {
	if c.Other == nil {
		return nil
	}
	parts := make([]string, len(c.Configuration))
	for k, p := range c.Configuration {
		parts[k] = fmt.Sprintf("%d× %s %s of the work, batch %d, busy %s", p.Count, p.VM.InstanceType,
			quantity.Percent(p.Units / *c.Units), p.BatchSize, quantity.Duration(p.BusyS))
	}
	return []string{"in whole batches: " + strings.Join(parts, " · "),
		fmt.Sprintf("were the work divisible at will: %s, %s", quantity.Duration(c.Other.Seconds),
			quantity.Money(c.Other.USD))}
}

// neighbours says what the next faster and the next cheaper point of the
// time–cost frontier take, at no worse accuracy.
func neighbours(r *rank.Result, i int) string {
	s := r.Space
	if !r.Feasible[i] || math.IsNaN(s.Values(objective.Cost)[i]) {
		return ""
	}
	name := func(j int) string {
		c := s.At(j)
		if c.Variant.Name != s.At(i).Variant.Name {
			return wording.VMs(c) + " " + wording.VariantLabel(c.Variant)
		}
		return wording.VMs(c)
	}
	var parts []string
	cheaper, faster := advice.Neighbours(r, i)
	if j := faster; j >= 0 {
		parts = append(parts, trade("next faster", s.Values(objective.Cost)[j]-s.Values(objective.Cost)[i], quantity.Money,
			s.Values(objective.Time)[i]-s.Values(objective.Time)[j], quantity.Duration, name(j)))
	}
	if j := cheaper; j >= 0 {
		parts = append(parts, trade("next cheaper", s.Values(objective.Time)[j]-s.Values(objective.Time)[i],
			quantity.Duration, s.Values(objective.Cost)[i]-s.Values(objective.Cost)[j], quantity.Money, name(j)))
	}
	return strings.Join(parts, " · ")
}

// trade is what is given for what is saved; what costs nothing is said to.
func trade(what string, given float64, write func(float64) string, saved float64, writeSaved func(float64) string,
	name string) string {
	if !(given > 0) {
		return fmt.Sprintf("%s: saves %s for nothing (%s)", what, writeSaved(saved), name)
	}
	return fmt.Sprintf("%s: +%s saves %s (%s)", what, write(given), writeSaved(saved), name)
}

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
		fmt.Sprintf("if the work could be split freely: %s, %s", quantity.Duration(c.Other.Seconds),
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
	for _, n := range []struct {
		what       string
		j          int
		give, save objective.Name
		least      float64 // that is given where not the same is
		same       string
	}{
		{"next faster", faster, objective.Cost, objective.Time, cent, "for the same cost"},
		{"next cheaper", cheaper, objective.Time, objective.Cost, 0, "in the same time"},
	} {
		if n.j < 0 {
			continue
		}
		given, _ := s.Objective(n.give)
		saved, _ := s.Objective(n.save)
		more := s.Values(n.give)[n.j] - s.Values(n.give)[i]
		less := saved.Write(s.Values(n.save)[i] - s.Values(n.save)[n.j])
		trade := "+" + given.Write(more) + " saves " + less
		if !(more > n.least) {
			trade = "saves " + less + " " + n.same
		}
		parts = append(parts, fmt.Sprintf("%s: %s (%s)", n.what, trade, name(n.j)))
	}
	return strings.Join(parts, " · ")
}

// cent is a difference in US dollars up to which two costs are the same.
const cent = 0.01

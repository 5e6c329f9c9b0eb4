package candidate

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
	"sweetspot/engine/question"
)

// VMs are the most of each instance type that are combined.
func (c *Combined) VMs() map[string]int {
	out := map[string]int{}
	for _, p := range c.Parts {
		out[p.VM.InstanceType] = p.Count
	}
	return out
}

// Within lists the frontiers within a query's limits.
func (c *Combined) Within(l question.Limits) cluster.Selection {
	return c.Frontiers.Within(c.uncharged(l))
}

// Greedy is what Algorithm 1 of Rathnayake et al. picks; ok is false where it
// finds nothing.
func (c *Combined) Greedy(l question.Limits) (cluster.Configuration, bool) {
	return c.Space.Greedy(c.uncharged(l))
}

// List is every configuration on the frontiers without limits, for work that
// divides at will: whatever is wanted and within whatever limits, the best is
// among them.
func (c *Combined) List() *List {
	var out []Candidate
	for _, at := range c.best() {
		out = append(out, c.Candidate(at, false))
	}
	l := ListOf(out...)
	l.Combinations = c.Frontiers.Explored
	return l
}

// ListWhole is the same in whole batches, with all counts of single types beside
// them: where the work is but a few batches these may do better. Its resolution
// is how far the best in whole batches may be from it.
func (c *Combined) ListWhole() *List {
	var out []Candidate
	all, seen := c.best(), map[string]bool{}
	for _, at := range append(all, c.singles()...) {
		if one := c.Candidate(at, true); !seen[one.ID] {
			seen[one.ID] = true
			out = append(out, one)
		}
	}
	l := ListOf(out...)
	l.Combinations = c.roughly(all)
	return l
}

// roughly is what was explored, with the resolution that whole batches leave: any
// configuration takes at least what it would if its work could be divided arbitrarily, and a
// listed one at most so much more than that.
func (c *Combined) roughly(listed []cluster.Configuration) cluster.Explored {
	of := c.Frontiers.Explored
	for _, at := range listed {
		whole := c.Space.Schedule(at)
		of.Resolution = max(of.Resolution, whole.Seconds/at.Seconds-1)
		if at.USD > 0 {
			of.Resolution = max(of.Resolution, whole.USD/at.USD-1)
		}
	}
	return of
}

// singles are all counts of every VM type alone, with every variant.
func (c *Combined) singles() (out []cluster.Configuration) {
	for variant := range c.variants {
		for i, p := range c.Parts {
			counts := make([]int, len(c.Parts))
			for counts[i] = 1; counts[i] <= p.Count; counts[i]++ {
				if at, ok := c.Space.Evaluate(variant, counts); ok {
					out = append(out, at)
				}
			}
		}
	}
	return out
}

// best are the configurations that none beats in time, cost and accuracy at once,
// and of unknown accuracy those on the time–cost frontier.
func (c *Combined) best() []cluster.Configuration {
	all := c.Frontiers.Within(cluster.Limits{})
	out := all.TimeCostAccuracy
	for _, at := range all.TimeCost {
		if c.Space.Variants[at.Variant].Accuracy == nil {
			out = append(out, at)
		}
	}
	return out
}

// Candidate describes a configuration. Its time and cost are those of work that
// divides at will, or with whole those of whole batches; the other ones stand
// beside them. The intervals weigh each VM type's by its share of the work: what
// rests on one run errs together.
func (c *Combined) Candidate(at cluster.Configuration, whole bool) Candidate {
	schedule := c.Space.Schedule(at)
	first := slices.IndexFunc(at.Counts, func(n int) bool { return n > 0 })
	out := c.timings[at.Variant][first].base
	out.Units, out.Configuration, out.Sources, out.Why = new(c.Space.Units), nil, nil, ""
	shares, hourly, spread := c.shares(at), 0.0, 0.0
	for i, n := range at.Counts {
		hourly += float64(n) * *c.Parts[i].USDPerHour
	}
	for i, n := range at.Counts {
		if n == 0 {
			continue
		}
		t := c.timings[at.Variant][i]
		part := c.Parts[i]
		part.Count, part.BatchSize, part.Units, part.BusyS = n, t.run.BatchSize, schedule.Shares[i].Units,
			schedule.Shares[i].BusyS
		if out.BatchSize != t.run.BatchSize {
			out.BatchSize = 0
		}
		out.Configuration, out.Sources = append(out.Configuration, part), append(out.Sources, t.base.Sources...)
		out.timed = estimate.Weakest(out.timed, t.base.timed)
		out.Why = cmp.Or(out.Why, t.base.Why)
		out.Errors = append(out.Errors, CellError{int32(t.base.Cell), shares[i] * t.batch.LogSigma()})
		spread += math.Pow(float64(n)**part.USDPerHour/hourly*part.PriceSpread, 2)
	}
	out.Errors, out.Cell = pooled(out.Errors), SeveralCells
	slices.Sort(out.Sources)
	out.Sources = slices.Compact(out.Sources)
	seconds, usd := at.Seconds, at.USD
	out.Other, out.Divided = &Outcome{Seconds: schedule.Seconds, USD: schedule.USD}, !whole
	if whole {
		seconds, usd = schedule.Seconds, schedule.USD
		out.Other = &Outcome{Seconds: at.Seconds, USD: at.USD}
	}
	sigma := 0.0
	for _, m := range out.Errors {
		sigma = math.Hypot(sigma, m.Sigma)
	}
	out.Time = estimate.Spread(seconds, math.Expm1(estimate.Z90*sigma), out.timed)
	out.Cost = widened(estimate.Spread(usd, math.Expm1(estimate.Z90*sigma), out.timed), math.Sqrt(spread))
	c.charge(&out, at)
	if out.identify(); out.Divided {
		out.ID += "/divisible"
	}
	return out
}

// shares is by how much of a relative change of each VM type's speed the time of
// the configuration changes: its share of the work where all end together, all of
// it for the slowest type where the work is split by GPUs.
func (c *Combined) shares(at cluster.Configuration) []float64 {
	shares := make([]float64, len(at.Counts))
	var sum float64
	slowest, rate := -1, math.Inf(1)
	for i, n := range at.Counts {
		if n == 0 {
			continue
		}
		t := c.timings[at.Variant][i]
		shares[i] = float64(n*max(c.Parts[i].VM.GPUCount, 1)) * t.rate()
		sum += shares[i]
		if t.rate() < rate {
			slowest, rate = i, t.rate()
		}
	}
	for i := range shares {
		shares[i] /= sum
	}
	if c.Space.Split == cluster.ByGPUs {
		clear(shares)
		shares[slowest] = 1
	}
	return shares
}

// pooled adds up what rests on one cell.
func pooled(mix []CellError) (out []CellError) {
	for _, m := range mix {
		if k := slices.IndexFunc(out, func(o CellError) bool { return o.Cell == m.Cell }); k >= 0 {
			out[k].Sigma += m.Sigma
		} else {
			out = append(out, m)
		}
	}
	return out
}

package cluster

import "math"

// Schedule is a configuration at work in whole batches.
type Schedule struct {
	// Seconds until the last batch is done when batches are assigned so that
	// this is least, whatever the split; USD is what that costs. All VMs are
	// paid until then.
	Seconds float64
	USD     float64
	Shares  []Share // one a VM type, in the order of Space.VMs
}

// Share is what all VMs of a type do in a schedule.
type Share struct {
	Units   float64 // of work
	Batches int     // the last of which may be part filled
	BusyS   float64 // seconds that the GPU with most of them works
}

// Schedule assigns the work to whole batches so that the last is done as early
// as can be. A GPU that works until T has done floor((T − start-up)/t) batches,
// so the least T is the first end of a batch by which all GPUs together have
// done enough. Batches beyond enough are taken from the types whose last batch
// ends last.
func (s Space) Schedule(c Configuration) Schedule {
	p := s.problem(c.Variant)
	counts := make([]int, len(p.offers))
	for i, o := range p.offers {
		counts[i] = c.Counts[o.vm]
	}
	out := Schedule{Seconds: p.wholeBatches(counts), Shares: make([]Share, len(s.VMs))}
	for i, o := range p.offers {
		if counts[i] > 0 {
			out.USD += float64(counts[i]) * o.usd * o.billing.billed(out.Seconds)
		}
	}
	p.share(counts, &out)
	return out
}

// batchesBy is how many batches a GPU of the offer has done after so many
// seconds.
func (o offer) batchesBy(seconds float64) float64 {
	return math.Max(0, wholly((seconds-o.startupS)/o.batch.Seconds))
}

// wholly rounds down, but not for the last bits.
func wholly(v float64) float64 {
	if r := math.Round(v); math.Abs(v-r) <= 1e-9*math.Max(1, r) {
		return r
	}
	return math.Floor(v)
}

// done is how many units all VMs have done after so many seconds.
func (p problem) done(counts []int, seconds float64) (units float64) {
	for i, o := range p.offers {
		units += float64(counts[i]*o.gpus) * o.batchesBy(seconds) * o.batch.Size
	}
	return units
}

// wholeBatches is the least seconds after which all units are done: for each
// type in use, the first end of one of its batches by which that is so.
func (p problem) wholeBatches(counts []int) float64 {
	best := math.Inf(1)
	enough := func(seconds float64) bool { return p.done(counts, seconds) >= p.units*(1-1e-12) }
	for i, o := range p.offers {
		if counts[i] == 0 {
			continue
		}
		end := func(k float64) float64 { return o.startupS + k*o.batch.Seconds }
		low, high := 0.0, math.Ceil(p.units/(float64(counts[i]*o.gpus)*o.batch.Size)) // alone it needs so many
		// Between neighbours, also where these are more than one apart, the middle
		// is one of them.
		for middle := math.Floor(high / 2); low < middle && middle < high; middle = math.Floor(low + (high-low)/2) {
			if enough(end(middle)) {
				high = middle
			} else {
				low = middle
			}
		}
		best = math.Min(best, end(high))
	}
	return best
}

// share fills in what each type does until the end, less what is too much.
func (p problem) share(counts []int, s *Schedule) {
	batches := make([]float64, len(p.offers))
	for i, o := range p.offers {
		batches[i] = float64(counts[i]*o.gpus) * o.batchesBy(s.Seconds)
	}
	spare := p.done(counts, s.Seconds) - p.units
	for last := p.last(counts, batches); last >= 0 &&
		spare >= p.offers[last].batch.Size*(1-1e-9); last = p.last(counts, batches) {
		// A round of this type's GPUs at once, while there is that much to spare.
		o := p.offers[last]
		round := math.Min(p.inLastRound(counts, batches, last), wholly(spare/o.batch.Size))
		batches[last] -= round
		spare -= round * o.batch.Size
	}
	for i, o := range p.offers {
		if batches[i] <= 0 {
			continue
		}
		most := math.Ceil(batches[i] / float64(counts[i]*o.gpus))
		s.Shares[o.vm] = Share{Units: batches[i] * o.batch.Size, Batches: int(batches[i]), BusyS: most * o.batch.Seconds}
	}
	p.partlyFilled(counts, batches, math.Max(0, spare), s)
}

// inLastRound is how many of the type's GPUs work on its last round of batches.
func (p problem) inLastRound(counts []int, batches []float64, i int) float64 {
	gpus := float64(counts[i] * p.offers[i].gpus)
	if odd := math.Mod(batches[i], gpus); odd > 0 {
		return odd
	}
	return gpus
}

// last is the offer whose last batch ends last, -1 without any batch.
func (p problem) last(counts []int, batches []float64) (last int) {
	last, latest := -1, math.Inf(-1)
	for i, o := range p.offers {
		if batches[i] <= 0 {
			continue
		}
		rounds := math.Ceil(batches[i] / float64(counts[i]*o.gpus))
		if end := o.startupS + rounds*o.batch.Seconds; end > latest {
			last, latest = i, end
		}
	}
	return last
}

// partlyFilled takes what is less than a batch from the type that ends last.
func (p problem) partlyFilled(counts []int, batches []float64, spare float64, s *Schedule) {
	if last := p.last(counts, batches); last >= 0 {
		share := &s.Shares[p.offers[last].vm]
		share.Units = math.Max(0, share.Units-spare)
	}
}

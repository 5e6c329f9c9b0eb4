package candidate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// Rental says which VMs batch inference may be combined from, and how they are
// paid.
type Rental struct {
	// Limits are the most VMs by instance type, in the order they are asked for;
	// empty allows Workload.MaxCount of every type there is.
	Limits []Limit
	Split  cluster.Split // "" is by throughput
	// Terms are by cloud; those of "" hold for clouds without their own.
	Terms map[string]Terms
}

// Terms are how a cloud lets VMs.
type Terms struct {
	StartupS float64 // seconds until a rented VM can begin, beside what the runs took to start
	Billing  cluster.Billing
}

func (r Rental) terms(cloud string) Terms {
	if t, ok := r.Terms[cloud]; ok {
		return t
	}
	return r.Terms[""]
}

// Limit is the most VMs of an instance type.
type Limit struct {
	InstanceType string
	Most         int
}

// Combined is a workload of batch inference over combinations of VMs: which there
// are, what each of them does, and their exact frontiers.
type Combined struct {
	Space     cluster.Space
	Frontiers *cluster.Frontiers
	Parts     []Part // the VM types that are combined, with the most of each
	// Missing are the instance types asked for that nothing is known of for this
	// model, Unpriced those without a price for the purchase option.
	Missing, Unpriced []string
	// LeftOut are the instance types that were not combined, where nobody named any
	// and there were too many: the cheapest per unit of work and the fastest are.
	LeftOut []string

	work     question.Workload
	variants []profile.Variant
	timings  [][]*timing // by variant and VM type; nil where none
	startups []float64   // seconds by VM type, as the rental has them
}

// timing is what is known of a variant on a VM type, at its best batch size.
type timing struct {
	run      profile.Run
	base     Candidate
	batch    estimate.Estimate // seconds of one batch
	startupS float64
}

func (t *timing) rate() float64 { return float64(t.run.BatchSize) / t.batch.Value }

// Combine lays a workload of batch inference out over combinations of VM types.
// Every variant runs at the batch size that does most on each type. The start-up
// of the program is the same for all, the median of those measured: one of them
// alone says little, and unlike ones make the exact answer far dearer. Where
// nothing can be combined the error says why.
func Combine(set *profile.Set, w question.Workload, p Predictor, rental Rental) (*Combined, error) {
	f := newFacts(set, w, p)
	known := f.cells()
	c := f.predictions(known).combinable(known, rental)
	if len(c.Parts) == 0 {
		return c, c.nothing()
	}
	return c, c.solve(rental)
}

func (c *Combined) nothing() error {
	switch {
	case len(c.Unpriced) > 0:
		return fmt.Errorf("nothing to combine: %s without a price (%s)", quantity.Several(len(c.Unpriced), "VM type"),
			strings.Join(c.Unpriced, ", "))
	case len(c.Missing) > 0:
		return fmt.Errorf("nothing to combine: no run of %s on %s; probe it there, or take predictions", c.work.Model,
			strings.Join(c.Missing, ", "))
	}
	return fmt.Errorf("nothing to combine: no run of %s on a VM type that can be rented answers this query; loosen "+
		"its filters, or take predictions", c.work.Model)
}

// combinable finds the VM types that can be combined and what is known there. Of
// one in several regions the cheapest stands for all.
func (p *predictions) combinable(known cells, rental Rental) *Combined {
	c := &Combined{work: p.work}
	best := map[offerKey]map[string]*timing{}
	var order []offerKey
	for t := range p.timings(known) {
		vm := t.base.Configuration[0].VM
		k := offerKey{vm.Cloud, vm.InstanceType}
		if best[k] == nil {
			best[k], order = map[string]*timing{}, append(order, k)
		}
		if old := best[k][t.run.Variant.Key()]; old == nil || t.before(old) {
			best[k][t.run.Variant.Key()] = t
		}
	}
	if len(rental.Limits) > 0 {
		order = c.asked(rental, order)
	}
	variants := map[string]int{}
	for _, k := range order {
		column, part := best[k], Part{}
		for _, t := range column {
			if p := t.base.Configuration[0]; part.VM.InstanceType == "" || p.VM.Region < part.VM.Region {
				part = p
			}
		}
		if part.USDPerHour == nil {
			c.Unpriced = append(c.Unpriced, k.instanceType)
			continue
		}
		part.Count = rental.most(k.instanceType, p.work.MaxCount)
		c.Parts = append(c.Parts, part)
		for id, t := range column {
			if _, seen := variants[id]; !seen {
				variants[id] = len(c.variants)
				c.variants = append(c.variants, t.run.Variant)
			}
		}
	}
	if len(rental.Limits) == 0 {
		c.keepPromising(func(p Part) map[string]*timing { return best[offerKey{p.VM.Cloud, p.VM.InstanceType}] })
	}
	slices.SortFunc(c.variants, func(x, y profile.Variant) int { return strings.Compare(x.Key(), y.Key()) })
	for _, v := range c.variants {
		row := make([]*timing, len(c.Parts))
		for i, p := range c.Parts {
			row[i] = best[offerKey{p.VM.Cloud, p.VM.InstanceType}][v.Key()]
		}
		c.timings = append(c.timings, row)
	}
	return c
}

// before prefers the cheaper region, then the batch size that does more.
func (t *timing) before(old *timing) bool {
	mine, its := t.base.USDPerHour(), old.base.USDPerHour()
	switch {
	case mine == nil || its == nil:
		return mine != nil
	case *mine != *its:
		return *mine < *its
	}
	return t.rate() > old.rate()
}

// asked are the VM types of the limits, in their order.
func (c *Combined) asked(rental Rental, known []offerKey) (order []offerKey) {
	for _, l := range rental.Limits {
		found := false
		for _, k := range known {
			if k.instanceType == l.InstanceType {
				order, found = append(order, k), true
			}
		}
		if !found {
			c.Missing = append(c.Missing, l.InstanceType)
		}
	}
	return order
}

func (r Rental) most(instanceType string, otherwise int) int {
	for _, l := range r.Limits {
		if l.InstanceType == instanceType {
			return l.Most
		}
	}
	return max(otherwise, 1)
}

// timings are what is known of how fast variants are on VM types that can be
// rented and whose memory holds them.
func (p *predictions) timings(known cells) iter.Seq[*timing] {
	return func(yield func(*timing) bool) {
		for n := range known.all {
			if runs, c, _ := p.answering(known.at(n)); len(runs) > 0 {
				if t := p.timing(c, runs); t != nil && !yield(t) {
					return
				}
			}
		}
		for g := range p.all() {
			runs, c, _ := p.answering(g.cell())
			c.Why = g.why()
			if t := p.timing(c, runs); t != nil && !yield(t) {
				return
			}
		}
	}
}

// timing is what the runs of a cell say; nil where it cannot be rented, or is too
// big.
func (f *facts) timing(c Candidate, runs []profile.Run) *timing {
	r := runs[0]
	if r.Cloud == "" || c.OverMemory != nil {
		return nil
	}
	c.Configuration = []Part{f.market.part(r, 1)}
	t := &timing{run: r, base: c}
	steady, startups := make([]estimate.Estimate, len(runs)), 0.0
	for i, s := range runs {
		startup, _ := s.OneOff()
		startups += startup
		steady[i] = training.Iteration(s, f.set.Kinds)
	}
	t.batch, t.startupS = training.Pool(steady), startups/float64(len(runs))
	return t
}

// solve finds the frontiers.
func (c *Combined) solve(rental Rental) (err error) {
	w := c.work
	c.Space = cluster.Space{Units: w.Units, Split: cmp.Or(rental.Split, cluster.ByThroughput)}
	startup := c.startup()
	for _, p := range c.Parts {
		terms := rental.terms(p.VM.Cloud)
		c.startups = append(c.startups, terms.StartupS)
		c.Space.VMs = append(c.Space.VMs, cluster.VMType{
			GPUs: p.VM.GPUCount, Limit: p.Count, USDPerHour: *p.USDPerHour + w.Bill.DiskUSDPerHour(),
			StartupS: w.Bill.StartupS + terms.StartupS + startup, Billing: terms.Billing,
		})
	}
	for k := range c.variants {
		v := cluster.Variant{Batches: make([]cluster.Batch, len(c.Parts))}
		for i, t := range c.timings[k] {
			if t == nil {
				continue
			}
			v.Batches[i] = cluster.Batch{Size: float64(t.run.BatchSize), Seconds: t.batch.Value * c.stretch(t)}
			if q := t.base.Quality; q != nil && v.Accuracy == nil {
				v.Accuracy, c.Space.LowerIsBetter = new(q.Estimate.Value), !q.HigherIsBetter
			}
		}
		c.Space.Variants = append(c.Space.Variants, v)
	}
	c.Frontiers, err = c.Space.Frontiers()
	return err
}

// startup is the median of the measured start-ups, 0 without any.
func (c *Combined) startup() float64 {
	var all []float64
	for _, row := range c.timings {
		for _, t := range row {
			if t != nil && t.startupS > 0 {
				all = append(all, t.startupS)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	return estimate.Median(all)
}

// Of so many VM types more than these are not combined unless they are named.
const (
	mostCheap = 12
	mostFast  = 4
)

// keepPromising leaves the VM types that serve some variant at the least cost per
// unit of work, and the fastest: a price list of all clouds has hundreds. A
// variant that none of these was timed on keeps the fastest that was.
func (c *Combined) keepPromising(known func(Part) map[string]*timing) {
	if len(c.Parts) <= mostCheap+mostFast {
		return
	}
	type worth struct {
		part     Part
		perUnit  float64 // US dollars an hour for a unit a second
		unitRate float64 // units a second of one VM
	}
	all := make([]worth, len(c.Parts))
	for i, p := range c.Parts {
		all[i] = worth{part: p, perUnit: math.Inf(1)}
		for _, t := range known(p) {
			rate := t.rate() * float64(max(p.VM.GPUCount, 1))
			all[i].perUnit = min(all[i].perUnit, *p.USDPerHour/rate)
			all[i].unitRate = max(all[i].unitRate, rate)
		}
	}
	slices.SortStableFunc(all, func(x, y worth) int { return cmp.Compare(x.perUnit, y.perUnit) })
	rest := all[mostCheap:]
	slices.SortStableFunc(rest, func(x, y worth) int { return cmp.Compare(y.unitRate, x.unitRate) })
	keep, timed := map[offerKey]bool{}, map[string]bool{}
	for i, w := range all {
		timings := known(w.part)
		more := slices.ContainsFunc(slices.Collect(maps.Keys(timings)), func(variant string) bool { return !timed[variant] })
		if i >= mostCheap+mostFast && !more {
			continue
		}
		keep[offerKey{w.part.VM.Cloud, w.part.VM.InstanceType}] = true
		for variant := range timings {
			timed[variant] = true
		}
	}
	c.Parts = slices.DeleteFunc(c.Parts, func(p Part) bool {
		if keep[offerKey{p.VM.Cloud, p.VM.InstanceType}] {
			return false
		}
		c.LeftOut = append(c.LeftOut, p.VM.InstanceType)
		return true
	})
}

package candidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// cellKey is what one measured time is of.
type cellKey struct {
	variant, precision string
	pruning            string
	vm                 profile.VMKey
	batch, count       int
}

func keyOf(r *profile.Run) cellKey {
	k := cellKey{r.Variant.Name, r.Variant.Precision, pruningKey(r.Variant.Pruning), r.VM(), r.BatchSize, max(r.Count, 1)}
	if r.Mode == profile.Infer {
		k.count = 1 // the time of a batch on one GPU, however many work beside it
	}
	return k
}

type builder struct {
	set   *profile.Set
	w     question.Workload
	model profile.Model
	vms   map[profile.VMKey]profile.VMType
	// anywhere are the cheapest by cloud and instance type.
	anywhere map[offerKey]profile.VMType
	origins  map[string]int // GPU and batch of printed times → timing cell
	// Accuracy belongs to the variant, in training also to the batch size, and
	// never to the VM.
	byVariant map[string]profile.Accuracy
	byBatch   map[string]profile.Accuracy
	outlooks  []outlook
	totals    *training.Totals // made when it is first needed

	donors   []profile.Run               // what predictions of this model and mode rest on
	donorsOf map[string][]int64          // those with a steady time, by variant
	ran      map[variantBatch]bool       // the variants asked for, at the batch sizes that they were run at
	counts   int                         // of VMs that predictions are made for
	memory   map[string]*transfer.Memory // by variant; nil where nothing tells

	epochCells map[string]int32
}

func (b *builder) wanted(r *profile.Run) bool {
	return b.wantedPlace(r.GPU, r.Cloud) && among(b.w.Variants, r.Variant.Name) &&
		(len(b.w.BatchSizes) == 0 || slices.Contains(b.w.BatchSizes, r.BatchSize))
}

func (b *builder) wantedPlace(gpu, cloud string) bool {
	return among(b.w.Clouds, cloud) && (len(b.w.GPUs) == 0 || slices.ContainsFunc(b.w.GPUs, func(g string) bool {
		return gpu != "" && strings.HasPrefix(strings.ToLower(gpu), strings.ToLower(g))
	}))
}

// among reports whether a name is in a list, or the list is empty.
func among(list []string, name string) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

func variantKey(v profile.Variant) string {
	return v.Name + "\x00" + v.Precision + "\x00" + pruningKey(v.Pruning)
}

// pruningKey tells prunings apart; fmt writes maps in the order of their keys.
func pruningKey(p *profile.Pruning) string {
	switch {
	case p == nil:
		return ""
	case p.Ratio == nil:
		return fmt.Sprint(p.Kind, p.Layers)
	}
	return fmt.Sprint(p.Kind, *p.Ratio, p.Layers)
}

func batchKey(v profile.Variant, batch int) string {
	return fmt.Sprintf("%s\x00%d", variantKey(v), batch)
}

// answers reports whether the run alone can answer for the workload. One that
// ran out of memory, however late, says only that it does not fit.
func (b *builder) answers(r profile.Run) bool {
	if r.Status == profile.OutOfMemory {
		return false
	}
	if b.w.Mode == profile.Infer {
		return r.Steady.Known() && r.BatchSize > 0
	}
	return b.trainingTime(r).Known()
}

// strongest keeps the answering runs of the most trusted basis. A published
// total never stands beside iteration times of the same cell.
func strongest(runs []profile.Run, answers func(profile.Run) bool) []profile.Run {
	if len(runs) == 1 && answers(runs[0]) {
		return runs
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r profile.Run) bool { return !answers(r) })
	if len(runs) < 2 {
		return runs
	}
	if slices.ContainsFunc(runs, func(r profile.Run) bool { return r.Steady.Known() }) {
		runs = slices.DeleteFunc(runs, func(r profile.Run) bool { return !r.Steady.Known() })
	}
	best := slices.MinFunc(runs, func(a, c profile.Run) int { return cmp.Compare(a.Basis, c.Basis) }).Basis
	return slices.DeleteFunc(runs, func(r profile.Run) bool { return r.Basis != best })
}

// sameEpochs gives the runs of one cell the epochs of the newest where each was
// trained as long as its user pleased: they are times of one configuration, and
// a mean over different numbers of epochs is the time of none.
func (b *builder) sameEpochs(runs []profile.Run) []profile.Run {
	if b.w.Epochs != nil || b.w.TargetAccuracy != nil || runs[0].Basis != estimate.Measured {
		return runs
	}
	newest := slices.MaxFunc(runs, func(a, c profile.Run) int { return cmp.Compare(a.ID, c.ID) })
	if newest.Epochs == nil || !b.trainingTime(newest).Known() {
		return runs
	}
	out := slices.Clone(runs)
	for i := range out {
		if out[i].Epochs != nil && *out[i].Epochs != *newest.Epochs && out[i].Steady.Known() {
			out[i].Epochs = newest.Epochs
		}
	}
	return slices.DeleteFunc(out, func(r profile.Run) bool { return r.Epochs == nil || *r.Epochs != *newest.Epochs })
}

// epochs is how many epochs the workload means for this run; nil if unknown.
func (b *builder) epochs(r profile.Run) *float64 {
	switch {
	case b.w.Epochs != nil:
		return b.w.Epochs
	case b.w.TargetAccuracy != nil:
		if at, ok := b.toTarget(r); ok {
			return new(at.Epochs.Value)
		}
		return epochsTo(r, *b.w.TargetAccuracy)
	default:
		return r.Epochs
	}
}

// epochsTo is the first epoch whose validation reached the target; failing
// validations, the run's own epochs if it ended at least that good.
func epochsTo(r profile.Run, target float64) *float64 {
	var values []float64
	var epochs []int // after which they were measured, from 1
	higher := true
	for _, v := range r.Validations {
		if v.Value != nil {
			values, epochs, higher = append(values, *v.Value), append(epochs, v.Epoch+1), v.HigherIsBetter
		}
	}
	if n, ok := training.FirstReaching(values, target, higher); ok {
		return new(float64(epochs[n-1]))
	}
	if a := r.Accuracy; a != nil && (a.HigherIsBetter == (a.Value >= target) || a.Value == target) {
		return r.Epochs
	}
	return nil
}

func (b *builder) trainingTime(r profile.Run) estimate.Estimate {
	if n := b.epochs(r); n != nil {
		if t := training.Training(r, *n, b.set.Kinds); t.Known() {
			return t
		}
		if f := b.fromEpochs(r, *n); f.Total.Known() {
			return f.Total
		}
		if r.Epochs != nil {
			return training.Scaled(r, *n, b.set.Kinds)
		}
	}
	if b.w.Epochs == nil && b.w.TargetAccuracy == nil {
		return training.AsPublished(r, b.set.Kinds)
	}
	return estimate.Estimate{}
}

func (b *builder) training(c Candidate, runs []profile.Run) Candidate {
	runs = b.sameEpochs(runs)
	times := make([]estimate.Estimate, len(runs))
	for i, r := range runs {
		times[i] = b.trainingTime(r)
	}
	c.Time = training.Pool(times)
	c.probed(runs[0], c.Time)
	c.Epochs = b.epochs(runs[0])
	c.AsPrinted = c.Epochs == nil
	if line, ok := training.TrainingLine(runs[0], b.set.Kinds); ok {
		c.TimeByEpochs = &line
		if c.Epochs != nil {
			c.Why = training.PausesOf(runs[0]).Words(*c.Epochs)
		}
	} else if f := b.fromEpochs(runs[0], orZero(c.Epochs)); f.Total.Known() {
		c.FromEpochs = true
		slope := b.fromEpochs(runs[0], *c.Epochs+1).Total.Value - f.Total.Value
		c.TimeByEpochs = &training.Line{At0: f.Total.Value - slope**c.Epochs, Slope: slope}
		if f.Uneven {
			c.Why = f.Words
		}
	} else if r := runs[0]; r.Epochs != nil && r.TotalS != nil && c.Epochs != nil {
		c.TimeByEpochs = &training.Line{Slope: *r.TotalS / *r.Epochs}
		if *r.Epochs != *c.Epochs {
			c.Why = fmt.Sprintf("a total of %.4g epochs in proportion; how much of it is start-up is not known", *r.Epochs)
		}
	} else {
		c.AsPrinted = true
	}
	b.withEpochs(&c, runs[0])
	b.finish(&c, runs[0], max(runs[0].Count, 1))
	return c
}

func (b *builder) inference(c Candidate, runs []profile.Run, count int) Candidate {
	c.Time = b.inferenceTime(runs, count)
	c.probed(runs[0], c.Time)
	c.Units = new(b.w.Units)
	c.Sources = slices.Clone(c.Sources)
	b.finish(&c, runs[0], count)
	return c
}

// spread gives a single number without an interval the one of its kind: nothing
// that was timed once is known exactly.
func (b *builder) spread(e estimate.Estimate, basis estimate.Basis) estimate.Estimate {
	if e.High > e.Low || !e.Known() {
		return e
	}
	return estimate.Spread(e.Value, cmp.Or(b.set.Kinds[basis].Rel, training.OneTotalRel), basis)
}

// probed notes what a probe of the run's cell takes and could tell.
func (c *Candidate) probed(r profile.Run, time estimate.Estimate) {
	c.Probe.IterationS, c.Probe.Sigma = r.Steady.Value, time.LogSigma()
	if startup, ok := r.Startup(); ok {
		c.Probe.StartupS = new(startup + r.WarmupExtraS)
	}
}

// inferenceTime is the time on so many VMs. On VMs of one type both splits of
// the work are the same.
func (b *builder) inferenceTime(runs []profile.Run, count int) estimate.Estimate {
	m := cluster.Member{Count: count, GPUs: runs[0].GPUCount, BatchSize: float64(runs[0].BatchSize)}
	batches := cluster.Batches(m, b.w.Units)
	times := make([]estimate.Estimate, len(runs))
	for i := range runs {
		s := &runs[i]
		startup, _ := s.Startup()
		times[i] = training.Inference(b.spread(s.Steady, s.Basis), startup+s.WarmupExtraS, batches)
	}
	return training.Pool(times)
}

// finish fills in what follows from the count: configuration, cost, identity.
func (b *builder) finish(c *Candidate, r profile.Run, count int) {
	part := b.part(r, count)
	c.Configuration = []Part{part}
	b.charge(c, part)
	c.identify()
}

// identify names the candidate by everything it is made of.
func (c *Candidate) identify() {
	first := c.Configuration[0].VM
	vms := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		vms[i] = fmt.Sprintf("%dx%s", p.Count, p.VM.InstanceType)
	}
	c.ID = fmt.Sprintf("%s/%s/%s/%s/%s/%s/%s/b%d/%s", c.Model, c.Mode, c.Variant.Name, c.Variant.Precision,
		first.Cloud, first.Region, strings.Join(vms, "+"), c.BatchSize, c.Purchase)
}

// origin is the number of what the run's time rests on. VM types that have the
// time of their GPU err together.
func (b *builder) origin(index int, r profile.Run) int {
	if !r.IsOfGPU() {
		return index
	}
	key := batchKey(r.Variant, r.BatchSize) + "\x00" + r.GPU
	if first, ok := b.origins[key]; ok {
		return first
	}
	b.origins[key] = index
	return index
}

func (b *builder) candidate(index int, r profile.Run) Candidate {
	return Candidate{
		Model: r.Model, Variant: r.Variant, Mode: r.Mode, BatchSize: r.BatchSize, Purchase: b.w.Purchase,
		Quality: b.quality(r), OverMemory: b.overMemory(r), Cell: b.origin(index, r), timed: r.Basis,
	}
}

// vmOf is the run's VM type in the catalog. Where the run does not say in which
// region it was, that is the cheapest one that has the instance type, unless its
// user said what it cost.
func (b *builder) vmOf(r profile.Run) (vm profile.VMType, ok bool) {
	if vm, ok = b.vms[r.VM()]; ok || r.Cloud == "" || r.Region != "" || r.USDPerHour != nil {
		return vm, ok
	}
	vm, ok = b.anywhere[offerKey{r.Cloud, r.InstanceType}]
	return vm, ok
}

// part prices the VM the run is of: by the catalog, or for a machine that is
// not in it by what the run's own user said, on demand.
func (b *builder) part(r profile.Run, count int) Part {
	vm, inCatalog := b.vmOf(r)
	if !inCatalog {
		vm = profile.VMType{
			Cloud: r.Cloud, Region: r.Region, InstanceType: r.VM().InstanceType,
			GPU: r.GPU, GPUCount: r.GPUCount, GPUMemGiB: r.GPUMemGiB,
		}
	}
	p := Part{VM: vm, Count: count}
	if q, ok := vm.PriceOf(b.w.Purchase); ok {
		p.USDPerHour, p.PriceFrom = new(q.USDPerHour), strings.TrimSpace(q.Source+" "+q.AsOf)
		p.PriceAsOf = q.AsOf
		p.PriceSpread = priceSpread(vm.Prices, b.w.Purchase)
	} else if !inCatalog && r.USDPerHour != nil && b.w.Purchase == profile.OnDemand {
		p.USDPerHour, p.PriceFrom = r.USDPerHour, "given with the run"
	}
	return p
}

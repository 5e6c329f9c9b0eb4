package candidate

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/bill"
	"sweetspot/engine/cluster"
	"sweetspot/engine/energy"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// charge turns the time of a candidate's work on VMs of one type into the time
// until all is done, and computes the cost; without a price that stays unknown.
// Nothing is rented of a machine of one's own, whose electricity may be paid.
func (f *facts) charge(c *Candidate, p Part) {
	w := f.billOf(p)
	unpriced := p.VM.Cloud == "" && p.USDPerHour == nil
	if !c.Time.Known() || unpriced && w.IsZero() {
		return
	}
	spot := f.work.Purchase == profile.Spot && !unpriced
	of := w.Total(f.job(c, p, spot))
	c.Time, c.Parts, c.Cost = of.Seconds, of.Parts, estimate.Estimate{}
	if egress := w.EgressUSD(); of.USD.Known() { // what no quote of a VM's price moves
		c.Cost = widened(of.USD.Shifted(-egress), p.PriceSpread).Shifted(egress)
	}
	if spot {
		c.Slowdown = of.Slowdown
		if c.Energy.Known() {
			c.Energy = c.Energy.By(of.Slowdown)
		}
		if c.Errors != nil { // what the sum of its errors is, is listed there
			c.Errors = append(c.Errors, CellError{int32(c.Cell), of.Slowdown.LogSigma()})
		}
	}
	if c.TimeByEpochs == nil {
		return
	}
	k := of.Slowdown.Value
	c.TimeByEpochs = &training.Line{At0: c.TimeByEpochs.At0*k + w.StartupS, Slope: c.TimeByEpochs.Slope * k}
	if of.USD.Known() {
		perSecond := float64(p.Count)*(orZero(p.USDPerHour)+w.DiskUSDPerHour())/3600 + of.Parts.Electricity/c.Time.Value
		c.CostByEpochs = &training.Line{At0: c.TimeByEpochs.At0*perSecond + w.EgressUSD(),
			Slope: c.TimeByEpochs.Slope * perSecond}
	}
}

// job is the candidate's work as it is billed. Where nothing else is given a
// training is safe after each epoch, an inference after each batch.
func (f *facts) job(c *Candidate, p Part, spot bool) bill.Job {
	j := bill.Job{Seconds: c.Time, VMs: p.Count, USDPerHour: p.USDPerHour, Spot: spot, Together: c.Mode == profile.Train,
		SavedEveryS: c.Probe.IterationS,
		Own:         p.VM.Cloud == "", KWh: c.Energy}
	if c.Mode == profile.Train {
		j.SavedEveryS = 0
		if c.TimeByEpochs != nil {
			j.SavedEveryS = c.TimeByEpochs.Slope
		}
	}
	if c.Probe.StartupS != nil {
		j.RestartS = *c.Probe.StartupS
	}
	return j
}

// uncharged is a query's limits without what no configuration can do anything
// about.
func (c *Combined) uncharged(l question.Limits) cluster.Limits {
	most := l.Get(objective.Cost)
	if most != nil {
		most = new(math.Max(0, *most-c.work.Bill.EgressUSD()))
	}
	return cluster.Limits{MaxSeconds: l.Get(objective.Time), MaxUSD: most, WorstAccuracy: l.Get(objective.Accuracy)}
}

// stretch is by how much a VM type's work is stretched on average, where it may
// be interrupted.
func (c *Combined) stretch(t *timing) float64 {
	alone := c.Space.Units / float64(t.run.BatchSize) * t.batch.Value
	return c.interrupted(t, estimate.Exact(alone, t.batch.Basis)).Value
}

// interrupted is by how much interruptions stretch so many seconds of work.
func (c *Combined) interrupted(t *timing, seconds estimate.Estimate) estimate.Estimate {
	w := c.work
	return w.Bill.Total(bill.Job{
		Seconds: seconds, VMs: 1, Spot: w.Purchase == profile.Spot, SavedEveryS: t.batch.Value, RestartS: t.startupS,
	}).Slowdown
}

// charge adds what is paid beside the VMs of a configuration, and says what the
// cost is made of. Time and cost hold start-ups, disks and the mean of the
// interruptions already; of these the least steady VM type's interval is all's.
func (c *Combined) charge(out *Candidate, at cluster.Configuration) {
	w := c.work
	out.Parts.Egress = w.Bill.EgressUSD()
	for i, n := range at.Counts {
		perHour := float64(n) / 3600
		out.Parts.Disk += perHour * w.Bill.DiskUSDPerHour() * out.Time.Value
		out.Parts.Startup += perHour * *c.Parts[i].USDPerHour * (w.Bill.StartupS + c.startups[i])
	}
	work := out.Cost.Value - out.Parts.Disk - out.Parts.Startup
	if w.Purchase == profile.Spot {
		worst := c.leastSteady(at)
		stretch := c.stretch(worst)
		out.Slowdown = c.interrupted(worst, out.Time.Times(1/stretch))
		slow := out.Slowdown.Times(1 / out.Slowdown.Value)
		out.Time, out.Cost = out.Time.By(slow), out.Cost.By(slow)
		out.Parts.Interruptions = work * (1 - 1/stretch)
	}
	out.Parts.Work = work - out.Parts.Interruptions
	out.Cost = out.Cost.Shifted(out.Parts.Egress)
	out.Other.USD += out.Parts.Egress
}

// leastSteady is the VM type in use that interruptions stretch most.
func (c *Combined) leastSteady(at cluster.Configuration) (worst *timing) {
	most := 0.0
	for i, n := range at.Counts {
		if t := c.timings[at.Variant][i]; n > 0 && t != nil && c.stretch(t) > most {
			worst, most = t, c.stretch(t)
		}
	}
	return worst
}

// energy is that of the candidate's work in kilowatt-hours, by those of its runs
// of which it was measured, or by the power that is predicted. Its time is still that of the
// work alone.
func (f *facts) energy(c *Candidate, runs []profile.Run, vms int) estimate.Estimate {
	if c.watts.Known() {
		return energy.Of(runs[0], energy.Job{Seconds: c.Time, VMs: vms, Watts: c.watts}).Times(1 / energy.JoulesPerKWh)
	}
	var of []estimate.Estimate
	for i := range runs {
		r := &runs[i]
		if r.EnergyJPerUnit == nil && r.AveragePowerW == nil {
			continue
		}
		joules := energy.Of(*r, energy.Job{Units: f.units(c, r), Seconds: c.Time, VMs: vms})
		if joules.Known() {
			of = append(of, joules.Times(1/energy.JoulesPerKWh))
		}
	}
	if len(of) == 0 {
		return estimate.Estimate{}
	}
	return training.Pool(of)
}

// energyByEpochs is how the energy of a training grows with its epochs; nil where
// that is not known.
func (f *facts) energyByEpochs(c Candidate, runs []profile.Run) *training.Line {
	line := c.TimeByEpochs
	if line == nil || !c.Energy.Known() {
		return nil
	}
	at := func(epochs float64) float64 {
		c.Epochs, c.Time = &epochs, estimate.Exact(line.At(epochs), c.Time.Basis)
		return f.energy(&c, runs, max(runs[0].Count, 1)).Value
	}
	slope := at(2) - at(1)
	return &training.Line{At0: at(1) - slope, Slope: slope}
}

// units is the work of the whole job, 0 where it is not known.
func (f *facts) units(c *Candidate, r *profile.Run) float64 {
	switch {
	case c.Mode == profile.Infer:
		return f.work.Units
	case c.Epochs == nil:
		return 0
	case r.TrainSize != nil:
		return *c.Epochs * *r.TrainSize
	case r.IterationsPerEpoch != nil:
		return *c.Epochs * *r.IterationsPerEpoch * float64(r.BatchSize)
	}
	return 0
}

// billOf is the bill of a VM. A machine of one's own without a price is not
// rented: of its bill only the electricity is paid.
func (f *facts) billOf(p Part) bill.Bill {
	if p.VM.Cloud == "" && p.USDPerHour == nil {
		return bill.Bill{ElectricityUSDPerKWh: f.work.Bill.ElectricityUSDPerKWh, PUE: f.work.Bill.PUE}
	}
	return f.work.Bill
}

// offerKey is a VM type wherever it is rented.
type offerKey struct{ cloud, instanceType string }

// market is the VM types that can be bought in one way. It is immutable.
type market struct {
	purchase profile.Purchase
	vms      map[profile.VMKey]profile.VMType
	anywhere map[offerKey]profile.VMType // the cheapest of all regions
}

func newMarket(vms []profile.VMType, p profile.Purchase) market {
	m := market{p, map[profile.VMKey]profile.VMType{}, map[offerKey]profile.VMType{}}
	for _, vm := range vms {
		m.vms[vm.Key()] = vm
		if k := (offerKey{vm.Cloud, vm.InstanceType}); cheaper(vm, m.anywhere[k], p) {
			m.anywhere[k] = vm
		}
	}
	return m
}

// cheaper reports whether vm is a better offer than the one known so far, if any.
func cheaper(vm, known profile.VMType, p profile.Purchase) bool {
	mine, priced := vm.PriceOf(p)
	its, knownPriced := known.PriceOf(p)
	return known.InstanceType == "" || priced && (!knownPriced || mine.USDPerHour < its.USDPerHour)
}

// vmOf is the run's VM type in the catalog. Where the run does not say in which
// region it was, that is the cheapest one that has the instance type, unless its
// user said what it cost.
func (m market) vmOf(r profile.Run) (vm profile.VMType, ok bool) {
	if vm, ok = m.vms[r.VM()]; ok || r.Cloud == "" || r.Region != "" || r.USDPerHour != nil {
		return vm, ok
	}
	vm, ok = m.anywhere[offerKey{r.Cloud, r.InstanceType}]
	return vm, ok
}

// part prices the VM the run is of: by the catalog, or for a machine that is
// not in it by what the run's own user said, on demand.
func (m market) part(r profile.Run, count int) Part {
	vm, inCatalog := m.vmOf(r)
	if !inCatalog {
		vm = profile.VMType{
			Cloud: r.Cloud, Region: r.Region, InstanceType: r.VM().InstanceType,
			GPU: r.GPU, GPUCount: r.GPUCount, GPUMemGiB: r.GPUMemGiB,
		}
	}
	p := Part{VM: vm, Count: count, GPUUnknown: !inCatalog && r.GPUs() == nil}
	if q, ok := vm.PriceOf(m.purchase); ok {
		p.USDPerHour, p.PriceFrom = new(q.USDPerHour), strings.TrimSpace(q.Source+" "+q.AsOf)
		p.PriceAsOf = q.AsOf
		p.PriceSpread = priceSpread(vm.Prices, m.purchase)
	} else if !inCatalog && r.USDPerHour != nil && m.purchase == profile.OnDemand {
		p.USDPerHour, p.PriceFrom = r.USDPerHour, "given with the run"
	}
	return p
}

// priceSpread is the standard deviation of the logarithm of a VM type's quotes
// for a purchase option. List prices hardly move; spot quotes of several days
// do.
func priceSpread(prices []profile.Price, p profile.Purchase) float64 {
	var logs []float64
	for _, q := range prices {
		if q.Purchase == p && q.USDPerHour > 0 {
			logs = append(logs, math.Log(q.USDPerHour))
		}
	}
	if len(logs) < 2 {
		return 0
	}
	return stat.StdDev(logs, nil)
}

// widened adds an independent relative error to an estimate's interval.
func widened(e estimate.Estimate, sigma float64) estimate.Estimate {
	if sigma == 0 || !e.Known() {
		return e
	}
	factor := math.Exp(estimate.Z90 * math.Hypot(e.LogSigma(), sigma))
	return estimate.Estimate{Value: e.Value, Low: e.Value / factor, High: e.Value * factor, Basis: e.Basis}
}

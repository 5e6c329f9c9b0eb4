package candidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// facts are what a set tells about a workload, gathered before any candidate is
// made. They are immutable.
type facts struct {
	set        *profile.Set
	work       question.Workload
	predictor  Predictor // nil adds nothing
	asked      question.Narrowing
	model      profile.Model
	market     market
	accuracies accuracies
	curves     []learningCurve
	totals     *training.Totals // nil where no total is to be told from epochs
}

func newFacts(set *profile.Set, w question.Workload, p Predictor) *facts {
	f := &facts{
		set: set, work: w, predictor: p, asked: w.Narrowing(), market: newMarket(set.VMTypes, w.Purchase),
		accuracies: newAccuracies(set, w), curves: learningCurves(set, w, p != nil),
	}
	f.model, _ = set.Model(w.Model)
	if slices.ContainsFunc(set.Runs, f.needsTotals) {
		f.totals = training.NewTotals(set.Runs)
	}
	return f
}

// answers reports whether the run alone can answer for the workload. One that
// ran out of memory, however late, says only that it does not fit.
func (f *facts) answers(r profile.Run) bool {
	if r.Status == profile.OutOfMemory {
		return false
	}
	if f.work.Mode == profile.Infer {
		return r.Steady.Known() && r.BatchSize > 0
	}
	return f.trainingTime(r).Known()
}

// strongest keeps the answering runs of the most trusted basis. A published
// total never stands beside iteration times of the same cell.
func (f *facts) strongest(runs []profile.Run) []profile.Run {
	if len(runs) == 1 && f.answers(runs[0]) {
		return runs
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r profile.Run) bool { return !f.answers(r) })
	if len(runs) < 2 {
		return runs
	}
	if slices.ContainsFunc(runs, func(r profile.Run) bool { return r.Steady.Known() }) {
		runs = slices.DeleteFunc(runs, func(r profile.Run) bool { return !r.Steady.Known() })
	}
	best := slices.MinFunc(runs, func(a, c profile.Run) int { return cmp.Compare(a.Basis, c.Basis) }).Basis
	return slices.DeleteFunc(runs, func(r profile.Run) bool { return r.Basis != best })
}

// spread gives a single number without an interval the one of its kind: nothing
// that was timed once is known exactly.
func (f *facts) spread(e estimate.Estimate, basis estimate.Basis) estimate.Estimate {
	if e.High > e.Low || !e.Known() {
		return e
	}
	return estimate.Spread(e.Value, cmp.Or(f.set.Kinds[basis].Rel, training.OneTotalRel), basis)
}

func (f *facts) candidate(cell int, r profile.Run) Candidate {
	return Candidate{
		Model: r.Model, Variant: r.Variant, Mode: r.Mode, BatchSize: r.BatchSize, Purchase: f.work.Purchase,
		Quality: f.quality(r), OverMemory: f.overMemory(r), Cell: cell, timed: r.Basis,
	}
}

// base is what the candidates that rest on the runs have in common.
func (f *facts) base(cell int, runs []profile.Run) Candidate {
	c := f.candidate(cell, runs[0])
	for i := range runs {
		c.Sources = append(c.Sources, runs[i].ID)
		c.Live = c.Live || runs[i].Status == profile.Running
	}
	return c
}

// finish fills in what follows from the count: configuration, cost, identity.
func (f *facts) finish(c *Candidate, r profile.Run, count int) {
	part := f.market.part(r, count)
	c.Configuration = []Part{part}
	f.charge(c, part)
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

// probed notes what a probe of the run's cell takes and could tell.
func (c *Candidate) probed(r profile.Run, time estimate.Estimate) {
	c.Probe.IterationS, c.Probe.Sigma = r.Steady.Value, time.LogSigma()
	if startup, ok := r.Startup(); ok {
		c.Probe.StartupS = new(startup + r.WarmupExtraS)
	}
}

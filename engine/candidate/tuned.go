package candidate

import (
	"reflect"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
	"sweetspot/engine/transformer"
)

// measuredPeak is the peak of the newest run of the model on a GPU that trained as is asked, but
// for batch, sequence, rank and sharding; nil where there is none.
func (f *facts) measuredPeak(a transformer.Architecture) *memory.Peak {
	var newest *profile.Run
	var peak memory.Peak
	for i := range f.set.Runs {
		r := &f.set.Runs[i]
		way, ok := question.TuningOf(r)
		if !ok || r.Model != f.work.Model || r.Mode != profile.Train || r.PeakMemoryBytes == nil || r.GPU == "" ||
			r.Tuning.MicroBatch == nil || r.Tuning.Longest == nil || newest != nil && r.ID < newest.ID ||
			way.Method != f.work.Tuning.Method || way.Weights != f.work.Tuning.Weights ||
			way.Frozen32 != f.work.Tuning.Frozen32 {
			continue
		}
		own := *r.Tuning.Architecture
		if own.Name, own.Source = a.Name, a.Source; own != a {
			continue // of another network under that name
		}
		way.Sequence = *r.Tuning.Longest // longer ones took nothing yet
		if r.Workers() < 2 {
			way.Sharding = transformer.None
		}
		newest = r
		peak = memory.Peak{Bytes: *r.PeakMemoryBytes, Job: memory.Job{Architecture: a, Tuning: way,
			GPUs: max(r.Workers(), 1), MicroBatch: *r.Tuning.MicroBatch,
			Accumulates: r.Tuning.MicroBatches != nil && *r.Tuning.MicroBatches > 1}}
	}
	if newest == nil {
		return nil
	}
	return &peak
}

// withMeasured adds what was measured of such trainings, in place of what was predicted on the same
// VM types with the same batch.
func (f *facts) withMeasured(predicted []Candidate, cells cells) []Candidate {
	var measured []Candidate
	for n := range cells.all {
		if runs, c, _ := f.answering(cells.at(n)); len(runs) > 0 {
			measured = append(measured, f.ofRun(c, runs[len(runs)-1]))
		}
	}
	predicted = slices.DeleteFunc(predicted, func(p Candidate) bool {
		return slices.ContainsFunc(measured, func(m Candidate) bool {
			a, b := p.Configuration[0].VM, m.Configuration[0].VM
			return a.Key() == b.Key() && p.BatchSize == m.BatchSize && m.Fit == nil
		})
	})
	return append(predicted, measured...)
}

// trains reports whether a run trained as is asked, so that its steps are those of the question.
func (f *facts) trains(r *profile.Run) bool {
	way, ok := question.TuningOf(r)
	asked := *f.work.Tuning
	if way.Sharding == transformer.Auto || r.Workers() < 2 {
		way.Sharding = asked.Sharding
	}
	if asked.Checkpointing == transformer.WhereNeeded {
		way.Checkpointing = asked.Checkpointing
	}
	return ok && r.Steady.Known() && r.Tuning.TokensPerStep != nil && reflect.DeepEqual(way, asked)
}

// ofRun is the candidate of a training that was measured: as many steps as the tokens take, and
// what comes once.
func (f *facts) ofRun(c Candidate, r profile.Run) Candidate {
	work, to := f.workOf(*r.Tuning.TokensPerStep)
	c.ToLoss = to
	n, step := steps(work, *r.Tuning.TokensPerStep), training.Iteration(r, f.set.Kinds)
	c.Time = step.By(n)
	c.Time.Basis = estimate.Weakest(step.Basis, n.Basis)
	if once, ok := r.OneOff(); ok {
		c.Time = c.Time.Shifted(once)
	}
	c.Units = &work.Value
	c.probed(r, step)
	c.Errors = []CellError{{int32(c.Cell), step.LogSigma()}, {SeveralCells, n.LogSigma()}}
	f.finish(&c, r, max(r.Count, 1))
	return c
}

package candidate

import (
	"iter"
	"slices"

	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// listing holds one candidate at a time while very many are listed.
type listing struct {
	Candidate
	parts   []Part
	runs    []profile.Run // as predicted
	variant int32         // of the prediction looked at
	common  []common      // of its variant's predictions, by shape
}

// open makes the candidate of a cell in the listing, but for what depends on the number
// of VMs. It returns the runs that answer for it and one VM of its type.
func (f *facts) open(of cell, l *listing) (runs []profile.Run, part Part) {
	if of.predicted != nil {
		return l.look(of.predicted)
	}
	if runs, l.Candidate, _ = f.answering(of); len(runs) > 0 {
		part = f.market.part(runs[0], 1)
	}
	return runs, part
}

// onCounts are the candidates of a cell on 1, 2, … VMs, as far as their time and
// cost need. They are in the listing, one after another.
func (f *facts) onCounts(of cell, l *listing) iter.Seq[*Candidate] {
	return func(yield func(*Candidate) bool) {
		runs, part := f.open(of, l)
		if len(runs) == 0 {
			yield(&l.Candidate)
			return
		}
		l.parts = append(l.parts[:0], part)
		l.Configuration = l.parts
		l.probed(runs[0], estimate.Estimate{})
		for ; part.Count <= f.maxVMs(of, runs); part.Count++ {
			l.Configuration[0].Count = part.Count
			l.Time = f.inferenceTime(runs, part.Count)
			l.Energy = f.energy(&l.Candidate, runs, part.Count)
			if f.charge(&l.Candidate, part); !yield(&l.Candidate) {
				return
			}
		}
	}
}

// shared is what the candidates of a cell have in common, on one VM. It is in the
// listing.
func (f *facts) shared(of cell, l *listing) *Candidate {
	if runs, part := f.open(of, l); len(runs) > 0 {
		l.parts = append(l.parts[:0], part)
		l.Configuration = l.parts
		l.Time = f.inferenceTime(runs, 1)
	}
	return &l.Candidate
}

// inferred is the candidate of a cell of batch inference on so many VMs.
func (f *facts) inferred(of cell, count int) Candidate {
	runs, c, _ := f.answering(of)
	if len(runs) == 0 {
		return c
	}
	if of.predicted != nil {
		c.Why = of.predicted.why()
	}
	c.Time = f.inferenceTime(runs, count)
	c.probed(runs[0], c.Time)
	c.Units = new(f.work.Units)
	c.Sources = slices.Clone(c.Sources)
	c.Energy = f.energy(&c, runs, count)
	f.finish(&c, runs[0], count)
	return c
}

// maxVMs is how many VMs of the type of a cell's runs there may be: a machine of one's
// own cannot be rented twice, and what did not fit fits on none.
func (f *facts) maxVMs(of cell, runs []profile.Run) int {
	switch {
	case of.predicted != nil:
		return of.predicted.from.maxCount
	case len(runs) == 0 || runs[0].Cloud == "":
		return 1
	}
	return max(f.work.MaxCount, 1)
}

// inferenceTime is the time on so many VMs. On VMs of one type both splits of
// the work are the same.
func (f *facts) inferenceTime(runs []profile.Run, count int) estimate.Estimate {
	m := cluster.Member{Count: count, GPUs: runs[0].GPUCount, BatchSize: float64(runs[0].BatchSize)}
	batches := cluster.Batches(m, f.work.Units)
	times := make([]estimate.Estimate, len(runs))
	for i := range runs {
		s := &runs[i]
		startup, _ := s.OneOff()
		times[i] = training.Inference(training.Iteration(*s, f.set.Kinds), startup, batches)
	}
	return training.Pool(times)
}

package candidate

import (
	"cmp"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
)

// ScaledSize is a training at a world size, measured or predicted.
type ScaledSize struct {
	transfer.Size
	Efficiency estimate.Estimate // what a worker does, relative to the smallest size measured
	Predicted  bool
}

// scaledBy is what trainings have in common whose world sizes are compared.
type scaledBy struct{ variant, gpu, host string }

// scaledOf names it; the machines of one's own without a GPU are compared with themselves alone.
func scaledOf(r *profile.Run) scaledBy {
	key := scaledBy{r.Variant.Key(), r.GPU, ""}
	if r.GPU == "" {
		key.host = r.Cloud + "\x00" + r.InstanceType
	}
	return key
}

// predictedSizes are as many doublings beyond the largest size measured.
const predictedSizes = 2

// worldSizes are the trainings of the model with a step time, by what they have in common;
// without those of a single number of workers.
func (f *facts) worldSizes() map[scaledBy][]transfer.Size {
	all := map[scaledBy][]transfer.Size{}
	if f.work.Mode != profile.Train {
		return all
	}
	for i := range f.set.Runs {
		r := &f.set.Runs[i]
		if r.Model == f.work.Model && r.Mode == profile.Train && r.Workers() > 0 && r.BatchSize > 0 && r.Steady.Known() &&
			r.PowerLimitW == nil {
			all[scaledOf(r)] = append(all[scaledOf(r)], transfer.Size{Workers: r.Workers(), Batch: r.BatchSize, Step: r.Steady})
		}
	}
	for key, sizes := range all {
		slices.SortStableFunc(sizes, func(a, b transfer.Size) int {
			return cmp.Or(cmp.Compare(a.Workers, b.Workers), cmp.Compare(a.Step.Basis, b.Step.Basis))
		})
		if sizes[0].Workers == sizes[len(sizes)-1].Workers {
			delete(all, key)
		}
	}
	return all
}

// scaling is how a training goes on more workers and fewer: at its own batch size, else at
// as much for each of them. It is nil where it ran on one number of them alone.
func (f *facts) scaling(r *profile.Run) []ScaledSize {
	sizes := f.scaled[scaledOf(r)]
	if len(sizes) == 0 || r.Workers() == 0 {
		return nil
	}
	workers, batch := r.Workers(), r.BatchSize
	for _, batchOn := range []func(n int) (int, bool){
		func(int) (int, bool) { return batch, true },
		func(n int) (int, bool) { return batch * n / workers, batch*n%workers == 0 },
	} {
		var known []transfer.Size
		for _, s := range sizes {
			b, whole := batchOn(s.Workers)
			if whole && s.Batch == b && (known == nil || known[len(known)-1].Workers != s.Workers) {
				known = append(known, s)
			}
		}
		if len(known) < 2 {
			continue
		}
		var out []ScaledSize
		for _, s := range known {
			out = append(out, ScaledSize{s, s.Efficiency(known[0]), false})
		}
		n := known[len(known)-1].Workers
		for range predictedSizes {
			n *= 2
			b, whole := batchOn(n)
			if whole && b >= n {
				s := transfer.Size{Workers: n, Batch: b, Step: transfer.AtSize(known, n, b)}
				out = append(out, ScaledSize{s, s.Efficiency(known[0]), true})
			}
		}
		return out
	}
	return nil
}

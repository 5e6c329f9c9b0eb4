package candidate

import (
	"iter"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transfer"
)

func newBuilder(set *profile.Set, w question.Workload) *builder {
	b := &builder{set: set, w: w, vms: map[profile.VMKey]profile.VMType{}, origins: map[string]int{}, memory: map[string]*transfer.Memory{}, epochCells: map[string]int32{}, anywhere: map[offerKey]profile.VMType{}}
	for _, vm := range set.VMTypes {
		b.vms[vm.Key()] = vm
		if k := (offerKey{vm.Cloud, vm.InstanceType}); cheaper(vm, b.anywhere[k], w.Purchase) {
			b.anywhere[k] = vm
		}
	}
	b.model, _ = set.Model(w.Model)
	b.findAccuracies()
	b.findOutlooks()
	return b
}

// cheaper reports whether vm is a better offer than the one known so far, if any.
func cheaper(vm, known profile.VMType, p profile.Purchase) bool {
	mine, priced := vm.PriceOf(p)
	its, knownPriced := known.PriceOf(p)
	return known.InstanceType == "" || priced && (!knownPriced || mine.USDPerHour < its.USDPerHour)
}

// cells groups the runs that the workload asks for by what they timed, as
// indices into the set's runs, in the order of the set.
func (b *builder) cells() (keys []cellKey, cells [][]int32) {
	at := map[cellKey]int32{}
	var runs, of, sizes []int32 // runs, their cells, and how many each has
	for i := range b.set.Runs {
		r := &b.set.Runs[i]
		if r.Model != b.w.Model || r.Mode != b.w.Mode || !b.wanted(r) {
			continue
		}
		k := keyOf(r)
		n, seen := at[k]
		if !seen {
			n = int32(len(keys))
			at[k], keys, sizes = n, append(keys, k), append(sizes, 0)
		}
		runs, of, sizes[n] = append(runs, int32(i)), append(of, n), sizes[n]+1
	}
	room := make([]int32, len(runs)) // of all cells
	cells = make([][]int32, len(keys))
	for n, size := range sizes {
		cells[n], room = room[:0:size], room[size:]
	}
	for k, n := range of {
		cells[n] = append(cells[n], runs[k])
	}
	return keys, cells
}

// gather is the runs of a cell, which nobody may change.
func (b *builder) gather(cell []int32) []profile.Run {
	if i := cell[0]; len(cell) == 1 {
		return b.set.Runs[i : i+1 : i+1]
	}
	out := make([]profile.Run, len(cell))
	for k, i := range cell {
		out[k] = b.set.Runs[i]
	}
	return out
}

// onCounts are the candidates of a family on 1, 2, … VMs, as far as their time and
// cost need.
func (b *builder) onCounts(f family) iter.Seq[*Candidate] {
	return func(yield func(*Candidate) bool) {
		all := b.gather(f.runs)
		runs := strongest(all, b.answers)
		if len(runs) == 0 {
			c, _ := b.outOfMemory(f.index, all)
			yield(&c)
			return
		}
		c, part := b.base(f.index, runs), b.part(runs[0], 1)
		c.Configuration = []Part{part}
		c.probed(runs[0], estimate.Estimate{})
		for ; part.Count <= b.most(runs[0]); part.Count++ {
			c.Configuration[0].Count = part.Count
			c.Time = b.inferenceTime(runs, part.Count)
			if b.charge(&c, part); !yield(&c) {
				return
			}
		}
	}
}

// shared makes what the members of a family have in common, on one VM; part is
// room for its configuration.
func (b *builder) shared(f family, c *Candidate, part []Part) {
	all := b.gather(f.runs)
	if runs := strongest(all, b.answers); len(runs) > 0 {
		*c = b.candidate(f.index, runs[0])
		part[0] = b.part(runs[0], 1)
		c.Configuration = part
		c.Time = b.inferenceTime(runs, 1)
		return
	}
	*c, _ = b.outOfMemory(f.index, all)
}

// member makes the candidate of a family on count VMs.
func (b *builder) member(f family, count int) Candidate {
	all := b.gather(f.runs)
	runs := strongest(all, b.answers)
	if len(runs) == 0 {
		c, _ := b.outOfMemory(f.index, all)
		return c
	}
	return b.inference(b.base(f.index, runs), runs, count)
}

// most is how many VMs of the run's type there may be: a machine of one's own
// cannot be rented twice.
func (b *builder) most(r profile.Run) int {
	if r.Cloud == "" {
		return 1
	}
	return max(b.w.MaxCount, 1)
}

// base is what the candidates that rest on the runs have in common.
func (b *builder) base(index int, runs []profile.Run) Candidate {
	c := b.candidate(index, runs[0])
	for i := range runs {
		c.Sources = append(c.Sources, runs[i].ID)
		c.Live = c.Live || runs[i].Status == profile.Running
	}
	return c
}

// trained is the candidate of a timing cell of training.
func (b *builder) trained(index int, all []profile.Run) (Candidate, bool) {
	runs := strongest(all, b.answers)
	if len(runs) == 0 {
		return b.outOfMemory(index, all)
	}
	return b.training(b.base(index, runs), runs), true
}

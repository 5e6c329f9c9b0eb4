package rank

import (
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transfer"
)

// Lay lists the candidates of a workload over everything the set can answer
// for. The order is that of the set; [Evaluate] ranks. Of one configuration keep
// is asked once, for all its counts of VMs; nil keeps everything.
func Lay(set *profile.Set, w question.Workload, keep func(c *Candidate) bool) *Space {
	b := newBuilder(set, w)
	s := newSpace(b)
	keys, cells := b.cells()
	s.reserve(len(cells) * max(w.MaxCount, 1))
	for index, cell := range cells {
		if w.Mode == profile.Infer {
			b.layInference(s, family{index, cell}, keep)
		} else if c, ok := b.trained(index, b.gather(cell)); ok && (keep == nil || keep(&c)) {
			s.list(c)
		}
	}
	b.layPredicted(s, keys, cells, keep)
	if w.Combine && w.Mode == profile.Infer {
		b.layCombinations(s, keep)
	}
	return s
}

// layCombinations lists what of several VM types is on the frontiers, in whole
// batches like everything else. Of one type all counts are there already.
func (b *builder) layCombinations(s *Space, keep func(c *Candidate) bool) {
	c := b.combinable(Rental{})
	if len(c.parts) < 2 || c.solve(Rental{}) != nil {
		return
	}
	all := c.best()
	for _, at := range all {
		if kinds(at.Counts) < 2 {
			continue
		}
		if one := c.Candidate(at, true); keep == nil || keep(&one) {
			s.list(one)
		}
	}
	s.Combinations = c.roughly(all)
}

// kinds is how many VM types there are any of.
func kinds(counts []int) (n int) {
	for _, k := range counts {
		if k > 0 {
			n++
		}
	}
	return n
}

// Build is [Lay] with every candidate made.
func Build(set *profile.Set, w question.Workload) []Candidate {
	s := Lay(set, w, nil)
	out := make([]Candidate, s.Len())
	for i := range out {
		out[i] = *s.At(i)
	}
	return out
}

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

// family is a timing cell of batch inference: one time of a batch, any number of
// VMs.
type family struct {
	index int     // of the cell
	runs  []int32 // into the set's runs
}

// layInference gives the space the candidates of a cell on 1 … MaxCount VMs. They
// are counted and measured here, and made when they are asked for.
func (b *builder) layInference(s *Space, f family, keep func(c *Candidate) bool) {
	all := b.gather(f.runs)
	runs := strongest(all, b.answers)
	if len(runs) == 0 {
		if c, ok := b.outOfMemory(f.index, all); ok && (keep == nil || keep(&c)) {
			s.open(f)
			s.put(&c)
		}
		return
	}
	c := b.base(f.index, runs)
	if keep != nil {
		if one := b.inference(c, runs, 1); !keep(&one) {
			return
		}
	}
	s.open(f)
	part := b.part(runs[0], 1)
	c.Configuration = []Part{part}
	c.probed(runs[0], estimate.Estimate{})
	for part.Count = 1; part.Count <= b.most(runs[0]); part.Count++ {
		c.Time = b.inferenceTime(runs, part.Count)
		b.charge(&c, part)
		s.put(&c)
	}
}

// like makes what the members of a family have in common, on one VM; part is room
// for its configuration.
func (b *builder) like(f family, c *Candidate, part []Part) {
	all := b.gather(f.runs)
	if runs := strongest(all, b.answers); len(runs) > 0 {
		*c = b.candidate(f.index, runs[0])
		part[0] = b.part(runs[0], 1)
		c.Configuration = part
		c.Time.Basis = b.spread(runs[0].Steady, runs[0].Basis).Basis
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

// Find looks for a candidate of another space that answers the same question
// over another set, or about more or less work.
func (s *Space) Find(c *Candidate) (i int, ok bool) {
	i = slices.IndexFunc(s.listed, func(l Candidate) bool { return l.ID == c.ID })
	if i >= 0 {
		return s.lazy() + i, true
	}
	if len(c.Configuration) != 1 || s.builder == nil {
		return 0, false
	}
	p := c.Configuration[0]
	for k, f := range s.families {
		r := &s.builder.set.Runs[f.runs[0]]
		if r.BatchSize == c.BatchSize && r.VM().InstanceType == p.VM.InstanceType && r.Variant.Name == c.Variant.Name {
			if i := s.starts[k] + p.Count - 1; i < s.end(k) && s.At(i).ID == c.ID {
				return i, true
			}
		}
	}
	return 0, false
}

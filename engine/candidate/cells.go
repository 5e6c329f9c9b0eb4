package candidate

import (
	"fmt"
	"hash/maphash"
	"slices"

	"sweetspot/engine/profile"
)

// cellKey is what one measured time is of.
type cellKey struct {
	variant, precision string
	pruning            string
	vm                 profile.VMKey
	batch, count       int
}

func keyOf(r *profile.Run) cellKey {
	k := cellKey{r.Variant.Name, r.Variant.Precision, r.Variant.Pruning.Key(), r.VM(), r.BatchSize, max(r.Count, 1)}
	if r.Mode == profile.Infer {
		k.count = 1 // the time of a batch on one GPU, however many work beside it
	}
	return k
}

// sameVariant reports whether two variants differ in nothing.
func sameVariant(a, b profile.Variant) bool { return a.Key() == b.Key() }

func batchKey(v profile.Variant, batch int) string {
	return fmt.Sprintf("%s\x00%d", v.Key(), batch)
}

// cell is the runs that timed one thing, as indices into the set's, or what is
// predicted where there are none.
type cell struct {
	number    int // of what its time rests on; cells of one number err together
	runs      []int32
	predicted *prediction
}

// cells are what the runs that a workload asks for timed, in the order of the set.
type cells struct {
	all  []stretch // by cell
	runs []int32   // those of one cell after those of another
	// origins are the numbers of times that VM types have of their GPU.
	origins origins
}

// stretch is a cell among others: its number and where its runs stand.
type stretch struct{ number, from, to int32 }

func (c *cells) at(n int) cell {
	s := c.all[n]
	return cell{number: int(s.number), runs: c.runs[s.from:s.to:s.to]}
}

func (f *facts) cells() cells {
	c := cells{origins: origins{}}
	numbers := numbering{seed: maphash.MakeSeed(), last: map[uint64]int32{}}
	var runs, of, sizes []int32 // runs, their cells, and how many each has
	for i := range f.set.Runs {
		r := &f.set.Runs[i]
		if r.Model != f.work.Model || r.Mode != f.work.Mode || !f.asked.Keeps(r) {
			continue
		}
		n := numbers.of(f.set.Runs, int32(i))
		if int(n) == len(sizes) {
			sizes = append(sizes, 0)
		}
		runs, of, sizes[n] = append(runs, int32(i)), append(of, n), sizes[n]+1
	}
	c.runs, c.all = make([]int32, len(runs)), make([]stretch, len(sizes))
	end := int32(0)
	for n, size := range sizes {
		c.all[n], end = stretch{int32(n), end, end}, end+size
	}
	for k, n := range of {
		s := &c.all[n]
		c.runs[s.to] = runs[k]
		s.to++
	}
	for n := range c.all {
		of := c.at(n)
		if !slices.ContainsFunc(of.runs, func(i int32) bool { return f.set.Runs[i].IsOfGPU() }) {
			continue
		}
		if runs := f.strongest(f.gather(of.runs)); len(runs) > 0 {
			c.all[n].number = int32(c.origins.number(n, &runs[0], runs[0].Variant.Key()))
		}
	}
	return c
}

// numbering numbers the cells of runs in the order they are met. Of millions it holds
// a hash and two numbers each, not what they are of: that the first run of a cell says.
type numbering struct {
	seed   maphash.Seed
	last   map[uint64]int32 // by hash, the cell that was met last
	before []int32          // by cell, the one before it with its hash; −1 without
	first  []int32          // by cell
}

func (n *numbering) of(runs []profile.Run, run int32) int32 {
	key := keyOf(&runs[run])
	hash := maphash.Comparable(n.seed, key)
	last, seen := n.last[hash]
	if !seen {
		last = -1
	}
	for c := last; c >= 0; c = n.before[c] {
		if keyOf(&runs[n.first[c]]) == key {
			return c
		}
	}
	n.last[hash] = int32(len(n.first))
	n.before, n.first = append(n.before, last), append(n.first, run)
	return n.last[hash]
}

// named is what a cell is of, as far as it is quick to tell.
func (f *facts) named(of cell) (batch int, instanceType, variant string) {
	if g := of.predicted; g != nil {
		p := g.from
		return p.shapes[g.shape].BatchSize, p.offers[g.offer].InstanceType, p.variants[g.variant].Name
	}
	r := &f.set.Runs[of.runs[0]]
	return r.BatchSize, r.VM().InstanceType, r.Variant.Name
}

// gather is the runs of a cell, which nobody may change.
func (f *facts) gather(cell []int32) []profile.Run {
	if i := cell[0]; len(cell) == 1 {
		return f.set.Runs[i : i+1 : i+1]
	}
	out := make([]profile.Run, len(cell))
	for k, i := range cell {
		out[k] = f.set.Runs[i]
	}
	return out
}

// origins number what times of GPUs rest on, by variant, batch size and GPU: VM
// types that have the time of their GPU err together.
type origins map[origin]int

// origin is a variant at a batch size on a GPU.
type origin struct {
	variantBatch
	gpu string
}

// number is the cell's own number but for times of a GPU, which have that of the
// first such cell.
func (o origins) number(cell int, r *profile.Run, variant string) int {
	if !r.IsOfGPU() {
		return cell
	}
	key := origin{variantBatch{variant, r.BatchSize}, r.GPU}
	if _, seen := o[key]; !seen {
		o[key] = cell
	}
	return o[key]
}

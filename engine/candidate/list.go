package candidate

import (
	"iter"
	"slices"

	"sweetspot/engine/cluster"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// List is the candidates of a workload in the order of the set. Those of batch
// inference that rest on runs of their own, of which there may be a million, are
// made when they are looked at. It is immutable.
type List struct {
	// Combinations is what the combinations of VM types among the candidates are
	// the best of; zero where none were asked for.
	Combinations cluster.Explored
	// Narrowed says which predictions are left out.
	Narrowed Narrowed
	// Metrics are those of the model's accuracies, the one that they are compared by first. Accuracies in others
	// are left out.
	Metrics []string
	// Losses are those that evaluations of a language model's trainings showed, rising.
	Losses []float64
	// Unweighed are the kinds of a language model's weights that are left out because their accuracy is unknown.
	Unweighed []string
	// Uneven are the batches of a language model's training that leave VM types out.
	Uneven []Uneven
	// MaxCount is the most VMs of one type that are listed: of very many cells fewer
	// than asked for.
	MaxCount int

	facts     *facts
	cells     cells
	families  []int32      // cells of batch inference: one time of a batch, any number of VMs
	starts    []int32      // first candidate of each family, and the end of the last
	predicted []prediction // after the families, each on as many VMs
	each      int          // of a prediction: candidates
	made      []Candidate  // the others, after those of the families and predictions
}

// ListOf is a list of candidates that are made already.
func ListOf(candidates ...Candidate) *List { return &List{starts: []int32{0}, made: candidates} }

// NewList lists what the set can answer a workload with, and what a predictor, if
// any, adds to it. Of one configuration
// keep is asked once, for all its counts of VMs; nil keeps everything.
func NewList(set *profile.Set, w question.Workload, p Predictor, keep func(c *Candidate) bool) *List {
	l := &List{facts: newFacts(set, w, p), starts: []int32{0}}
	l.Metrics, l.Losses = l.facts.metrics, l.facts.losses.seen
	epochs := map[string]int32{} // numbers of what the epochs to a target rest on
	add := func(c Candidate) {
		if w.Mode == profile.Train && len(c.Errors) > 0 {
			c.Errors[1].Cell = epochCell(epochs, c.Variant, c.BatchSize)
		}
		if keep == nil || keep(&c) {
			l.made = append(l.made, c)
		}
	}
	l.cells = l.facts.cells()
	cells := l.cells
	if w.Tuning != nil || w.Lengths != nil {
		for _, c := range l.language(len(cells.all)) {
			c.Errors[1].Cell = epochCell(epochs, profile.Variant{}, 0) // the same software on all
			if keep == nil || keep(&c) {
				l.made = append(l.made, c)
			}
		}
		return l
	}
	l.MaxCount = min(w.MaxCount, max(mostListed/max(len(cells.all), 1), 1))
	l.facts.work.MaxCount = l.MaxCount
	for n := range cells.all {
		of := cells.at(n)
		if w.Mode == profile.Infer {
			l.open(n, of, keep)
		} else if runs, c, ok := l.facts.answering(of); len(runs) > 0 {
			add(l.facts.training(c, runs))
		} else if ok {
			add(c)
		}
	}
	predicted := l.facts.predictions(cells)
	l.Narrowed, l.each = predicted.narrowed, predicted.maxCount
	if w.Mode == profile.Infer {
		l.predict(predicted, keep)
	} else {
		for c := range predicted.trainings() {
			add(c)
		}
	}
	if w.Combine && w.Mode == profile.Infer {
		l.combine(predicted.combinable(cells, Rental{}), add)
	}
	return l
}

// language is what is known of the work of a language model, whose cells are numbered from first.
func (l *List) language(first int) []Candidate {
	if l.facts.work.Tuning == nil {
		made, unweighed := l.facts.generations(first)
		l.Unweighed = unweighed
		return made
	}
	if l.facts.work.TargetLoss != nil && len(l.facts.losses.courses) == 0 {
		return nil
	}
	tuned, uneven := l.facts.finetunes(first)
	l.Uneven = uneven
	return l.facts.withMeasured(tuned, l.cells)
}

// mostListed bounds how many candidates are listed, of some 100 bytes each in a
// ranking, for different numbers of VMs.
const mostListed = 10_000_000

// epochCell numbers what the epochs to the target rest on: the variant and the
// batch size, wherever it is trained. Timing cells are numbered from 0 up.
func epochCell(numbers map[string]int32, v profile.Variant, batch int) int32 {
	key := batchKey(v, batch)
	if _, seen := numbers[key]; !seen {
		numbers[key] = SeveralCells - 1 - int32(len(numbers))
	}
	return numbers[key]
}

// combine lists what of several VM types is on the frontiers, in whole batches
// like everything else. Of one type all counts are there already.
func (l *List) combine(c *Combined, add func(Candidate)) {
	if len(c.Parts) < 2 || c.solve(Rental{}) != nil {
		return
	}
	all := c.best()
	for _, at := range all {
		if kinds(at.Counts) > 1 {
			add(c.Candidate(at, true))
		}
	}
	l.Combinations = c.roughly(all)
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

// open lists the candidates of a cell on 1 … MaxCount VMs.
func (l *List) open(n int, of cell, keep func(c *Candidate) bool) {
	runs, _, ok := l.facts.answering(of)
	if !ok {
		return
	}
	if keep != nil {
		if c := l.facts.inferred(of, 1); !keep(&c) {
			return
		}
	}
	l.families = append(l.families, int32(n))
	l.starts = append(l.starts, int32(l.firstPredicted()+l.facts.maxVMs(of, runs)))
}

// predict lists the predictions of batch inference.
func (l *List) predict(p *predictions, keep func(c *Candidate) bool) {
	var one listing
	l.predicted = make([]prediction, 0, p.most())
	for g := range p.all() {
		if keep == nil || keep(l.facts.shared(g.cell(), &one)) {
			l.predicted = append(l.predicted, *g)
		}
	}
}

// Len is the number of candidates.
func (l *List) Len() int { return l.lazy() + len(l.made) }

// lazy is the number of candidates that are made when they are looked at.
func (l *List) lazy() int { return l.firstPredicted() + len(l.predicted)*l.each }

func (l *List) firstPredicted() int { return int(l.starts[len(l.starts)-1]) }

// groups are the cells of the candidates that are made when they are looked at, by the
// first of these and the one after the last.
func (l *List) groups() iter.Seq2[[2]int, cell] {
	return func(yield func([2]int, cell) bool) {
		for k, n := range l.families {
			if !yield([2]int{int(l.starts[k]), int(l.starts[k+1])}, l.cells.at(int(n))) {
				return
			}
		}
		from := l.firstPredicted()
		for k := range l.predicted {
			if !yield([2]int{from + k*l.each, from + (k+1)*l.each}, l.predicted[k].cell()) {
				return
			}
		}
	}
}

// At is candidate i, which nobody may change.
func (l *List) At(i int) *Candidate {
	if k := i - l.lazy(); k >= 0 {
		return &l.made[k]
	}
	if k := i - l.firstPredicted(); k >= 0 {
		c := l.facts.inferred(l.predicted[k/l.each].cell(), k%l.each+1)
		return &c
	}
	k, starts := slices.BinarySearch(l.starts, int32(i))
	if !starts {
		k--
	}
	c := l.facts.inferred(l.cells.at(int(l.families[k])), i-int(l.starts[k])+1)
	return &c
}

// All are the candidates, each with what it takes, costs and reaches. Those of
// batch inference lack ID and units and are the loop's until its next step.
func (l *List) All() iter.Seq2[int, *Candidate] {
	return func(yield func(int, *Candidate) bool) {
		i := 0
		var one listing
		for _, of := range l.groups() {
			for c := range l.facts.onCounts(of, &one) {
				if !yield(i, c) {
					return
				}
				i++
			}
		}
		for k := range l.made {
			if !yield(i+k, &l.made[k]) {
				return
			}
		}
	}
}

// Groups calls f for all ranges of candidates that differ in the number of VMs
// alone, by their first and the one after the last. The candidate is the first
// one but for its ID, cost and units, and f's only until it returns.
func (l *List) Groups(f func(first, end int, c *Candidate)) {
	var one listing
	for at, of := range l.groups() {
		f(at[0], at[1], l.facts.shared(of, &one))
	}
	for k := range l.made {
		i := l.lazy() + k
		f(i, i+1, &l.made[k])
	}
}

// Find looks for a candidate of another list that answers the same question over
// another set, or about more or less work.
func (l *List) Find(c *Candidate) (i int, ok bool) {
	i = slices.IndexFunc(l.made, func(m Candidate) bool { return m.ID == c.ID })
	if i >= 0 {
		return l.lazy() + i, true
	}
	if len(c.Configuration) != 1 {
		return 0, false
	}
	p := c.Configuration[0]
	for at, of := range l.groups() {
		batch, instanceType, variant := l.facts.named(of)
		if batch == c.BatchSize && instanceType == p.VM.InstanceType && variant == c.Variant.Name {
			if i := at[0] + p.Count - 1; i < at[1] && l.At(i).ID == c.ID {
				return i, true
			}
		}
	}
	return 0, false
}

package cluster

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"sweetspot/engine/parallel"
	"sweetspot/engine/pareto"
)

// Frontiers are the time–cost frontiers of every variant of a space. Limits only
// filter them: what dominates a configuration within the limits is within them too.
// So they are computed once, and [Frontiers.Within] answers for any limits.
type Frontiers struct {
	// Variants holds a frontier each, by rising time and falling cost; none
	// where no VM type runs the variant. Of configurations that take and cost
	// the same the one with the fewest VMs is listed, and of those the one with
	// the lowest counts in the order of Space.VMs.
	Variants [][]Configuration
	Explored Explored

	space  Space
	ranks  []int           // of the variants' accuracies; -1 unknown
	byTime []Configuration // all of them, by rising time, then cost
}

// Explored says what an answer covers and how it was found.
type Explored struct {
	// Configurations counts the variants' multisets of VMs that the answer
	// holds for, the empty one not among them.
	Configurations float64 `json:"configurations"`
	Method         string  `json:"method"` // "exact", or "bounded" where the resolution is not 0
	// Resolution is the fraction within which the answer is exact: for every
	// configuration there is a listed one that takes no longer, of whose cost
	// the first saves at most this fraction. It is 0 (that is 10⁻⁹, for what
	// floating point loses) but where start-up times or billing steps meet
	// prices nearly proportional to speed and too many combinations come close.
	Resolution float64 `json:"resolution"`
}

// Frontiers finds the time–cost frontier of every variant. The error is that of
// [Space.Check].
func (s Space) Frontiers() (*Frontiers, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	f := &Frontiers{Variants: make([][]Configuration, len(s.Variants)), space: s, ranks: s.qualityRanks()}
	resolutions := make([]float64, len(s.Variants))
	parallel.Each(len(s.Variants), runtime.GOMAXPROCS(0), func(i int) {
		f.Variants[i], resolutions[i] = s.problem(i).frontier()
	})
	f.Explored = Explored{Configurations: s.configurations(), Method: "exact", Resolution: slices.Max(resolutions)}
	if f.Explored.Resolution > 0 {
		f.Explored.Method = "bounded"
	}
	f.sort()
	return f, nil
}

// frontier is the time–cost frontier of one variant, and the fraction within
// which it is one; see [Explored].
func (p problem) frontier() (front []Configuration, resolution float64) {
	switch {
	case len(p.offers) == 0:
		return nil, 0
	case p.split == ByGPUs:
		return p.evenly(), 0
	case p.startUnlike() || !p.billedAlike():
		return p.branched()
	}
	return p.pooled(crowded)
}

// configurations counts the non-empty multisets of VMs of all variants.
func (s Space) configurations() (sum float64) {
	for i := range s.Variants {
		product := 1.0
		for _, o := range s.problem(i).offers {
			product *= float64(o.limit + 1)
		}
		sum += product - 1
	}
	return sum
}

// sort fills in the order by time. Moving keys costs less than moving configurations.
func (f *Frontiers) sort() {
	type key struct {
		seconds, usd float64
		at           int32
	}
	all := slices.Concat(f.Variants...)
	keys := make([]key, len(all))
	for i, c := range all {
		keys[i] = key{c.Seconds, c.USD, int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.usd, b.usd), cmp.Compare(a.at, b.at))
	})
	f.byTime = make([]Configuration, len(all))
	for i, k := range keys {
		f.byTime[i] = all[k.at]
	}
}

// quality turns the accuracy of a variant so that higher is better; −∞ where it is not
// known.
func (s Space) quality(variant int) (q float64, known bool) {
	a := s.Variants[variant].Accuracy
	switch {
	case a == nil || math.IsNaN(*a):
		return math.Inf(-1), false
	case s.LowerIsBetter:
		return -*a, true
	}
	return *a, true
}

// within allows a limit that is reached but for the last bits.
func within(v float64, limit *float64) bool { return limit == nil || v <= *limit*(1+equal) }

func (s Space) goodEnough(variant int, worst *float64) bool {
	if worst == nil {
		return true
	}
	q, known := s.quality(variant)
	if s.LowerIsBetter {
		return known && -q <= *worst
	}
	return known && q >= *worst
}

// equal is how far two times or two costs may lie apart and still be one.
const equal = pareto.Equal

// sweep keeps the non-dominated configurations of one variant, by rising time
// and falling cost, and of those that are equal the smallest.
func sweep(all []Configuration) []Configuration {
	slices.SortFunc(all, func(a, b Configuration) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.USD, b.USD))
	})
	var front []Configuration
	cheapest := math.Inf(1)
	for i := 0; i < len(all); {
		best := i
		latest := all[i].Seconds * (1 + equal)
		for i++; i < len(all) && all[i].Seconds <= latest; i++ {
			if better(all[i], all[best]) {
				best = i
			}
		}
		if c := all[best]; c.USD < cheapest*(1-equal) {
			cheapest = c.USD
			front = append(front, c)
		}
	}
	return front
}

// better compares two configurations of the same time: the cheaper, then the one of
// the fewest VMs, then the one of the lowest counts in the order of the VM types.
func better(a, b Configuration) bool {
	return cmp.Or(about(a.USD, b.USD), cmp.Compare(a.VMCount(), b.VMCount()), slices.Compare(a.Counts, b.Counts)) < 0
}

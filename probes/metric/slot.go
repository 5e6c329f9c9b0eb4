package metric

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/profile"
)

// slot is a validation and what was printed of it.
type slot struct {
	profile.Validation
	check bool             // it was seen, not only printed
	best  map[string]Value // by metric
	epoch *float64         // printed with them
	after float64          // a slot without a check: the last step before it
	shape string           // and the words of its first line
}

// isConvention reports names that mean per cent wherever they are printed: the
// Acc@1 of PyTorch's example, torchvision and timm.
func (v Value) isConvention() bool {
	return strings.Contains(v.Label, "@") && strings.HasPrefix(v.name, "top")
}

// fill gives each record to a validation.
func (l *Log) fill(slots []slot) []slot {
	taken := l.taken()
	var loose []slot
	for _, r := range l.records {
		values := slices.DeleteFunc(slices.Clone(r.values), func(v Value) bool {
			return v.Split == Unsaid &&
				!taken[r.shape]
		})
		if len(values) == 0 {
			continue
		}
		if r.file || l.isReplayed() {
			slots, loose = l.inOrder(slots, loose, r)
			continue
		}
		at := l.at(r)
		if l.first == nil || at < *l.first {
			continue // before any training
		}
		i := l.checkAt(at)
		if next := i + 1; next < len(l.checks) && (l.checks[next].after == r.after || at > l.step) &&
			(i < 0 || at > l.checks[i].until) {
			i = next // no step came between, whatever the clocks say
		}
		switch {
		case i < 0:
			loose = standAlone(loose, r, values)
		case at <= l.checks[i].until || !slots[i].has(values) || slots[i].ends(r):
			slots[i].add(r, values)
		case !r.drawn: // a bar shows the last result until the next
			loose = standAlone(loose, r, values)
		}
	}
	slots = append(slots, l.withoutSummary(slots, loose)...)
	untimed := slices.ContainsFunc(slots, func(s slot) bool { return s.AtS == nil })
	slices.SortStableFunc(slots, func(a, b slot) int {
		if untimed {
			return cmp.Compare(a.Epoch, b.Epoch)
		}
		return cmp.Compare(*a.AtS, *b.AtS)
	})
	return slots
}

// withoutSummary leaves out what a script printed at its end of validations before, such as the best one.
func (l *Log) withoutSummary(slots, loose []slot) []slot {
	before := slices.Concat(slots, loose)
	return slices.DeleteFunc(loose, func(s slot) bool {
		return l.ended && s.after == l.step && l.lines(s.shape) == 1 && slices.ContainsFunc(before, func(b slot) bool {
			return (b.check || b.after < s.after) && b.same(s.best)
		})
	})
}

// lines is how many lines of a shape may be results.
func (l *Log) lines(shape string) (n int) {
	for _, r := range l.records {
		if r.shape == shape {
			n++
		}
	}
	return n
}

// isReplayed reports output that was read long after it was printed: it has no times.
func (l *Log) isReplayed() bool { return l.clocked && l.offset < -2 }

// at is when a record came by the clock of events.
func (l *Log) at(r record) float64 {
	if !l.clocked {
		return r.at
	}
	return r.at - l.offset
}

// checkAt is the last validation that had begun; -1 before the first.
func (l *Log) checkAt(t float64) int {
	for i, c := range slices.Backward(l.checks) {
		if c.begin <= t {
			return i
		}
	}
	return -1
}

// taken are the shapes of lines without a split that are results: more of them come right
// after a validation than elsewhere.
func (l *Log) taken() map[string]bool {
	after, strays := map[string]int{}, maps.Clone(l.strays)
	for _, r := range l.records {
		switch {
		case r.file || !slices.ContainsFunc(r.values, func(v Value) bool { return v.Split == Unsaid }):
		case l.follows(r):
			after[r.shape]++
		default:
			strays[r.shape]++
		}
	}
	out := map[string]bool{}
	for name, n := range after {
		out[name] = n > strays[name]
	}
	return out
}

// ends reports whether a line says itself that it is of the epoch of which the slot has a
// result already, as the last one of a bar does.
func (s *slot) ends(r record) bool {
	own := r.line.epoch
	return own != nil && s.epoch != nil && *s.epoch == *own && !r.isPartial()
}

func (s *slot) has(values []Value) bool {
	return slices.ContainsFunc(values, func(v Value) bool { _, ok := s.best[v.name]; return ok })
}

// add keeps the better of two values of a metric: one of all data before one of
// a part, of the validation set before the test set, and the later.
func (s *slot) add(r record, values []Value) {
	if s.best == nil {
		s.best = map[string]Value{}
	}
	for _, v := range values {
		old, known := s.best[v.name]
		if known && v.order() > old.order() {
			continue
		}
		s.best[v.name] = v
		if r.epoch != nil {
			s.epoch = r.epoch
		}
	}
}

func (v Value) order() int {
	order := map[Split]int{Validation: 0, Test: 1, Unsaid: 2}[v.Split]
	if v.partial {
		order += 10
	}
	return order
}

// standAlone adds a record to the validations that were not seen: to the last one, if
// no step and no other epoch came between.
func standAlone(loose []slot, r record, values []Value) []slot {
	if r.isPartial() {
		return loose // nobody knows the rest of it
	}
	s := slot{after: r.after, shape: r.shape, Validation: profile.Validation{Epoch: r.inEpoch, AtS: &r.at}}
	s.add(r, values)
	if n := len(loose); n > 0 {
		last := &loose[n-1]
		sameEpoch := r.epoch == nil || last.epoch == nil || *r.epoch == *last.epoch
		if last.after == r.after && sameEpoch || r.drawn && last.same(s.best) {
			last.add(r, values)
			return loose
		}
	}
	return append(loose, s)
}

// same reports whether these values of metrics, which may be rounded more, are some of the slot's.
func (s *slot) same(values map[string]Value) bool {
	for name, v := range values {
		old, ok := s.best[name]
		if !ok || old.Split != v.Split || math.Abs(old.number-v.number) > (1+1e-9)*max(old.rounded, v.rounded) {
			return false
		}
	}
	return true
}

// inOrder gives a record without a time to the last validation of its epoch, or the
// first without a value. Lightning's files number a test after the training as another
// epoch.
func (l *Log) inOrder(slots, loose []slot, r record) (checks, others []slot) {
	epoch := r.inEpoch
	if r.epoch != nil {
		epoch = l.epoch(*r.epoch)
		if l.now > 0 && epoch == l.now+1 && !slices.ContainsFunc(r.values, func(v Value) bool { return v.Split != Test }) {
			epoch = l.now
		}
	}
	for _, of := range [][]slot{slots, loose} {
		for i := range slices.Backward(of) {
			if of[i].Epoch == epoch && r.epoch != nil || r.epoch == nil && !of[i].has(r.values) && (i == 0 ||
				of[i-1].has(r.values)) {
				of[i].add(r, r.values)
				return slots, loose
			}
		}
	}
	s := slot{Validation: profile.Validation{Epoch: epoch}}
	s.add(r, r.values)
	return slots, append(loose, s)
}

// chosen is the metric of the run.
func chosen(slots []slot) string {
	type tally struct {
		measure
		n, seen int
	}
	all := map[string]*tally{}
	most := 0
	for _, s := range slots {
		for name, v := range s.best {
			if all[name] == nil {
				all[name] = &tally{measure: v.measure, seen: len(all)}
			}
			all[name].n++
			if v.rank != lossRank {
				most = max(most, all[name].n)
			}
		}
	}
	best := ""
	for name, a := range all {
		if 2*a.n < most && a.rank != lossRank {
			continue
		}
		if best == "" || cmp.Or(cmp.Compare(a.rank, all[best].rank), cmp.Compare(all[best].n, a.n),
			cmp.Compare(name, best)) < 0 {
			best = name
		}
	}
	return best
}

// epoch is a printed epoch counted from 0.
func (l *Log) epoch(printed float64) int {
	switch {
	case l.fine: // so many are over
		return max(0, int(math.Ceil(printed-1e-3))-1)
	case l.zero:
		return int(printed)
	}
	return max(0, int(printed)-1)
}

// epochsOf are the epochs of the validations: those of the steps, or as printed where the
// steps do not show any.
func (l *Log) epochsOf(slots []slot) []int {
	out := make([]int, len(slots))
	told, printed := 0, map[int]bool{}
	for _, s := range slots {
		told = max(told, s.Epoch)
		if s.epoch != nil {
			printed[l.epoch(*s.epoch)] = true
		}
	}
	for i, s := range slots {
		out[i] = s.Epoch
		if s.epoch != nil && (!s.check || told == 0 && len(printed) > 1) {
			out[i] = l.epoch(*s.epoch)
		}
	}
	return out
}

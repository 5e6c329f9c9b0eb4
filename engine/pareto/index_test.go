package pareto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// scratch answers what an Index does by going through all points.
type scratch struct {
	columns [][]float64
	never   []bool
}

// breaks says which limits point i breaks, and whether none and not excluded.
func (s *scratch) breaks(i int, l Limits) (broken []bool, feasible bool) {
	broken = make([]bool, len(s.columns))
	feasible = s.never == nil || !s.never[i]
	for k, limit := range l {
		broken[k] = limit != nil && !(s.columns[k][i] <= *limit)
		feasible = feasible && !broken[k]
	}
	return broken, feasible
}

// frontier filters, asks for the frontier of what is left, and translates back.
func (s *scratch) frontier(l Limits, objectives ...int) []int {
	var left []int
	columns := make([][]float64, len(objectives))
	for i := range s.columns[0] {
		if _, ok := s.breaks(i, l); ok {
			left = append(left, i)
			for k, o := range objectives {
				columns[k] = append(columns[k], s.columns[o][i])
			}
		}
	}
	front := frontier(columns, usual)
	for k, f := range front {
		front[k] = left[f]
	}
	return front
}

// compare holds every answer of the index to that from scratch. feasible and
// count are the index's.
func (s *scratch) compare(ix *Index, l Limits, feasible Set, count int) error {
	dims := len(s.columns)
	for _, p := range pairs(dims) {
		if count%2 == 1 { // either way round in half of the cases
			p[0], p[1] = p[1], p[0]
		}
		if got, want := ix.Frontier2D(p[0], p[1], l), s.frontier(l, p[0], p[1]); !slices.Equal(got, want) {
			return fmt.Errorf("frontier in %v is %v, not %v", p, got, want)
		}
	}
	if got, want := ix.Frontier(l), s.frontier(l, upTo(dims)...); !slices.Equal(got, want) {
		return fmt.Errorf("frontier in all is %v, not %v", got, want)
	}
	ruledOut := make([]int, dims)
	least := slices.Repeat([]float64{math.NaN()}, dims)
	n := 0
	for i := range s.columns[0] {
		broken, ok := s.breaks(i, l)
		for k, b := range broken {
			ruledOut[k] += one(b)
			if v := s.columns[k][i]; ok && (v < least[k] || math.IsNaN(least[k])) {
				least[k] = v
			}
		}
		if n += one(ok); feasible.Has(i) != ok {
			return fmt.Errorf("point %d is feasible: %v, not %v", i, feasible.Has(i), ok)
		}
	}
	if n != count {
		return fmt.Errorf("%d are feasible, not %d", count, n)
	}
	if got := ix.RuledOut(l); !slices.Equal(got, ruledOut) {
		return fmt.Errorf("ruled out %v, not %v", got, ruledOut)
	}
	for k, v := range ix.Least(l) {
		if v != least[k] && !(math.IsNaN(v) && math.IsNaN(least[k])) {
			return fmt.Errorf("least of %d is %v, not %v", k, v, least[k])
		}
	}
	return nil
}

// upTo are the numbers below n.
func upTo(n int) (all []int) {
	for k := range n {
		all = append(all, k)
	}
	return all
}

// pairs of objectives, in order.
func pairs(dims int) (all [][2]int) {
	for b := range dims {
		for a := range b {
			all = append(all, [2]int{a, b})
		}
	}
	return all
}

// drawLimit draws none, a value of the column, or any.
func drawLimit(t *rapid.T, column []float64) *float64 {
	v := math.NaN()
	switch rapid.IntRange(0, 5).Draw(t, "limit") {
	case 0:
		return nil
	case 1:
		v = rapid.SampledFrom(awkward).Draw(t, "value")
	default:
		if len(column) > 0 {
			v = column[rapid.IntRange(0, len(column)-1).Draw(t, "of")]
		}
	}
	return &v
}

func TestIndexIsScratch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(2, 5).Draw(t, "objectives")
		s := &scratch{columns: drawColumns(t, dims, 16)}
		n := len(s.columns[0])
		if rapid.Bool().Draw(t, "excluded") {
			s.never = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "never")
		}
		ix := newIndex(drawTuning(t), s.never, s.columns)
		if excluded := len(slices.DeleteFunc(slices.Clone(s.never),
			func(b bool) bool { return !b })); ix.Excluded() != excluded || ix.Len() != n {
			t.Fatalf("%d of %d excluded, not %d of %d", ix.Excluded(), ix.Len(), excluded, n)
		}
		l := make(Limits, dims)
		feasible := NewSet(n)
		count := ix.Feasible(l, feasible)
		if err := s.compare(ix, l, feasible, count); err != nil {
			t.Fatalf("%v without limits: %v", s, err)
		}
		for range 2 { // a walk that tightens, relaxes and removes
			from := slices.Clone(l)
			for range rapid.IntRange(1, 2).Draw(t, "moves") {
				k := rapid.IntRange(0, dims-1).Draw(t, "objective")
				l[k] = drawLimit(t, s.columns[k])
			}
			count = ix.Move(from, l, feasible, count)
			if err := s.compare(ix, l, feasible, count); err != nil {
				t.Fatalf("%v: limits %v: %v", s, show(l), err)
			}
		}
		again := NewSet(n)
		if got := ix.Feasible(l, again); got != count || !slices.Equal(again, feasible) {
			t.Fatalf("%v: limits %v: %d at once, %d by steps", s, show(l), got, count)
		}
	})
}

func show(l Limits) (s []string) {
	for _, v := range l {
		if v == nil {
			s = append(s, "none")
		} else {
			s = append(s, fmt.Sprint(*v))
		}
	}
	return s
}

// TestTighterNeverHelps: a tighter limit leaves no new points, and no least value
// falls.
func TestTighterNeverHelps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		columns := drawColumns(t, rapid.IntRange(2, 5).Draw(t, "objectives"), 16)
		ix := NewIndex(nil, columns...)
		loose, tight := make(Limits, len(columns)), make(Limits, len(columns))
		for k := range loose {
			loose[k] = drawLimit(t, columns[k])
			tight[k] = loose[k]
			if v := rapid.SampledFrom(awkward).Draw(t, "tighter"); loose[k] == nil || v < *loose[k] {
				tight[k] = &v
			}
		}
		more, less := NewSet(ix.Len()), NewSet(ix.Len())
		ix.Feasible(loose, more)
		ix.Feasible(tight, less)
		for i := range less.All() {
			if !more.Has(i) {
				t.Fatalf("%v: %v lets pass what %v does not", columns, show(tight), show(loose))
			}
		}
		a, b := ix.Least(loose), ix.Least(tight)
		for k := range a {
			if b[k] < a[k] || math.IsNaN(a[k]) && !math.IsNaN(b[k]) {
				t.Fatalf("%v: least %v within %v, %v within %v", columns, a, show(loose), b, show(tight))
			}
		}
	})
}

// TestLargeIndex walks over sets as they come: unknown prices, few distinct
// accuracies, excluded points.
func TestLargeIndex(t *testing.T) {
	t.Parallel()
	const n = 10_000
	s := &scratch{columns: candidates(n), never: make([]bool, n)}
	for i := range s.never {
		s.never[i] = i%11 == 0
	}
	ix := NewIndex(s.never, s.columns...)
	rng := rand.New(rand.NewPCG(8, 9))
	feasible := NewSet(n)
	l := make(Limits, 3)
	count := ix.Feasible(l, feasible)
	for step := range 30 {
		from := slices.Clone(l)
		k := rng.IntN(3)
		order := ix.Rising(k)
		place := rng.IntN(n)
		if l[k] != nil && step%4 > 0 { // a little further
			old, _ := slices.BinarySearchFunc(order[:ix.known[k]], *l[k], func(i uint32, v float64) int {
				return one(s.columns[k][i] > v) - one(s.columns[k][i] < v)
			})
			place = max(0, min(n-1, old+rng.IntN(2001)-1000))
		}
		v := s.columns[k][order[place]]
		if l[k] = &v; step%7 == 6 {
			l[k] = nil
		}
		count = ix.Move(from, l, feasible, count)
		if err := s.compare(ix, l, feasible, count); err != nil {
			t.Fatalf("step %d, limits %v: %v", step, show(l), err)
		}
	}
}

// candidates are points like those of Explore: seconds and dollars over two
// orders of magnitude, of which the second is unknown for one in twenty, and a
// loss that takes 100 values and falls with the time.
func candidates(n int) [][]float64 {
	columns := make([][]float64, 3)
	rng := rand.New(rand.NewPCG(6, 7))
	for range n {
		variant := rng.IntN(100)
		seconds := (1 + float64(variant)) * math.Exp(rng.NormFloat64())
		dollars := seconds * math.Exp(0.5*rng.NormFloat64())
		if rng.IntN(20) == 0 {
			dollars = math.NaN()
		}
		columns[0] = append(columns[0], seconds)
		columns[1] = append(columns[1], dollars)
		columns[2] = append(columns[2], -0.5-0.004*float64(variant))
	}
	return columns
}

// withEnergy adds kilowatt-hours that follow the seconds, known for half of the
// candidates.
func withEnergy(columns [][]float64) [][]float64 {
	rng := rand.New(rand.NewPCG(4, 5))
	energy := make([]float64, len(columns[0]))
	for i, s := range columns[0] {
		if energy[i] = math.NaN(); rng.IntN(2) == 0 {
			energy[i] = s * math.Exp(0.3*rng.NormFloat64())
		}
	}
	return append(slices.Clone(columns), energy)
}

func TestRising(t *testing.T) {
	ix := NewIndex(nil, []float64{3, math.NaN(), -1, 3, math.Inf(-1), 0, math.Copysign(0, -1)}, make([]float64, 7))
	if got := ix.Rising(0); !slices.Equal(got, []uint32{4, 2, 5, 6, 0, 3, 1}) {
		t.Error(got)
	}
}

// heap is what is alive, in bytes.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkIndex times a million candidates: making the index, and one step of
// a slider with all that Explore asks of it. An answer from scratch stands
// beside it.
func BenchmarkIndex(b *testing.B) {
	const n = 1_000_000
	c := candidates(n)
	anti := sets(n)[4].columns
	for _, s := range []struct {
		name    string
		columns [][]float64
	}{{"candidates", c}, {"anti3d", anti}, {"energy", withEnergy(c)}} {
		b.Run("make/"+s.name, func(b *testing.B) {
			var ix *Index
			before := heap()
			b.ReportAllocs()
			for b.Loop() {
				ix = NewIndex(nil, s.columns...)
			}
			b.ReportMetric((heap()-before)/1e6, "MB-kept")
			runtime.KeepAlive(ix)
		})
		ix := NewIndex(nil, s.columns...)
		at := func(place float64) *float64 { // of the second objective
			v := s.columns[1][ix.Rising(1)[int(place*float64(ix.known[1]))]]
			return &v
		}
		slow := at(0.9)
		limits := []Limits{{slow, at(0.50), nil}, {slow, at(0.51), nil}, {slow, at(0.52), nil}, {slow, at(0.51), nil}}
		feasible := NewSet(n)
		found := 0
		b.Run("frontiers/"+s.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				l := limits[i%4]
				found = len(ix.Frontier2D(0, 1, l)) + len(ix.Frontier2D(0, 2, l)) + len(ix.Frontier2D(1, 2, l))
			}
			b.ReportMetric(float64(found), "points")
			b.ReportMetric(float64(len(ix.pairs[1])+len(ix.pairs[2])+len(ix.pairs[ix.pairOf(1, 2)])), "looked-at")
		})
		b.Run("least/"+s.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if ix.Least(limits[i%4])[0] > *slow {
					b.Fatal("the least breaks its limit")
				}
			}
		})
		b.Run("move/"+s.name, func(b *testing.B) {
			count := ix.Feasible(limits[3], feasible)
			for i := 0; b.Loop(); i++ {
				count = ix.Move(limits[(i+3)%4], limits[i%4], feasible, count)
			}
			b.ReportMetric(float64(count), "feasible")
		})
		b.Run("feasible/"+s.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				ix.Feasible(limits[i%4], feasible)
			}
		})
		b.Run("scratch/"+s.name, func(b *testing.B) {
			all := &scratch{columns: s.columns}
			for i := 0; b.Loop(); i++ {
				l := limits[i%4]
				found = len(all.frontier(l, 0, 1)) + len(all.frontier(l, 0, 2)) + len(all.frontier(l, 1, 2))
			}
			b.ReportMetric(float64(found), "points")
		})
	}
}

// Values that are one but for their last bits are one: the frontiers are those of the
// values that they are off from.
func TestLastBitsMakeNoFrontier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "points")
		exact, off := make([][]float64, 3), make([][]float64, 3)
		for k := range exact {
			for range n {
				v := float64(rapid.IntRange(-3, 3).Draw(t, "value"))
				exact[k] = append(exact[k], v)
				off[k] = append(off[k], v*(1+1e-12*float64(rapid.IntRange(0, 20).Draw(t, "bits"))))
			}
		}
		limits := Limits{rapid.Ptr(rapid.SampledFrom([]float64{-1.5, 0.5, 2.5}), true).Draw(t, "limit")}
		want, got := NewIndex(nil, exact...), NewIndex(nil, off...)
		for a := range exact {
			for b := a + 1; b < len(exact); b++ {
				if want, got := want.Frontier2D(a, b, limits), got.Frontier2D(a, b, limits); !slices.Equal(got, want) {
					t.Fatalf("of %d and %d %v, not %v\n%v", a, b, got, want, exact)
				}
			}
		}
		if want, got := want.Frontier(limits), got.Frontier(limits); !slices.Equal(got, want) {
			t.Fatalf("of all %v, not %v\n%v", got, want, exact)
		}
	})
}

package plot

import (
	"encoding/binary"
	"math"
	"testing"

	"sweetspot/engine/estimate"
)

// floats reads raw bits, so that NaN, infinities and subnormals all come up.
func floats(raw []byte) []float64 {
	var out []float64
	for len(raw) >= 8 {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		raw = raw[8:]
	}
	return out
}

func raw(vs ...float64) []byte {
	var out []byte
	for _, v := range vs {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

func FuzzScatter(f *testing.F) {
	f.Add(raw(1, 2, 3, 4), 40, 12, true, 0, 3, 2, 3.0)
	f.Add(raw(math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 5e-324), 30, 10, true, 1, 0, 0, 0.5)
	f.Add(raw(math.MaxFloat64, -math.MaxFloat64, 1, 1), 20, 6, false, 2, 1, 1, 1e9)
	f.Add(raw(), 0, 0, false, 0, 0, 0, math.NaN())
	f.Add(raw(7, 7), 1, 5, false, 0, 0, -1, 1.5)
	all := themes(f)
	f.Fuzz(func(t *testing.T, raw []byte, w, h int, log bool, symbols, selected, cross int, factor float64) {
		w, h = w%130, h%50
		v := floats(raw)
		n := len(v) / 2
		s := NewScatter(all[uint(symbols)%3])
		s.SetSize(w, h)
		s.SetAxes(Axis{Log: log, Label: func(v, step float64) string { return "€" + Digits(v, step, 4) }},
			Axis{Log: !log, Ticks: DurationTicks})
		s.SetData(Data{Version: 1, X: v[:n], Y: v[n:], Of: "point"})
		feasible := make([]bool, n)
		frontier := []int{-1, n}
		for i := range n {
			feasible[i] = i%3 > 0
			frontier = append(frontier, i)
		}
		s.SetFeasible(1, setOf(feasible))
		s.SetFrontier(frontier)
		s.SetPinned(frontier)
		if n > 0 {
			s.SetSelected(selected%n, Whiskers{v[0], v[n-1], v[0], v[len(v)-1]})
		}
		s.SetCrosshair(cross, cross/2, true)
		exact(t, s.View(), w, h)
		s.Zoom(factor, cross, selected)
		s.Zoom(3, cross, selected)
		s.Pan(factor, -factor)
		s.MoveCrosshair(selected%7, cross%5)
		exact(t, s.View(), w, h)
		if m := s.Magnification(); !(m >= 1 && m <= 1.001*mostZoom) {
			t.Fatalf("%g times the whole", m)
		}
		if n > 0 {
			x, y, _ := s.Values(abs(selected % n))
			s.ZoomOn(factor, x, y)
			exact(t, s.View(), w, h)
		}
		if i, ok := s.Hit(cross, cross/2); ok && (i < 0 || i >= n) {
			t.Fatalf("hit point %d of %d", i, n)
		}
	})
}

func FuzzLive(f *testing.F) {
	f.Add(raw(4, 0.06, 0.061, 0.06), 40, 12, 1, 0.06, 0.01)
	f.Add(raw(math.NaN(), math.Inf(1), 0.1, -1), 30, 10, 9, math.NaN(), math.Inf(1))
	f.Add(raw(math.MaxFloat64, -math.MaxFloat64), 22, 7, -3, 0.0, 0.0)
	f.Add(raw(), 3, 2, 0, 0.0, 0.0)
	all := themes(f)
	f.Fuzz(func(t *testing.T, raw []byte, w, h, warmup int, mean, spread float64) {
		w, h = w%130, h%50
		l := NewLive(all[uint(warmup)%3])
		l.SetSize(w, h)
		l.SetData(1, floats(raw), warmup, estimate.Spread(mean, spread, estimate.Measured))
		exact(t, l.View(), w, h)
	})
}

func TestEverySmallSizeIsExact(t *testing.T) {
	for _, th := range themes(t) {
		s, l := example(th), NewLive(th)
		l.SetData(1, times(40), 9, estimate.Spread(0.06, 0.02, estimate.Measured))
		for w := -1; w < 45; w++ {
			for h := -1; h < 12; h++ {
				s.SetSize(w, h)
				l.SetSize(w, h)
				exact(t, s.View(), w, h)
				exact(t, l.View(), w, h)
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }

package serving

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Times that follow the law are fitted exactly where sizes on both sides of the knee, or the
// knee, are among them.
func TestFitMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := []float64{0.5, 1, 2, 3, 4}
		truth := Memory{FixedS: ms(t, 0, 500, "fixed"), ScalingS: ms(t, 10, 900, "scaling"),
			KneeGiB: rapid.SampledFrom(sizes[2:]).Draw(t, "knee")}
		var points []MemoryPoint
		for _, gib := range sizes {
			points = append(points, MemoryPoint{gib, truth.Seconds(gib)})
		}
		m, err := FitMemory(points)
		if err != nil || m.MinGiB != 0.5 {
			t.Fatal(m, err)
		}
		for _, gib := range []float64{0.5, 0.75, 1.5, 2.5, 3.5, 10} {
			if want := truth.Seconds(gib); math.Abs(m.Seconds(gib)-want) > 1e-6*want {
				t.Fatalf("%g GiB take %g s, not %g: %+v", gib, m.Seconds(gib), want, m)
			}
		}
	})
	for words, points := range map[string][]MemoryPoint{
		"needs two": {{1, 1}}, "twice": {{1, 1}, {1, 2}}, "no measurement": {{1, 1}, {2, math.NaN()}},
	} {
		if _, err := FitMemory(points); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: %v", points, err)
		}
	}
	if m, err := FitMemory([]MemoryPoint{{1, 0.3}, {2, 0.5}}); err != nil || m.ScalingS != 0 || m.FixedS != 0.4 {
		t.Errorf("times that rise with memory: %+v, %v", m, err)
	}
}

func TestMemoryWith(t *testing.T) {
	m, err := MemoryWith(0.35, 1.5, 2, 0.1)
	if err != nil || m != MemoryOf(0.35, 1.5) {
		t.Errorf("the usual knee and share: %+v, not %+v, %v", m, MemoryOf(0.35, 1.5), err)
	}
	if m, err = MemoryWith(0.4, 1, 3, 0.5); err != nil || math.Abs(m.Seconds(1)-0.4) > 1e-12 ||
		math.Abs(m.Seconds(8)-(0.2+0.2/3)) > 1e-12 {
		t.Errorf("%+v, %v", m, err)
	}
	for words, of := range map[string][4]float64{"time of": {0, 1, 2, 0}, "knee": {1, 1, 99, 0}, "fixed": {1, 1, 2, 1.5},
		"memory": {1, math.NaN(), 2, 0}} {
		if _, err := MemoryWith(of[0], of[1], of[2], of[3]); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: %v", of, err)
		}
	}
}

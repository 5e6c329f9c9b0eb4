package gpu

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/data/store"
)

func TestEnergy(t *testing.T) {
	noCounter := func(_ int, r *store.Telemetry) { r.EnergyJ = nil }
	nothing := func(_ int, r *store.Telemetry) { r.EnergyJ, r.Watts = nil, nil }
	idle := func(_ int, r *store.Telemetry) { r.Utilisation = new(0.0) }
	reset := func(i int, r *store.Telemetry) {
		if i >= 5 {
			r.EnergyJ = new(float64(i))
		}
	}
	without := func(rs []store.Telemetry, from, to int) []store.Telemetry {
		return append(append([]store.Telemetry{}, rs[:from]...), rs[to:]...)
	}
	for _, c := range []struct {
		name            string
		readings        []store.Telemetry
		from, to, units float64
		want            float64 // NaN: unknown
	}{
		{"by the counter", rows(0, 11, nil), 2.5, 7.5, 10, 100},
		{"by power", rows(0, 11, noCounter), 2.5, 7.5, 10, 100},
		{"two GPUs", append(rows(0, 11, nil), rows(1, 11, nil)...), 2, 8, 10, 240},
		{"one of two idle", append(rows(0, 11, nil), rows(1, 11, idle)...), 2, 8, 10, 120},
		{"the last reading before the end", rows(0, 11, nil), 2, 11, 10, 180},
		{"readings that end long before", rows(0, 11, nil), 2, 13, 10, math.NaN()},
		{"readings that begin late", rows(0, 11, nil), -5, 10, 10, math.NaN()},
		{"one reading", rows(0, 1, nil), 0, 1, 10, math.NaN()},
		{"none", nil, 0, 1, 10, math.NaN()},
		{"nothing but utilisation", rows(0, 11, nothing), 2, 8, 10, math.NaN()},
		{"one GPU of two unknown", append(rows(0, 11, nil), rows(1, 11, nothing)...), 2, 8, 10, math.NaN()},
		{"a counter begins again", rows(0, 11, reset), 2, 8, 10, math.NaN()},
		{"a counter counts over a gap", without(rows(0, 21, nil), 5, 11), 2, 18, 10, 320},
		{"an end within a gap", without(rows(0, 21, nil), 5, 11), 2, 8, 10, math.NaN()},
		{"power over a gap", without(rows(0, 21, noCounter), 5, 11), 2, 18, 10, math.NaN()},
		{"shared", rows(0, 11, func(i int, r *store.Telemetry) { r.Shared = new(i == 4) }), 2, 8, 10, math.NaN()},
		{"shared before", rows(0, 11, func(i int, r *store.Telemetry) { r.Shared = new(i == 0) }), 2, 8, 10, 120},
		{"no work", rows(0, 11, nil), 2, 8, 0, math.NaN()},
		{"no time", rows(0, 11, nil), 8, 8, 10, math.NaN()},
		{"no number", rows(0, 11, nil), math.NaN(), 8, 10, math.NaN()},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := math.NaN()
			if e, _ := Energy(c.readings, c.from, c.to, c.units); e != nil {
				got = *e
			}
			if math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-9*c.want {
				t.Errorf("%g J a unit, want %g", got, c.want)
			}
		})
	}
}

// Any power curve that is straight between readings is integrated exactly, by
// counter and by power, in whatever order the readings come.
func TestEnergyOfAnyCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		watts := rapid.SliceOfN(rapid.Float64Range(1, 700), 6, 60).Draw(t, "watts")
		var byCounter, byPower []store.Telemetry
		joules := 0.0
		for i, w := range watts {
			if i > 0 {
				joules += (w + watts[i-1]) / 2
			}
			r := store.Telemetry{T: float64(i), Utilisation: new(0.5)}
			r.EnergyJ = new(1e6 + joules)
			byCounter = append(byCounter, r)
			r.EnergyJ, r.Watts = nil, new(w)
			byPower = append(byPower, r)
		}
		to := float64(len(watts) - 1)
		for name, readings := range map[string][]store.Telemetry{"counter": byCounter, "power": byPower} {
			got, mean := Energy(rapid.Permutation(readings).Draw(t, name), 0, to, 2)
			if got == nil || math.Abs(*got-joules/2) > 1e-6*joules {
				t.Fatalf("by %s: %v, want %g", name, got, joules/2)
			}
			if math.Abs(*mean*to-joules) > 1e-6*joules {
				t.Fatalf("by %s: %g W for %g s, want %g J", name, *mean, to, joules)
			}
		}
	})
}

// Readings a script sends may be anything; what comes out is a number above
// zero or unknown.
func FuzzEnergy(f *testing.F) {
	f.Add(0.0, 1.0, 2.0, 100.0, 200.0, 300.0, 0.0, 2.0, 5.0)
	f.Add(0.0, 0.0, 1e308, -1.0, math.Inf(1), math.NaN(), 0.0, 1e308, 1e-300)
	f.Fuzz(func(t *testing.T, t0, t1, t2, v0, v1, v2, from, to, units float64) {
		for _, field := range []func(*store.Telemetry, *float64){
			func(r *store.Telemetry, v *float64) { r.EnergyJ = v },
			func(r *store.Telemetry, v *float64) { r.Watts = v },
		} {
			readings := []store.Telemetry{{T: t0}, {T: t1}, {T: t2}}
			for i, v := range []float64{v0, v1, v2} {
				field(&readings[i], &v)
			}
			Warnings(readings, &v0, from, to)
			if e, _ := Energy(readings, from, to, units); e != nil && (!(*e > 0) || math.IsInf(*e, 0)) {
				t.Errorf("%g", *e)
			}
		}
	})
}

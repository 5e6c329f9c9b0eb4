package gpu

import (
	"strings"
	"testing"

	"sweetspot/data/store"
)

// rows are readings of one GPU, one a second, changed by each.
func rows(number, n int, each func(i int, r *store.Telemetry)) []store.Telemetry {
	out := make([]store.Telemetry, n)
	for i := range out {
		out[i] = store.Telemetry{T: float64(i), GPU: number, Utilisation: new(0.95), Watts: new(200.0),
			EnergyJ: new(1000 + 200*float64(i))}
		if each != nil {
			each(i, &out[i])
		}
	}
	return out
}

func throttle(reason string, every int) func(int, *store.Telemetry) {
	return func(i int, r *store.Telemetry) {
		if i%every == 0 {
			r.Throttle = reason
		}
	}
}

func TestWarnings(t *testing.T) {
	idleFirst := func(i int, r *store.Telemetry) {
		if i < 15 {
			r.Utilisation = new(0.0)
		} else {
			r.Throttle = byHeat
		}
	}
	for _, c := range []struct {
		name     string
		readings []store.Telemetry
		wait     *float64
		want     []string // in order, what each sentence contains
	}{
		{"all well", rows(0, 20, nil), new(0.02), nil},
		{"no readings, nothing known", nil, nil, nil},
		{"heat", rows(0, 20, throttle(byHeat, 2)), nil,
			[]string{"GPU 0 throttled by heat in 50 % of the readings: a longer run"}},
		{"heat once in a while", rows(0, 40, throttle(byHeat, 20)), nil, nil},
		{"heat, read twice", rows(0, 2, throttle(byHeat, 1)), nil, nil},
		{"two reasons", rows(2, 20, throttle(byHeat+", "+byPowerLimit, 1)), nil, []string{"GPU 2 throttled by heat in 100 %",
			"GPU 2 throttled by power limit in 100 %"}},
		{"two GPUs", append(rows(0, 20, throttle(byHeat, 2)), rows(3, 20, throttle(byHeat, 4))...), nil,
			[]string{"GPUs 0, 3 throttled by heat in up to 50 %"}},
		{"idle while the script loads", rows(0, 20, idleFirst), nil, []string{"heat in 100 % of the readings"}},
		{"a GPU that does nothing", rows(1, 20, func(_ int, r *store.Telemetry) {
			r.Utilisation, r.Throttle = new(0.0),
				byHeat
		}), nil, nil},
		{"shared", rows(0, 10, func(i int, r *store.Telemetry) { r.Shared = new(i >= 8) }), nil,
			[]string{"another program used GPU 0 in 20 % of the readings"}},
		{"not shared", rows(0, 10, func(_ int, r *store.Telemetry) { r.Shared = new(false) }), nil, nil},
		{"waitsForInput", rows(0, 10, func(_ int, r *store.Telemetry) { r.Utilisation = new(0.35) }), new(0.42),
			[]string{"42 % of each step is spent waiting for input and the GPU is busy 35 % of the time: more DataLoader workers"}},
		{"waits, but the GPU has work", rows(0, 10, nil), new(0.42), nil},
		{"slow for another reason", rows(0, 10, func(_ int, r *store.Telemetry) { r.Utilisation = new(0.35) }),
			new(0.01), nil},
		{"a CPU that waits", nil, new(0.42),
			[]string{"42 % of each step is spent waiting for input: more DataLoader workers"}},
		{"a share that is none", nil, new(4.2), nil},
		{"no counter", rows(0, 10, func(_ int, r *store.Telemetry) { r.EnergyJ = nil }), nil,
			[]string{"GPU 0 without an energy counter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Warnings(c.readings, c.wait, 0, 100)
			if len(got) != len(c.want) {
				t.Fatalf("%q", got)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("%q lacks %q", got[i], want)
				}
			}
		})
	}
}

// How busy a GPU is while a script waits is counted over the steps alone, and over several readings.
func TestBusyDuringTheSteps(t *testing.T) {
	readings := rows(0, 10, func(i int, r *store.Telemetry) {
		r.Utilisation = new(0.01)
		if i >= 5 {
			r.Utilisation = new(0.4)
		}
	})
	for from, want := range map[float64]string{
		5: "input and the GPU is busy 40 % of the time: more",
		8: "input: more", // two readings
	} {
		if got := Warnings(readings, new(0.42), from, 9); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("from %g s on: %q, want %q", from, got, want)
		}
	}
}

package energy

import (
	"math"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func TestOf(t *testing.T) {
	run := func(perUnit, watts float64) profile.Run {
		r := profile.Run{Basis: estimate.Measured}
		if perUnit > 0 {
			r.EnergyJPerUnit = &perUnit
		}
		if watts > 0 {
			r.AveragePowerW = &watts
		}
		return r
	}
	hour := estimate.Estimate{Value: 3600, Low: 3000, High: 4320, Basis: estimate.Transferred}
	for _, c := range []struct {
		what             string
		run              profile.Run
		job              Job
		value, low, high float64
		basis            estimate.Basis
	}{
		{what: "nothing measured", run: run(0, 0), job: Job{Units: 10, Seconds: hour}},
		{what: "power without a time", run: run(0, 100), job: Job{Units: 10}},
		{what: "energy of a unit without units or power", run: run(2, 0), job: Job{Seconds: hour}},
		{what: "units alone", run: run(2, 0), job: Job{Units: 100, Seconds: hour}, value: 200, low: 200 / 1.05, high: 210,
			basis: estimate.Measured},
		{
			what: "units that take all the time", run: run(2, 100), job: Job{Units: 180000, Seconds: hour},
			value: 360000, low: 360000 / 1.05, high: 378000, basis: estimate.Measured,
		},
		{
			what: "units and a rest of half the time", run: run(2, 100), job: Job{Units: 90000, Seconds: hour},
			value: 270000, low: 270000 - math.Hypot(180000-180000/1.05, 90000), high: 270000 + math.Hypot(9000, 90000),
			basis: estimate.Measured,
		},
		{
			what: "power of two VMs", run: run(0, 100), job: Job{Seconds: hour, VMs: 2},
			value: 720000, low: 720000 * math.Exp(-math.Hypot(math.Log(1.2), math.Log(1.05))),
			high: 720000 * math.Exp(math.Hypot(math.Log(1.2), math.Log(1.05))), basis: estimate.Transferred,
		},
	} {
		got := Of(c.run, c.job)
		if got.Basis != c.basis || !near(got.Value, c.value) || !near(got.Low, c.low) || !near(got.High, c.high) {
			t.Errorf("%s: %+v, want %g [%g, %g] %s", c.what, got, c.value, c.low, c.high, c.basis)
		}
	}
}

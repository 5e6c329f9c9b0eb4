package candidate

import (
	"math"
	"testing"

	"sweetspot/engine/bill"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// An hour an epoch at 100 W is 0.1 kWh an epoch. Its electricity is the cost of a
// machine of one's own, and no item of a rented one.
func TestEnergyAndElectricity(t *testing.T) {
	run := func(host, cloud string, watts *float64) profile.Run {
		return profile.Run{Model: "net", Mode: profile.Train, Cloud: cloud, InstanceType: host, Count: 1, BatchSize: 8,
			Epochs: new(2.0), TotalS: new(7200.0),
			AveragePowerW: watts, USDPerHour: map[string]*float64{"aws": new(1.0)}[cloud], Basis: estimate.Measured,
			Status: profile.Done}
	}
	set := &profile.Set{Models: []profile.Model{{Name: "net"}}, Runs: []profile.Run{run("desk", "", new(100.0)),
		run("loft", "", nil), run("p2.xlarge", "aws", new(200.0))}}
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(4.0), Purchase: profile.OnDemand,
		Bill: bill.Bill{ElectricityUSDPerKWh: 0.5, PUE: 2}}
	want := map[string]struct{ kwh, usd float64 }{"desk": {0.4, 0.4}, "loft": {}, "p2.xlarge": {0.8, 4}}
	l := NewList(set, w, nil, nil)
	if l.Len() != len(want) {
		t.Fatalf("%d candidates", l.Len())
	}
	for i := range l.Len() {
		c := l.At(i)
		of := want[c.Configuration[0].VM.InstanceType]
		if math.Abs(c.Energy.Value-of.kwh) > 1e-9 || math.Abs(c.Cost.Value-of.usd) > 1e-9 ||
			c.Energy.Known() != (of.kwh > 0) || c.Cost.Known() != (of.usd > 0) {
			t.Errorf("%s: %+v kWh, $%+v, want %+v", c.ID, c.Energy, c.Cost, of)
		}
		if line, ok := c.Line(objective.Cost); ok != (of.usd > 0) || ok && math.Abs(line.At0+4*line.Slope-of.usd) > 1e-9 {
			t.Errorf("%s: cost over epochs %+v", c.ID, line)
		}
	}
}

package candidate

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/bill"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/transfer"
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

// What is predicted has the energy that its power would take, with an interval and a basis;
// a GPU whose design power is unknown has none.
func TestPredictedEnergy(t *testing.T) {
	set := &profile.Set{
		GPUs: []profile.GPUSpec{{Name: "T4", FP32TFLOPS: new(8.0), BandwidthGBs: new(300.0), TDPWatts: new(70.0)},
			{Name: "V100", FP32TFLOPS: new(16.0), BandwidthGBs: new(900.0), TDPWatts: new(280.0)},
			{Name: "K80", FP32TFLOPS: new(4.0), BandwidthGBs: new(240.0)}},
		Runs: []profile.Run{{ID: 1, Model: "net", Mode: profile.Train, Cloud: "aws", InstanceType: "t4", GPU: "T4",
			GPUCount: 1, Count: 1, BatchSize: 8,
			Steady: estimate.Around(0.1, 0.001, estimate.Measured), Basis: estimate.Measured,
			IterationsPerEpoch: new(100.0), AveragePowerW: new(50.0), EnergyOf: profile.EnergyOfGPUs, Status: profile.Done}},
	}
	for _, gpu := range []string{"T4", "V100", "K80"} {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", InstanceType: strings.ToLower(gpu), GPU: gpu,
			GPUCount: 1, Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 1}}})
	}
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(4.0), Purchase: profile.OnDemand,
		Predicted: true}
	l := NewList(set, w, transfer.New(set, profile.Train), nil)
	found := map[string]*Candidate{}
	for i := range l.Len() {
		c := l.At(i)
		found[c.Configuration[0].VM.GPU] = c
	}
	c := found["V100"]
	if want := c.Time.Value * 200 / 3.6e6; math.Abs(c.Energy.Value/want-1) > 0.1 || c.Energy.Basis != estimate.Spec ||
		c.Energy.HalfWidth() <= c.Time.HalfWidth() || !strings.Contains(c.Why, "design powers") {
		t.Errorf("%+v kWh for %+v s, want %g: %s", c.Energy, c.Time, want, c.Why)
	}
	if line, ok := c.Line(objective.Energy); !ok || math.Abs((line.At0+4*line.Slope)/c.Energy.Value-1) > 0.1 {
		t.Errorf("over epochs %+v, %+v kWh", line, c.Energy)
	}
	if !found["T4"].Energy.Known() || !found["K80"].Time.Known() || found["K80"].Energy.Known() {
		t.Errorf("T4 %+v, K80 %+v", found["T4"].Energy, found["K80"].Energy)
	}
}

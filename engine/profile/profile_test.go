package profile

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
)

func TestPriceOfTakesTheNewestQuote(t *testing.T) {
	vm := VMType{Prices: []Price{
		{OnDemand, 3.06, "study", "2019-05"},
		{OnDemand, 2.80, "price list", "2021-01-15"},
		{OnDemand, 3.00, "price list", "2020"},
		{Spot, 0.91, "price list", "2022"},
	}}
	if p, ok := vm.PriceOf(OnDemand); !ok || p.USDPerHour != 2.80 {
		t.Errorf("on demand: %+v, %v", p, ok)
	}
	if p, ok := vm.PriceOf(Reserved1Y); ok {
		t.Errorf("reserved-1y: %+v, but nobody quoted one", p)
	}
}

func TestParsePurchase(t *testing.T) {
	for _, p := range Purchases {
		if got, err := ParsePurchase(string(p)); err != nil || got != p {
			t.Errorf("ParsePurchase(%q) = %q, %v", p, got, err)
		}
	}
	if _, err := ParsePurchase("reserved"); err == nil || !strings.Contains(err.Error(), "reserved-1y") {
		t.Errorf("a wrong word must name the right ones: %v", err)
	}
}

func TestStartup(t *testing.T) {
	for name, c := range map[string]struct {
		run   Run
		want  float64
		known bool
	}{
		"nothing known":       {Run{}, 0, false},
		"known to be zero":    {Run{InitS: new(0.0)}, 0, true},
		"both parts":          {Run{InitS: new(4.0), FirstIterationS: new(0.5)}, 4.5, true},
		"one part":            {Run{FirstIterationS: new(0.5)}, 0.5, true},
		"the sum counts once": {Run{StartupS: new(14.0), InitS: new(4.0)}, 14, true},
	} {
		if got, known := c.run.Startup(); got != c.want || known != c.known {
			t.Errorf("%s: %g, %v, want %g, %v", name, got, known, c.want, c.known)
		}
	}
}

func TestMerge(t *testing.T) {
	own := &Set{
		Models:  []Model{{Name: "net", Dataset: "own"}},
		Runs:    []Run{{ID: 1}},
		VMTypes: []VMType{{Cloud: "aws", Region: "r", InstanceType: "p2", GPU: "mine"}},
	}
	other := &Set{
		Models:  []Model{{Name: "net", Dataset: "other"}, {Name: "more"}},
		Runs:    []Run{{ID: -1}},
		VMTypes: []VMType{{Cloud: "aws", Region: "r", InstanceType: "p2"}, {Cloud: "aws", Region: "s", InstanceType: "p2"}},
		Kinds:   map[estimate.Basis]Kind{estimate.Published: {Rel: 0.2}},
	}
	got := own.Merge(other)
	if len(got.Models) != 2 || got.Models[0].Dataset != "own" {
		t.Errorf("models %+v", got.Models)
	}
	if len(got.VMTypes) != 2 || got.VMTypes[0].GPU != "mine" {
		t.Errorf("VM types %+v", got.VMTypes)
	}
	if len(got.Runs) != 2 || got.Kinds[estimate.Published].Rel != 0.2 {
		t.Errorf("runs %+v, kinds %+v", got.Runs, got.Kinds)
	}
	if len(own.Models) != 1 || len(own.VMTypes) != 1 || len(own.Runs) != 1 {
		t.Error("merging changed the receiver")
	}
	if _, ok := got.Model("none"); ok {
		t.Error("found a model that is not there")
	}
}

func TestSortVMTypes(t *testing.T) {
	vms := []VMType{{Cloud: "b"}, {Cloud: "a", Region: "y"}, {Cloud: "a", Region: "x", InstanceType: "2"},
		{Cloud: "a", Region: "x", InstanceType: "1"}}
	SortVMTypes(vms)
	if vms[0].InstanceType != "1" || vms[1].InstanceType != "2" || vms[2].Region != "y" || vms[3].Cloud != "b" {
		t.Errorf("got %+v", vms)
	}
}

func TestAccuracyStdDev(t *testing.T) {
	counted := Run{Accuracy: &Accuracy{Value: 0.9, HigherIsBetter: true}, Validations: []Validation{{Units: new(10000.0)}}}
	if got := counted.AccuracyStdDev(); got == nil || math.Abs(*got-0.003) > 1e-12 {
		t.Errorf("counted over 10,000: %v", got)
	}
	given := counted
	given.Accuracy = &Accuracy{Value: 0.9, HigherIsBetter: true, StdDev: new(0.5)}
	if got := given.AccuracyStdDev(); *got != 0.5 {
		t.Errorf("given: %v", *got)
	}
	loss := counted
	loss.Accuracy = &Accuracy{Value: 0.9}
	for name, r := range map[string]Run{"no accuracy": {}, "a loss": loss, "not counted": {Accuracy: counted.Accuracy}} {
		if got := r.AccuracyStdDev(); got != nil {
			t.Errorf("%s: %v", name, *got)
		}
	}
}

func TestEpochAt(t *testing.T) {
	r := Run{EpochStartsS: []float64{10, 110, 210}}
	for at, want := range map[float64]int{5: -1, 10: 0, 60: 0, 109: 0, 110: 0, 114: 0, 116: 1, 209.9: 1, 214: 1,
		216: 2, 9e9: 2} {
		if got := r.EpochAt(at); got != want {
			t.Errorf("%g s: epoch %d, want %d", at, got, want)
		}
	}
	if got := (Run{}).EpochAt(3); got != -1 {
		t.Errorf("no epochs: %d", got)
	}
}

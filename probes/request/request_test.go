package request

import (
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/identity"
	"sweetspot/probes/matrix"
)

func TestWrongRequests(t *testing.T) {
	model := harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer}
	for want, r := range map[string]Request{
		"no flag of the command's script is known to be its batch size; put {batch} where": {Command: []string{"python3",
			"train.py"}, Batches: []int{32}},
		"a command sets its own batch size": {Command: []string{"python3", "train.py"}, Batches: []int{32}, Prune: "0.5"},
		"is not a host": {Command: []string{"python3", "train.py"},
			Hosts: []string{"-oProxyCommand=touch x"}},
		"is not a host, beside this machine": {Command: []string{"python3", "train.py"},
			Hosts: []string{"", "-oProxyCommand=touch x"}},
		`precision "fp8" is not one of`: {Spec: model, Precisions: []string{"fp32", "fp8"}},
		"leaves nothing of the model":   {Spec: model, Prune: "0.5,1"},
		"300 probes are more than":      {Spec: model, Batches: []int{1, 2, 3}, Repeats: 100},
		"int8 is for inference only": {Spec: harness.Spec{Model: "example:fashion-cnn", Mode: profile.Train},
			Precisions: []string{"int8"}},
	} {
		want, _, _ = strings.Cut(want, ", beside")
		if _, err := r.Cells(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestCellsOfAModelAndOfACommand(t *testing.T) {
	r := Request{Spec: harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer}, Batches: []int{64, 256, 512},
		Precisions: []string{"fp32", "int8"}, Prune: "0,0.1,0.2,0.3,50%"}
	cells, err := r.Cells()
	if err != nil || len(cells) != 30 || cells[0].Batch != 64 || cells[0].Precision != "int8" || cells[0].Prune != "0.5" {
		t.Errorf("%d cells, the first %+v; %v", len(cells), cells[0], err)
	}
	cells, err = Request{Command: []string{"python3", "train.py"}, Repeats: 3}.Cells()
	if err != nil || len(cells) != 3 || cells[2] != (matrix.Cell{Repeat: 2}) {
		t.Errorf("%+v, %v", cells, err)
	}
}

func TestNamesOfCommands(t *testing.T) {
	for want, argv := range map[string][]string{
		"train":  {"/usr/bin/python3", "-u", "src/train.py", "--out", "x.py"},
		"worker": {"./bin/worker", "--steps=3"},
	} {
		if got := commandName(argv); got != want {
			t.Errorf("%q is called %q, want %q", argv, got, want)
		}
	}
}

func TestSpend(t *testing.T) {
	r := Request{Rule: steady.DefaultRule()}
	r.Rule.MaxSeconds = 60
	cells := make([]matrix.Cell, 30)
	if s := r.Expect(cells); s.USDHigh != nil || s.Low != 450 || s.High != 1800 {
		t.Errorf("without a price %+v", s)
	}
	r.Machine.USDPerHour = new(3.6)
	s := r.Expect(cells)
	if *s.USDLow != 0.45 || *s.USDHigh != 1.8 {
		t.Errorf("at $3.60 an hour: $%g to $%g", *s.USDLow, *s.USDHigh)
	}
	if got := s.String(); !strings.HasPrefix(got, "30 probes, 7 m 30 s") || !strings.HasSuffix(got, "$0.45 to $1.80") {
		t.Error(got)
	}
	r.Rule.MaxUSD = 1
	if s := r.Expect(cells); *s.USDHigh != 1 {
		t.Errorf("above the cap: $%g", *s.USDHigh)
	}
}

// What is certain is taken with its price, a guess is only said, and the
// user's word is left alone.
func TestPlace(t *testing.T) {
	vms := []profile.VMType{{
		Cloud: "aws", Region: "us-east-1", InstanceType: "g5.xlarge", GPU: "A10G", GPUCount: 1,
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 1.006, AsOf: "2024"}},
	}}
	document := `{"instanceType":"g5.xlarge","region":"us-east-1"}`
	sure := identity.Facts{SysVendor: "Amazon EC2", ProductName: "g5.xlarge",
		Metadata: map[string]string{identity.AWSDocument: document}, GPU: "NVIDIA A10G", GPUCount: 1}
	var m store.Machine
	if words := fill(sure, &m, vms); words == "" || m.VM.InstanceType != "g5.xlarge" || m.USDPerHour == nil ||
		*m.USDPerHour != 1.006 {
		t.Errorf("%q: %+v", words, m)
	}
	m = store.Machine{}
	if words := fill(identity.Facts{GPU: "NVIDIA A10G", GPUCount: 1}, &m, vms); words == "" || m.VM.InstanceType != "" ||
		m.USDPerHour != nil {
		t.Errorf("a guess was taken for sure: %q, %+v", words, m)
	}
	m = store.Machine{USDPerHour: new(0.5)}
	if fill(sure, &m, vms); m.VM.InstanceType != "" || *m.USDPerHour != 0.5 {
		t.Errorf("the user's price was overruled: %+v", m)
	}
}

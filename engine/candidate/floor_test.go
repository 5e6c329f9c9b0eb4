package candidate_test

import (
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// anywhere predicts the same time on all VM types.
type anywhere struct{ guess }

func (g anywhere) Iteration(string, profile.Variant, profile.VMType, int, int) (estimate.Estimate, string) {
	return estimate.Spread(g.seconds, 1, estimate.Spec), "a guess"
}

// The optimizer's state and the activations of the batch rule out VM types whose memory,
// of the GPU or of a VM without one, is too small: of several runs the one that keeps least
// counts.
func TestTheStateOfATrainingRulesOutMemory(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		name  string
		state []float64 // GiB, of runs
		batch int
		fits  bool // in 16 GiB
	}{
		{"weights, gradients and activations", []float64{0}, 256, true}, // 4 + 4 + 4 GiB
		{"with Adam", []float64{16}, 256, false},                        // 16 + 4 GiB
		{"with Adam, and once without", []float64{16, 8}, 256, true},
		{"with momentum", []float64{12}, 128, true},
		{"with momentum at a greater batch", []float64{12}, 512, false},
	} {
		set := twoTypes()
		first := set.Runs[0]
		set.Runs = nil
		for i, state := range c.state {
			r := first
			r.ID, r.NoGPU, r.BatchSize = int64(i+1), true, 256
			r.Work = profile.Work{FLOPs: new(1e9), Params: new(1.0 * gib), Activations: new(4.0 * gib / 4 / 256)}
			if state > 0 {
				r.Work.StateBytes = new(state * gib)
			}
			set.Runs = append(set.Runs, r)
		}
		cpus := profile.VMType{Cloud: "aws", Region: "us", InstanceType: "cpus", VCPUs: new(8.0), MemGiB: new(16.0)}
		set.VMTypes = append(set.VMTypes, cpus)
		set.VMTypes[1].GPUMemGiB = new(16.0)
		w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0), Purchase: profile.OnDemand,
			BatchSizes: []int{c.batch}}
		seen := 0
		for _, got := range predict(set, w, anywhere{guess{0.3}}) {
			name := got.Configuration[0].VM.InstanceType
			if name != "unprobed" && name != "cpus" {
				continue
			}
			seen++
			if (got.OverMemory == nil) != c.fits {
				t.Errorf("%s, on %s: %+v", c.name, name, got.OverMemory)
			}
		}
		if seen != 2 {
			t.Errorf("%s: %d candidates", c.name, seen)
		}
	}
}

// CPUs of several VM types are predicted each by themselves, and don't err together.
func TestVMTypesWithCPUsAreCandidates(t *testing.T) {
	set := twoTypes()
	for _, name := range []string{"small", "large"} {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", Region: "us", InstanceType: name, VCPUs: new(8.0)})
	}
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0), Purchase: profile.OnDemand}
	cells := map[int]bool{}
	for _, c := range predict(set, w, anywhere{guess{0.3}}) {
		cells[c.Cell] = true
	}
	if len(cells) != 4 { // the measured one, the GPU, and two with CPUs
		t.Errorf("%d cells", len(cells))
	}
}

var _ candidate.Predictor = anywhere{}

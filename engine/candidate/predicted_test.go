package candidate_test

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// guess predicts a fixed time with a wide interval.
type guess struct{ seconds float64 }

func (g guess) Common(string, profile.Variant, profile.VMType, int, int) float64 { return 0 }

func (g guess) Iteration(_ string, _ profile.Variant, vm profile.VMType, _, _ int) (estimate.Estimate, string) {
	if vm.GPU == "" {
		return estimate.Estimate{}, ""
	}
	return estimate.Spread(g.seconds, 1, estimate.Spec), "a guess"
}

func vm(name, gpu string, count int, hourly float64) profile.VMType {
	v := profile.VMType{Cloud: "aws", Region: "us", InstanceType: name, GPU: gpu, GPUCount: count}
	v.Prices = []profile.Price{{Purchase: profile.OnDemand, USDPerHour: hourly}}
	return v
}

// twoTypes is a set with a measured VM type, one that nobody probed and one of which
// no one knows how many GPUs it has.
func twoTypes() *profile.Set {
	r := steadily(train(256, "measured"), 14, 0.5, 158)
	r.Cloud, r.Region, r.TrainSize, r.Epochs = "aws", "us", new(256*158.0), new(10.0)
	set := runs(r)
	set.VMTypes = []profile.VMType{vm("measured", "K80", 1, 1), vm("unprobed", "V100", 1, 1), vm("some", "A100", 0, 1)}
	return set
}

func TestPredictedCandidates(t *testing.T) {
	set := twoTypes()
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0), Purchase: profile.OnDemand}
	if got := build(set, w); len(got) != 1 || got[0].IsPredicted() {
		t.Fatalf("without a predictor: %+v", got)
	}
	got := predict(set, w, guess{0.3})
	if len(got) != 2 {
		t.Fatalf("%d candidates: the measured one and the one of the other GPU", len(got))
	}
	c := got[1]
	// 158 iterations an epoch, and the start-up as it was elsewhere.
	want := 10*158*0.3 + 14
	if math.Abs(c.Time.Value-want) > 1e-6 || c.Time.Basis != estimate.Spec || !c.IsPredicted() || c.Why != "a guess" {
		t.Errorf("time %+v, want %g; why %q", c.Time, want, c.Why)
	}
	if c.Time.Low > want/1.7 || c.Time.High < 1.7*want || !c.Cost.Known() {
		t.Errorf("time %+v, cost %+v", c.Time, c.Cost)
	}
	if line, ok := c.Line(objective.Time); !ok || math.Abs(line.At(10)-want) > 1e-6 {
		t.Errorf("line %+v", line)
	}
	if len(c.Sources) != 1 {
		t.Errorf("rests on %v", c.Sources)
	}
}

// Whether a batch size fits in the memory of a VM type is predicted from the peaks of the
// batch sizes that were run elsewhere.
func TestPredictedMemory(t *testing.T) {
	set := twoTypes()
	set.Runs[0].PeakMemoryBytes = new(float64(9 << 30))
	half := set.Runs[0]
	half.ID, half.BatchSize, half.PeakMemoryBytes = 2, 128, new(float64(5<<30))
	set.Runs = append(set.Runs, half)
	set.VMTypes[1].GPUMemGiB = new(16.0)
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0), Purchase: profile.OnDemand,
		BatchSizes: []int{400, 512}}
	for _, c := range predict(set, w, guess{0.3}) {
		if c.Configuration[0].VM.InstanceType == "unprobed" && (c.OverMemory != nil) != (c.BatchSize == 512) {
			t.Errorf("batch %d: %+v; 1 GiB and 1 for each 32", c.BatchSize, c.OverMemory)
		}
	}
}

// A cell that ran out of memory is not predicted away.
func TestOutOfMemoryIsNotPredicted(t *testing.T) {
	set := twoTypes()
	oom := train(256, "unprobed")
	oom.Cloud, oom.Region, oom.Status, oom.ID, oom.GPU = "aws", "us", profile.OutOfMemory, 9, "V100"
	set.Runs = append(set.Runs, oom)
	got := predict(set, question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0),
		Purchase: profile.OnDemand},
		guess{0.3})
	if len(got) != 2 || got[1].OverMemory == nil {
		t.Errorf("%+v", got)
	}
}

func TestPredictedInferenceOnSeveralVMs(t *testing.T) {
	r := infer(64, 1, 0.5)
	r.Cloud, r.Region, r.InstanceType = "aws", "us", "measured"
	set := runs(r)
	set.VMTypes = twoTypes().VMTypes
	got := predict(set, question.Workload{Model: "net", Mode: profile.Infer, Units: 6400, MaxCount: 3,
		Purchase: profile.OnDemand}, guess{0.3})
	if len(got) != 6 || !got[3].IsPredicted() || math.Abs(got[3].Time.Value-30) > 1e-9 {
		t.Errorf("%d candidates, %+v", len(got), got[len(got)-1])
	}
}

// The unprobed type may be much cheaper: it pays to know, unless a probe there
// takes longer than the job.
func TestNextProbe(t *testing.T) {
	q := question.Query{Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0),
		Purchase: profile.OnDemand}, Sort: question.ByCost}
	r := rank.Evaluate(rank.NewSpace(candidate.NewList(twoTypes(), q.Workload, guess{0.5}, nil)), q)
	p, ok := advice.NextProbe(r, func(*candidate.Candidate) float64 { return 30 }, r.BestProbability)
	if !ok || p.Candidate != 1 || p.Objective != objective.Cost || p.Saving <= 0 || p.Changes <= 0.2 || p.Changes >= 0.8 ||
		math.Abs(*p.USD-(200+30)/3600.0) > 1e-9 { // 200 s until the VM has started
		t.Errorf("%+v, %v", p, ok)
	}
	if p, ok := advice.NextProbe(r, func(*candidate.Candidate) float64 { return 3000 }, r.BestProbability); !ok ||
		p.Pays || !strings.Contains(p.Words(), "pays only over several jobs") {
		t.Errorf("a probe longer than what it can save: %+v, %v", p, ok)
	}
	r = rank.Evaluate(rank.NewSpace(candidate.NewList(twoTypes(), q.Workload, nil, nil)), q)
	if p, ok := advice.NextProbe(r, func(*candidate.Candidate) float64 { return 30 }, r.BestProbability); ok {
		t.Errorf("nothing is unmeasured: %+v", p)
	}
}

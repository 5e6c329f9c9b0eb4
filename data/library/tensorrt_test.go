package library

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/catalog"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/transfer"
)

// compiled are the runs of the opening question that TensorRT ran, or the others.
func compiled(set *profile.Set, by bool) *profile.Set {
	only := *set
	only.Runs = slices.DeleteFunc(slices.Clone(set.Runs), func(r profile.Run) bool {
		return r.Model != question.Opening || (r.Runtime() == "tensorrt") != by
	})
	return &only
}

// Figures typed from MLPerf's mlperf_log_summary.txt (samples per second) and accuracy.txt, and
// from the offline tables of GPUNet, all with their batch sizes.
func TestTensorRTAnchors(t *testing.T) {
	runs := compiled(load(t), true).Runs
	if len(runs) != 19 {
		t.Fatalf("%d runs", len(runs))
	}
	for _, c := range []struct {
		network, instanceType string
		batch, gpus           int
		rate, top1            float64 // images per second of all GPUs used; percent
	}{
		{"resnet50_v1.5", "g4dn.xlarge", 256, 1, 6035.57, 75.92},
		{"resnet50_v1.5", "g2-standard-4", 32, 1, 13157.8, 76.156},
		{"resnet50_v1.5", "a2-highgpu-1g", 2048, 1, 37479.5, 75.92},
		{"resnet50_v1.5", "a2-ultragpu-1g", 2048, 1, 42379.3, 76.124},
		{"resnet50_v1.5", "Standard_NC24ads_A100_v4", 2048, 1, 35788.4, 76.04},
		{"resnet50_v1.5", "Standard_ND96amsr_A100_v4", 2048, 8, 308564, 76.044},
		{"resnet50_v1.5", "p5.4xlarge", 2048, 1, 91825.7, 76.156},
		{"resnet50_v1.5", "lambda-1xH10080GB", 2048, 1, 56635, 76.156},
		{"resnet50_v1.5", "1x_RTX4090_SECURE", 64, 1, 45267, 76.078},
		{"gpunet_p0", "a2-ultragpu-1g", 64, 1, 9728, 80.3}, {"gpunet_p0", "p3dn.24xlarge", 64, 1, 6656, 80.3},
		{"gpunet_1", "a2-ultragpu-1g", 64, 1, 7296, 80.5}, {"gpunet_1", "p3dn.24xlarge", 64, 1, 4672, 80.5},
		{"gpunet_p1", "a2-ultragpu-1g", 64, 1, 6208, 81.1}, {"gpunet_p1", "p3dn.24xlarge", 64, 1, 3840, 81.1},
		{"gpunet_d1", "a2-ultragpu-1g", 64, 1, 1984, 82.5}, {"gpunet_d1", "p3dn.24xlarge", 64, 1, 1344, 82.5},
		{"gpunet_d2", "a2-ultragpu-1g", 64, 1, 1088, 83.6}, {"gpunet_d2", "p3dn.24xlarge", 64, 1, 640, 83.6},
	} {
		i := slices.IndexFunc(runs, func(r profile.Run) bool {
			return r.Variant.Network() == c.network && r.InstanceType == c.instanceType
		})
		if i < 0 {
			t.Errorf("no %s on %s", c.network, c.instanceType)
			continue
		}
		r := runs[i]
		precision := map[bool]string{true: "int8", false: "fp16"}[c.network == "resnet50_v1.5"]
		if rate := float64(r.BatchSize*c.gpus) / r.Steady.Value; r.BatchSize != c.batch || math.Abs(rate/c.rate-1) > 1e-5 ||
			math.Abs(100*r.Accuracy.Value-c.top1) > 1e-9 || r.Variant.Precision != precision ||
			r.Basis != estimate.Published || r.Steady.Low != r.Steady.High {
			t.Errorf("%s on %s: %g images a second at batch %d, %g, %+v", c.network, c.instanceType, rate, r.BatchSize,
				r.Accuracy.Value, r)
		}
		if !strings.Contains(r.Variant.Name, "TensorRT") || !strings.Contains(r.Source, "TensorRT") ||
			!strings.Contains(r.Source, "Apache-2.0") {
			t.Errorf("%s on %s does not say how it was run: %s", c.network, c.instanceType, r.Source)
		}
	}
}

// Each figure is of one that is near the frontier: on the RTX 4090 ResNet-50 in INT8 is as fast as none
// of timm's networks, and more accurate than the ten fastest; on the other GPUs no figure of the
// same GPU is better in both, nor is one of timm's on the RTX 4090 by more than 5.2 points, where it is as fast.
func TestTensorRTIsNearTheFrontier(t *testing.T) {
	set := load(t)
	rate := func(r profile.Run) float64 { return float64(r.BatchSize) / r.Steady.Value }
	others := compiled(set, false).Runs
	own := compiled(set, true).Runs
	for _, r := range own {
		for _, o := range own {
			if o.GPU == r.GPU && o.GPUCount == r.GPUCount && rate(o) > rate(r) && o.Accuracy.Value > r.Accuracy.Value {
				t.Errorf("%s on %s is behind %s", r.Variant.Name, r.GPU, o.Variant.Name)
			}
		}
		for _, o := range others {
			if ahead := o.Accuracy.Value - r.Accuracy.Value; o.GPU == "RTX-4090" && rate(o) >= rate(r) && ahead > 0.052 &&
				r.GPU != "V100-SXM2-32GB" && r.GPU != "T4" && r.GPU != "L4" {
				t.Errorf("%s on %s: %.1f points behind %s on an RTX 4090", r.Variant.Name, r.GPU, 100*ahead, o.Variant.Name)
			}
			if r.GPU == "RTX-4090" && o.GPU == r.GPU && rate(o) >= rate(r) {
				t.Errorf("%s is as fast as %s", o.Variant.Name, r.Variant.Name)
			}
		}
	}
}

// What TensorRT does on two GPUs says nothing of what PyTorch does on them, nor the other way
// round: the predictions of either are the same without the other.
func TestRuntimesPredictApart(t *testing.T) {
	set := load(t)
	set.VMTypes = catalog.Market()
	all := transfer.New(set, profile.Infer)
	known := 0
	for _, by := range []bool{true, false} {
		part := compiled(set, by)
		alone := transfer.New(part, profile.Infer)
		for _, r := range part.Runs {
			for _, vm := range set.VMTypes {
				if vm.GPUCount != 1 {
					continue
				}
				got, why := all.Iteration(r.Model, r.Variant, vm, 1, r.BatchSize)
				want, because := alone.Iteration(r.Model, r.Variant, vm, 1, r.BatchSize)
				if got != want || why != because {
					t.Fatalf("%s on %s: %+v (%s), alone %+v (%s)", r.Variant.Name, vm.InstanceType, got, why, want, because)
				}
				if got.Known() {
					known++
				}
			}
		}
	}
	if known < 1000 {
		t.Errorf("only %d predictions", known)
	}
	// A user's PyTorch runs on two of TensorRT's GPUs are not corrected by its figures either.
	own := set.Runs[0]
	for _, r := range set.Runs {
		if r.Runtime() == "tensorrt" {
			own = r
		}
	}
	own.ID, own.Model, own.Variant, own.Packages = 1, "mine", profile.Variant{Precision: "fp16"}, []string{"torch==2.4.0"}
	own.GPU, own.InstanceType, own.Cloud, own.Region = "A100-SXM4-80GB", "a2-ultragpu-1g", "gcp", "us-central1"
	set.Runs = append(set.Runs, own)
	vm := set.VMTypes[slices.IndexFunc(set.VMTypes, func(v profile.VMType) bool {
		return v.InstanceType == "p3dn.24xlarge"
	})]
	e, why := transfer.New(set, profile.Infer).Iteration("mine", own.Variant, vm, 1, own.BatchSize)
	if e.Basis != estimate.Spec || strings.Contains(why, "other model") {
		t.Errorf("%+v (%s)", e, why)
	}
	own.Packages = []string{"torch==2.4.0", "tensorrt==10.0.1"} // those of the same runtime do
	set.Runs[len(set.Runs)-1] = own
	e, why = transfer.New(set, profile.Infer).Iteration("mine", own.Variant, vm, 1, own.BatchSize)
	if e.Basis != estimate.Transferred || !strings.Contains(why, "5 other models") {
		t.Errorf("with TensorRT %+v (%s)", e, why)
	}
}

// By default nothing under 80 % is ranked, ResNet-50 in INT8 included, and the interval of a figure is
// that of a single published number.
func TestOpeningRanksWhatIsUseful(t *testing.T) {
	set := load(t)
	set.VMTypes = catalog.Market()
	of, err := question.Resolve(set, "", "")
	if err != nil {
		t.Fatal(err)
	}
	q := question.Start(set, of)
	s := rank.NewSpace(candidate.NewList(set, q.Workload, transfer.New(set, profile.Infer), nil))
	if s.Narrowed != candidate.InFull {
		t.Errorf("predictions are narrowed: %d", s.Narrowed)
	}
	hidden, figures := 0, map[float64]int{}
	r := rank.Evaluate(s, q)
	for i := range s.Len() {
		c := s.At(i)
		if strings.HasPrefix(c.Variant.Name, "resnet50_v1.5") {
			hidden++
			if r.Feasible.Has(i) {
				t.Fatalf("%s is feasible", c.Variant.Name)
			}
		}
		if c.Time.Basis == estimate.Published && strings.Contains(c.Variant.Name, "TensorRT") {
			figures[math.Round(1e6*(c.Time.High/c.Time.Value-1))/1e6]++
		}
	}
	usual := math.Round(1e6*set.Kinds[estimate.Published].Rel) / 1e6
	if hidden == 0 || len(figures) != 1 || figures[usual] != 19*4 {
		t.Errorf("%d hidden, %v", hidden, figures)
	}
}

// With all figures of a GPU hidden the others predict them: nine of ten lie inside the interval. Nothing is
// said of the batch sizes that are too far from all others.
func TestTensorRTFiguresPredictEachOther(t *testing.T) {
	set := compiled(load(t), true)
	set.VMTypes = catalog.Market()
	inside, all := 0, 0
	for _, r := range set.Runs {
		others := *set
		others.Runs = slices.DeleteFunc(slices.Clone(set.Runs), func(o profile.Run) bool { return o.GPU == r.GPU })
		vm := set.VMTypes[slices.IndexFunc(set.VMTypes, func(v profile.VMType) bool { return v.Key() == r.VM() })]
		e, why := transfer.New(&others, profile.Infer).Iteration(r.Model, r.Variant, vm, r.GPUCount, r.BatchSize)
		if !e.Known() {
			if r.GPU != "L4" && r.GPU != "RTX-4090" {
				t.Errorf("nothing of %s on %s", r.Variant.Name, r.GPU)
			}
			continue
		}
		all++
		if r.BatchSize == 2048 && (e.Basis != estimate.Spec || strings.Contains(why, "8 VM types")) {
			t.Errorf("%s on %s is from figures at other batch sizes: %s, %s", r.Variant.Name, r.GPU, e.Basis, why)
		}
		if e.Low <= r.Steady.Value && r.Steady.Value <= e.High {
			inside++
		}
		t.Logf("%s on %s at %d: %.3g, real %.3g, 90 %% %.3g … %.3g (%s)", r.Variant.Network(), r.GPU, r.BatchSize, e.Value,
			r.Steady.Value, e.Low, e.High, why)
	}
	if all != 17 || inside < 15 {
		t.Errorf("%d of %d inside", inside, all)
	}
}

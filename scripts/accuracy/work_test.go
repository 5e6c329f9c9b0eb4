package main

import (
	"math"
	"os"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

const shared = "../../../shared/data"

// workOfSets are the points of all sets there are.
func workOfSets(t *testing.T) []workPoint {
	t.Helper()
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no published measurements in ../shared/data")
	}
	var points []workPoint
	for _, set := range convert.Sets() {
		if set.Name == "mlperf" || set.Name == "uneven" {
			continue
		}
		runs, err := load(t.Context(), set, shared, "")
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, workPoints(set.Name, runs)...)
	}
	return points
}

// The constants in the program are those that the data give.
func TestConstantsAreFitted(t *testing.T) {
	points := workOfSets(t)
	have, found := roofline.Fitted(), roofline.Fit(fitted(points), roofline.Fitted())
	t.Logf("%d points: %+v", len(points), found)
	for _, x := range points {
		a, _, _ := have.Seconds(x.Job, x.GPU)
		b, _, _ := found.Seconds(x.Job, x.GPU)
		if math.Abs(math.Log(a/b)) > 0.05 {
			t.Fatalf("%s on %s at batch %g: %.4g s by the constants, %.4g s by those fitted", x.network, x.GPU.Name, x.Batch,
				a, b)
		}
	}
}

// The intervals hold nine in ten of the times of networks and GPUs that the constants do
// not know.
func TestIntervalsFromWorkHold(t *testing.T) {
	for set, cases := range fromWork(workOfSets(t)) {
		s := validate.Summarise(cases)
		t.Logf("%s: n %d, mean %.3f, median %.3f, coverage %.3f, half-width %.2f, plain %.3f", set, s.N, s.Mean,
			s.Median, s.Coverage, s.MedianHalfWidth, s.Plain)
		if set != "zeus" && s.Coverage < 0.85 {
			t.Errorf("%s: %.0f %% of %d times are in their intervals", set, 100*s.Coverage, s.N)
		}
		if s.Mean > s.Plain {
			t.Errorf("%s: off by %.2f on average, the share of the peak by %.2f", set, s.Mean, s.Plain)
		}
	}
}

// Where nothing is left to fit to, as in a folder with one set alone, nothing is answered.
func TestWorkOfOneSetAlone(t *testing.T) {
	g := profile.GPUSpec{Name: "T4", FP32TFLOPS: new(8.0), FP16TFLOPS: new(65.0), BandwidthGBs: new(300.0)}
	j := roofline.Job{Work: profile.Work{FLOPs: new(1e9)}, Mode: profile.Infer, Precision: "fp16", Batch: 8}
	cases := fromWork([]workPoint{{roofline.Point{Job: j, GPU: g, Seconds: 1}, "timm", "net", "net", "T4"}})["timm"]
	if len(cases) != 1 || cases[0].Predicted.Known() || !math.IsNaN(cases[0].Plain) {
		t.Errorf("%+v", cases)
	}
}

package main

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sweetspot/data/library"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/transfer"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// ladders are systems of one submitter, or of one GPU, by rising number of GPUs, that
// trained llama2-70b with LoRA for MLPerf: submitter/system and number.
var ladders = [][]rung{
	{{"MangoBoost/MI300X-LLMBoost-GPUBoost-1node", 8}, {"MangoBoost/MI300X-LLMBoost-GPUBoost-2node", 16},
		{"MangoBoost/MI300X-LLMBoost-GPUBoost-4node", 32}},
	{{"HPE/HPE-Cray-XD670-H200-SXM5-141GB_n1_24.09", 8}, {"HPE/HPE-Cray-XD670-H200-SXM5-141GB_n2_24.09", 16},
		{"HPE/HPE-Cray-XD670-H200-SXM5-141GB_n4_24.09", 32}},
	{{"Dell/XE9680x8H100-SXM-80GB", 8}, {"Dell/2xXE9680x8H100-SXM-80GB", 16}, {"Dell/4xXE9680x8H100-SXM-80GB", 32},
		{"Dell/8xXE9680x8H100-SXM-80GB", 64}},
	{{"Oracle/1xBM.GPU.GB200.4", 4}, {"Oracle/2xBM.GPU.GB200.4", 8}, {"Dell/4xXE9712x4GB200", 16},
		{"Dell/8xXE9712x4GB200", 32}, {"Dell/16xXE9712x4GB200", 64}},
	{{"Dell/1xXE9680Lx8H200-SXM-141GB", 8}, {"Dell/2xXE9680Lx8H200-SXM-141GB", 16},
		{"Lenovo/4xSR680Ax8H200-SXM-141GB", 32}},
	{{"Supermicro/AS-4126GS-NBR-LCC_N1", 8}, {"Supermicro/AS-4126GS-NBR-LCC_N2", 16}, {"Oracle/8xBM.GPU.B200.8", 64}},
	{{"NVIDIA/eos_ngc24.09_nemo", 8}, {"NVIDIA/eos_n8_ngc24.09_nemo", 64}, {"NVIDIA/eos_n128_ngc24.09_nemo", 1024}},
	{{"Oracle/64xBM.GPU.H100.8", 64}, {"Oracle/128xBM.GPU.H100.8", 128}, {"Oracle/512xBM.GPU.H100.8", 512}},
	{{"NVIDIA/tyche_ngpu72_ngc25.04_nemo", 72}, {"NVIDIA/tyche_ngpu144_ngc25.04_nemo", 144},
		{"NVIDIA/tyche_ngpu512_ngc25.04_nemo", 512}},
}

type rung struct {
	system string
	gpus   int
}

// loraRuns are MLPerf's trainings of llama2-70b with LoRA that were evaluated at least
// twice, or a reason to skip.
func loraRuns(t *testing.T) []convert.Tuning {
	t.Helper()
	runs, err := convert.ReadTunings(languageFile(t, "lora_runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(runs, func(r convert.Tuning) bool { return len(r.Samples) < 2 })
}

// perSample are the seconds of a sample between the first and the last evaluation.
func perSample(r convert.Tuning) float64 {
	last := len(r.Samples) - 1
	return (r.AtS[last] - r.AtS[0]) / (r.Samples[last] - r.Samples[0])
}

// loraSteps are the median time of a step, and the global batch size, of each system.
func loraSteps(t *testing.T) map[string]transfer.Size {
	t.Helper()
	seconds, batches := map[string][]float64{}, map[string]int{}
	for _, r := range loraRuns(t) {
		name := r.Submitter + "/" + r.System
		seconds[name] = append(seconds[name], perSample(r)*r.Batch)
		batches[name] = int(r.Batch)
	}
	out := map[string]transfer.Size{}
	for name, all := range seconds {
		out[name] = transfer.Size{Batch: batches[name], Step: estimate.Exact(estimate.Median(all), estimate.Published)}
	}
	return out
}

// beyondTwo asks for every size of a ladder from two neighbours below it. The baseline
// is linear scaling; sameLoss is another, that each doubling costs what the last did.
func beyondTwo(of string, ladder []transfer.Size) (cases []validate.Case, sameLoss []float64) {
	for i := range len(ladder) - 2 {
		a, b := ladder[i], ladder[i+1]
		for _, c := range ladder[i+2:] {
			linear := b.Step.Value * float64(c.Batch*b.Workers) / float64(b.Batch*c.Workers)
			loss := math.Log(a.Efficiency(b).Value) / math.Log2(float64(b.Workers)/float64(a.Workers))
			doublings := math.Log2(float64(c.Workers) / float64(b.Workers))
			cases = append(cases, validate.Case{Of: of, Group: of, Truth: c.Step.Value, Plain: linear,
				Predicted: transfer.AtSize([]transfer.Size{a, b}, c.Workers, c.Batch)})
			sameLoss = append(sameLoss, math.Abs(linear*math.Exp(loss*doublings)/c.Step.Value-1))
		}
	}
	return cases, sameLoss
}

// The step time at a world size, told from two smaller ones, is nearer than linear scaling
// and than going on as before, and its interval holds.
func TestScalingOfLoRA(t *testing.T) {
	steps := loraSteps(t)
	var cases []validate.Case
	var same []float64
	for _, ladder := range ladders {
		var sizes []transfer.Size
		for _, r := range ladder {
			s, known := steps[r.system]
			if !known {
				t.Fatalf("%s is not in the file", r.system)
			}
			s.Workers = r.gpus
			sizes = append(sizes, s)
		}
		found, plain := beyondTwo(ladder[0].system, sizes)
		cases, same = append(cases, found...), append(same, plain...)
	}
	s := scaled(t, cases, same)
	if s.N < 15 || s.Median > 0.1 || s.Median > s.PlainMedian || s.Mean > s.Plain || s.Coverage < 0.85 {
		t.Error("the predicted step times are not as good as they were")
	}
}

// With a parameter server on the CPU more GPUs are slower in the end, as Malta's networks
// show on K80s and V100s.
func TestScalingWithAParameterServer(t *testing.T) {
	set, err := library.Load()
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		model, gpu string
		batch      int
	}
	sizes, order := map[key][]transfer.Size{}, []key{}
	for _, r := range set.Runs {
		if r.Basis == estimate.Reconstructed && r.Mode == profile.Train && r.Steady.Known() {
			k := key{r.Model, r.GPU, r.BatchSize}
			if sizes[k] == nil {
				order = append(order, k)
			}
			sizes[k] = append(sizes[k], transfer.Size{Workers: r.Workers(), Batch: r.BatchSize,
				Step: estimate.Exact(r.Steady.Value, r.Basis)})
		}
	}
	var cases []validate.Case
	var same []float64
	for _, k := range order {
		found, plain := beyondTwo(k.model+" on "+k.gpu, sizes[k])
		cases, same = append(cases, found...), append(same, plain...)
	}
	s := scaled(t, cases, same)
	if s.N != 16 || s.Mean > 0.3 || s.Mean > s.Plain/2 || s.Coverage < 0.85 {
		t.Error("the predicted step times are not as good as they were")
	}
}

func scaled(t *testing.T, cases []validate.Case, sameLoss []float64) validate.Summary {
	t.Helper()
	s := validate.Summarise(cases)
	t.Logf("%d cases: median %.1f %%, mean %.1f %%, coverage %.0f %%, half-width %.0f %%; linear scaling %.1f %%, %.1f %%; "+
		"the same loss again %.1f %%, %.1f %%", s.N, 100*s.Median, 100*s.Mean, 100*s.Coverage, 100*s.MedianHalfWidth,
		100*s.PlainMedian, 100*s.Plain, 100*estimate.Median(sameLoss), 100*stat.Mean(sameLoss, nil))
	return s
}

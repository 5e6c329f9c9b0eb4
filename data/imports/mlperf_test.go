package imports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// marks writes a log: lines "SECOND RANK KEY VALUE EPOCH", "-" for none of the last
// three.
func marks(lines ...string) string {
	var out strings.Builder
	for _, line := range lines {
		f := strings.Fields(line)
		var at float64
		if _, err := fmt.Sscan(f[0], &at); err != nil {
			panic(err)
		}
		value, metadata := "null", "{}"
		if f[3] != "-" {
			value = f[3]
		}
		if f[4] != "-" {
			metadata = f[4]
			if !strings.HasPrefix(metadata, "{") {
				metadata = fmt.Sprintf(`{"epoch_num": %s}`, metadata)
			}
		}
		fmt.Fprintf(&out, "%2s: :::MLLOG {\"time_ms\": %.0f, \"key\": %q, \"value\": %s, \"metadata\": %s}\n", f[1],
			1.6e12+1000*at, f[2], value, metadata)
	}
	return out.String()
}

// A benchmark may evaluate many times within one epoch, which is then no rank's
// repetition of another's.
func TestEvaluationsOfOneEpoch(t *testing.T) {
	begin := []string{"-100 0 submission_benchmark \"bert\" -", "-50 0 eval_samples 10000 -"}
	end := []string{"191 0 run_stop - {\"status\":\"success\"}"}
	evaluated := func(ranks, log []string) profile.Run {
		var lines []string
		lines = append(lines, begin...)
		for _, rank := range ranks {
			lines = append(lines, "0 "+rank+" run_start - -", "0.02 "+rank+" epoch_start - 1")
		}
		r := one(t, "/a/result_0.txt", marks(slices.Concat(lines, log, end)...), source.Given{})
		if r.Err != nil || len(r.Set.Runs) != 1 {
			t.Fatal(r.Err)
		}
		return r.Set.Runs[0]
	}
	var alone, all, differing, first []string
	for i := range 18 {
		at, value := 13+10.0*float64(i), 0.36+0.02*float64(i)
		if i > 9 {
			value = 0.55 // twice the same, as once it no longer improves
		}
		alone = append(alone, fmt.Sprintf("%g 0 eval_accuracy %g 1", at, value))
		for rank := range 4 {
			all = append(all, fmt.Sprintf("%g %d eval_accuracy %g 1", at+0.01*float64(rank), rank, value))
			differing = append(differing, fmt.Sprintf("%g %d eval_accuracy %g 1", at+0.01*float64(rank), rank,
				value+0.001*float64(rank)))
		}
		first = append(first, fmt.Sprintf("%g 0 eval_accuracy %g 1", at, 0.36+0.02*float64(i)))
	}
	four := []string{"0", "1", "2", "3"}
	for name, run := range map[string]profile.Run{
		"one rank": evaluated(four[:1], alone), "four ranks": evaluated(four, all),
		"four ranks, each with its part": evaluated(four, differing), "four ranks, of which one tells": evaluated(four,
			first),
	} {
		v := run.Validations
		if len(v) != 18 || !near(*v[1].AtS, 23) || !near(*v[1].Value, 0.38) || !near(*v[17].AtS, 183) {
			t.Errorf("%s: %d evaluations", name, len(v))
		}
		if run.Epochs == nil || *run.Epochs != 1 {
			t.Errorf("%s: epochs %v", name, run.Epochs)
		}
	}
}

// Blocks of many epochs tell no epoch's start, but evaluations tell the epochs.
func TestEpochsOfEvaluations(t *testing.T) {
	log := func(lines ...string) profile.Run {
		lines = slices.Concat([]string{"-9 0 submission_benchmark \"unet3d\" -", "-8 0 eval_samples 42 -",
			"0 0 run_start - -"}, lines, []string{"200 0 run_stop - {\"status\":\"success\"}"})
		return one(t, "/a/result_0.txt", marks(lines...), source.Given{}).Set.Runs[0]
	}
	run := log("1 0 block_start - {\"first_epoch_num\":1,\"epoch_count\":1000}", "100 0 eval_accuracy 0.88 1000",
		"101 0 block_start - {\"first_epoch_num\":1001,\"epoch_count\":20}", "110 0 eval_accuracy 0.9 1020",
		"120 0 eval_accuracy 0.91 1040")
	if run.Epochs == nil || *run.Epochs != 1040 || run.EpochStartsS != nil || run.Validations[1].Epoch != 1019 {
		t.Errorf("%v epochs, %+v", run.Epochs, run.Validations)
	}
	if sd := run.AccuracyStdDev(); sd != nil {
		t.Errorf("a mean DICE of 42 volumes has a spread of ±%g by chance", *sd)
	}
	const block = " 0 block_start - {\"first_epoch_num\":1,\"epoch_count\":1}"
	for name, run := range map[string]profile.Run{
		"samples":      log("10 0 eval_accuracy 0.5 200000", "20 0 eval_accuracy 0.6 400000"),
		"one epoch":    log("10 0 eval_accuracy 0.5 1", "20 0 eval_accuracy 0.6 1"),
		"the same":     log("10 0 eval_accuracy 0.5 7", "20 0 eval_accuracy 0.6 7"),
		"equal blocks": log("0.1"+block, "10 0 eval_accuracy 0.5 1", "11"+block, "20 0 eval_accuracy 0.6 1"),
		"none":         log("10 0 eval_accuracy 0.5 -"),
	} {
		if run.Epochs != nil || len(run.Validations) == 0 {
			t.Errorf("%s: %g epochs, %+v", name, *run.Epochs, run.Validations)
		}
	}
}

// What scripts print may come before the first mark, however much it is.
func TestLateMarks(t *testing.T) {
	log := marks("0 0 run_start - -", "1 0 epoch_start - 1", "9 0 eval_accuracy 0.5 1", "10 0 run_stop - -")
	for _, before := range []int{0, 64<<10 - 5, 64 << 10, 1 << 20} {
		text := strings.Repeat("x", before) + "\n" + log
		r := one(t, "/a/log.txt", text, source.Given{})
		if r.Err != nil || len(r.Set.Runs) != 1 || *r.Set.Runs[0].TotalS != 10 {
			t.Errorf("after %d bytes: %v", before, r.Err)
		}
	}
	refused(t, one(t, "/a/picture.png", "\x89PNG\x00"+strings.Repeat("x", 1<<17)+"\n"+log, source.Given{}),
		"the format is unknown")
	refused(t, one(t, "/a/notes.txt", strings.Repeat("x\n", 1<<17), source.Given{}), "the format is unknown")
}

func TestSeveralMachines(t *testing.T) {
	for platform, want := range map[string]profile.Run{
		"8xND96amsr_A100_v4":            {InstanceType: "ND96amsr_A100_v4", Count: 8},
		"4xXE8545x4A100-SXM-40GB":       {InstanceType: "XE8545x4A100-SXM-40GB", Count: 4},
		"dgx2h_n30_ngc19.05_pytorch":    {InstanceType: "dgx2h_ngc19.05_pytorch", Count: 30},
		"nd96amsr_a100_v4_n8":           {InstanceType: "nd96amsr_a100_v4", Count: 8},
		"8xA100-SXM4-80GB":              {InstanceType: "A100-SXM4-80GB", Count: 1, GPU: "A100-SXM4-80GB", GPUCount: 8},
		"DSS8440x8A100-PCIE-40GB":       {InstanceType: "DSS8440x8A100-PCIE-40GB", Count: 1},
		"SD650-N_V2_A100_SXM_80GB_500W": {InstanceType: "SD650-N_V2_A100_SXM_80GB_500W", Count: 1},
		"tpu-v4-2048":                   {InstanceType: "tpu-v4-2048", Count: 1},
	} {
		log := marks(fmt.Sprintf("-1 0 submission_platform %q -", platform), "0 0 run_start - -", "10 0 run_stop - -")
		const head = "version,submitter,system,acc_per_node,accelerator,benchmark,run,total_s,epochs,epoch_start_rel_s,evals\n"
		for _, r := range []source.Report{one(t, "/a/log.txt", log, source.Given{}),
			one(t, "/a/epochs.csv", head+"v1,maker,"+platform+",,,resnet,0,10,2,1;5,5:0.5\n", source.Given{})} {
			got := r.Set.Runs[0]
			if got.InstanceType != want.InstanceType || got.Count != want.Count || got.GPU != want.GPU ||
				got.GPUCount != want.GPUCount || math.Abs(*got.TotalS-10) > 1e-9 {
				t.Errorf("%s: %d × %s with %d %s", platform, got.Count, got.InstanceType, got.GPUCount, got.GPU)
			}
		}
	}
}

package library

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// The opening question has alternatives: networks from many families on GPUs that can be
// rented, none of which repeats another, each with its accuracy and batch size; timm's
// with their work, too.
func TestOpeningQuestion(t *testing.T) {
	set := load(t)
	of, err := question.Resolve(set, "", "")
	if err != nil || of.Model != question.Opening || of.Mode != profile.Infer || of.Unit != "image" || of.Runs != 99 {
		t.Fatalf("the library opens on %+v, %v", of, err)
	}
	gpus, networks := map[string]int{}, map[string]int{}
	for _, r := range set.Runs {
		if r.Model != question.Opening {
			continue
		}
		gpus[r.GPU]++
		networks[r.Variant.Network()]++
		if r.Basis != estimate.Published || r.Accuracy == nil || r.Accuracy.Metric != "top-1" || r.BatchSize < 32 ||
			!strings.Contains(r.Source, "Apache-2.0") {
			t.Errorf("run %d: %+v", r.ID, r)
		}
		if r.Runtime() == "" && (r.BatchSize < 64 || r.Work.FLOPs == nil || r.Work.Params == nil ||
			r.Work.Activations == nil || r.Variant.Precision != "fp16") {
			t.Errorf("run %d: %+v", r.ID, r)
		}
	}
	if gpus["RTX-3090"] != 40 || gpus["RTX-4090"] != 41 || len(gpus) != 10 || len(networks) != 46 {
		t.Errorf("%v, %d networks", gpus, len(networks))
	}
	if floor := question.Floor(set, of); floor == nil || *floor != 0.80 {
		t.Errorf("the floor is %v: eva02_large has 90.056 %%", floor)
	}
}

// Figures typed from timm's files.
func TestTimmAnchors(t *testing.T) {
	for _, c := range []struct {
		variant, gpu string
		batch        int
		ms, top1     float64
	}{
		{"resnet50 · fb_swsl_ig1b_ft_in1k 224 px", "RTX-3090", 1024, 318.095, 81.146},
		{"resnet50 · fb_swsl_ig1b_ft_in1k 224 px", "RTX-4090", 1024, 242.763, 81.146},
		{"levit_256 · fb_dist_in1k 224 px", "RTX-4090", 1024, 81.863, 81.506},
		{"eva02_large_patch14_448 · mim_m38m_ft_in22k_in1k 448 px", "RTX-3090", 512, 8351.964, 90.056},
	} {
		r := runOf(t, c.variant, c.gpu)
		if r.BatchSize != c.batch || math.Abs(r.Steady.Value-c.ms/1000) > 1e-9 ||
			math.Abs(r.Accuracy.Value-c.top1/100) > 1e-9 {
			t.Errorf("%s on %s: %g s at batch %d, %g", c.variant, c.gpu, r.Steady.Value, r.BatchSize, r.Accuracy.Value)
		}
	}
}

func runOf(t *testing.T, variant, gpu string) profile.Run {
	t.Helper()
	for _, r := range load(t).Runs {
		if r.Model == question.Opening && r.Variant.Name == variant && r.GPU == gpu {
			return r
		}
	}
	t.Fatalf("no %s on %s", variant, gpu)
	return profile.Run{}
}

// Every figure is timm's, and most networks are on the frontier of one of the GPUs: as
// accurate as anything that is as fast.
func TestImageNetIsTimm(t *testing.T) {
	top1 := map[string]float64{} // by name with tag, and size
	best := map[string]float64{} // by network and size
	for _, row := range timmTable(t, "results-imagenet.csv") {
		v := number(t, row, "top1")
		network, _, _ := strings.Cut(row["model"], ".")
		key := network + " " + row["img_size"]
		top1[row["model"]+" "+row["img_size"]], best[key] = v, max(best[key], v)
	}
	frontier := map[string]bool{}
	for gpu, file := range map[string]string{"RTX-3090": "rtx3090", "RTX-4090": "rtx4090"} {
		bench := timmTable(t, "benchmark-infer-amp-nchw-pt240-cu124-"+file+".csv")
		byName := map[string]map[string]string{}
		for _, row := range bench {
			byName[row["model"]+" "+row["infer_img_size"]] = row
		}
		for _, r := range load(t).Runs {
			if r.Model != question.Opening || r.GPU != gpu || r.Runtime() != "" {
				continue
			}
			network, rest, _ := strings.Cut(r.Variant.Name, " · ")
			words := strings.Fields(rest) // tag, size, px
			row, key := byName[network+" "+words[1]], network+" "+words[1]
			if row == nil || strconv.Itoa(r.BatchSize) != row["infer_batch_size"] ||
				math.Abs(1000*r.Steady.Value-number(t, row, "infer_step_time")) > 1e-9 ||
				math.Abs(100*r.Accuracy.Value-top1[network+"."+words[0]+" "+words[1]]) > 1e-9 ||
				math.Abs(*r.Work.FLOPs/2e9-number(t, row, "infer_gmacs")) > 1e-9 ||
				math.Abs(*r.Work.Activations/1e6-number(t, row, "infer_macts")) > 1e-9 ||
				math.Abs(*r.Work.Params/1e6-number(t, row, "param_count")) > 1e-9 {
				t.Errorf("%s on %s is not as in timm's tables: %v", r.Variant.Name, gpu, row)
				continue
			}
			ahead := 0.0 // by how much the best that is as fast is more accurate
			for other, o := range byName {
				if number(t, o, "infer_samples_per_sec") >= number(t, row, "infer_samples_per_sec") {
					ahead = max(ahead, best[other]-100*r.Accuracy.Value)
				}
			}
			frontier[key] = frontier[key] || ahead == 0
			if ahead > 5.2 {
				t.Errorf("%s on %s: %.1f points behind the frontier", r.Variant.Name, gpu, ahead)
			}
		}
	}
	on := 0
	for _, is := range frontier {
		if is {
			on++
		}
	}
	if on < 25 {
		t.Errorf("only %d of the networks are on a frontier", on)
	}
}

// timmTable reads one of timm's tables, which lie beside the project where it is
// developed and are no part of it.
func timmTable(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "timm", name))
	if os.IsNotExist(err) {
		t.Skipf("timm's tables (%s) are not here; TestTimmAnchors holds a few of their figures", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = rec[i]
		}
		rows = append(rows, row)
	}
	return rows
}

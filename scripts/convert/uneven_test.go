package convert

import (
	"strings"
	"testing"
)

const dawnbenchRows = `entry,model,hardware,framework,marks_epoch:seconds:top1
ImageNet/train/team_net_8v100.tsv,ResNet-50,8 × V100,PyTorch,1:60:10;2:100:20;3:140:30;4:220:50
CIFAR10/train/other_net.tsv,ResNet-18,1 × V100,PyTorch,0:0.5:9;1:10:50;2:20:60;3:30:70
`

const speedruns = `record,run,steps,marks_step:seconds
windows,a1,450,0:0.3;100:20;200:40;300:65;400:95;450:115
early,b2,300,100:18;200:38;300:58
`

func TestUneven(t *testing.T) {
	set, err := read(t, "uneven", map[string]string{"dawnbench.csv": dawnbenchRows, "nanogpt.csv": speedruns})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Runs) != 4 || len(set.Models) != 4 {
		t.Fatalf("%d runs of %d models", len(set.Runs), len(set.Models))
	}
	for i, want := range []struct {
		cloud, model string
		starts       []float64
		total        float64
	}{
		{"team", "ResNet-50", []float64{0, 60, 100, 140}, 220},
		{"other", "ResNet-18", []float64{0, 10, 20}, 30}, // its first row is an evaluation before the training
		{"modded-nanogpt", "windows", []float64{0.3, 20, 40, 65}, 95},
		{"modded-nanogpt", "early", []float64{0, 18, 38}, 58},
	} {
		r := set.Runs[i]
		if r.Cloud != want.cloud || r.Model != want.model || r.TotalS == nil || *r.TotalS-want.total > 1e-9 ||
			*r.Epochs != float64(len(want.starts)) || len(r.EpochStartsS) != len(want.starts) {
			t.Errorf("%+v, want %+v", r, want)
			continue
		}
		for k, at := range want.starts {
			if d := r.EpochStartsS[k] - at; d > 1e-9 || d < -1e-9 {
				t.Errorf("%s: epochs begin at %v, not %v", r.Model, r.EpochStartsS, want.starts)
			}
		}
	}
	for old, bad := range map[string]string{
		"2:100:20": "2:x:20", "1:60:10": "1:60", "100:20;": "100:x;", "200:38": "x:38",
	} {
		files := map[string]string{"dawnbench.csv": strings.Replace(dawnbenchRows, old, bad, 1),
			"nanogpt.csv": strings.Replace(speedruns, old, bad, 1)}
		if _, err := read(t, "uneven", files); err == nil || !strings.Contains(err.Error(), ", row ") {
			t.Errorf("%s for %s: %v", bad, old, err)
		}
	}
}

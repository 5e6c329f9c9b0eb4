package convert

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

// read reads the set of a name from files, by their names.
func read(t *testing.T, name string, files map[string]string) (*profile.Set, error) {
	t.Helper()
	folder := t.TempDir()
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range Sets() {
		if s.Name == name {
			return s.Read(t.Context(), folder)
		}
	}
	t.Fatalf("no set is called %s", name)
	return nil, nil
}

func TestAbsentSets(t *testing.T) {
	for _, s := range Sets() {
		if _, err := read(t, s.Name, nil); !Absent(err) {
			t.Errorf("an empty folder %s: %v", s.Name, err)
		}
	}
}

const mlperfRuns = `version,submitter,system,acc_per_node,accelerator,benchmark,run,init_s,total_s,epochs,epoch_start_rel_s,evals
v1,maker,box,8,GPU,net,0,9.5,310.5,3,0.2;100.2;200.1,200.11:0.5;310.5:0.7
v1,maker,box,,,speech,1,,40,3,1;1;2,3:9;4:8
v1,maker,box,,,speech,2,,40,3,1;2;30,29.9:9;40:8
`

func TestMLPerf(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(w, mlperfRuns); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"a.csv.gz": zipped.String(), "a.csv": mlperfRuns, "marked.csv": "\ufeff" + mlperfRuns,
	} {
		set, err := read(t, "mlperf", map[string]string{name: data})
		if err != nil {
			t.Fatal(err)
		}
		r := set.Runs[0]
		if len(set.Runs) != 3 || r.Model != "net" || r.Variant.Name != "v1" || *r.TotalS != 310.5 || *r.Epochs != 3 ||
			r.GPUCount != 8 || r.InitS != nil {
			t.Errorf("%s: %d runs, the first %+v", name, len(set.Runs), r)
		}
		v := r.Validations
		if len(r.EpochStartsS) != 3 || len(v) != 2 || v[0].Epoch != 1 || v[1].Epoch != 2 || !v[0].HigherIsBetter ||
			*v[0].AtS != 200.11 {
			t.Errorf("marks: %v, %+v", r.EpochStartsS, v)
		}
		if r := set.Runs[1]; r.EpochStartsS != nil || r.Validations != nil || *r.TotalS != 40 {
			t.Errorf("two epochs beginning at once were believed: %+v", r)
		}
		if v := set.Runs[2].Validations; v[0].HigherIsBetter {
			t.Errorf("the metric fell until the run ended, so lower is better: %+v", v)
		}
	}
	for old, bad := range map[string]string{
		"310.5,3": "-1,3", "0.2;": "x;", "310.5:0.7": "310.5:x", ",net,": ",,", "box,8": "box,2.5",
		"maker,box,8": "maker,box,1e30", "310.5,3,": "310.5,1e30,",
	} {
		file := strings.Replace(mlperfRuns, old, bad, 1)
		_, err := read(t, "mlperf", map[string]string{"a.csv": file})
		if err == nil || !strings.Contains(err.Error(), "a.csv, row 2") || file == mlperfRuns {
			t.Errorf("%s for %s: %v", bad, old, err)
		}
	}
}

func TestProfet(t *testing.T) {
	const header = "model,dataset,optimizer,batchsize,exp_name,batch_latency,g4dn.xlarge,p2.xlarge,g3s.xlarge\n"
	table := header + "Net,64dataset,SGD,32,exp01,0.025,50000,,nan\nNet,64dataset,Adam,32,exp01,0.03,,,\n"
	set, err := read(t, "profet", map[string]string{"profet_wide.csv": table})
	if err != nil || len(set.Runs) != 3 || len(set.Models) != 1 {
		t.Fatalf("%+v, %v", set, err)
	}
	p3, g4, adam := set.Runs[0], set.Runs[1], set.Runs[2]
	if p3.InstanceType != "p3.2xlarge" || p3.Steady.Value != 0.025 ||
		g4.InstanceType != "g4dn.xlarge" || math.Abs(g4.Steady.Value-0.05) > 1e-12 {
		t.Errorf("seconds and microseconds: %+v, %+v", p3, g4)
	}
	if p3.Model != "Net" || p3.Variant == adam.Variant || p3.Variant != g4.Variant || p3.BatchSize != 32 {
		t.Errorf("%+v, %+v", p3, adam)
	}
	for row, want := range map[string]string{
		"Net,64dataset,SGD,x,exp01,1,1,1,1\n":    `profet_wide.csv, row 2, column batchsize: "x"`,
		",64dataset,SGD,1,exp01,1,1,1,1\n":       "row 2: model or batchsize is empty",
		"Net,64dataset,SGD,1,exp01,-1,1,1,1\n":   "column batch_latency: -1",
		"Net,64dataset,SGD,1.5,exp01,1,1,1,1\n":  "column batchsize: 1.5",
		"Net,64dataset,SGD,1e18,exp01,1,1,1,1\n": "column batchsize: 1e+18",
	} {
		if _, err := read(t, "profet", map[string]string{"profet_wide.csv": header + row}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", row, err)
		}
	}
}

const zeusTrain = `dataset,network,batch_size,optimizer,learning_rate,run,target_metric,target_epoch
images,net,8,sgd,1e-1,1,50,2
images,net,8,sgd,1e-1,1,55,4
images,net,8,sgd,1e-1,1,45,2
images,net,8,sgd,1e-1,1,60,nan
images,net,8,sgd,1e-1,2,45,nan
speech,net,8,sgd,1e-1,1,40,9
speech,net,8,sgd,1e-1,1,60,3
`

const zeusPower = `dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power
images,net,8,sgd,100,9,90
images,net,8,sgd,250,5,200
images,net,8,sgd,150,7,150
images,net,16,sgd,150,4,150
`

// zeusFiles are the tables of the trace: one of trainings, and one for each GPU.
func zeusFiles(train, power string) map[string]string {
	return map[string]string{
		"summary_train.csv": train, "summary_power_v100.csv": power, "summary_power_a40.csv": power,
	}
}

// Of several power limits the highest is kept: the GPU as it is sold.
func TestZeus(t *testing.T) {
	set, err := read(t, "zeus", zeusFiles(zeusTrain, zeusPower))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Models) != 2 || len(set.Runs) != 3+2*2 {
		t.Fatalf("%d models, %d runs", len(set.Models), len(set.Runs))
	}
	if r := set.Runs[0]; len(r.Validations) != 3 || r.Accuracy == nil || r.Accuracy.Value != 0.55 || *r.Epochs != 4 {
		t.Errorf("ended with %+v after %v epochs: %+v", r.Accuracy, r.Epochs, r.Validations)
	}
	if never := set.Runs[1]; never.Accuracy != nil || never.Epochs != nil || len(never.Validations) != 0 {
		t.Errorf("a run that reached nothing is %+v", never)
	}
	if s := set.Runs[2]; s.Accuracy == nil || s.Accuracy.HigherIsBetter || s.Accuracy.Value != 40 {
		t.Errorf("the lower error took longer, so lower is better: %+v", s.Accuracy)
	}
	for _, p := range set.Runs[3:] {
		if (p.USDPerHour != nil) != (p.GPU == "V100") {
			t.Errorf("price of %s: %v", p.GPU, p.USDPerHour)
		}
		if want := map[int]float64{8: 5, 16: 4}[p.BatchSize]; *p.TotalS != want || *p.Epochs != 1 || p.PowerLimitW != nil {
			t.Errorf("batch %d takes %g s for %g epochs, not %g s for one", p.BatchSize, *p.TotalS, *p.Epochs, want)
		}
	}
	for want, files := range map[string]map[string]string{
		`row 2, column target_metric: "x"`:     zeusFiles(strings.Replace(zeusTrain, "50,2", "x,2", 1), zeusPower),
		`row 2, column batch_size: -8`:         zeusFiles(strings.Replace(zeusTrain, "net,8", "net,-8", 1), zeusPower),
		`row 2, column target_epoch: 2.5`:      zeusFiles(strings.Replace(zeusTrain, "50,2", "50,2.5", 1), zeusPower),
		`row 3, column time_per_epoch: "1e99"`: zeusFiles(zeusTrain, strings.Replace(zeusPower, "250,5", "250,1e99", 1)),
		"row 4: has 6 cells":                   zeusFiles(zeusTrain, strings.Replace(zeusPower, "150,7,150", "150,7", 1)),
		"a40.csv, row 2: a quote": zeusFiles(zeusTrain,
			strings.Replace(zeusPower, "images,net,8,sgd,100", `im"ages",net,8,sgd,100`, 1)),
		"summary_train.csv, row 1: the file is empty": zeusFiles("", zeusPower),
	} {
		if _, err := read(t, "zeus", files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// Of timm's networks some are kept, with all their runs on all GPUs and the work of each.
func TestTimm(t *testing.T) {
	const header = "model,infer_img_size,infer_step_time,infer_batch_size,param_count,infer_gmacs,infer_macts\n"
	table := header
	for i := range 500 {
		table += fmt.Sprintf("net%d,224,64,256,25.56,4.11,11.11\nnet%d,288,99,256,25.56,6.8,18.4\n", i, i)
	}
	set, err := read(t, "timm", map[string]string{"benchmark-infer-rtx3090.csv": table,
		"benchmark-infer-rtx4090.csv": table, "results-imagenet.csv": "model,img_size,top1\nnet1.a,224,80\n"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range set.Runs {
		seen[r.Variant.Network()]++
		if w := r.Work; *w.Params != 25.56e6 || *w.FLOPs != 8.22e9 && *w.FLOPs != 13.6e9 || *w.Activations < 11e6 {
			t.Fatalf("%+v", r)
		}
	}
	for network, n := range seen {
		if n != 4 {
			t.Errorf("%s is kept %d times", network, n)
		}
	}
	if len(seen) < 25 || len(seen) > 100 || len(set.Models) != 1 {
		t.Errorf("%d networks of 500, %d models", len(seen), len(set.Models))
	}
}

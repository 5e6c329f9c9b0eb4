package imports

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// one imports a single file.
func one(t *testing.T, path, text string, given source.Given) source.Report {
	t.Helper()
	reports := readAll(t, []source.File{inMemory(path, []byte(text))}, Options{Given: given})
	if len(reports) != 1 {
		t.Fatalf("%d reports", len(reports))
	}
	return reports[0]
}

func refused(t *testing.T, r source.Report, words string) {
	t.Helper()
	if r.Err == nil || !strings.Contains(r.Err.Error(), words) {
		t.Errorf("%s: %v, want the words %q", r.File, r.Err, words)
	}
}

func noted(t *testing.T, r source.Report, words string) {
	t.Helper()
	if r.Err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), words) {
		t.Errorf("%s: %v, notes %q, want the words %q", r.File, r.Err, r.Notes, words)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

func TestUnits(t *testing.T) {
	const head = "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size\n"
	r := one(t, "/a/benchmark-infer-t4.csv", head+"net,224,1000,0.256,256\n", source.Given{})
	refused(t, r, "milliseconds")
	r = one(t, "/a/benchmark-infer-t4.csv", head+"net,224,1000,256,256\n", source.Given{})
	noted(t, r, "no accuracies")
	if run := r.Set.Runs[0]; !near(run.Steady.Value, 0.256) || run.Accuracy != nil || run.GPU != "T4" ||
		run.Variant.Precision != "" {
		t.Errorf("timm: %+v", run)
	}
	const triton = "Concurrency,Inferences/Second,Server Compute Input,Server Compute Infer,Server Compute " +
		"Output,p99 latency\n1,100,1,2,3,20000\n"
	r = one(t, "/a/net.csv", triton, source.Given{BatchSize: 8})
	if run := r.Set.Runs[0]; run.BatchSize != 8 || !near(run.Steady.Value, 0.08) ||
		!strings.HasSuffix(run.Source, "p99 latency 20.0 ms") {
		t.Errorf("perf_analyzer: %+v", run)
	}
	r = one(t, "/a/benchmark_report.json", `{"forward":{"latency":{"unit":"ms","mean":10,"count":1}}}`, source.Given{})
	refused(t, r, "in ms, not in seconds")
	r = one(t, "/a/benchmark_report.json", `{"forward":{"latency":{"unit":"s","mean":0.01,"count":20,"stdev_":10}}}`,
		source.Given{})
	noted(t, r, "no benchmark_config.json")
	if run := r.Set.Runs[0]; run.SteadyStdDevS == nil || !near(*run.SteadyStdDevS, 0.001) {
		t.Errorf("stdev_ is a share of the mean: %+v", run)
	}
	for vram, want := range map[string]float64{"24146608128": 24146608128.0 / (1 << 30), "24146608128000000": 0,
		"22488": 0} {
		r = one(t, "/a/benchmark.json",
			`{"config":{"backend":{"device":"cuda"},"scenario":{},"environment":{"gpu":["NVIDIA `+
				`A10G"],"gpu_count":1,"gpu_vram_mb":`+vram+
				`}},"report":{"forward":{"latency":{"unit":"s","mean":0.01,"count":1}}}}`, source.Given{})
		if gib := r.Set.Runs[0].GPUMemGiB; (gib == nil) != (want == 0) || (gib != nil && !near(*gib, want)) {
			t.Errorf("optimum-benchmark: %v GiB of %s bytes", gib, vram)
		}
	}
}

// A throughput is that of all GPUs, whoever says how many they are.
func TestGPUsOfTriton(t *testing.T) {
	vm := &profile.VMType{Cloud: "aws", InstanceType: "p3.8xlarge", GPU: "V100-SXM2-16GB", GPUCount: 4}
	const perf = "Concurrency,Inferences/Second,Server Compute Infer\n1,100,5\n"
	const analyzer = "Model,Batch,Concurrency,Request Rate,Throughput (infer/sec),Model Config Path\nnet,1,1,,100,a\n"
	for _, text := range []string{perf, analyzer} {
		for want, given := range map[int]source.Given{0: {}, 4: {VM: vm}, 2: {GPUCount: 2, VM: vm}, 1: {GPU: "T4"}} {
			run := one(t, "/a/net.csv", text, given).Set.Runs[0]
			if run.GPUCount != want || !near(run.Steady.Value, float64(max(want, 1))/100) {
				t.Errorf("%d GPUs, %g s a batch on each, want %d", run.GPUCount, run.Steady.Value, want)
			}
		}
	}
	const used = "Concurrency,Inferences/Second,Max GPU Memory Usage\n1,100,a:5;b:6;\n"
	if run := one(t, "/a/net.csv", used, source.Given{VM: vm}).Set.Runs[0]; run.GPUCount != 2 ||
		!near(run.Steady.Value, 0.02) {
		t.Errorf("the table's own GPUs: %+v", run)
	}
	for _, column := range []string{"Max GPU Memory Usage", "Total GPU Memory"} {
		for _, cell := range []string{"5", "a:5;b", "a:-5", "a:x"} {
			refused(t, one(t, "/a/net.csv", "Concurrency,Inferences/Second,"+column+"\n1,100,"+cell+"\n", source.Given{}),
				"row 2, column "+column+": is not a list")
		}
	}
}

// At a request rate the load sets the throughput: the server may do more.
func TestAnalyzerAtARate(t *testing.T) {
	const head = "Model,Batch,Concurrency,Request Rate,Throughput (infer/sec),Model Config Path\n"
	r := one(t, "/a/metrics-model-inference.csv", head+"net,1,,10,10,a\nnet,1,4,,100,a\nnet,1,2,0,50,a\n", source.Given{})
	noted(t, r, "1 row without a batch or a throughput, or at a request rate")
	if len(r.Set.Runs) != 2 {
		t.Errorf("%+v", r.Set.Runs)
	}
	refused(t, one(t, "/a/metrics-model-inference.csv", head+"net,1,0,10,10,a\n", source.Given{}), "set by a request rate")
}

func TestTrainerWithoutAnEnd(t *testing.T) {
	const state = `{"epoch":1.5,"global_step":300,"max_steps":400,"num_train_epochs":2,"train_batch_size":16,"log_history":[{"loss":1.0,"step":10,"epoch":0.05},{"eval_loss":0.5,"eval_runtime":2.0,"eval_samples_per_second":50.0,"epoch":1.0,"step":200}]}`
	r := one(t, "/a/bert/checkpoint-300/trainer_state.json", state, source.Given{})
	noted(t, r, "no train_runtime")
	noted(t, r, "16 is that of one process")
	run := r.Set.Runs[0]
	if run.TotalS != nil || run.Status != profile.Interrupted || run.BatchSize != 0 || *run.Epochs != 1.5 ||
		run.Accuracy.HigherIsBetter || run.Model != "bert" {
		t.Errorf("%+v", run)
	}
	if v := run.Validations; len(v) != 1 || v[0].Seconds != 2 || *v[0].Units != 100 || v[0].AtS != nil {
		t.Errorf("%+v", v)
	}
	for steps, want := range map[string]profile.Status{"300": profile.Done, "299": profile.Interrupted,
		"0": profile.Interrupted} {
		text := fmt.Sprintf(`{"epoch":1,"global_step":%s,"max_steps":300,"log_history":[{"loss":1,"step":10}]}`, steps)
		if run := one(t, "/a/trainer_state.json", text, source.Given{}).Set.Runs[0]; run.Status != want {
			t.Errorf("after %s of 300 steps: %s", steps, run.Status)
		}
	}
	refused(t, one(t, "/a/trainer_state.json", `{"global_step":0,"log_history":[]}`, source.Given{}),
		"nothing was logged yet")
	refused(t, one(t, "/a/trainer_state.json", `{"global_step":1}`, source.Given{}), "no log_history")
	refused(t, one(t, "/a/trainer_state.json", `{"log_history":[{"epoch":1,"train_runtime":NaN}]`, source.Given{}),
		"cut off here")
}

// The global batch is given exactly or not at all.
func TestGlobalBatchOfTrainer(t *testing.T) {
	for _, c := range []struct {
		name                       string
		process, maxSteps          int
		epochs, samples, perSecond float64
		want                       int
	}{
		{"all batches full", 16, 2000, 2, 100, 3.125, 32},
		{"the last of an epoch not full", 8, 6315, 3, 67349 * 3 / 1000.0, 6.315, 32}, // SST-2 by 32: 2105 steps an epoch
		{"several in reach", 1, 100, 1, 300, 1.5, 0},
		{"no batch of a process", 0, 0, 0, 64, 1, 64},
		{"rates rounded apart", 8, 0, 0, 0.804, 0.1, 8}, // 0.8036 and 0.10045
		{"rates too coarse", 8, 1000, 1, 0.02, 0.001, 0},
		{"no multiple in reach", 16, 100000, 1, 40, 1, 0},
	} {
		state := fmt.Sprintf(
			`{"epoch":%g,"global_step":%d,"max_steps":%d,"num_train_epochs":%g,"train_batch_size":%d,"log_history":[{"train_runtime":1000,"train_samples_per_second":%.3f,"train_steps_per_second":%.3f}]}`,
			c.epochs, c.maxSteps, c.maxSteps, c.epochs, c.process, c.samples, c.perSecond)
		for given, want := range map[int]int{0: c.want, 7: cmp.Or(c.want, 7)} {
			r := one(t, "/a/net/trainer_state.json", state, source.Given{BatchSize: given})
			if r.Err != nil || r.Set.Runs[0].BatchSize != want {
				t.Errorf("%s, given %d: %v, %+v, want %d", c.name, given, r.Err, r.Set, want)
			}
			switch {
			case given == 0 && want == 0:
				noted(t, r, "batch size is unknown")
			case given != 0 && c.want != 0:
				noted(t, r, "states the batch size itself")
			}
		}
	}
}

func TestEpochTime(t *testing.T) {
	const keras = "epoch;loss;val_acc\n0;2;0.5\n1;1;0.6\n"
	r := one(t, "/a/log.csv", keras, source.Given{})
	noted(t, r, "--epoch-time")
	if r.Set.Runs[0].TotalS != nil {
		t.Error("a time out of nowhere")
	}
	r = one(t, "/a/log.csv", keras, source.Given{EpochS: new(30.0), BatchSize: 64, Model: "mine"})
	run := r.Set.Runs[0]
	if *run.TotalS != 60 || run.EpochStartsS[1] != 30 || *run.Validations[0].AtS != 30 || run.BatchSize != 64 ||
		run.Model != "mine" || len(r.Notes) != 0 {
		t.Errorf("%+v, %v", run, r.Notes)
	}
	refused(t, one(t, "/a/log.csv", "epoch,loss\n0,2\n", source.Given{}), "neither a time nor")
	refused(t, one(t, "/a/log.csv", "epoch,loss,val_loss\n-1,2,2\n", source.Given{}), "row 2: epoch -1")
	refused(t, one(t, "/a/log.csv", "epoch,loss,val_loss\n0,2,best\n", source.Given{}),
		`column val_loss: "best" is not a finite`)
	refused(t, one(t, "/a/log.csv", "epoch,val_loss,val_loss\n0,2,2\n", source.Given{}), "duplicated")
}

func TestEventFiles(t *testing.T) {
	const path = "/a/run/events.out.tfevents.1"
	whole := board(logged{1719249200, 0, "loss", 2, false}, logged{1719249210, 100, "loss", 1, true},
		logged{1719249220, 200, "loss", math.NaN(), false})
	r := one(t, path, string(whole), source.Given{})
	noted(t, r, "no tag gives the epochs")
	if run := r.Set.Runs[0]; !near(run.Steady.Value, 0.1) || run.Epochs != nil || run.AsOf != "2024-06-24" ||
		run.Model != "run" {
		t.Errorf("%+v", run)
	}
	noted(t, one(t, "/a/run/renamed", string(whole), source.Given{}), "no tag gives the epochs")
	for _, end := range []logged{{1719249210, 100, "epoch", 0.5, false}, {1719249210, 0, "epoch", 1.5, false}} {
		still := board(logged{1719249200, 0, "loss", 2, false}, logged{1719249200, 0, "epoch", 0.5, false},
			logged{1719249210, 100, "loss", 1, false}, end)
		if run := one(t, path, string(still), source.Given{}).Set.Runs[0]; run.IterationsPerEpoch != nil {
			t.Errorf("%g iterations an epoch, of which none was seen", *run.IterationsPerEpoch)
		}
	}
	noted(t, one(t, path, string(whole[:len(whole)-3]), source.Given{}), "cut off")
	wrong := bytes.Clone(whole)
	wrong[len(wrong)-1] ^= 1
	refused(t, one(t, path, string(wrong), source.Given{}), "checksum is wrong")
	wrong = bytes.Clone(whole)
	wrong[0] ^= 1
	refused(t, one(t, path, string(wrong), source.Given{}), "checksum is wrong")
	refused(t, one(t, path, string(board()), source.Given{}), "no scalars")
	var record bytes.Buffer
	frame(&record, []byte("not a message"))
	refused(t, one(t, path, record.String(), source.Given{}), "no event")
}

// What the user gives fills in what files leave open, and changes nothing they
// say.
func TestGiven(t *testing.T) {
	vm := &profile.VMType{Cloud: "aws", Region: "us-east-1", InstanceType: "g4dn.xlarge", GPU: "T4", GPUCount: 1,
		GPUMemGiB: new(16.0)}
	const keras = "epoch,loss,val_acc\n0,2,0.5\n"
	run := one(t, "/a/log.csv", keras, source.Given{VM: vm, Prices: profile.Prices{All: new(0.4)}, Dataset: "mnist",
		Unit: "image"}).Set.Runs[0]
	if run.VM() != vm.Key() || run.GPU != "T4" || run.GPUCount != 1 || *run.GPUMemGiB != 16 || *run.USDPerHour != 0.4 ||
		run.Dataset != "mnist" || run.Unit != "image" {
		t.Errorf("%+v", run)
	}
	run = one(t, "/a/log.csv", keras, source.Given{GPU: "L4", GPUCount: 2}).Set.Runs[0]
	if run.GPU != "L4" || run.GPUCount != 2 || run.InstanceType != "2×L4" {
		t.Errorf("%+v", run)
	}
	const timm = "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size\nnet,224,1000,256,256\n"
	r := one(t, "/a/benchmark-infer-rtx3090.csv", timm, source.Given{GPU: "L4"})
	noted(t, r, "states the GPU itself")
	if r.Set.Runs[0].GPU != "RTX 3090" {
		t.Errorf("%+v", r.Set.Runs[0])
	}
	r = one(t, "/a/benchmark-infer-rtx3090.csv", timm, source.Given{VM: vm})
	noted(t, r, "states the GPU itself")
	if r.Set.Runs[0].InstanceType != "RTX 3090" {
		t.Errorf("%+v", r.Set.Runs[0])
	}
	if r = one(t, "/a/benchmark-infer-t4.csv", timm, source.Given{VM: vm}); r.Set.Runs[0].VM() != vm.Key() ||
		r.Set.Runs[0].GPU != "T4" {
		t.Errorf("%+v", r.Set.Runs[0])
	}
	refused(t, one(t, "/a/hparams.yaml", "lr: 1\n", source.Given{}), "import metrics.csv")
	refused(t, one(t, "/a/results-imagenet.csv", "model,img_size,top1\nnet.a,224,80\n", source.Given{}),
		"import it together")
}

// What a file says of its own wins over what the user says of all, and the
// difference is noted.
func TestFilesWinOverWhatIsGiven(t *testing.T) {
	const epochs = "version,submitter,system,acc_per_node,accelerator,benchmark,run,total_s,epochs,epoch_start_rel_s,evals\nv1,maker,box,8,V100,resnet,0,700,2,1;350,349:0.5;699:0.7\n"
	vm := &profile.VMType{Cloud: "aws", InstanceType: "g5.xlarge", GPU: "A10G", GPUCount: 1}
	r := one(t, "/a/x.csv", epochs, source.Given{GPUCount: 4, GPU: "L4", Model: "bert", Unit: "token", Precision: "bf16",
		BatchSize: 64, EpochS: new(2.0), VM: vm})
	for _, words := range []string{"number of GPUs itself, 8", "GPU itself, V100", "model itself, resnet",
		"unit itself, image", "VM type itself, maker box", "--epoch-time has no effect"} {
		noted(t, r, words)
	}
	if !slices.IsSorted(r.Notes) {
		t.Errorf("%q", r.Notes)
	}
	if run := r.Set.Runs[0]; run.GPUCount != 8 || run.GPU != "V100" || run.Model != "resnet" || run.Unit != "image" ||
		run.Variant.Precision != "bf16" || run.BatchSize != 64 || run.Cloud != "maker" {
		t.Errorf("%+v", run)
	}
	const timm = "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size\nnet,224,1000,256,256\n"
	vm = &profile.VMType{Cloud: "runpod", InstanceType: "rtx-4090", GPU: "RTX-4090", GPUCount: 1}
	r = one(t, "/a/benchmark-infer-rtx3090.csv", timm, source.Given{VM: vm})
	noted(t, r, "RTX 3090, which rtx-4090 does not have: --vm is ignored")
	if r = one(t, "/a/benchmark-infer-rtx4090.csv", timm, source.Given{VM: vm}); r.Set.Runs[0].VM() != vm.Key() {
		t.Errorf("%+v", r.Set.Runs[0])
	}
}

// A GPU that is not named is none of that name, and a number of them that is not
// told is said to be taken.
func TestUnknownGPUs(t *testing.T) {
	const head = "version,submitter,system,acc_per_node,accelerator,benchmark,run,total_s,epochs,epoch_start_rel_s,evals\n"
	for _, name := range []string{"N/A", "none", "Unknown", "-", "", "null"} {
		r := one(t, "/a/x.csv", head+"v1,,,4,"+name+",resnet,0,700,2,,\n", source.Given{})
		if run := r.Set.Runs[0]; run.GPU != "" || run.InstanceType != "" {
			t.Errorf("%s: %+v", name, run)
		}
		if r = one(t, "/a/x.csv", head+"v1,,,4,"+name+",resnet,0,700,2,,\n",
			source.Given{GPU: "T4"}); r.Set.Runs[0].GPU != "T4" {
			t.Errorf("%s: %+v", name, r.Set.Runs[0])
		}
	}
	noted(t, one(t, "/a/x.csv", head+"v1,,,,T4,resnet,0,700,2,,\n", source.Given{}), "use --gpu-count")
	if r := one(t, "/a/x.csv", head+"v1,,,,T4,resnet,0,700,2,,\n", source.Given{GPUCount: 2}); len(r.Notes) != 0 ||
		r.Set.Runs[0].GPUCount != 2 {
		t.Errorf("%q, %+v", r.Notes, r.Set.Runs[0])
	}
}

// A compressed table is recognised and named by what it holds.
func TestNamesOfCompressedFiles(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, "epoch\thours\tf1Score\n1\t0.5\t0.6\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/bidaf.tsv.gz", packed.Bytes())
	r := readAll(t, []source.File{File(dir + "/bidaf.tsv.gz")}, Options{})[0]
	if r.Err != nil || r.Format != "dawnbench" || r.Set.Runs[0].Model != "bidaf" ||
		r.Set.Runs[0].Source != "DAWNBench bidaf.tsv" {
		t.Errorf("%v, %s, %+v", r.Err, r.Format, r.Set)
	}
	write(t, dir+"/bidaf.tsv", []byte("epoch\thours\tf1Score\n"))
	if found, err := Files([]string{dir}); err != nil || len(found.Files) != 2 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestCompressedFiles(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, "epoch,loss,val_acc\n0,2,0.5\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"whole": packed.Bytes(), "cut": packed.Bytes()[:packed.Len()-4],
		"damaged": []byte{0x1f, 0x8b, 1}} {
		path := t.TempDir() + "/log.csv.gz"
		write(t, path, text)
		r := readAll(t, []source.File{File(path)}, Options{})[0]
		if (r.Err == nil) != (name == "whole") {
			t.Errorf("%s: %v", name, r.Err)
		}
	}
}

func TestHostileNames(t *testing.T) {
	r := one(t, "/a/evil\x1b[31m\nname.csv", "epoch,loss,val_acc\n0,2,0.5\n", source.Given{})
	if r.Err != nil || r.Set.Runs[0].Model != "evil name" {
		t.Errorf("%v, %+v", r.Err, r.Set)
	}
	refused(t, one(t, "/a/\x1b[2Jx.csv", "model,infer_step_time\n\x1b[2Jnet,a\n", source.Given{}),
		`column infer_step_time: "a" is not a finite`)
}

// Accuracies may lie in another folder; those of the benchmark's own come first.
func TestResultsInAnotherFolder(t *testing.T) {
	bench := []byte("model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size\nnet,224,1000,256,256\n")
	results := func(top1 string) []byte { return []byte("model,img_size,top1\nnet.a,224," + top1 + "\n") }
	files := []source.File{
		inMemory("/a/results-imagenet.csv", results("80")), inMemory("/b/results-imagenet.csv", results("70")),
		inMemory("/b/results-sketch.csv", results("30")),
		inMemory("/b/benchmark-infer-t4.csv", bench), inMemory("/c/benchmark-infer-l4.csv", bench),
	}
	accuracy := map[string]float64{}
	for _, r := range readAll(t, files, Options{}) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		for _, run := range r.Set.Runs {
			accuracy[run.GPU] = run.Accuracy.Value
		}
	}
	if accuracy["T4"] != 0.7 || accuracy["L4"] != 0.8 {
		t.Errorf("%v", accuracy)
	}
}

// optimum-benchmark may write a run's report twice.
func TestReportsBesideTheirCopy(t *testing.T) {
	const report = `{"forward":{"latency":{"unit":"s","mean":0.01,"count":1}}}`
	runs := 0
	for _, r := range readAll(t, []source.File{
		inMemory("/a/benchmark.json", []byte(`{"config":{"scenario":{}},"report":`+report+`}`)),
		inMemory("/a/benchmark_config.json", []byte(`{"backend":{"model":"bert"}}`)),
		inMemory("/a/benchmark_report.json", []byte(report)),
	}, Options{}) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		runs += len(r.Set.Runs)
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}

// One file may hold several runs, one of which never ended.
func TestSeveralRunsOfALog(t *testing.T) {
	line := func(ms, key, rest string) string {
		return `7: :::MLLOG {"namespace": "x", "time_ms": ` + ms + `, "event_type": "POINT_IN_TIME", "key": "` + key + `", ` +
			rest + "}\n"
	}
	const none, first = `"value": null, "metadata": {}`, `"value": null, "metadata": {"epoch_num": 1}`
	text := line("1000", "run_start", none) + line("2000", "epoch_start", first) + line("5000", "run_start",
		none) + line("5001", "run_start", none) +
		line("6000", "epoch_start", first) + line("8000", "run_stop",
		`"value": null, "metadata": {"status": "aborted"}`) + line("8000", "run_stop", none) +
		line("9000", "eval_accuracy", `"value": 0.1, "metadata": ""`) + line("20000", "run_start", none) + line("21000",
		"run_stop", `"value": null, "metadata": {"status": "success"}`)
	r := one(t, "/a/maskrcnn.log", text, source.Given{})
	noted(t, r, "run 1 has no run_stop")
	noted(t, r, "run 2 ended as aborted")
	runs := r.Set.Runs
	if len(runs) != 3 {
		t.Fatalf("%d runs", len(runs))
	}
	if runs[0].TotalS != nil || runs[0].Status != profile.Interrupted || *runs[1].TotalS != 3 ||
		runs[1].Status != profile.Interrupted || *runs[2].TotalS != 1 || runs[2].Status != profile.Done {
		t.Errorf("%+v", runs)
	}
	if runs[0].Model != "maskrcnn" || runs[0].AsOf != "" {
		t.Errorf("%+v", runs[0])
	}
	text = line("1", "submission_benchmark", `"value": "resnet"`) + line("1", "global_batch_size",
		`"value": 64`) + line("1000", "run_start", none) + line("2000", "run_stop", none) +
		line("3000", "submission_benchmark", `"value": "bert"`) + line("4000", "init_start", none) + line("5000", "run_start",
		none) + line("7000", "run_stop", none)
	runs = one(t, "/a/two.log", text, source.Given{}).Set.Runs
	if len(runs) != 2 || runs[0].Model != "resnet" || runs[0].BatchSize != 64 || runs[1].Model != "bert" ||
		runs[1].BatchSize != 0 || *runs[1].TotalS != 2 {
		t.Errorf("two logs in one file: %+v", runs)
	}
	refused(t, one(t, "/a/x.log", "text :::MLLOG {\"key\n", source.Given{}), "none of the 1 line with a mark can be read")
	refused(t, one(t, "/a/x.log", line("5", "epoch_start", first), source.Given{}), "contains no run")
}

package imports

import (
	"bytes"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/data/imports/wide"
)

// fuzz feeds a file of the format whatever comes; its fixture is the seed. The
// other files of the fixture stay beside it, so that what is joined is joined.
func fuzz(f *testing.F, format string, seeds ...string) {
	f.Helper()
	files := fixture(f, format)
	main := 0
	for i, file := range files {
		text := content(f, file)
		f.Add(text)
		f.Add(text[:len(text)/2])
		if !strings.HasSuffix(file.Path, "hparams.yaml") && !strings.HasSuffix(file.Path, "_config.json") &&
			!strings.Contains(file.Path, "results-") {
			main = i
		}
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, given := range []source.Given{{}, {EpochS: new(2.0), BatchSize: 3, GPU: "T4"}} {
			with := append([]source.File{}, files...)
			with[main] = inMemory(files[main].Path, text)
			readAll(t, with, Options{Format: format, Given: given}) // which tests that all is sound
		}
		readAll(t, []source.File{inMemory("/a/"+files[main].Base(), text)}, Options{})
	})
}

func FuzzProfileCSV(f *testing.F)  { fuzz(f, "profile-csv") }
func FuzzProfileJSON(f *testing.F) { fuzz(f, "profile-json", `{"schema":1,"command":"rank"}`) }
func FuzzTimm(f *testing.F)        { fuzz(f, "timm") }
func FuzzMLLOG(f *testing.F) {
	fuzz(f, "mllog", `:::MLLOG {"key":"run_start","time_ms":-1}`,
		`:::MLLOG {"key":"run_start","time_ms":1e300,"metadata":""}`)
}
func FuzzMLPerfEpochs(f *testing.F)  { fuzz(f, "mlperf-epochs") }
func FuzzPerfAnalyzer(f *testing.F)  { fuzz(f, "perf-analyzer") }
func FuzzModelAnalyzer(f *testing.F) { fuzz(f, "model-analyzer") }
func FuzzTrainerState(f *testing.F)  { fuzz(f, "trainer-state") }
func FuzzOptimum(f *testing.F)       { fuzz(f, "optimum-benchmark") }
func FuzzVLLM(f *testing.F) {
	fuzz(f, "vllm-bench", `{"model_id":"m","request_rate":"inf","completed":1,"total_input_tokens":1,`+
		`"total_output_tokens":1,"output_throughput":1e300,"mean_tpot_ms":-1}`)
}
func FuzzGuideLLM(f *testing.F) {
	fuzz(f, "guidellm", `{"benchmarks":[{"metrics":{"request_totals":{"successful":1}}}]}`)
}
func FuzzAIPerf(f *testing.F) {
	fuzz(f, "aiperf", `{"request_count":{"avg":1},"inter_token_latency":{"unit":"s","avg":1}}`)
}
func FuzzTensorBoard(f *testing.F) {
	fuzz(f, "tensorboard", string(board(logged{1, -5, "a", 1e38, true})))
}
func FuzzMLflow(f *testing.F)   { fuzz(f, "mlflow", "1795418717752 NaN 1\n1795418717753 1e300 -5\n") }
func FuzzMLflowDB(f *testing.F) { fuzz(f, "mlflow-db", "SQLite format 3\x00") }
func FuzzWandb(f *testing.F)    { fuzz(f, "wandb", ":W&B\xe1\xbe\x00") }
func FuzzWandbHistory(f *testing.F) {
	fuzz(f, "wandb-history", "_step,_timestamp,loss\n1e300,1,NaN\n")
}
func FuzzWandbChart(f *testing.F) {
	fuzz(f, "wandb-chart", "Relative Time (Wall),a - _step,a - loss\n-1,1e300,NaN\n", "Step,a - _runtime,a - x\n0,-1,2\n")
}
func FuzzWandbRuns(f *testing.F) {
	fuzz(f, "wandb-runs", "Name,State,Runtime,GPU Count,val_acc\na,,1e300,-5,1e30\n")
}
func FuzzZeus(f *testing.F)      { fuzz(f, "zeus") }
func FuzzWide(f *testing.F)      { fuzz(f, "wide") }
func FuzzDAWNBench(f *testing.F) { fuzz(f, "dawnbench", "epoch\thours\tf1Score\n0\t1e-300\t5\n") }
func FuzzLightning(f *testing.F) { fuzz(f, "lightning", "epoch,step,val_acc\n0,1e300,1e20\n") }
func FuzzKeras(f *testing.F)     { fuzz(f, "keras", "epoch\tloss\n0\t1\n") }

// FuzzTensorBoardEvents feeds events whose checksums are right.
func FuzzTensorBoardEvents(f *testing.F) {
	f.Add(1.7e9, int64(5), "epoch", 1.5, []byte{0x2a, 0x02, 0x0a, 0x00})
	f.Add(-1.0, int64(-1), "val/loss", -3.0, []byte{0x09})
	f.Add(1.8e9, int64(1<<62), "train/epoch", -1e37, []byte{0x2a, 0x80})
	f.Fuzz(func(t *testing.T, wall float64, step int64, tag string, value float64, raw []byte) {
		file := board(logged{1719249164, 0, tag, value, true}, logged{wall, step, tag, value, false},
			logged{wall + 1, step + 1, "loss", value, true}, logged{wall + 2, step + 3, "val_acc", value, true},
			logged{wall + 2, step + 3, "epoch_loss", value, false}, logged{wall + 3, step / 2, "epoch", -value, false})
		readAll(t, []source.File{inMemory("/a/x.tfevents.1", file)}, Options{})
		out := bytes.NewBuffer(file)
		frame(out, raw)
		readAll(t, []source.File{inMemory("/a/x.tfevents.1", out.Bytes())}, Options{})
	})
}

// FuzzParameters feeds hyperparameters to Lightning's reader.
func FuzzParameters(f *testing.F) {
	f.Add("arch: a\nbatch_size: 3\n")
	f.Add("a: &x [*x]\n")
	f.Add("<<: {batch_size: 0}")
	f.Fuzz(func(t *testing.T, text string) {
		readAll(t, []source.File{
			inMemory("/a/version_0/metrics.csv", []byte("epoch,step,val_acc\n0,9,0.5\n")), inMemory("/a/version_0/hparams.yaml",
				[]byte(text)),
		}, Options{})
	})
}

// FuzzMapping feeds mappings of columns to the reader of wide tables.
func FuzzMapping(f *testing.F) {
	f.Add("model: m\nbatch_size: b\ntimes: {t: {unit: ms}}\n")
	f.Add(`{"model":"m","batch_size":"b","times":{"t":{"unit":"us","gpu_count":-1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := wide.ReadMapping(inMemory("/a/m.yaml", []byte(text)))
		if err != nil {
			sound(t, source.Report{Err: err})
			return
		}
		readAll(t, []source.File{inMemory("/a/x.csv", []byte("m,b,t\nnet,8,5\n"))}, Options{Given: source.Given{Mapping: m}})
	})
}

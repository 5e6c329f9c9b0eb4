package imports

import (
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/data/imports/wide"
	"sweetspot/engine/profile"
)

func TestATrainingThatWasStartedAgain(t *testing.T) {
	reports := readAll(t, []source.File{
		inMemory("/a/run/events.out.tfevents.1", board(logged{1719249200, 0, "loss", 2, false},
			logged{1719249210, 100, "loss", 1, false})),
		inMemory("/a/run/events.out.tfevents.2", board(logged{1719259200, 50, "loss", 2, false},
			logged{1719259210, 150, "loss", 1, false})),
	}, Options{})
	noted(t, reports[0], "started again")
	noted(t, reports[1], "part of the training")
	if run := reports[0].Set.Runs[0]; run.TotalS != nil || run.Steady.Known() {
		t.Errorf("%+v", run)
	}
}

func TestMappings(t *testing.T) {
	const table = "net,bs,px,T4 time,A10 time\nresnet,32,64,250,NaN\nresnet,64,64,450,200\n"
	const yaml = "model: net\nbatch_size: bs\nvariant: [px]\nmode: infer\nbasis: measured\nas_of: 2024-05\n" +
		"source: our lab\ntimes:\n" +
		"  T4 time: {unit: ms, cloud: aws, instance_type: g4dn.xlarge, gpu: T4, gpu_count: 1, usd_per_hour: 0.526}\n" +
		"  A10 time: {unit: ms, gpu: A10}\n"
	mapping := func(text string) (*source.Mapping, error) {
		return wide.ReadMapping(inMemory("/a/map.yaml", []byte(text)))
	}
	m, err := mapping(yaml)
	if err != nil {
		t.Fatal(err)
	}
	r := one(t, "/a/table.csv", table, source.Given{Mapping: m})
	if r.Err != nil || len(r.Set.Runs) != 3 {
		t.Fatalf("%v, %+v", r.Err, r.Set)
	}
	run := r.Set.Runs[0]
	if !near(run.Steady.Value, 0.25) || run.InstanceType != "g4dn.xlarge" || *run.USDPerHour != 0.526 ||
		run.Source != "our lab, table.csv" || run.Variant.Name != "64" || run.Mode != profile.Infer {
		t.Errorf("%+v", run)
	}
	if run := r.Set.Runs[1]; run.InstanceType != "A10" || run.GPUCount != 1 || !near(run.Steady.Value, 0.2) ||
		run.USDPerHour != nil {
		t.Errorf("%+v", run)
	}
	if m, err := mapping(`{"model":"net","batch_size":"bs","times":{"T4 time":{"unit":"us"}}}`); err != nil ||
		m.Times["T4 time"].In != "us" {
		t.Errorf("JSON: %v, %v", m, err)
	}
	for text, want := range map[string]string{
		"model: net\nbatch_size: bs\n":                        "no column of times",
		"model: net\nbatch_size: bs\ntimes: {a: {}}":          "write s, ms, us or ns",
		"model: net\nbatch_size: bs\ntimes: {a: {unit: min}}": `"min"`,
		"model: net\nbatch: bs":                               "line 2: there is no key batch",
		"- a":                                                 "line 1: a list is unexpected there",
		"model: [a]":                                          "line 1: a list is unexpected there",
		"times: 3":                                            "line 1: a single value is unexpected there",
		"":                                                    "is empty",
	} {
		if _, err := mapping(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "source.") {
			t.Errorf("%q: %v, want the words %q", text, err, want)
		}
	}
	refused(t, one(t, "/a/table.csv", "net,bs,px,T4 time\n", source.Given{Mapping: m}), "no column A10 time")
	for text, want := range map[string]string{
		"{batch_size: bs, times: {T4 time: {unit: s}}}":                        "no column for model",
		"{model: net, times: {T4 time: {unit: s}}}":                            "no column for batch_size",
		"{model: net, batch_size: bs, mode: run, times: {T4 time: {unit: s}}}": "neither train nor infer",
	} {
		m, err := mapping(text)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, one(t, "/a/table.csv", table, source.Given{Mapping: m}), want)
	}
}

// A table in no format of any program is refused with the mapping that its columns
// suggest, by which it is then read.
func TestNaturalTables(t *testing.T) {
	offered := func(name, text string) (*source.Mapping, string) {
		_, err := Detect(inMemory(name, []byte(text)))
		if err == nil {
			t.Fatalf("%s is recognised", name)
		}
		_, rest, _ := strings.Cut(err.Error(), "'")
		inline, _, _ := strings.Cut(rest, "'")
		m, err2 := wide.ParseMapping(source.File{Path: "--mapping"}, []byte(inline))
		if err2 != nil {
			t.Fatalf("%v offers what is refused: %v", err, err2)
		}
		return m, err.Error()
	}
	for _, c := range []struct {
		name, text  string
		mode        profile.Mode
		seconds     float64
		gpu         string
		gpus, batch int
	}{
		{"/a/a.csv", "model,gpu,batch_size,images_per_second\nresnet50,V100,64,400\n", "train", 0.16, "V100", 1, 64},
		{"/a/b.csv", "Model;GPU;Batch;Latency (ms)\nresnet50;T4;8;40\n", "infer", 0.04, "T4", 1, 8},
		{"/a/infer.csv", "net\tGPUs\tbs\ttokens/s\tprecision\nllama\t4\t32\t640\tBF16\n", "infer", 0.2, "", 4, 32},
		{"/a/c.csv", "network,accelerator,batchSize,it/s,phase\nvgg,A100,16,5,Infer\n", "infer", 0.2, "A100", 1, 16},
		{"/a/d.csv", "model,bs,gpu,step_time_us,images/s\nvgg,16,2,200000,1\n", "train", 0.2, "", 2, 16},
	} {
		m, why := offered(c.name, c.text)
		r := one(t, c.name, c.text, source.Given{Mapping: m})
		if r.Err != nil || len(r.Set.Runs) != 1 {
			t.Errorf("%s: %s: %v", c.name, why, r.Err)
			continue
		}
		run := r.Set.Runs[0]
		if run.Mode != c.mode || !near(run.Steady.Value, c.seconds) || run.GPU != c.gpu || run.GPUCount != c.gpus ||
			run.BatchSize != c.batch || run.Model == "" {
			t.Errorf("%s: %s: %+v", c.name, why, run)
		}
	}
	text := "net,gpu,batch,epoch_time_s,acc\nvgg,T4,16,120,0.4\nvgg,T4,32,100,91.5\n"
	m, why := offered("/a/e.csv", text)
	runs := one(t, "/a/e.csv", text, source.Given{Mapping: m}).Set.Runs
	if *runs[1].TotalS != 100 || *runs[1].Epochs != 1 || runs[1].Steady.Known() ||
		!near(runs[0].Accuracy.Value, 0.004) || !near(runs[1].Accuracy.Value, 0.915) {
		t.Errorf("%s: %+v", why, runs)
	}
	for text, want := range map[string]string{
		"a,b\n1,2\n":                           "one for the model (or give --model), one for the batch size",
		"model,batch_size,latency\nvgg,16,3\n": "needs one for a time or rate with its unit",
		"# README\nSome text, with a comma\n":  "the format is unknown; give it with --format",
	} {
		if _, err := Detect(inMemory("/a/x.csv", []byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A form shows the first rows and has the mapping made of what was chosen.
func TestSketch(t *testing.T) {
	f := inMemory("/a/a.csv", []byte("model,note,batch_size,t\nvgg,\x1b[31mx,16,3\nnet,y,8,2\nz\n"))
	s, err := wide.Preview(f, 9)
	if err != nil || !slices.Equal(s.Suggested, []string{"model", "", "batch_size", ""}) || len(s.Rows) != 2 ||
		s.Rows[0][1] != "x" || s.Mode != "" {
		t.Fatalf("%+v, %v", s, err)
	}
	m, err := s.Mapping(f, []string{"model", "variant", "batch_size", "ms"}, "infer")
	if err != nil || m.Model != "model" || m.Variant[0] != "note" || m.Times["t"].In != "ms" || m.Mode != "infer" {
		t.Errorf("%+v, %v", m, err)
	}
	for want, chosen := range map[string][]string{
		"both taken for the model": {"model", "model", "batch_size", "ms"}, "no column of times": {"model", "", "batch_size",
			""},
	} {
		if _, err := s.Mapping(f, chosen, "infer"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", chosen, err)
		}
	}
	if _, err := s.Mapping(f, []string{"model", "", "batch_size", "ms"}, ""); err == nil {
		t.Error("no mode is taken")
	}
}

package profilecsv

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// What is written reads back the same, whatever the run.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := &profile.Set{Runs: rapid.SliceOfN(rapid.Custom(drawRun), 0, 5).Draw(t, "runs")}
		out := rewrite(t, in)
		if len(in.Runs) != len(out.Runs) {
			t.Fatalf("%d runs became %d", len(in.Runs), len(out.Runs))
		}
		for i := range in.Runs {
			if !reflect.DeepEqual(in.Runs[i], out.Runs[i]) {
				t.Fatalf("wrote %+v\nread  %+v", in.Runs[i], out.Runs[i])
			}
		}
	})
}

func rewrite(t interface{ Fatal(...any) }, in *profile.Set) *profile.Set {
	var file bytes.Buffer
	if err := Write(&file, in); err != nil {
		t.Fatal(err)
	}
	out, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func drawRun(t *rapid.T) profile.Run {
	word := rapid.StringMatching(`[a-zA-Z0-9,"'%=.-]{1,12}( [a-z]{1,5})?`)
	maybe := func(name string, most float64) *float64 {
		if !rapid.Bool().Draw(t, name+" known") {
			return nil
		}
		v := rapid.Float64Range(0, most).Draw(t, name)
		return &v
	}
	count := rapid.IntRange(0, 1<<20)
	basis := rapid.SampledFrom([]estimate.Basis{estimate.Measured, estimate.Published, estimate.Reconstructed,
		estimate.Spec}).Draw(t, "basis")
	r := profile.Run{
		Model: word.Draw(t, "model"), Dataset: word.Draw(t, "dataset"), Unit: "image",
		Note:         rapid.SampledFrom([]string{"", "NaN; \"new\", driver"}).Draw(t, "note"),
		Mode:         rapid.SampledFrom([]profile.Mode{profile.Train, profile.Infer}).Draw(t, "mode"),
		InstanceType: word.Draw(t, "vm"), GPU: "K80", GPUCount: count.Draw(t, "gpus"), GPUMemGiB: maybe("gpu_mem", 80),
		Count: count.Draw(t, "count") + 1, USDPerHour: maybe("usd", 1e3), BatchSize: count.Draw(t, "batch"),
		Epochs: maybe("epochs", 1e4), Steps: maybe("steps", 1e6),
		IterationsPerEpoch: maybe("ipe", 1e6), TrainSize: maybe("train", 1e9),
		SteadyStdDevS:    maybe("sd", 10),
		FirstValidationS: maybe("val1", 1e3), ValidationS: maybe("val", 1e3), TotalS: maybe("total", 1e9),
		TotalStdDevS: maybe("totalsd", 1e3), TotalN: count.Draw(t, "n"), PeakMemoryBytes: maybe("peak", 1e12),
		Status: rapid.SampledFrom([]profile.Status{profile.Done, profile.OutOfMemory, profile.Interrupted}).Draw(t, "status"),
		Basis:  basis, Source: word.Draw(t, "source"),
		AsOf: rapid.SampledFrom([]string{"", "2021", "2021-02", "2021-02-28"}).Draw(t, "asof"),
	}
	r.EnergyJPerUnit, r.AveragePowerW, r.PowerLimitW = maybe("energy", 1e6), maybe("power", 1e5), maybe("limit", 1e3)
	r.Work = profile.Work{FLOPs: maybe("operations", 1e15), Activations: maybe("activations", 1e12),

		Params: maybe("parameters", 1e12), StateBytes: maybe("state", 1e12),
		Network: rapid.SampledFrom([]string{"", "ResNet"}).Draw(t, "network"),
		Input:   rapid.SampledFrom([]string{"", "3x224x224"}).Draw(t, "input")}
	if words := rapid.SliceOfN(word, 0, 4).Draw(t, "command"); len(words) > 0 {
		r.Command, r.Folder = words, "/home/"+word.Draw(t, "folder")
		r.Packages = []string{"numpy==1.26.4", "torch==2.4.1"}
	}
	if rapid.Bool().Draw(t, "ranks known") {
		r.WorldSize = new(count.Draw(t, "ranks"))
	}
	r.ExitS = maybe("exit", 1e3)
	r.Schedule = rapid.SampledFrom([]string{"", "image = 16 if epoch < 8 else 32"}).Draw(t, "schedule")
	r.EnergyOf = rapid.SampledFrom([]string{"", profile.EnergyOfGPUs, profile.EnergyOfCPUs}).Draw(t, "of")
	if rapid.Bool().Draw(t, "warmup known") {
		r.WarmupIterations, r.WarmupExtraS = new(count.Draw(t, "warm")), new(rapid.Float64Range(-9, 9).Draw(t, "extra"))
	}
	if rapid.Bool().Draw(t, "one startup") {
		r.StartupS = maybe("startup", 1e3)
	} else {
		r.InitS, r.FirstIterationS = maybe("init", 1e3), maybe("first", 1e3)
	}
	if v := maybe("steady", 1e3); v != nil && *v > 1e-20 {
		r.Steady = estimate.Spread(*v, rapid.Float64Range(1e-6, 2).Draw(t, "rel"), basis)
	}
	metric, most := "top-5", 1.0
	if rapid.Bool().Draw(t, "own unit") {
		metric, most = "BLEU", 100
	}
	if v := maybe("accuracy", most); v != nil {
		r.Accuracy = &profile.Accuracy{Metric: metric, Value: *v, StdDev: maybe("accsd", 1),
			HigherIsBetter: rapid.Bool().Draw(t, "higher"), Basis: basis}
	}
	if rapid.Bool().Draw(t, "pruned") {
		r.Variant = profile.Variant{Name: "p", Precision: "int8", Pruning: &profile.Pruning{Kind: "filters by L1 norm",
			Layers: map[string]float64{"conv1": 0.3, "conv2": 0.5}}}
	}
	drawEvaluations(t, &r)
	for rapid.Bool().Draw(t, "pause") {
		p := profile.Pause{AtS: rapid.Float64Range(0, 1e6).Draw(t, "pause ended"),
			Seconds: rapid.Float64Range(0, 99).Draw(t, "pause lasted")}
		p.Kind = rapid.StringMatching(`|checkpoint|NaN|[a-z:;%][%;:0-9a-zB]{0,6}`).Draw(t, "pause kind")
		if rapid.Bool().Draw(t, "pause placed") {
			p.Iterations = new(count.Draw(t, "pause after"))
		}
		r.Pauses = append(r.Pauses, p)
	}
	return r
}

func drawEvaluations(t *rapid.T, r *profile.Run) {
	for at := 0.0; rapid.Bool().Draw(t, "epoch"); {
		at += rapid.Float64Range(0.001, 1e4).Draw(t, "start")
		r.EpochStartsS = append(r.EpochStartsS, at)
	}
	timed := rapid.Bool().Draw(t, "timed")
	metric, higher := rapid.SampledFrom([]string{"", "top-5", "WER"}).Draw(t, "metric"), rapid.Bool().Draw(t, "higher")
	if r.Accuracy != nil {
		metric, higher = r.Accuracy.Metric, r.Accuracy.HigherIsBetter
	}
	for rapid.Bool().Draw(t, "evaluation") {
		v := profile.Validation{Epoch: rapid.IntRange(0, 99).Draw(t, "in epoch"), Metric: metric, HigherIsBetter: higher}
		if rapid.Bool().Draw(t, "value known") {
			v.Value = new(rapid.Float64Range(-9, 99).Draw(t, "value"))
		}
		if timed {
			v.AtS = new(rapid.Float64Range(0, 1e5).Draw(t, "ended"))
			if r.EpochStartsS != nil && rapid.Bool().Draw(t, "epoch follows") {
				v.Epoch = max(0, r.EpochAt(*v.AtS))
			}
		}
		r.Validations = append(r.Validations, v)
	}
	valued := slices.ContainsFunc(r.Validations, func(v profile.Validation) bool { return v.Value != nil })
	for i := range r.Validations {
		// Where nothing was measured, nothing is better.
		r.Validations[i].HigherIsBetter = higher && (valued || metric != "")
	}
}

func TestWriteRefuses(t *testing.T) {
	good := profile.Run{Model: "NaN", Mode: profile.Train, Basis: estimate.Spec, Count: 1}
	if err := Write(&bytes.Buffer{}, &profile.Set{Runs: []profile.Run{good}}); err != nil {
		t.Errorf("a model may be called NaN: %v", err)
	}
	nan, noBasis, noMode := good, good, good
	nanEvaluation := good
	nanEvaluation.Validations = []profile.Validation{{Value: new(math.Inf(1))}}
	nanPause, manyPauses := good, good
	nanPause.Pauses, manyPauses.Pauses = []profile.Pause{{Seconds: math.NaN()}}, make([]profile.Pause,
		textfile.MaxRowBytes/8)
	nan.TotalS, noBasis.Basis, noMode.Mode = new(math.NaN()), estimate.Unknown, ""
	for want, run := range map[string]profile.Run{"NaN in total_s": nan, "+Inf in validations": nanEvaluation,
		"NaN in pauses": nanPause, "write it as JSON": manyPauses, "no basis": noBasis, "mode": noMode} {
		if err := Write(&bytes.Buffer{}, &profile.Set{Runs: []profile.Run{run}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want words %q", err, want)
		}
	}
}

// Of several bad cells the first is named, every time, and the row it would be in.
func TestWriteNamesTheFirst(t *testing.T) {
	good := profile.Run{Model: "net", Mode: profile.Train, Basis: estimate.Spec, Count: 1}
	bad := good
	bad.InitS, bad.TotalS, bad.Epochs, bad.TrainSize = new(math.NaN()), new(math.NaN()), new(math.NaN()), new(math.Inf(1))
	for range 20 {
		err := Write(&bytes.Buffer{}, &profile.Set{Runs: []profile.Run{good, bad}})
		if err == nil || err.Error() != "row 3, net: the run has NaN in epochs and can't be written" {
			t.Fatal(err)
		}
	}
}

// Whatever is read can be written and then reads the same: no input panics,
// and none slips through that our own reader would refuse.
func FuzzRead(f *testing.F) {
	f.Add("model,mode,basis\nm,train,measured\n")
	f.Add("model,mode,basis,accuracy,higher_is_better,pruning_layers\n\"m\",infer,spec,0.5,false,a=1;b=0\n")
	f.Add("model,mode,basis,steady_iteration_s,steady_stddev_s,steady_n\nm,train,measured,.5e-3,1E-9,3\n")
	f.Add("\ufeffmodel,mode,basis,total_s\r\n\"a\nb\",train,published,1e24\r\n")
	f.Add("model,mode,basis\n\"m")
	f.Add("model,mode,basis,higher_is_better,epoch_starts_s,evaluations,validations\n" +
		"m,train,measured,true,0.2;3e1; 50,30.1:0.1;50.2:,0:0.1;1:\n")
	f.Add("model,mode,basis,pauses\nm,train,measured,63:1.4:782:checkpoint;125:1.3::a%3B%25b;9:0:1:\n")
	f.Fuzz(func(t *testing.T, in string) {
		set, err := Read(strings.NewReader(in))
		if err != nil {
			var sentence = err.Error()
			if strings.ContainsAny(sentence, "\x1b\n") {
				t.Errorf("error is not plain: %q", sentence)
			}
			return
		}
		for _, run := range set.Runs {
			for _, v := range []*float64{run.TotalS, run.InitS, run.Epochs, run.USDPerHour, run.PeakMemoryBytes} {
				if v != nil && !(*v >= 0 && *v <= 1e24) {
					t.Fatalf("read %g", *v)
				}
			}
			if !slices.IsSorted(run.EpochStartsS) {
				t.Fatalf("epochs begin at %v", run.EpochStartsS)
			}
			for _, p := range run.Pauses {
				if !(p.AtS >= 0 && p.AtS <= 1e24 && p.Seconds >= 0 && p.Seconds <= 1e24) ||
					(p.Iterations != nil && *p.Iterations < 0) {
					t.Fatalf("read the pause %+v", p)
				}
			}
			if s := run.Steady; s.Known() && !(s.Low <= s.Value && s.Value <= s.High) {
				t.Fatalf("steady %v", s)
			}
		}
		if again := rewrite(t, set); len(again.Runs) != len(set.Runs) {
			t.Errorf("%d runs became %d", len(set.Runs), len(again.Runs))
		}
	})
}

// A row has the work of its own network. Where that is the model's, it is the model's too,
// and what is known of the model fills it in.
func TestWorkIsOfTheRowsNetwork(t *testing.T) {
	model := profile.Model{Name: "net", Params: new(100.0), FLOPsPerUnit: new(5e9)}
	of := func(name string, pruning *profile.Pruning, work profile.Work) profile.Run {
		return profile.Run{Model: "net", Mode: profile.Infer, Basis: estimate.Measured, Count: 1, Work: work,
			Variant: profile.Variant{Name: name, Pruning: pruning}}
	}
	out := rewrite(t, &profile.Set{Models: []profile.Model{model}, Runs: []profile.Run{
		of("half", &profile.Pruning{Ratio: new(0.5)}, profile.Work{}),
		of("half", &profile.Pruning{Ratio: new(0.5)}, profile.Work{Params: new(50.0)}),
		of("other · 64 px", nil, profile.Work{FLOPs: new(7e9)}),
		of("int8", nil, profile.Work{Activations: new(3e6)}),
	}})
	for i, want := range []profile.Work{{}, {Params: new(50.0)}, {FLOPs: new(7e9)},
		{FLOPs: new(5e9), Activations: new(3e6), Params: new(100.0)}} {
		if got := out.Runs[i].Work; !reflect.DeepEqual(got, want) {
			t.Errorf("row %d: %s, want %s", i+2, show(t, got), show(t, want))
		}
	}
	if got := out.Models[0]; !reflect.DeepEqual(got.Params, model.Params) ||
		!reflect.DeepEqual(got.FLOPsPerUnit, model.FLOPsPerUnit) {
		t.Errorf("the model came back as %+v", got)
	}
}

func show(t *testing.T, w profile.Work) string {
	t.Helper()
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is unknown is an empty cell, and what is known to be none is 0. A machine of one's
// own has a host, and the model as published a name.
func TestUnknownIsEmptyAndNoneIsZero(t *testing.T) {
	bare := profile.Run{Model: "net", Mode: profile.Train, Basis: estimate.Measured, Count: 1, InstanceType: "desk"}
	none, watched, rented := bare, bare, bare
	none.NoGPU = true
	watched.GPU, watched.GPUCount, watched.SteadyN = "T4", 2, 30
	watched.WarmupIterations, watched.WarmupExtraS = new(0), new(0.0)
	rented.Cloud, rented.InstanceType, rented.Variant.Name = "aws", "p2.xlarge", "half"
	var b bytes.Buffer
	if err := Write(&b, &profile.Set{Runs: []profile.Run{bare, none, watched, rented}}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%v: %v", err, rows)
	}
	for column, want := range map[string][]string{
		"gpu_count": {"", "0", "2", ""}, "steady_n": {"", "", "30", ""}, "warmup_iterations": {"", "", "0", ""},
		"warmup_extra_s": {"", "", "0", ""}, "host": {"desk", "desk", "desk", ""},
		"instance_type": {"desk", "desk", "desk", "p2.xlarge"}, "variant": {"unchanged", "unchanged", "unchanged", "half"},
	} {
		at := slices.Index(rows[0], column)
		for i, w := range want {
			if at < 0 || rows[i+1][at] != w {
				t.Errorf("%s of row %d is not %q in %q", column, i+1, w, rows[i+1])
			}
		}
	}
	set, err := Read(strings.NewReader("model,mode,basis,host,variant,gpu_count\nnet,train,measured,desk,unchanged,0\n"))
	if err != nil || set.Runs[0].InstanceType != "desk" || set.Runs[0].Variant.Name != "" || !set.Runs[0].NoGPU {
		t.Errorf("%v: %+v", err, set)
	}
}

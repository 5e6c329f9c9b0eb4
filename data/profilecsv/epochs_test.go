package profilecsv

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestReadEpochsAndEvaluations(t *testing.T) {
	set,
		err := Read(strings.NewReader("model,mode,basis,metric,higher_is_better,epoch_starts_s,evaluations,validations\n" +
		"m,train,measured,top-1,true,0.2; 50.9;100.9,50.8:0.1;152.43:,\n" +
		"m,train,measured,WER,false,,,1:0.4;3:0.3\n" +
		"m,train,measured,,true,,9:0.4,7:0.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := set.Runs[0]
	if len(r.EpochStartsS) != 3 || r.EpochStartsS[1] != 50.9 {
		t.Errorf("epochs begin at %v", r.EpochStartsS)
	}
	v := r.Validations
	if len(v) != 2 || v[0].Epoch != 0 || *v[0].AtS != 50.8 || *v[0].Value != 0.1 || v[1].Epoch != 2 ||
		v[1].Value != nil ||
		v[0].Metric != "top-1" {
		t.Errorf("evaluations %+v", v)
	}
	if v := set.Runs[1].Validations; len(v) != 2 || v[1].Epoch != 3 || v[1].AtS != nil || *v[1].Value != 0.3 ||
		v[1].HigherIsBetter {
		t.Errorf("validations %+v", v)
	}
	if v := set.Runs[2].Validations; len(v) != 1 || v[0].Epoch != 7 || *v[0].AtS != 9 || *v[0].Value != 0.5 {
		t.Errorf("both columns give %+v", v)
	}
}

func TestReadRefusesEpochs(t *testing.T) {
	const head = "model,mode,basis,higher_is_better,epoch_starts_s,evaluations,validations\n"
	for cells, want := range map[string]struct{ column, words string }{
		"true,1;x,,":          {"epoch_starts_s", "not a number of seconds"},
		"true,5;5,,":          {"epoch_starts_s", "above the one before"},
		"true,-1,,":           {"epoch_starts_s", "not a number of seconds"},
		"true,NaN,,":          {"epoch_starts_s", "not a number of seconds"},
		"true,1;2;,,":         {"epoch_starts_s", `"" is not a number`},
		"true,1;2,3,":         {"evaluations", "write 462.4:0.31"},
		"true,1;2,3:x,":       {"evaluations", "not an evaluation"},
		"true,1;2,-3:1,":      {"evaluations", "not an evaluation"},
		"true,,3:1,":          {"evaluations", "their epochs are unknown"},
		",1;2,3:1,":           {"higher_is_better", "true or false"},
		"true,1;2,3:1,0:1;1:": {"validations", "must match"},
		"true,,,0.5:1":        {"validations", "whole number"},
		"true,,,:1":           {"validations", "write 1:0.31"},
	} {
		_, err := Read(strings.NewReader(head + "m,train,measured," + cells + "\n"))
		var e *textfile.Error
		if !errors.As(err, &e) || e.Column != want.column || !strings.Contains(e.What, want.words) {
			t.Errorf("%s: got %v, want column %s and the words %q", cells, err, want.column, want.words)
		}
	}
}

func TestReadPauses(t *testing.T) {
	set, err := Read(strings.NewReader("model,mode,basis,pauses\n" +
		"m,train,measured,63:1.4:782:checkpoint; 125.1:1.3::log %3B upload;130:0::\nm,train,measured,\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []profile.Pause{{AtS: 63, Seconds: 1.4, Kind: "checkpoint", Iterations: new(782)},
		{AtS: 125.1, Seconds: 1.3, Kind: "log ; upload"}, {AtS: 130}}
	if got := set.Runs[0].Pauses; !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v", got)
	}
	if got := set.Runs[1].Pauses; got != nil {
		t.Errorf("of none %+v", got)
	}
	for _, cell := range []string{"63", "63:1.4", "63:1.4:782", "-1:1::", "1:-1::", "1:1:-1:", "1:1:0.5:", "1:x::",
		"NaN:1::", "1:1:9e18:", "1:1::;"} {
		_, err := Read(strings.NewReader("model,mode,basis,pauses\nm,train,measured," + cell + "\n"))
		if e, ok := errors.AsType[*textfile.Error](err); !ok || e.Column != "pauses" ||
			!strings.Contains(e.What, "write end:seconds:iterations:kind") {
			t.Errorf("%s: %v", cell, err)
		}
	}
}

// A script that is watched tells when it evaluated, not what came out: its row
// claims no direction of a metric that it does not name.
func TestEvaluationsWithoutMetric(t *testing.T) {
	evaluations := []profile.Validation{{Epoch: 0, HigherIsBetter: true}, {Epoch: 2, HigherIsBetter: true}}
	run := profile.Run{Model: "m", Mode: profile.Train, Basis: estimate.Measured, Count: 1, Validations: evaluations}
	var out strings.Builder
	if err := Write(&out, &profile.Set{Runs: []profile.Run{run}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "true") || !strings.Contains(out.String(), "0:;2:") {
		t.Errorf("written:\n%s", out.String())
	}
	set, err := Read(strings.NewReader(out.String()))
	if err != nil || len(set.Runs[0].Validations) != 2 || set.Runs[0].Validations[1].Epoch != 2 {
		t.Errorf("read back: %+v, %v", set, err)
	}
	run.Validations[0].Value = new(0.3)
	out.Reset()
	if err := Write(&out, &profile.Set{Runs: []profile.Run{run}}); err != nil ||
		!strings.Contains(out.String(), ",true,") {
		t.Errorf("with a value: %v\n%s", err, out.String())
	}
}

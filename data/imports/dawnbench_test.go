package imports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

func TestEpochsOfDAWNBench(t *testing.T) {
	entry := func(rows ...string) (profile.Run, []string) {
		text := "epoch\thours\ttop5Accuracy\n" + strings.Join(rows, "\n") + "\n"
		r := one(t, "/ImageNet/train/lab.tsv", text, source.Given{})
		if r.Err != nil {
			t.Fatal(rows, r.Err)
		}
		return r.Set.Runs[0], slices.DeleteFunc(r.Notes, func(n string) bool { return strings.Contains(n, ".json") })
	}
	var long []string
	for i := range 90 {
		long = append(long, fmt.Sprintf("%g\t%g\t50", 1.00096*float64(i+1), 0.1*float64(i+1)))
	}
	// Epochs a little longer than one: the whole ones are between the rows.
	run, notes := entry(long...)
	if n := len(run.EpochStartsS); n != 90 || !near(run.EpochStartsS[1], 360/1.00096) || len(notes) != 0 ||
		run.Validations[89].Epoch != 89 || run.Validations[0].Epoch != 0 || !near(*run.TotalS, 90*360) {
		t.Errorf("%d starts %v, %q", n, run.EpochStartsS[:2], notes)
	}
	for _, c := range []struct {
		rows   []string
		starts []float64
		epochs float64
		note   string
	}{
		{[]string{"0\t0\t0.1", "1\t0.1\t20", "2\t0.2\t40"}, []float64{0, 360}, 2, "evaluation before the training"},
		{[]string{"0\t0.008\t0.5", "1\t0.1\t20", "2\t0.2\t40"}, []float64{0, 360}, 2,
			"after 28.8 s, is an evaluation before"},
		{[]string{"0\t0.016\t14", "1\t0.0255\t34", "2\t0.035\t41"}, []float64{0, 57.6, 91.8}, 3, ""},
		{[]string{"1\t0.1\t20", "2\t0.2\t40", "2\t0.21\t41", "3\t0.3\t50"}, []float64{0, 360, 756}, 3,
			"epoch 2 is there twice"},
		{[]string{"1\t\t0.1\t20", "2\t\t0.2\t\t40"}, []float64{0, 360}, 2, ""},
		{[]string{"3.55\t1\t20", "7.09\t2\t40"}, nil, 7.09, "when epochs began is unknown"},
		{[]string{"1\t0.1\t20", "3\t0.3\t40"}, nil, 3, "when epochs began is unknown"},
		{[]string{"0.1\t1\t20", "0.2\t2\t40", "0.3\t3\t60"}, []float64{0, 360, 720}, 3, "hold each other's values"},
		{[]string{"1\t1\t20", "2\t2\t40", "3\t3\t60"}, []float64{0, 3600, 7200}, 3, ""},
	} {
		run, notes := entry(c.rows...)
		if !slices.EqualFunc(run.EpochStartsS, c.starts, near) || !near(*run.Epochs, c.epochs) ||
			!strings.Contains(strings.Join(notes, ";"), c.note) || (len(notes) > 0) != (c.note != "") {
			t.Errorf("%q: %v of %g epochs, %q", c.rows, run.EpochStartsS, *run.Epochs, notes)
		}
	}
	for text, want := range map[string]string{
		"1\t0.1\t1\n2\t0.1\t1\n": "does not follow", "2\t0.1\t1\n1\t0.2\t1\n": "does not follow",
		"1\t-0.1\t1\n": "negative", "0\t0\t1\n": "no epochs", "1\t\t": "cell",
	} {
		refused(t, one(t, "/a/lab.tsv", "epoch\thours\ttop5Accuracy\n"+text, source.Given{}), want)
	}
}

func TestInferenceOfDAWNBench(t *testing.T) {
	entry := func(path, fields string) profile.Run {
		text := `{"author": "Lab", "framework": "PyTorch", "model": "Net", "hardware": "1 K80 (p2.xlarge)", ` + fields + `}`
		r := one(t, path, text, source.Given{})
		if r.Err != nil || len(r.Set.Runs) != 1 {
			t.Fatal(fields, r.Err)
		}
		return r.Set.Runs[0]
	}
	run := entry("/CIFAR10/inference/lab.json", `"latency": 28.688, "cost": 7.172e-06, "top1Accuracy": 94.97, `+
		`"timestamp": "2017-8-1"`)
	if run.Mode != profile.Infer || !near(run.Steady.Value, 0.028688) || run.BatchSize != 1 || *run.USDPerHour != 0.9 ||
		run.Unit != "image" || run.Dataset != "CIFAR10" || run.AsOf != "2017-08-01" || run.Accuracy.Metric != "top-1" ||
		!near(run.Accuracy.Value, 0.9497) {
		t.Errorf("%+v", run)
	}
	run = entry("/SQuAD/inference/lab.json", `"latency": 705.9, "f1Score": 0.753`)
	if run.Unit != "question" || run.USDPerHour != nil || run.Accuracy.Metric != "F1" || run.Accuracy.Value != 0.753 {
		t.Errorf("%+v", run)
	}
	if run = entry("/ImageNet/inference/lab.json", `"latency": 0.4688, "top1Accuracy": 75, "top5Accuracy": 93.094`); run.
		Accuracy.Metric != "top-5" {
		t.Errorf("%+v", run)
	}
	refused(t, one(t, "/a/lab.json", `{"framework": "x", "model": "Net", "hardware": "y", "cost": 1}`, source.Given{}),
		"contains no latency")
}

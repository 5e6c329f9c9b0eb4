package imports

import (
	"slices"
	"testing"

	"sweetspot/data/imports/source"
)

// A batch of Lightning's hyperparameters is a number that can be one, the outer
// and the first one's, and its words for a precision are translated.
func TestHyperparameters(t *testing.T) {
	type want struct {
		batch     int
		precision string
	}
	for text, want := range map[string]want{
		"batch_size: 1":                              {batch: 1},
		"batch_size: 0\ntrain_batch_size: 16":        {batch: 16},
		"batch_size: 8\ntrain_batch_size: 16":        {batch: 8},
		"data:\n  batch_size: 4\nbatch_size: 8":      {batch: 8},
		"batch_size: -1":                             {},
		"batch_size: 2147483647":                     {batch: 1<<31 - 1},
		"batch_size: 2147483648":                     {},
		"batch_size: all":                            {},
		"precision: 32":                              {precision: "fp32"},
		"precision: 16-true":                         {precision: "fp16"},
		"precision: BF16-mixed":                      {precision: "bf16"},
		"precision: 64":                              {},
		"trainer:\n  precision: 32\nprecision: bf16": {precision: "bf16"},
	} {
		reports := readAll(t, []source.File{inMemory("/a/version_0/metrics.csv", []byte("epoch,step,val_acc\n0,9,0.5\n")),
			inMemory("/a/version_0/hparams.yaml", []byte(text+"\n"))}, Options{})
		i := slices.IndexFunc(reports, func(r source.Report) bool { return r.Set != nil })
		if i < 0 {
			t.Fatalf("%q: %+v", text, reports)
		}
		if run := reports[i].Set.Runs[0]; run.BatchSize != want.batch || run.Variant.Precision != want.precision {
			t.Errorf("%q: batch %d in %q", text, run.BatchSize, run.Variant.Precision)
		}
	}
}

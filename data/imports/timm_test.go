package imports

import (
	"encoding/json"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// A multiply-add is two operations; what is rounded to 0 or beyond reason is unknown. The
// work of inference is that of training with images of the same size, and of no others.
func TestWorkOfTimm(t *testing.T) {
	const head = "model,infer_img_size,infer_step_time,train_img_size,train_step_time,param_count,infer_gmacs,infer_macts\n"
	for cells, want := range map[string][2]string{
		"25.56,4.11,11.11": {`{"FLOPs":8220000000,"Activations":11110000,"Params":25560000}`, `{"Params":25560000}`},
		"0.37,,nan":        {`{"Params":370000}`, `{"Params":370000}`},
		"inf,0.00,1e20":    {`{}`, `{}`},
	} {
		runs := one(t, "/a/benchmark-t4.csv", head+"net,224,1,224,3,"+cells+"\nnet,224,1,192,3,"+cells+"\n",
			source.Given{}).Set.Runs
		for i, want := range []string{want[0], want[0], want[0], want[1]} {
			if got, err := json.Marshal(runs[i].Work); err != nil || string(got) != want {
				t.Errorf("%s, run %d: %s, %v; want %s", cells, i, got, err, want)
			}
		}
	}
	for cells, words := range map[string]string{"-1,,": "column param_count: -1 is negative",
		"1,x,": `column infer_gmacs: "x"`, "1,1,1e99": "column infer_macts"} {
		refused(t, one(t, "/a/benchmark-t4.csv", head+"net,224,1,224,3,"+cells+"\n", source.Given{}), words)
	}
}

// What differs in the conditions of timm's files is neither one machine nor one variant.
func TestConditionsOfTimm(t *testing.T) {
	const table = "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size\nnet.a,224,1000,256,256\n"
	seen := map[string]bool{}
	for name, want := range map[string]profile.Run{
		"benchmark-infer-amp-nchw-pt240-cu124-rtx4090": {InstanceType: "RTX 4090", GPU: "RTX 4090", GPUCount: 1,
			Variant: profile.Variant{Name: "net · a 224 px, NCHW, PyTorch 2.4", Precision: "fp16"}},
		"benchmark-infer-amp-nchw-pt240-cu124-rtx4090-dynamo": {InstanceType: "RTX 4090", GPU: "RTX 4090", GPUCount: 1,
			Variant: profile.Variant{Name: "net · a 224 px, NCHW, PyTorch 2.4, dynamo", Precision: "fp16"}},
		"benchmark-infer-amp-nhwc-pt113-cu117-rtx3090": {InstanceType: "RTX 3090", GPU: "RTX 3090", GPUCount: 1,
			Variant: profile.Variant{Name: "net · a 224 px, NHWC, PyTorch 1.13", Precision: "fp16"}},
		"benchmark-infer-amp_bf16-nchw-pt291-cu130-5090": {InstanceType: "RTX 5090", GPU: "RTX 5090", GPUCount: 1,
			Variant: profile.Variant{Name: "net · a 224 px, NCHW, PyTorch 2.9.1", Precision: "bf16"}},
		"benchmark-infer-amp-nchw-pt291-cu130-pro6000maxq": {InstanceType: "PRO6000MAXQ", GPU: "PRO6000MAXQ", GPUCount: 1,
			Variant: profile.Variant{Name: "net · a 224 px, NCHW, PyTorch 2.9.1", Precision: "fp16"}},
		"benchmark-infer-fp32-nchw-pt240-cpu-i9_10940x-dynamo": {InstanceType: "i9_10940x",
			Variant: profile.Variant{Name: "net · a 224 px, NCHW, PyTorch 2.4, dynamo", Precision: "fp32"}},
		"benchmark-infer-amp-t4": {InstanceType: "T4", GPU: "T4", GPUCount: 1,
			Variant: profile.Variant{Name: "net · a 224 px", Precision: "fp16"}},
		"benchmark-mine":   {InstanceType: "benchmark-mine", Variant: profile.Variant{Name: "net · a 224 px"}},
		"benchmark-theirs": {InstanceType: "benchmark-theirs", Variant: profile.Variant{Name: "net · a 224 px"}},
	} {
		run := one(t, "/a/"+name+".csv", table, source.Given{}).Set.Runs[0]
		if run.InstanceType != want.InstanceType || run.GPU != want.GPU || run.GPUCount != want.GPUCount ||
			run.Variant != want.Variant {
			t.Errorf("%s: %+v", name, run)
		}
		if key := run.InstanceType + run.Variant.Key(); seen[key] {
			t.Errorf("%s is pooled with another: %s", name, key)
		} else {
			seen[key] = true
		}
	}
	if run := one(t, "/a/benchmark-mine.csv", table, source.Given{GPU: "L4"}).Set.Runs[0]; run.InstanceType != "L4" {
		t.Errorf("%+v", run)
	}
}

package profile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func load(tpot float64) *Serving {
	return &Serving{Concurrency: new(4.0), Requests: 8, Input: 100, Output: 50, Generated: new(40.0),
		TPOT: &Spread{Mean: new(tpot)}}
}

func TestServingIsWrittenAndRead(t *testing.T) {
	s, err := ParseServing(FormatServing(load(0.05)))
	if err != nil || !reflect.DeepEqual(s, load(0.05)) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := ParseServing(FormatServing(nil)); s != nil || err != nil {
		t.Errorf("%+v, %v", s, err)
	}
	for text, says := range map[string]string{
		"{": "no load", "[]": "no load", `{"requests":0}`: "0 requests",
		`{"requests":1,"input_tokens":1,"output_tokens":1}`:                           "no time and no rate",
		`{"requests":1,"input_tokens":1,"output_tokens":1,"ttft":{"mean_s":-1}}`:      "TTFT is wrong",
		`{"requests":1,"input_tokens":1,"output_tokens":1,"concurrency":-1}`:          "concurrency of -1",
		`{"requests":1,"input_tokens":1,"output_tokens":1e9,"ttft":{"mean_s":1}}`:     "1e+09 out",
		strings.Replace(FormatServing(load(0.05)), `"mean_s":0.05`, `"mean_s":50`, 1): "a unit is wrong",
	} {
		if _, err := ParseServing(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSameLanguageModel(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b", true},
		{"mistralai/Mistral-7B-v0.1", "mistral-7b-v0.1", true},
		{"meta-llama/Llama-2-7b-chat-hf", "llama-2-7b", true},
		{"llama-3.1-8b", "llama-3.1-70b", false},
		{"instruct-8b", "8b", false},
	} {
		if SameLanguageModel(c.a, c.b) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.same)
		}
	}
}

// Loads on one machine belong together; GPUs, their number and variants tell machines apart.
func ExampleSet_Servers() {
	run := func(model, gpu string, gpus int, tpot float64) Run {
		return Run{Model: model, GPU: gpu, GPUCount: gpus, InstanceType: gpu, Serving: load(tpot)}
	}
	set := &Set{Runs: []Run{
		run("meta-llama/Llama-3.1-8B-Instruct", "L4", 1, 0.05), run("llama-3.1-8b", "L4", 1, 0.06),
		run("llama-3.1-8b", "H100", 2, 0.01), run("qwen2.5-7b", "L4", 1, 0.05), {Model: "llama-3.1-8b", GPU: "L4"},
	}}
	for _, s := range set.Servers("llama-3.1-8b", "") {
		fmt.Println(s.Words(), len(s.Loads))
	}
	fmt.Println(len(set.Servers("llama-3.1-8b", "h100")))
	// Output:
	// L4 2
	// 2×H100 1
	// 1
}

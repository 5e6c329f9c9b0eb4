// Package vllm reads the results of vLLM's serving benchmark: the JSON of vllm bench serve
// --save-result, and of benchmark_serving.py before it (vLLM 0.6 to 0.17); with --append-result
// one document after the other.
//
// A document has model_id, max_concurrency, request_rate ("inf": all at once, or as many as the
// concurrency lets), completed, total_input_tokens, total_output_tokens,
// output_throughput, and mean_, median_ and pNN_ of ttft_ms, tpot_ms and itl_ms. TPOT is the
// mean of a request without its first token; ITL is each single time between two tokens. Both
// mean here what they mean there. What was measured of each request (--save-detailed) is left out.
//
// The GPU, the VM type and the precision are never told. The basis is measured.
package vllm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
)

// Format is how results of vLLM's serving benchmark are recognised and read.
var Format = source.Format{Name: "vllm-bench", Title: "vLLM's serving benchmark", Claims: claims,
	Read: source.Alone(read)}

func claims(_ string, head []byte) bool {
	return source.IsObject(head) &&
		bytes.Contains(head, []byte(`"total_output_tokens"`)) && bytes.Contains(head, []byte(`"output_throughput"`)) &&
		bytes.Contains(head, []byte(`"request_rate"`))
}

// result is a document. Keys are those of vLLM.
type result struct {
	Model       source.Words `json:"model_id"`
	Concurrency source.Loose `json:"max_concurrency"`
	PerSecond   source.Loose `json:"request_rate"`
	Completed   source.Loose `json:"completed"`
	Prompts     source.Loose `json:"num_prompts"`
	Input       source.Loose `json:"total_input_tokens"`
	Output      source.Loose `json:"total_output_tokens"`
	Generated   source.Loose `json:"output_throughput"`
}

func read(f source.File, given source.Given) source.Report {
	report := source.Report{File: f.Path, Set: &profile.Set{}}
	text, err := f.Whole(source.MaxDocumentBytes)
	if err != nil {
		return source.Failed(f, err)
	}
	in := json.NewDecoder(bytes.NewReader(source.Strict(text)))
	for {
		var one json.RawMessage
		if err := in.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return source.Failed(f, f.Wrong("%s", broken(err)))
		}
		if err := add(&report, f, given, one); err != nil {
			return source.Failed(f, err)
		}
		if len(report.Set.Runs) > source.MaxRuns {
			break // which is refused
		}
	}
	if len(report.Set.Runs) == 0 {
		return source.Failed(f, f.Wrong("has no result of a benchmark"))
	}
	return report
}

func broken(err error) string {
	if what := textfile.WrongJSON(err); what != "" {
		return what
	}
	return "is cut off: run the benchmark again, or copy its whole result"
}

func add(report *source.Report, f source.File, given source.Given, text []byte) error {
	var r result
	var all map[string]source.Loose
	if json.Unmarshal(text, &r) != nil || json.Unmarshal(text, &all) != nil {
		return f.Wrong("is no result of vLLM's serving benchmark")
	}
	n := r.Completed.Whole()
	if n < 1 {
		return f.Wrong("no request was answered: the benchmark printed why each failed; mend that and run it again")
	}
	if r.Input.Positive() == nil || r.Output.Positive() == nil {
		return f.Wrong("how many tokens went in and out is missing")
	}
	times := func(of string) *profile.Spread {
		p50 := all["median_"+of+"_ms"]
		if p50.V == nil {
			p50 = all["p50_"+of+"_ms"]
		}
		return source.Milliseconds(all["mean_"+of+"_ms"], p50, all["p90_"+of+"_ms"], all["p95_"+of+"_ms"],
			all["p99_"+of+"_ms"])
	}
	load := profile.Serving{
		PerSecond: r.PerSecond.Positive(), Requests: n, Input: *r.Input.V / float64(n), Output: *r.Output.V / float64(n),
		Generated: r.Generated.Positive(), TTFT: times("ttft"), TPOT: times("tpot"), ITL: times("itl"),
	}
	if load.PerSecond == nil {
		load.Concurrency = r.Concurrency.Positive()
	}
	return report.AddLoad(f, given.ModelOr(string(r.Model)), "vllm bench", load, r.Prompts.Whole()-n)
}

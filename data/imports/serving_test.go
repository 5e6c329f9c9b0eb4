package imports

import (
	"math"
	"strings"
	"testing"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// served imports one file and returns its only load.
func served(t *testing.T, path, text string) (*profile.Serving, error) {
	t.Helper()
	reports := readAll(t, []source.File{inMemory(path, []byte(text))}, Options{})
	if len(reports) != 1 {
		t.Fatalf("%d reports", len(reports))
	}
	if reports[0].Err != nil {
		return nil, reports[0].Err
	}
	return reports[0].Set.Runs[0].Serving, nil
}

// Each tool's words mean what its documents say they do: the time per output token of guidellm
// counts the first token, its inter-token latency and that of AIPerf do not and are means of
// requests, and vLLM's are each what their names say.
func TestDefinitionsOfServingTools(t *testing.T) {
	for name, c := range map[string]struct {
		path, text    string
		ttft, tpot    float64
		itl           bool
		input, output float64
		clients, perS float64
		tokensPerS    float64
		requests      int
	}{
		"vllm": {"/a/r.json", `{"model_id":"m","num_prompts":4,"request_rate":"inf","max_concurrency":2,"completed":4,
			"total_input_tokens":400,"total_output_tokens":44,"output_throughput":90,"mean_ttft_ms":50,"mean_tpot_ms":20,
			"mean_itl_ms":21,"p99_itl_ms":60}`, 0.05, 0.02, true, 100, 11, 2, 0, 90, 4},
		"vllm at a rate": {"/a/r.json", `{"model_id":"m","num_prompts":4,"request_rate":1.5,"max_concurrency":9,"completed":4,
			"total_input_tokens":400,"total_output_tokens":44,"output_throughput":16,"mean_ttft_ms":50,"median_tpot_ms":20}`,
			0.05, 0.02, false, 100, 11, 0, 1.5, 16, 4},
		"guidellm": {"/a/benchmarks.json", `{"args":{"model":"m"},"benchmarks":[{"args":{"strategy":{"type_":"concurrent",
			"streams":2}},"metrics":{"request_totals":{"successful":4},"prompt_token_count":{"successful":{"mean":100}},
			"output_token_count":{"successful":{"mean":11}},"output_tokens_per_second":{"successful":{"mean":90}},
			"time_to_first_token_ms":{"successful":{"mean":50}},"inter_token_latency_ms":{"successful":{"mean":20}},
			"time_per_output_token_ms":{"successful":{"mean":22.7}}}}]}`, 0.05, 0.02, false, 100, 11, 2, 0, 90, 4},
		"guidellm, a few at once": {"/a/benchmarks.json", `{"config":{"spec":{"backend":{"model":"m"}}},"benchmarks":[{
			"config":{"strategy":{"type_":"throughput","max_concurrency":2}},"metrics":{"request_totals":{"successful":4},
			"prompt_token_count":{"successful":{"mean":100}},"output_token_count":{"successful":{"mean":11}},
			"output_tokens_per_second":{"successful":{"mean":90}},"time_to_first_token_ms":{"successful":{"mean":50}},
			"inter_token_latency_ms":{"successful":{"mean":20}}}}]}`, 0.05, 0.02, false, 100, 11, 2, 0, 90, 4},
		"aiperf": {"/a/profile_export_aiperf.json", `{"request_count":{"unit":"requests","avg":4},
			"input_sequence_length":{"unit":"tokens","avg":100},"output_sequence_length":{"unit":"tokens","avg":11},
			"output_token_throughput":{"unit":"tokens/sec","avg":90},"time_to_first_token":{"unit":"ms","avg":50},
			"inter_token_latency":{"unit":"ms","avg":20},"inter_chunk_latency":{"unit":"ms","avg":33},
			"input_config":{"loadgen":{"concurrency":2}}}`, 0.05, 0.02, false, 100, 11, 2, 0, 90, 4},
		"aiperf at a rate, after a warm-up": {"/a/profile_export_aiperf.json", `{"request_count":{"unit":"requests","avg":4},
			"input_sequence_length":{"avg":100},"output_sequence_length":{"avg":11},"inter_token_latency":{"unit":"ms","avg":20},
			"time_to_first_token":{"unit":"ms","avg":50},"output_token_throughput":{"unit":"tokens/sec","avg":16},
			"input_config":{"phases":[{"kind":"warmup","type":"concurrency","concurrency":9},
			{"kind":"profiling","type":"poisson","rate":1.5,"concurrency":8}]}}`, 0.05, 0.02, false, 100, 11, 0, 1.5, 16, 4},
		"aiperf without its load": {"/a/profile_export_aiperf.json", `{"request_count":{"unit":"requests","avg":4},
			"input_sequence_length":{"avg":100},"output_sequence_length":{"avg":11},"inter_token_latency":{"unit":"ms","avg":20},
			"time_to_first_token":{"unit":"ms","avg":50},"output_token_throughput":{"unit":"tokens/sec","avg":16},
			"request_throughput":{"avg":8},"request_latency":{"avg":250},"input_config":{"later":1}}`,
			0.05, 0.02, false, 100, 11, 2, 0, 16, 4},
	} {
		s, err := served(t, c.path, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		value := func(v *float64) float64 {
			if v == nil {
				return 0
			}
			return *v
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %s is %g, want %g", name, what, got, want)
			}
		}
		near("TTFT", *s.TTFT.Typical(), c.ttft)
		near("TPOT", *s.TPOT.Typical(), c.tpot)
		near("input", s.Input, c.input)
		near("output", s.Output, c.output)
		near("concurrency", value(s.Concurrency), c.clients)
		near("rate", value(s.PerSecond), c.perS)
		near("tokens/s", value(s.Generated), c.tokensPerS)
		if (s.ITL != nil) != c.itl || s.Requests != c.requests {
			t.Errorf("%s: ITL %v, %d requests", name, s.ITL, s.Requests)
		}
	}
}

// What cannot be is refused in one sentence that says so.
func TestServingRefuses(t *testing.T) {
	vllm := func(change string) string {
		return `{"model_id":"m","num_prompts":4,"request_rate":"inf","max_concurrency":2,"completed":4,"total_input_tokens":400,` +
			`"total_output_tokens":44,"output_throughput":90,` + change + `}`
	}
	for name, c := range map[string]struct{ path, text, says string }{
		"negative time":  {"/a/r.json", vllm(`"mean_ttft_ms":-3`), "TTFT is wrong"},
		"no time at all": {"/a/r.json", strings.Replace(vllm(`"mean_ttft_ms":NaN`), "90", "0", 1), "no time and no rate"},
		"seconds for ms": {"/a/r.json", vllm(`"mean_tpot_ms":20000`), "a unit is wrong"},
		"falling":        {"/a/r.json", vllm(`"median_tpot_ms":20,"p99_tpot_ms":10`), "percentile is lower"},
		"nothing answered": {"/a/r.json", strings.Replace(vllm(`"mean_ttft_ms":3`), `"completed":4`, `"completed":0`, 1),
			"no request was answered"},
		"huge": {"/a/r.json", strings.Replace(vllm(`"mean_ttft_ms":3`), "400", "4e8", 1), "cannot be"},
		"AIPerf in seconds": {"/a/x_aiperf.json", `{"request_count":{"avg":4},"time_to_first_token":{"unit":"s","avg":1}}`,
			"not in ms"},
		"AIPerf without a load": {"/a/x_aiperf.json", `{"request_count":{"avg":4},"input_sequence_length":{"avg":9},
			"output_sequence_length":{"avg":9},"time_to_first_token":{"unit":"ms","avg":1}}`, "neither its concurrency"},
		"tokens missing": {"/a/r.json", strings.Replace(vllm(`"mean_ttft_ms":3`), `400`, `0`, 1), "how many tokens"},
		"raw record": {"/a/profile_export.json", `{"service_kind":"openai","experiments":[{"requests":[]}]}`,
			"profile_export_genai_perf.json"},
		"no benchmark": {"/a/b.json", `{"metadata":{"guidellm_version":"0.5.0"},"benchmarks":[]}`, "no benchmark"},
	} {
		if _, err := served(t, c.path, c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// vllm bench serve --append-result writes one document after the other.
func TestAppendedResults(t *testing.T) {
	one := string(content(t, fixture(t, "vllm-bench")[0]))
	reports := readAll(t, []source.File{inMemory("/a/r.json", []byte(one+"\n"+one+"\n"))}, Options{})
	if len(reports) != 1 || reports[0].Err != nil || len(reports[0].Set.Runs) != 2 {
		t.Errorf("%+v", reports)
	}
}

// What each tool printed of a load on transformers serve, 4 clients with 24 requests of 64 and 30 tokens, is what is
// read from the file that it wrote, of which the files in testdata are extracts. Measured for this test on
// 26 November 2026, on two processors that other work kept busy, with vLLM 0.33.0's benchmark, guidellm 0.8.1 and AIPerf
// 0.13.0. ms are the mean, median, 90, 95 and 99 % of TTFT, TPOT and ITL; 0 was not printed.
func TestAsPrinted(t *testing.T) {
	for name, c := range map[string]struct {
		file            string
		ttft, tpot, itl []float64
		perSecond       float64
		digit           float64 // the last one printed of a time, in ms
	}{
		"vLLM": {"/logs/vllm-bench/openai-infqps-concurrency4-random-llama-20261126-194521.json",
			[]float64{177.90, 174.69, 240.70, 248.65, 295.23}, []float64{24.73, 23.76, 33.35, 33.80, 35.50},
			[]float64{23.91, 20.90, 47.98, 57.36, 84.17}, 133.71, 0.01},
		"guidellm": {"/logs/guidellm/benchmarks-0.8.json",
			[]float64{144.8, 135.9, 0, 198.5, 0}, []float64{25.8, 25.4, 0, 30.3, 0}, nil, 132.9, 0.1},
		"AIPerf": {"/logs/aiperf/0.13/profile_export_aiperf.json",
			[]float64{161.68, 149.82, 241.69, 0, 293.61}, []float64{46.14, 42.36, 62.60, 0, 67.28}, nil, 76.42, 0.01},
	} {
		var found []source.Report
		for _, r := range readAll(t, fixture(t, strings.Split(c.file, "/")[2]), Options{}) {
			if r.File == c.file {
				found = append(found, r)
			}
		}
		if len(found) != 1 || found[0].Err != nil || len(found[0].Set.Runs) != 1 {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		run := found[0].Set.Runs[0]
		s := run.Serving
		if run.Model != "random-llama" || s.Requests != 24 || s.Input != 64 || s.Output != 30 || s.PerSecond != nil ||
			s.Concurrency == nil || *s.Concurrency != 4 {
			t.Errorf("%s: %s, %+v", name, run.Model, s)
		}
		near := func(what string, got *float64, want, digit float64) {
			if want != 0 && (got == nil || math.Abs(*got-want) > digit) {
				t.Errorf("%s: %s is not %g", name, what, want)
			}
		}
		near("rate of tokens", s.Generated, c.perSecond, 0.6*c.digit)
		for what, pair := range map[string]struct {
			got  *profile.Spread
			want []float64
		}{"TTFT": {s.TTFT, c.ttft}, "TPOT": {s.TPOT, c.tpot}, "ITL": {s.ITL, c.itl}} {
			if (pair.got == nil) != (pair.want == nil) {
				t.Errorf("%s: %s: %v", name, what, pair.got)
				continue
			}
			for i, want := range pair.want {
				g := []*float64{pair.got.Mean, pair.got.P50, pair.got.P90, pair.got.P95, pair.got.P99}[i]
				near(what, g, want/1000, 0.6*c.digit/1000)
			}
		}
	}
}

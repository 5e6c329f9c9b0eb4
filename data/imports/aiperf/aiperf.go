// Package aiperf reads the results of NVIDIA's AIPerf (profile_export_aiperf.json, 0.2 to 0.13)
// and of GenAI-Perf before it (profile_export_genai_perf.json, 0.0.8 to 0.0.16).
//
// Both have a metric each with unit, avg, p50, p90, p95 and p99: request_count,
// input_sequence_length, output_sequence_length, output_token_throughput, time_to_first_token and
// inter_token_latency; and input_config with the model and the load, which from 0.13 on is that of the
// phase that was measured. The unit of a time is ms in all known versions; another one is refused.
//
// Their inter-token latency is the mean of a request without its first token, which is TPOT here.
// Single times between two tokens are not given (AIPerf's inter-chunk latency is of pieces, which may
// hold several tokens): ITL is unknown. So are the VM type and the precision. The basis is measured.
package aiperf

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// Format is how results of AIPerf are recognised and read.
var Format = source.Format{Name: "aiperf", Title: "AIPerf and GenAI-Perf", Claims: claims, Read: source.Alone(read)}

func claims(p string, head []byte) bool {
	if !source.IsObject(head) {
		return false
	}
	name := path.Base(p)
	return strings.HasSuffix(name, "_aiperf.json") || strings.HasSuffix(name, "_genai_perf.json") || keys.Match(head) ||
		records.Match(head)
}

// A metric of a document, and records of single requests, which are not read.
var (
	keys    = regexp.MustCompile(`"(inter_token_latency|output_token_throughput)"\s*:\s*\{\s*"unit"`)
	records = regexp.MustCompile(`"experiments"\s*:\s*\[|"request_start_ns"\s*:`)
)

type metric struct {
	Unit source.Words `json:"unit"`
	Mean source.Loose `json:"avg"`
	P50  source.Loose `json:"p50"`
	P90  source.Loose `json:"p90"`
	P95  source.Loose `json:"p95"`
	P99  source.Loose `json:"p99"`
}

// UnmarshalJSON leaves a metric unknown that is no object.
func (m *metric) UnmarshalJSON(text []byte) error {
	type plain metric
	if json.Unmarshal(text, (*plain)(m)) != nil {
		*m = metric{}
	}
	return nil
}

type document struct {
	Requests  metric          `json:"request_count"`
	Failed    metric          `json:"error_request_count"`
	Input     metric          `json:"input_sequence_length"`
	Output    metric          `json:"output_sequence_length"`
	Generated metric          `json:"output_token_throughput"`
	Answered  metric          `json:"request_throughput"`
	Latency   metric          `json:"request_latency"` // until the last token
	TTFT      metric          `json:"time_to_first_token"`
	ITL       metric          `json:"inter_token_latency"`
	Config    json.RawMessage `json:"input_config"`
}

// settings are those of a run, where the versions write them.
type settings struct {
	Models   names `json:"model_names"`
	Model    names `json:"model"`
	Endpoint struct {
		Models names `json:"model_names"`
	} `json:"endpoint"`
	Load struct {
		Concurrency source.Loose `json:"concurrency"`
		Rate        source.Loose `json:"request_rate"`
	} `json:"loadgen"`
	Concurrency source.Loose `json:"concurrency"` // of GenAI-Perf
	Rate        source.Loose `json:"request_rate"`
	Analyzer    struct {
		Stimulus map[string]source.Loose `json:"stimulus"`
	} `json:"perf_analyzer"`
	Several struct {
		Items []struct {
			Name source.Words `json:"name"`
		} `json:"items"`
	} `json:"models"` // from AIPerf 0.13 on, as are the phases
	Phases []phase `json:"phases"`
}

// phase is a part of a load.
type phase struct {
	Kind        source.Words `json:"kind"`
	Concurrency source.Loose `json:"concurrency"` // of a phase with a rate, a limit
	Rate        source.Loose `json:"rate"`
}

// measured is the phase after those that warm up.
func (c settings) measured() phase {
	for _, p := range slices.Backward(c.Phases) {
		if p.Kind != "warmup" {
			return p
		}
	}
	return phase{}
}

func (c settings) model() string {
	if len(c.Several.Items) > 0 {
		return string(c.Several.Items[0].Name)
	}
	return cmp.Or(c.Endpoint.Models.first(), c.Models.first(), c.Model.first())
}

// names are one or several.
type names []source.Words

// UnmarshalJSON takes a text, or a list of them; anything else is unknown.
func (n *names) UnmarshalJSON(text []byte) error {
	var one source.Words
	if several := []source.Words{}; json.Unmarshal(text, &several) == nil {
		*n = several
	} else if json.Unmarshal(text, &one) == nil {
		*n = names{one}
	}
	return nil
}

func (n names) first() string {
	if len(n) == 0 {
		return ""
	}
	return string(n[0])
}

func read(f source.File, given source.Given) source.Report {
	head, err := f.Beginning()
	if err != nil {
		return source.Failed(f, err)
	}
	if records.Match(head) {
		return source.Failed(f, f.Wrong("has a record for each request, whose lengths are not given in tokens: "+
			"import profile_export_aiperf.json or profile_export_genai_perf.json beside it"))
	}
	var d document
	if err := f.JSON(&d); err != nil {
		return source.Failed(f, err)
	}
	for _, m := range []metric{d.TTFT, d.ITL} {
		if m.Unit != "" && m.Unit != "ms" {
			return source.Failed(f, f.Wrong("its times are in %s, not in ms", source.Text(string(m.Unit))))
		}
	}
	var c settings
	_ = json.Unmarshal(d.Config, &c) // what is not given stays unknown
	load := d.load(c)
	model := given.ModelOr(c.model())
	report := source.Report{File: f.Path, Set: &profile.Set{}}
	if load.Concurrency == nil && load.PerSecond == nil {
		open := d.open()
		if open == nil {
			return source.Failed(f, f.Wrong("neither its concurrency nor its rate is given: give the whole file"))
		}
		load.Concurrency = open
		report.Note("neither its concurrency nor its rate is given: on average %.3g requests were open at once", *open)
	}
	if err := report.AddLoad(f, model, "AIPerf", load, d.Failed.Mean.Whole()); err != nil {
		return source.Failed(f, err)
	}
	report.Note("AIPerf's inter-token latency is the mean of a request without its first token, and is kept as TPOT")
	return report
}

func (m metric) spread() *profile.Spread {
	return source.Milliseconds(m.Mean, m.P50, m.P90, m.P95, m.P99)
}

func (d *document) load(c settings) profile.Serving {
	s := profile.Serving{Requests: d.Requests.Mean.Whole(), Input: d.Input.Mean.Amount(), Output: d.Output.Mean.Amount(),
		Generated: d.Generated.Mean.Positive(), TTFT: d.TTFT.spread(), TPOT: d.ITL.spread()}
	at := c.measured()
	first := func(of ...source.Loose) *float64 {
		for _, l := range of {
			if v := l.Positive(); v != nil {
				return v
			}
		}
		return nil
	}
	if s.PerSecond = first(c.Load.Rate, c.Rate, c.Analyzer.Stimulus["request_rate"], at.Rate); s.PerSecond == nil {
		s.Concurrency = first(c.Load.Concurrency, c.Concurrency, c.Analyzer.Stimulus["concurrency"], at.Concurrency)
	}
	return s
}

// open is how many requests were open at once on average (Little 1961); nil is unknown.
func (d *document) open() *float64 {
	perSecond, ms := d.Answered.Mean.Positive(), d.Latency.Mean.Positive()
	if perSecond == nil || ms == nil {
		return nil
	}
	return new(*perSecond * *ms / 1000)
}

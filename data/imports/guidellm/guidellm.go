// Package guidellm reads the benchmarks.json of guidellm (0.2 to 0.8).
//
// It has args, from 0.8 on config.spec.backend, with the model, and benchmarks, each with a strategy
// (args.strategy, later config.strategy: synchronous, concurrent with streams, constant or poisson with
// a rate, or throughput, all at once or as many as max_concurrency lets) and metrics of the successful
// requests, each with mean, median and percentiles: prompt_token_count, output_token_count,
// output_tokens_per_second, time_to_first_token_ms, inter_token_latency_ms and time_per_output_token_ms.
//
// Its inter-token latency is the mean of a request without its first token, which is TPOT here
// (requests count as often as they have tokens, which matters where answers differ in length), and its
// time per output token counts the first token too, so it is left out. Single times between two tokens
// are not told: ITL is unknown. So are the GPU, the VM type and the precision. The basis is measured.
package guidellm

import (
	"bytes"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Format is how reports of guidellm are recognised and read.
var Format = source.Format{Name: "guidellm", Title: "guidellm's benchmarks", Claims: claims, Read: source.Alone(read),
	Marks: []string{`"time_per_output_token_ms"`}}

func claims(_ string, head []byte) bool {
	return source.IsObject(head) &&
		bytes.Contains(head, []byte(`"benchmarks"`)) &&
		(bytes.Contains(head, []byte(`"guidellm_version"`)) || bytes.Contains(head, []byte(`"inter_token_latency_ms"`)))
}

type document struct {
	Args struct {
		Model source.Words `json:"model"`
	} `json:"args"`
	Config struct {
		Spec setting `json:"spec"`
	} `json:"config"`
	Benchmarks []benchmark `json:"benchmarks"`
}

type strategy struct {
	Kind    source.Words `json:"type_"`
	Streams source.Loose `json:"streams"`
	Rate    source.Loose `json:"rate"`
	AtOnce  source.Loose `json:"max_concurrency"`
}

type benchmark struct {
	Args   setting `json:"args"`
	Config setting `json:"config"`

	Metrics struct {
		Totals struct {
			Successful source.Loose `json:"successful"`
			Errored    source.Loose `json:"errored"`
		} `json:"request_totals"`
		Input     metric `json:"prompt_token_count"`
		Output    metric `json:"output_token_count"`
		Generated metric `json:"output_tokens_per_second"`
		TTFT      metric `json:"time_to_first_token_ms"`
		ITL       metric `json:"inter_token_latency_ms"`
	} `json:"metrics"`
}

type setting struct {
	Strategy strategy `json:"strategy"`
	Backend  struct {
		Model source.Words `json:"model"`
	} `json:"backend"`
}

type metric struct {
	Successful struct {
		Mean        source.Loose `json:"mean"`
		Median      source.Loose `json:"median"`
		Count       source.Loose `json:"count"`
		Percentiles struct {
			P90 source.Loose `json:"p90"`
			P95 source.Loose `json:"p95"`
			P99 source.Loose `json:"p99"`
		} `json:"percentiles"`
	} `json:"successful"`
}

func (m metric) spread() *profile.Spread {
	s := m.Successful
	return source.Milliseconds(s.Mean, s.Median, s.Percentiles.P90, s.Percentiles.P95, s.Percentiles.P99)
}

func read(f source.File, given source.Given) source.Report {
	var d document
	if err := f.JSON(&d); err != nil {
		return source.Failed(f, err)
	}
	report, empty := source.Report{File: f.Path, Set: &profile.Set{}}, 0
	for _, b := range d.Benchmarks {
		load := b.load()
		if load.Requests == 0 {
			empty++
			continue
		}
		model := given.ModelOr(string(d.Args.Model), string(d.Config.Spec.Backend.Model), string(b.Config.Backend.Model),
			string(b.Args.Backend.Model))
		if err := report.AddLoad(f, model, "guidellm", load, b.Metrics.Totals.Errored.Whole()); err != nil {
			return source.Failed(f, err)
		}
	}
	if len(report.Set.Runs) == 0 {
		return source.Failed(f, f.Wrong("has no benchmark with an answered request"))
	}
	if empty > 0 {
		report.Note("%s without an answered request left out", quantity.Several(empty, "benchmark"))
	}
	report.Note("guidellm's inter-token latency is the mean of a request without its first token, and is kept as TPOT; " +
		"its time per output token counts the first token, and is left out")
	return report
}

func (b *benchmark) load() profile.Serving {
	m := b.Metrics
	s := profile.Serving{
		Requests: m.Totals.Successful.Whole(), Input: m.Input.Successful.Mean.Amount(),
		Output: m.Output.Successful.Mean.Amount(), Generated: m.Generated.Successful.Mean.Positive(),
		TTFT: m.TTFT.spread(), TPOT: m.ITL.spread(),
	}
	if s.Requests == 0 {
		s.Requests = m.Output.Successful.Count.Whole()
	}
	at := b.Config.Strategy
	if at.Kind == "" {
		at = b.Args.Strategy
	}
	switch strings.ToLower(string(at.Kind)) {
	case "synchronous":
		s.Concurrency = new(1.0)
	case "concurrent":
		s.Concurrency = at.Streams.Positive()
	default:
		s.PerSecond = at.Rate.Positive()
		if most := at.AtOnce.Positive(); s.PerSecond == nil && most != nil && *most < float64(s.Requests) {
			s.Concurrency = most
		}
	}
	return s
}

package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Serving is a load on a language model's server, and what its clients saw. Times are in
// seconds; nil is unknown.
type Serving struct {
	// Neither of these two is known of requests that were all sent at once.
	Concurrency *float64 `json:"concurrency"`              // clients that each ask again once they are answered
	PerSecond   *float64 `json:"per_second"`               // requests sent a second, at their own times
	Requests    int      `json:"requests"`                 // answered
	Input       float64  `json:"input_tokens"`             // of a request, mean
	Output      float64  `json:"output_tokens"`            // of a request, mean
	Generated   *float64 `json:"output_tokens_per_second"` // of all requests together
	TTFT        *Spread  `json:"ttft"`                     // time to first token
	TPOT        *Spread  `json:"tpot"`                     // time per output token of a request, without the first
	ITL         *Spread  `json:"itl"`                      // inter-token latency, each single time between two tokens
	CacheTokens *float64 `json:"cache_tokens"`             // that the KV cache has room for
}

// Spread is a mean and percentiles in seconds; nil is unknown.
type Spread struct {
	Mean *float64 `json:"mean_s"`
	P50  *float64 `json:"p50_s"`
	P90  *float64 `json:"p90_s"`
	P95  *float64 `json:"p95_s"`
	P99  *float64 `json:"p99_s"`
}

// Typical is the mean, else the median; nil where neither is known.
func (s *Spread) Typical() *float64 {
	switch {
	case s == nil:
		return nil
	case s.Mean != nil:
		return s.Mean
	}
	return s.P50
}

// Bounds of what a load may claim: no server is as slow, and none has as long prompts.
const (
	mostLatencyS      = 86400
	mostRequestTokens = 1e7
	mostAtOnce        = 1e7
)

// Check says in a sentence what of a load cannot be; nil where all can.
func (s *Serving) Check() error {
	between := func(v, low, high float64) bool { return v >= low && v <= high } // false of NaN
	for _, c := range []struct {
		what string
		v    *float64
	}{{"concurrency", s.Concurrency}, {"rate of requests", s.PerSecond}, {"rate of tokens", s.Generated},
		{"size of the cache", s.CacheTokens}} {
		if c.v != nil && !(*c.v > 0 && *c.v <= math.MaxInt32) {
			return fmt.Errorf("a %s of %g cannot be", c.what, *c.v)
		}
	}
	switch {
	case s.Requests < 1 || s.Requests > mostAtOnce:
		return fmt.Errorf("the latencies are of %d requests, and should be of at least one", s.Requests)
	case !between(s.Input, 1, mostRequestTokens) || !between(s.Output, 1, mostRequestTokens):
		return fmt.Errorf("requests of %g tokens in and %g out cannot be", s.Input, s.Output)
	case s.TTFT.Typical() == nil && s.TPOT.Typical() == nil && s.Generated == nil:
		return errors.New("there is no time and no rate of tokens")
	}
	for _, c := range []struct {
		what string
		of   *Spread
	}{{"TTFT", s.TTFT}, {"TPOT", s.TPOT}, {"ITL", s.ITL}} {
		if err := c.of.check(); err != nil {
			return fmt.Errorf("the %s is wrong: %w", c.what, err)
		}
	}
	return s.fits()
}

// check says which time cannot be.
func (s *Spread) check() error {
	if s == nil {
		return nil
	}
	last := 0.0
	for _, v := range []*float64{s.P50, s.P90, s.P95, s.P99} {
		switch {
		case v == nil:
		case *v < last:
			return errors.New("a higher percentile is lower")
		default:
			last = *v
		}
	}
	for _, v := range []*float64{s.Mean, s.P50, s.P90, s.P95, s.P99} {
		if v != nil && !(*v > 0 && *v <= mostLatencyS) {
			return fmt.Errorf("%g s cannot be", *v)
		}
	}
	return nil
}

// doubtful is by how much times and rates may contradict one another. Tools measure them over
// different parts of a run.
const doubtful = 2

// fits compares the sequences that decode at once, which follow from the rate of tokens and the
// time that each takes (Little 1961), with the clients there were.
func (s *Serving) fits() error {
	tpot := s.TPOT.Typical()
	if tpot == nil || s.Generated == nil || s.Concurrency == nil {
		return nil
	}
	if at := *s.Generated * *tpot * (s.Output - 1) / s.Output; at > doubtful**s.Concurrency {
		return fmt.Errorf("%g tokens a second at %g s each are %.3g sequences at once, of %g clients: a unit is wrong",
			*s.Generated, *tpot, at, *s.Concurrency)
	}
	return nil
}

// FormatServing writes a load as JSON, "" for none. [ParseServing] reads it.
func FormatServing(s *Serving) string {
	if s == nil {
		return ""
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "" // it holds a number that is not finite, which Check refuses
	}
	return string(text)
}

// ParseServing reads what [FormatServing] wrote, "" as nil. The error says in a sentence what
// is wrong.
func ParseServing(text string) (*Serving, error) {
	if text == "" {
		return nil, nil
	}
	s := &Serving{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, errors.New("is no load on a server, as export --runs writes it")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Server is a server of a language model that loads were measured on: a model on a machine.
type Server struct {
	Model, GPU string
	GPUs       int // of a replica; 0 is unknown
	Machine    VMKey
	Variant    Variant
	Loads      []*Serving
	Runs       []int64 // numbers of these runs
}

// Same reports whether two are the same model on the same machine.
func (s Server) Same(o Server) bool {
	return s.Machine == o.Machine && s.GPU == o.GPU && s.GPUs == o.GPUs && s.Variant.Key() == o.Variant.Key() &&
		SameLanguageModel(s.Model, o.Model)
}

// Words name the machine of a server.
func (s Server) Words() string {
	words := cmp.Or(s.GPU, s.Machine.InstanceType, "an unknown machine")
	if s.GPUs > 1 {
		words = fmt.Sprintf("%d×%s", s.GPUs, words)
	}
	if name := cmp.Or(s.Variant.Name, s.Variant.Precision); name != "" {
		words += " with " + name
	}
	return words
}

// Servers are those that loads of a model were measured on, of all models where none is named, and of
// one kind of GPU where it is named. Models are the same whose names differ by their owner or by how
// they were tuned to chat.
func (s *Set) Servers(model, gpu string) (out []Server) {
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Serving == nil || model != "" && !SameLanguageModel(r.Model, model) ||
			gpu != "" && !ParseGPUName(gpu).SameChip(ParseGPUName(r.GPU)) {
			continue
		}
		at := slices.IndexFunc(out, func(o Server) bool {
			return o.Same(Server{Model: r.Model, GPU: r.GPU, GPUs: r.GPUCount, Machine: r.VM(), Variant: r.Variant})
		})
		if at < 0 {
			at, out = len(out), append(out, Server{Model: r.Model, GPU: r.GPU, GPUs: r.GPUCount, Machine: r.VM(),
				Variant: r.Variant})
		}
		out[at].Loads, out[at].Runs = append(out[at].Loads, r.Serving), append(out[at].Runs, r.ID)
	}
	return out
}

// chatNames end the names of models that were tuned to follow instructions: the network is the same.
var chatNames = regexp.MustCompile(`(-(instruct|chat|it|hf|base))+$`)

// SameLanguageModel reports whether two names are of the same network, as
// meta-llama/Meta-Llama-3.1-8B-Instruct and llama-3.1-8b are.
func SameLanguageModel(a, b string) bool { return NetworkName(a) == NetworkName(b) }

// NetworkName is a name of a language model without its owner and how it was tuned to chat.
func NetworkName(name string) string {
	name = strings.ToLower(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	return chatNames.ReplaceAllString(strings.TrimPrefix(name, "meta-"), "")
}

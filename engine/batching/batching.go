// Package batching simulates a language model's server that batches
// continuously: when each request of a trace gets its first and its last token
// ([Simulate]), the most load that a replica holds within limits
// ([Question.Answer]), and what a million tokens cost. Step times are given or
// fitted to the log of a server ([Fit]).
//
// # The simulated step
//
// The server works in steps, one after the other. A step is put together when
// the one before it has ended, as vLLM's scheduler does it (version 1; Kwon et
// al., SOSP 2023; chunked prefill after Agrawal et al., OSDI 2024):
//
//  1. Every sequence that decodes takes part with one token. Where the cache has
//     no room for these tokens, the sequences admitted last give theirs up and
//     wait again, before all others; they begin again with their prompt and the
//     tokens they had.
//  2. What the token budget leaves is prompt tokens: first of the prompt that the
//     step before could not finish, then of requests in their order, as long as
//     there are fewer than MaxSequences and the cache has room for the whole
//     prompt. In a step in which a sequence had to give up none is admitted.
//  3. The step takes the time that [Times] gives it. Then every sequence that
//     decoded, and every one whose prompt is done, has one more token; one with
//     all of its tokens leaves.
//
// Requests arrive at any time and count from the next step on. No prompt shares
// its beginning with another, and no request is cancelled.
package batching

import (
	"fmt"
	"math"
)

// Limits on what is simulated, so that counts don't overflow.
const (
	MaxRequests = 20_000_000
	MaxTokens   = 10_000_000 // of a prompt or an output
	MaxSpanS    = 31 * 86400 // from the first arrival to the last
)

// Request is a request to a language model.
type Request struct {
	ArrivalS float64 // seconds on any clock
	Input    int     // tokens of the prompt, at least 1
	Output   int     // tokens generated, at least 1
}

// Times say how long a step takes: a part of every step, and what each token in
// it adds. A request may take time before it counts. All are in seconds and at least 0.
type Times struct {
	StepS     float64 // every step
	PromptS   float64 // each prompt token
	PairS     float64 // each pair of a prompt token and a token before it: attention
	SequenceS float64 // each sequence that decodes
	ContextS  float64 // each token in the cache of these sequences: attention
	RequestS  float64 // a request until it is queued, beside the steps: connection, tokeniser, the way back
	BatchedS  float64 // every step of more than one token: products of matrices, no longer of a matrix and a vector
	MaskedS   float64 // each pair of a token of the step and one of any of its sequences: attention under one mask for all
}

// BatchS is about how long a server takes for n requests that come at once and are worked on
// together, each with as many tokens: in seconds.
func (s Server) BatchS(n, input, output float64) float64 {
	prompts := n * input
	step := min(prompts, float64(s.TokenBudget))
	read := s.StepS*(prompts/step-1) + prompts*(s.PromptS+input/2*s.PairS) + s.MaskedS*prompts*(prompts+step)/2
	context := n * (input + output/2)
	if prompts > 1 {
		read += s.BatchedS * prompts / step
	}
	if n > 1 {
		read += s.BatchedS * (output - 1)
	}
	return read + output*(s.StepS+n*s.SequenceS+context*s.ContextS+n*(context+n)*s.MaskedS)
}

// Settings are those of a server. vLLM calls them max_num_seqs,
// max_num_batched_tokens and, in its first lines, the GPU KV cache size.
type Settings struct {
	MaxSequences int // at once
	TokenBudget  int // of a step, prompt and decode tokens together
	CacheTokens  int // that the cache has room for
}

// Server is a replica.
type Server struct {
	Times
	Settings
}

// Check returns a sentence about the first setting that makes no sense.
func (s Server) Check() error {
	for _, c := range []struct {
		value, most float64
		what        string
	}{
		{s.StepS, 3600, "time of a step"}, {s.PromptS, 3600, "time of a prompt token"},
		{s.PairS, 1, "time of a pair of tokens in a prompt"}, {s.SequenceS, 3600, "time of a sequence"},
		{s.ContextS, 1, "time of a token in the cache"}, {s.RequestS, 3600, "time of a request until it is queued"},
		{s.BatchedS, 3600, "time of a step of more than one token"}, {s.MaskedS, 1, "time of a pair of tokens in a step"},
	} {
		if !(c.value >= 0 && c.value <= c.most) {
			return fmt.Errorf("the %s is %g; give seconds from 0 to %g", c.what, c.value, c.most)
		}
	}
	if s.StepS+min(s.PromptS, s.SequenceS) <= 0 {
		return fmt.Errorf("a step takes no time; give the time of a step")
	}
	for _, c := range []struct {
		value int
		what  string
	}{{s.MaxSequences, "number of sequences at once"}, {s.TokenBudget, "token budget of a step"},
		{s.CacheTokens, "size of the cache in tokens"}} {
		if c.value < 1 || c.value > math.MaxInt32 {
			return fmt.Errorf("the %s is %d; give a number from 1 to %d", c.what, c.value, math.MaxInt32)
		}
	}
	if s.TokenBudget < s.MaxSequences {
		return fmt.Errorf("a step has a budget of %d tokens, fewer than its %d sequences; raise it or lower their number",
			s.TokenBudget, s.MaxSequences)
	}
	return nil
}

// Check returns a sentence about the first request that cannot be simulated.
func Check(requests []Request) error {
	if len(requests) == 0 || len(requests) > MaxRequests {
		return fmt.Errorf("the trace has %d requests; give it from 1 to %d", len(requests), MaxRequests)
	}
	for i, r := range requests {
		switch {
		case !(math.Abs(r.ArrivalS) < 1e15):
			return fmt.Errorf("request %d arrives at %g; give seconds", i+1, r.ArrivalS)
		case i > 0 && r.ArrivalS < requests[i-1].ArrivalS:
			return fmt.Errorf("request %d arrives before the one above it; sort the trace by time", i+1)
		case r.Input < 1 || r.Input > MaxTokens || r.Output < 1 || r.Output > MaxTokens:
			return fmt.Errorf("request %d has %d tokens in and %d out; each is from 1 to %d", i+1, r.Input, r.Output, MaxTokens)
		}
	}
	return nil
}

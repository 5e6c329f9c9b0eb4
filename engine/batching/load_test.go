package batching

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func example() ([]Request, Server) {
	return Synthetic(Lengths{Input: 500, Output: 100, Spread: 0.5}, 2000, 10, 1),
		Server{Times{0.012, 2e-5, 1e-10, 5e-5, 5e-8, 0, 0, 0}, Settings{256, 8192, 400_000}}
}

// At the most load the limits are kept, and a little more breaks them.
func TestMost(t *testing.T) {
	requests, s := example()
	l := Limits{0.5, 0.03, 0.95}
	factor, at, err := Most(requests, s, l)
	if err != nil || at == nil || at.Within < 0.95 {
		t.Fatalf("factor %g, %+v, %v", factor, at, err)
	}
	more, err := Serve(Quicker(requests, 1.05*factor), s, 1, l)
	if err != nil {
		t.Fatal(err)
	}
	if more.Within >= 0.95 {
		t.Errorf("at ×%g %.3f keep the limits, and with 5 %% more still %.3f", factor, at.Within, more.Within)
	}
	if want := 10 * factor; math.Abs(at.PerSecond/want-1) > 0.05 {
		t.Errorf("%g requests/s at ×%g of 10", at.PerSecond, factor)
	}
	if factor, at, err := Most(requests, s, Limits{0.001, 1, 0.9}); factor != 0 || at != nil || err != nil {
		t.Errorf("a limit shorter than a step is kept at ×%g: %v, %v", factor, at, err)
	}
	if factor, at, err := Most([]Request{{5, 9, 9}, {5, 9, 9}}, s, l); factor != 0 || at != nil || err != nil {
		t.Errorf("requests that arrive at once have a load of ×%g: %v, %v", factor, at, err)
	}
}

// One replica fewer does not do.
func TestReplicas(t *testing.T) {
	requests, s := example()
	requests = Quicker(requests, 20)
	l := Limits{0.3, 0.025, 0.9}
	got, err := Replicas(requests, s, l)
	if err != nil || got == nil {
		t.Fatal(got, err)
	}
	fewer, err := Serve(requests, s, got.Replicas-1, l)
	if err != nil {
		t.Fatal(err)
	}
	if got.Replicas < 2 || got.Within < 0.9 || fewer.Within >= 0.9 {
		t.Errorf("%d replicas keep %.3f, one fewer %.3f", got.Replicas, got.Within, fewer.Within)
	}
	if len(got.Seen) != len(requests) {
		t.Errorf("%d of %d requests served", len(got.Seen), len(requests))
	}
}

// Prompts and decoding share the whole cost over the tokens that were served, and every
// request is seen once.
func TestCostIsShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests, s := drawn(t)
		load, err := Serve(requests, s, rapid.IntRange(1, 5).Draw(t, "replicas"), Limits{1, 1, 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(load.Seen) != len(requests) {
			t.Fatalf("%d of %d requests", len(load.Seen), len(requests))
		}
		c := load.CostOf(3600)
		if load.Rejected == len(requests) {
			if !math.IsNaN(c.PerToken) {
				t.Fatalf("tokens cost %g where none is served", c.PerToken)
			}
			return
		}
		var input, output int64
		for _, o := range load.Seen {
			if o.Complete() {
				input, output = input+int64(o.Input), output+int64(o.Output)
			}
		}
		if parts := c.PerMillion.USD(input, output); math.Abs(parts-c.USD) > 1e-9*c.USD {
			t.Fatalf("the parts cost %g, all %g", parts, c.USD)
		}
		if busy := load.PromptS + load.DecodeS; busy > load.SpanS*float64(load.Replicas)+1e-9 {
			t.Fatalf("%g s of work in %g s of %d replicas", busy, load.SpanS, load.Replicas)
		}
	})
}

func TestBreakEven(t *testing.T) {
	load := &Load{Input: 1000, Output: 500, Seen: make([]Observed, 10)} // 100 in and 50 out each
	// 100 × $1 + 50 × $2 per million are $0.0002 a request; $3.60/h are $0.001 a second.
	if got := load.BreakEven(3.6, Prices{1, 2}); math.Abs(got-5) > 1e-9 {
		t.Errorf("an API costs as much at %g requests/s, want 5", got)
	}
}

func TestCheck(t *testing.T) {
	ok := Server{Times{StepS: 0.01}, Settings{8, 8, 100}}
	for name, change := range map[string]func(*Server){
		"negative": func(s *Server) { s.PromptS = -1 }, "not a number": func(s *Server) { s.ContextS = math.NaN() },
		"no time": func(s *Server) { s.StepS = 0 }, "no sequences": func(s *Server) { s.MaxSequences = 0 },
		"no cache":                   func(s *Server) { s.CacheTokens = 0 },
		"budget below the sequences": func(s *Server) { s.TokenBudget = 7 },
	} {
		s := ok
		if change(&s); s.Check() == nil {
			t.Errorf("%s: nothing is wrong with %+v", name, s)
		}
	}
	for name, requests := range map[string][]Request{
		"none": {}, "unsorted": {{1, 1, 1}, {0, 1, 1}}, "no tokens": {{0, 0, 1}}, "no output": {{0, 1, 0}},
		"not a number": {{math.NaN(), 1, 1}}, "too long": {{0, MaxTokens + 1, 1}},
	} {
		if _, err := Simulate(requests, ok); err == nil {
			t.Errorf("%s: nothing is wrong with %v", name, requests)
		}
	}
	if _, err := Simulate([]Request{{0, 1, 1}}, ok); err != nil {
		t.Error(err)
	}
}

// What a limit on the time per token leaves of the load, and adds to the price.
func ExampleMost() {
	requests := Synthetic(Lengths{Input: 500, Output: 100, Spread: 0.5}, 2000, 10, 1)
	server := Server{Times{0.012, 2e-5, 1e-10, 5e-5, 5e-8, 0, 0, 0}, Settings{256, 8192, 400_000}}
	for _, tpot := range []float64{0.05, 0.025} {
		_, at, err := Most(requests, server, Limits{TTFTS: 0.5, TPOTS: tpot, Share: 0.99})
		if err != nil {
			fmt.Println(err)
			return
		}
		cost := at.CostOf(2.5)
		fmt.Printf("%.0f ms a token: %.0f requests/s, $%.2f per million tokens in, $%.2f out\n",
			1000*tpot, at.PerSecond, cost.PerMillion.Input, cost.PerMillion.Output)
	}
	// Output:
	// 50 ms a token: 38 requests/s, $0.01 per million tokens in, $0.13 out
	// 25 ms a token: 23 requests/s, $0.01 per million tokens in, $0.25 out
}

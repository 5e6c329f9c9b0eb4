package batching

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// told are loads as the means of a server with such times would be, at so many requests at once.
func told(s Times, atOnce ...float64) (out []*profile.Serving) {
	const input, output = 500, 100
	for _, n := range atOnce {
		tpot := s.StepS
		ttft := s.StepS + input*s.PromptS
		for range 200 { // as many decode at once as the times make
			perSecond := n / (ttft + (output-1)*tpot)
			decoding, prompt := perSecond*(output-1)*tpot, perSecond*input*tpot
			tpot = s.StepS + prompt*s.PromptS + decoding*(s.SequenceS+(input+output/2)*s.ContextS)
		}
		l := &profile.Serving{Concurrency: &n, Requests: 100, Input: input, Output: output,
			Generated: new(n * output / (ttft + (output-1)*tpot)), TPOT: &profile.Spread{Mean: &tpot}}
		if n == 1 {
			l.TTFT = &profile.Spread{Mean: &ttft}
		}
		out = append(out, l)
	}
	return out
}

// On a server that is slower by a factor in everything, one load tells the factor; with a load of one
// client also that of prompts.
func TestFitServerFromAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		here := Times{StepS: 0.01, PromptS: 5e-5, SequenceS: 2e-4}
		factor, prompts := rapid.Float64Range(0.2, 5).Draw(t, "factor"), rapid.Float64Range(0.5, 2).Draw(t, "prompts")
		there := here.longer(math.Log(factor), 0)
		servers := []profile.Server{{Model: "m", GPU: "L4", Loads: told(here, 1, 4, 16, 64)},
			{Model: "m", GPU: "H100", Loads: told(there, 16)}, {Model: "m", GPU: "A10G", Variant: profile.Variant{Name: "fp8"}},
			{Model: "other", GPU: "T4", Loads: told(there, 16)}}
		f, err := FitServer(servers[1], servers, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range f.list() {
			if want := there.list()[k]; math.Abs(x-want) > 0.02*want {
				t.Errorf("time %d is %g, want %g", k, x, want)
			}
		}
		found, err := f.Estimate(func(s Server) ([]float64, error) { return []float64{s.StepS, s.PromptS}, nil })
		if err != nil || f.From != "L4" || found[0].Basis != estimate.Transferred ||
			found[0].High < 1.1*found[0].Value || found[1].High/found[1].Value < 1.1*found[0].High/found[0].Value {
			t.Errorf("%+v, %v", found, err)
		}
		there.PromptS *= prompts
		servers[1].Loads = told(there, 1)
		if f, err = FitServer(servers[1], servers, Settings{}); err != nil || math.Abs(f.PromptS/there.PromptS-1) > 0.1 {
			t.Errorf("a prompt token takes %g, want %g: %v", f.PromptS, there.PromptS, err)
		}
	})
}

// Three loads of its own are preferred; without such a server, of the same model and weights, too few
// loads stay too few.
func TestFitServerByItself(t *testing.T) {
	here, there := Times{StepS: 0.01, PromptS: 5e-5, SequenceS: 2e-4}, Times{StepS: 0.03, PromptS: 5e-5, SequenceS: 1e-4}
	servers := []profile.Server{{Model: "m", GPU: "L4", Loads: told(here, 1, 4, 16, 64)},
		{Model: "m", GPU: "H100", Loads: told(there, 1, 4, 16, 64)}}
	f, err := FitServer(servers[1], servers, Settings{})
	if err != nil || f.From != "" || math.Abs(f.StepS/0.03-1) > 0.05 {
		t.Errorf("%+v, %v", f, err)
	}
	for name, s := range map[string]profile.Server{
		"another model":     {Model: "other", GPU: "H100", Loads: told(there, 16)},
		"other weights":     {Model: "m", GPU: "H100", Variant: profile.Variant{Name: "fp8"}, Loads: told(there, 16)},
		"no rate of tokens": {Model: "m", GPU: "H100", Loads: []*profile.Serving{{Requests: 1, Input: 1, Output: 2}}},
	} {
		if f, err := FitServer(s, servers, Settings{}); err == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

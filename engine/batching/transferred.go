package batching

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/profile"
)

// ratioSpread is the standard deviation of ln(ratio) between two servers from one load to another: nine
// in ten published TPOTs are within 17 % of what one ratio between two GPUs tells (docs/accuracy.md).
// promptSpread is that from tokens, which the memory bounds, to prompts, which arithmetic bounds; it is
// judged by GPUs' peaks, which rise by up to half more than their bandwidths from one to the next.
const (
	ratioSpread  = 0.1
	promptSpread = 0.25
)

// FitServer fits step times to the loads of a server as [FitLoads] does. Where these are too few, they are
// those of the same model and weights on another server, as many times as long as the loads on this one
// tell.
func FitServer(of profile.Server, all []profile.Server, known Settings) (*Fitted, error) {
	own, err := FitLoads(of.Loads, known)
	if err == nil {
		return own, nil
	}
	var best *Fitted
	for _, o := range all {
		if o.Same(of) || !profile.SameLanguageModel(o.Model, of.Model) || o.Variant.Key() != of.Variant.Key() {
			continue
		}
		other, failed := FitLoads(o.Loads, known)
		if failed != nil || best != nil && best.Off <= other.Off {
			continue
		}
		if t := other.transferred(of.Loads, known); t != nil {
			t.From, best = o.Words(), t
		}
	}
	if best == nil {
		return nil, err
	}
	return best, nil
}

// transferred are the step times on another server, by the loads there; nil where none of them has a
// TPOT and a rate of tokens.
func (f *Fitted) transferred(loads []*profile.Serving, known Settings) *Fitted {
	r := rowsOf(loads)
	var ratios []float64 // logarithms
	for _, row := range r.of {
		if !row.isPrompt() {
			ratios = append(ratios, math.Log(row.seconds/row.with(f.Times)))
		}
	}
	if len(ratios) == 0 {
		return nil
	}
	all, more, spread := stat.Mean(ratios, nil), 0.0, promptSpread
	if told := r.prompts(f.longer(all, 0)); len(told) > 0 {
		more, spread = stat.Mean(told, nil), ratioSpread
	}
	settings := f.Settings
	settings.CacheTokens = settingsOf(loads, known).CacheTokens
	out := &Fitted{Server: Server{f.longer(all, more), settings}, Used: r.requests, Off: f.Off}
	rng := rand.New(rand.NewPCG(21, 11))
	for _, d := range f.Draws {
		out.Draws = append(out.Draws, Server{d.longer(all+ratioSpread*rng.NormFloat64(), more+spread*rng.NormFloat64()),
			settings})
	}
	return out
}

// prompts are by how much longer prompts take than by step times, as the TTFT of requests alone tells.
func (r rows) prompts(t Times) (ratios []float64) {
	rest := t
	rest.PromptS, rest.PairS = 0, 0
	for _, row := range r.of {
		other := row.with(rest)
		if own := row.with(t) - other; row.isPrompt() && own > 0 && row.seconds > other {
			ratios = append(ratios, math.Log((row.seconds-other)/own))
		}
	}
	return ratios
}

// longer are times that are longer by a factor, and those of prompts by one more; both are logarithms.
func (t Times) longer(all, prompts float64) Times {
	k, p := math.Exp(all), math.Exp(all+prompts)
	return Times{StepS: k * t.StepS, PromptS: p * t.PromptS, PairS: p * t.PairS, SequenceS: k * t.SequenceS,
		ContextS: k * t.ContextS, RequestS: k * t.RequestS, BatchedS: k * t.BatchedS, MaskedS: k * t.MaskedS}
}

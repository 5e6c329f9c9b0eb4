package workload

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"sweetspot/data/arrivals"
	"sweetspot/engine/batching"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// Tokens are requests to a language model.
type Tokens struct {
	Requests []batching.Request
	Log      []batching.Observed // as read; nil where made up
	HasTimes bool                // the log has those of first and last tokens
	MadeUp   bool                // arrivals and lengths
	Drawn    bool                // lengths
	Source   string              // in a few words
	Notes    []string
}

// UsualLengths are those of made-up requests where none are given.
func UsualLengths() batching.Lengths { return batching.Lengths{Input: 1000, Output: 250, Spread: 0.8} }

// ReadTokens reads a trace or a log. Where it has no lengths they are drawn.
func ReadTokens(path string, l batching.Lengths, seed uint64) (Tokens, error) {
	found, err := read(path, arrivals.ReadRequests)
	if err != nil {
		return Tokens{}, err
	}
	t := Tokens{Log: found.Log, HasTimes: found.HasTimes && found.HasLengths, Notes: found.Notes, Source: fmt.Sprintf(
		"%s: %s, %s", filepath.Base(path), quantity.Several(len(found.Log), "request"), found.Format)}
	rng := rand.New(rand.NewPCG(seed, 0x70c))
	for _, o := range found.Log {
		if !found.HasLengths {
			o.Input, o.Output = l.Draw(rng)
		}
		t.Requests = append(t.Requests, o.Request)
	}
	if t.Drawn = !found.HasLengths; t.Drawn {
		t.Notes = append(t.Notes, "the trace has no lengths, so they are made up: "+lengthsInWords(l))
	}
	return t, nil
}

// MakeTokens makes requests up, of so many a second on average.
func MakeTokens(p serving.Pattern, seconds int, perSecond float64, l batching.Lengths, seed uint64) Tokens {
	rng := rand.New(rand.NewPCG(seed, 0x70c))
	t := Tokens{MadeUp: true, Drawn: true, Source: "made up: " + p.Words(seconds, perSecond) + ", " + lengthsInWords(l)}
	for second, n := range p.Generate(max(seconds, 1), perSecond, seed) {
		at := make([]float64, n)
		for i := range at {
			at[i] = float64(second) + rng.Float64()
		}
		slices.Sort(at)
		for _, at := range at {
			input, output := l.Draw(rng)
			t.Requests = append(t.Requests, batching.Request{ArrivalS: at, Input: input, Output: output})
		}
	}
	return t
}

func lengthsInWords(l batching.Lengths) string {
	return fmt.Sprintf("%s tokens in and %s out on average", quantity.Count(l.Input), quantity.Count(l.Output))
}

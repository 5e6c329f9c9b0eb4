package workload

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"sweetspot/data/arrivals"
	"sweetspot/engine/batching"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// Tokens are requests to a language model.
type Tokens struct {
	Requests []batching.Request
	Log      []batching.Observed // as read; nil of a synthetic load
	HasTimes bool                // the log has those of first and last tokens
	Drawn    bool                // lengths
	Source   string              // in a few words
	Notes    []string
}

// DefaultLengths are those of synthetic requests where none are given.
func DefaultLengths() batching.Lengths {
	return batching.Lengths{Input: 1000, Output: 250, Spread: 0.8}
}

// The load that is generated where nothing is said of it.
const (
	DefaultRate  = 1.0 // requests per second, independent of each other
	DefaultHours = 1.0
)

// LengthsOf are those of requests as long as the ones of loads on a server, on average.
func LengthsOf(loads []*profile.Serving) batching.Lengths {
	l, n := batching.Lengths{Spread: DefaultLengths().Spread}, float64(len(loads))
	for _, load := range loads {
		l.Input, l.Output = l.Input+load.Input/n, l.Output+load.Output/n
	}
	return l
}

// Quicker are the requests so many times as fast; their lengths stay.
func (t Tokens) Quicker(times float64) Tokens {
	if times != 1 {
		t.Requests = batching.Quicker(t.Requests, times)
		t.Source += fmt.Sprintf(", %g times as fast", times)
	}
	return t
}

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
		t.Notes = append(t.Notes, "the trace has no lengths, so they are drawn: "+lengthsInWords(l))
	}
	return t, nil
}

// MakeTokens generates requests, so many a second on average.
func MakeTokens(p serving.Pattern, seconds int, perSecond float64, l batching.Lengths, seed uint64) Tokens {
	rng := rand.New(rand.NewPCG(seed, 0x70c))
	t := Tokens{Drawn: true, Source: "synthetic: " + p.Words(seconds, perSecond) + ", " + lengthsInWords(l)}
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

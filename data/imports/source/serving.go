package source

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Milliseconds are a mean and percentiles in milliseconds, in seconds; nil where nothing is known. A
// 0 is what tools write of a time that they could not measure. A negative time stays, and is
// refused with the load.
func Milliseconds(mean, p50, p90, p95, p99 Loose) *profile.Spread {
	s := &profile.Spread{}
	known := false
	for _, f := range []struct {
		to **float64
		ms Loose
	}{{&s.Mean, mean}, {&s.P50, p50}, {&s.P90, p90}, {&s.P95, p95}, {&s.P99, p99}} {
		if f.ms.V != nil && *f.ms.V != 0 {
			*f.to, known = new(*f.ms.V/1000), true
		}
	}
	if !known {
		return nil
	}
	return s
}

// AddLoad adds the run of a load on a server, as a tool measured it, with a note of requests that were
// not answered. It fails where the load cannot be.
func (r *Report) AddLoad(f File, model, tool string, load profile.Serving, failed int) error {
	if err := load.Check(); err != nil {
		return f.Wrong("%s", err.Error())
	}
	words := LoadWords(&load)
	r.Set.Runs = append(r.Set.Runs, profile.Run{
		Model: Text(model), Unit: "token", Mode: profile.Infer, Count: 1, Status: profile.Done, Basis: estimate.Measured,
		Source:  Text(fmt.Sprintf("%s %s, %s", tool, f.Tail(2), words)),
		Serving: &load,
	})
	if failed > 0 {
		r.Note("%s: without %s", words, quantity.Several(failed, "failed request"))
	}
	return nil
}

// LoadWords name a load: "16 clients, 1024 tokens in, 128 out".
func LoadWords(s *profile.Serving) string {
	at := "all at once"
	switch {
	case s.Concurrency != nil:
		at = quantity.Several(int(math.Round(*s.Concurrency)), "client")
	case s.PerSecond != nil:
		at = fmt.Sprintf("%.3g requests/s", *s.PerSecond)
	}
	return fmt.Sprintf("%s, %.0f tokens in, %.0f out", at, s.Input, s.Output)
}

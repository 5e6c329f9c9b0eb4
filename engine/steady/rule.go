package steady

import (
	"fmt"
	"math"
	"time"
)

// Rule says when a probe has seen enough. A cap of 0 is no cap.
type Rule struct {
	Target     float64  // relative half-width of the 90 % interval to reach
	MinN       int      // steady iterations at least
	MinSeconds float64  // seconds of steady iterations at least
	MaxN       int      // cap on iterations, the first and the warm-up included
	MaxSeconds float64  // cap on elapsed seconds
	MaxUSD     float64  // cap on money; without a price it cannot bind
	USDPerHour *float64 // price of the machine
	CapsOnly   bool     // go on when precise; only a cap stops
}

// DefaultRule is ±2 % from at least 20 steady iterations and 5 s, without
// caps.
func DefaultRule() Rule { return Rule{Target: 0.02, MinN: 20, MinSeconds: 5} }

// Reasons a probe is stopped for.
const (
	Precise = "precise"
	Cap     = "cap"
)

// Verdict is a [Rule]'s answer.
type Verdict struct {
	Stop     bool
	Reason   string  // Precise, Cap or ""
	Words    string  // for people: what was reached or what is missing
	Progress float64 // 0…1 towards the nearest end
}

// SpentUSD is what the elapsed seconds cost, nil without a price.
func (r Rule) SpentUSD(elapsed float64) *float64 {
	if r.USDPerHour == nil {
		return nil
	}
	return new(elapsed / 3600 * *r.USDPerHour)
}

// Judge decides from a summary and the seconds since the probe began.
func (r Rule) Judge(s Summary, elapsed float64) Verdict {
	precise := r.precision(s)
	capped := r.caps(s, elapsed)
	if r.CapsOnly && precise.Stop {
		precise.Stop, precise.Reason, precise.Progress = false, "", 0
	}
	switch {
	case precise.Stop:
		return precise
	case capped.Stop:
		return capped
	}
	precise.Progress = max(precise.Progress, capped.Progress)
	return precise
}

func (r Rule) precision(s Summary) Verdict {
	if !s.IsSteady {
		return Verdict{Words: s.Why}
	}
	half := s.Steady.HalfWidth()
	seconds := float64(s.N) * s.Steady.Value
	v := Verdict{Progress: 1}
	need := func(part float64, words string) {
		if part < 1 {
			v.Progress = min(v.Progress, part)
			v.Words = words
		}
	}
	// The half-width falls with the square root of the time spent.
	need(ratio(r.Target, half)*ratio(r.Target, half), fmt.Sprintf("±%.1f %%, aims at ±%s %%", 100*half, percent(r.Target)))
	need(ratio(seconds, r.MinSeconds), fmt.Sprintf("±%.1f %% after %.1f s of steady steps, needs %g s", 100*half, seconds, r.MinSeconds))
	need(ratio(float64(s.N), float64(r.MinN)), fmt.Sprintf("%d steady steps, needs %d", s.N, r.MinN))
	if v.Progress < 1 {
		return v
	}
	v.Stop, v.Reason = true, Precise
	v.Words = fmt.Sprintf("±%.1f %% after %d steady steps", 100*half, s.N)
	return v
}

func (r Rule) caps(s Summary, elapsed float64) Verdict {
	v := Verdict{}
	reach := func(part float64, words string) {
		if math.IsNaN(part) || part <= v.Progress {
			return
		}
		v.Progress = part
		if part >= 1 {
			v = Verdict{Stop: true, Reason: Cap, Words: words, Progress: 1}
		}
	}
	if r.MaxN > 0 {
		reach(float64(s.Total)/float64(r.MaxN), fmt.Sprintf("reached the cap of %d steps", r.MaxN))
	}
	if r.MaxSeconds > 0 {
		reach(elapsed/r.MaxSeconds, fmt.Sprintf("reached the cap of %s", time.Duration(r.MaxSeconds*float64(time.Second)).Round(time.Millisecond)))
	}
	if usd := r.SpentUSD(elapsed); usd != nil && r.MaxUSD > 0 {
		reach(*usd/r.MaxUSD, fmt.Sprintf("reached the cap of $%.4g", r.MaxUSD))
	}
	if v.Stop && !s.IsSteady && s.Why != "" {
		v.Words += "; not steady: " + s.Why
	}
	return v
}

// ratio is have/want in [0,1]; wanting nothing is met.
func ratio(have, want float64) float64 {
	if have >= want {
		return 1
	}
	return max(0, have/want)
}

func percent(f float64) string { return fmt.Sprintf("%.3g", 100*f) }

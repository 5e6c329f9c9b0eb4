package steady

import (
	"fmt"
	"math"
	"time"

	"sweetspot/engine/quantity"
)

// Rule says when a probe has seen enough. A cap of 0 is no cap.
//
// Precise is judged by [Summary.Looked], at lengths of the series a quarter
// apart: who asks after every iteration and stops at the first narrow interval
// stops too early and is too sure. [Target] is what must be reached. While the
// steady iterations took no more than Patience seconds the probe goes on for a
// good part less: at ±2 % (90 %) four means in ten are off by more than 1 %, at
// ±0.7 % one in twenty-five.
//
// Times that vary too much never become precise, on a machine with other work,
// say. After twice Patience and a hundred steady iterations, a probe that would
// take longer than GiveUp, by what it has seen, stops with what it knows, which
// counts as a cap.
type Rule struct {
	Target     float64  // relative half-width of the 90 % interval to reach
	Patience   float64  // seconds of steady iterations up to which it goes on for less than Target
	GiveUp     float64  // seconds of steady iterations that are not worth waiting for Target; 0: never give up
	MinN       int      // steady iterations at least
	MinSeconds float64  // seconds of steady iterations at least
	MaxN       int      // cap on iterations, the first and the warm-up included
	MaxSeconds float64  // cap on elapsed seconds
	MaxUSD     float64  // cap on money; without a price it cannot bind
	USDPerHour *float64 // price of the machine
	CapsOnly   bool     // go on when precise; only a cap stops

	// Decision is the relative half-width at which what the probe was made for
	// is decided (who is faster, whether a limit holds), 0 for none. It makes
	// the target tighter, never looser, and at most four times: what is closer
	// than that, no short probe separates. DecisionWords says what it does, as
	// in "±1.2 % DecisionWords".
	Decision      float64
	DecisionWords string
}

const (
	patient = 0.35 // of Target, gone on for until Patience is over
	floor   = 4    // times tighter than Target, no Decision makes it
	// leastHopeless is how many steady iterations it takes to know how much they
	// vary: a pause every 20th, seen twice, looks worse than it is.
	leastHopeless = 100
)

// DefaultRule is ±2 % from at least 20 steady iterations and 5 s, and ±0.7 %
// where 30 s of steady iterations reach it; without caps, but not waiting for
// what takes longer than 10 minutes.
func DefaultRule() Rule {
	return Rule{Target: 0.02, Patience: 30, GiveUp: Unforeseen, MinN: 20, MinSeconds: 5}
}

// StartUp is what a probe takes before its first steady iteration, in seconds:
// the import of a framework, the data, the warm-up. It is an allowance, for
// saying beforehand what a probe will take.
const StartUp = 10

// Unforeseen is what a probe without a cap in seconds or dollars is expected to
// take at most, in seconds; one whose times never settle goes on.
const Unforeseen = 600

// Spend is what some probes under the rule, one after the other, are expected
// to take at least and at most, in seconds. MaxUSD is the cap on all of them
// together.
func (r Rule) Spend(probes int) (low, high float64) {
	low, high = StartUp+r.MinSeconds, Unforeseen
	if r.MaxSeconds > 0 {
		high = r.MaxSeconds
	}
	n := float64(probes)
	low, high = n*low, n*high
	if r.MaxUSD > 0 && r.USDPerHour != nil && *r.USDPerHour > 0 {
		affordable := r.MaxUSD / *r.USDPerHour * 3600
		if high > affordable || r.MaxSeconds == 0 {
			high = affordable
		}
	}
	return min(low, high), high
}

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
	case r.hopeless(s, elapsed):
		return Verdict{Stop: true, Reason: Cap, Words: r.gaveUp(s), Progress: 1}
	}
	precise.Progress = max(precise.Progress, capped.Progress)
	return precise
}

// target is the half-width that must be reached.
func (r Rule) target() float64 {
	if r.Decision <= 0 {
		return r.Target
	}
	return min(r.Target, max(r.Decision, r.Target/floor))
}

func (r Rule) precision(s Summary) Verdict {
	if !s.IsSteady {
		return Verdict{Words: s.Why}
	}
	half := max(s.Steady.HalfWidth(), s.Looked)
	seconds := float64(s.N) * s.Steady.Value
	v := Verdict{Progress: 1}
	need := func(part float64, format string, args ...any) {
		if part < 1 && part < v.Progress {
			v.Progress = part
			v.Words = fmt.Sprintf(format, args...)
		}
	}
	target := r.target()
	// The half-width falls with the square root of the time spent.
	if aim := min(patient*r.Target, target); half <= target && seconds < r.Patience {
		need(max(ratio(aim, half)*ratio(aim, half), seconds/r.Patience),
			"±%s %%, goes on for ±%s %% until %g s", percent(half), percent(aim), r.Patience)
	}
	looked := ""
	if s.Looked > s.Steady.HalfWidth() {
		looked = " when last looked at"
	}
	need(ratio(target, half)*ratio(target, half), "±%.1f %%%s, aims at ±%s %%%s", 100*half, looked, percent(target), r.why())
	if s.Period > 0 {
		need(float64(s.Cycles)/leastCycles, "a long iteration every %d: %s seen, needs %d", s.Period, periods(s.Cycles), leastCycles)
	}
	need(ratio(seconds, r.MinSeconds), "±%.1f %% after %.1f s of steady steps, needs %g s", 100*half, seconds, r.MinSeconds)
	need(ratio(float64(s.N), float64(r.MinN)), "%d steady steps, needs %d", s.N, r.MinN)
	if v.Progress < 1 {
		return v
	}
	return Verdict{Stop: true, Reason: Precise, Progress: 1, Words: r.reached(s, half)}
}

// hopeless reports whether the target is too far to wait for.
func (r Rule) hopeless(s Summary, elapsed float64) bool {
	longest := max(r.GiveUp, r.MaxSeconds)
	switch {
	case r.GiveUp <= 0 || r.CapsOnly:
		return false
	case !s.IsSteady:
		return elapsed > longest && s.Total > 4*firstLook
	}
	spent := float64(s.N) * s.Steady.Value
	return spent >= 2*r.Patience && s.N >= leastHopeless && s.Looked < 1 && r.takes(s) > max(longest, 2*spent)
}

// takes is how many seconds of steady iterations it takes to reach the target:
// the half-width falls with the square root of the time spent.
func (r Rule) takes(s Summary) float64 {
	times := s.Steady.HalfWidth() / r.target()
	return float64(s.N) * s.Steady.Value * times * times
}

func (r Rule) gaveUp(s Summary) string {
	if !s.IsSteady {
		return "not steady after " + iterations(s.Total) + ": " + s.Why
	}
	return fmt.Sprintf("±%.1f %% after %d steady steps; they vary too much, ±%s %% would take %s",
		100*s.Steady.HalfWidth(), s.N, percent(r.target()), quantity.Duration(r.takes(s)))
}

// reached is the sentence kept as the reason a probe was stopped for.
func (r Rule) reached(s Summary, half float64) string {
	words := fmt.Sprintf("±%.1f %% after %d steady steps", 100*half, s.N)
	if s.Period > 0 {
		words += fmt.Sprintf(", with a long one every %d", s.Period)
	}
	if s.Drift != 0 {
		words += fmt.Sprintf(", drifting by %+.1f %%", 100*s.Drift)
	}
	switch {
	case r.Decision <= 0 || r.DecisionWords == "":
	case r.Decision < r.Target/floor:
		words += fmt.Sprintf("; only ±%s %% %s", percent(r.Decision), r.DecisionWords)
	default:
		words += fmt.Sprintf("; ±%s %% %s", percent(r.Decision), r.DecisionWords)
	}
	return words
}

// why is the decision's words where it made the target tighter.
func (r Rule) why() string {
	if r.target() == r.Target || r.DecisionWords == "" {
		return ""
	}
	return ", which " + r.DecisionWords
}

func periods(n int) string {
	if n == 1 {
		return "1 period"
	}
	return fmt.Sprintf("%d periods", n)
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

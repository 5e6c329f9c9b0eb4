package steady

import (
	"fmt"
	"math"

	"sweetspot/engine/quantity"
)

// Rule says when a probe may stop. A cap of 0 is no cap.
//
// Precision is judged by [Summary.InterimHalfWidth], at lengths of the series a
// quarter apart: to stop at the first narrow interval would be too early and too
// sure. Target must be reached. For the first RefineSeconds of steady iterations
// the probe goes on to a narrower interval: at ±2 % (90 %) four means in ten are
// off by more than 1 %, at ±0.7 % one in twenty-five.
//
// Times that vary too much never become precise, for instance on a machine with
// other work. After twice RefineSeconds and a hundred steady iterations, a probe
// that is expected to take longer than GiveUp stops with what it has, which counts
// as a cap.
type Rule struct {
	Target        float64  // relative half-width of the 90 % interval to reach
	RefineSeconds float64  // seconds of steady iterations in which it goes on to less than Target
	GiveUp        float64  // seconds of steady iterations beyond which Target is given up; 0: never
	MinN          int      // least number of steady iterations
	MinSeconds    float64  // least seconds of steady iterations
	MaxN          int      // cap on iterations, the first and the warm-up included
	MaxSeconds    float64  // cap on elapsed seconds
	MaxUSD        float64  // cap on money; without a price it cannot bind
	USDPerHour    *float64 // price of one machine
	VMs           int      // machines that are paid for at once; 0 is 1
	CapsOnly      bool     // go on when precise; only a cap stops

	// Decision is the relative half-width that settles the question the probe was
	// made for (which is faster, whether a limit holds), 0 for none. It makes the
	// target tighter, never looser, and at most four times: no short probe separates
	// what is closer. DecisionWords says what it does, as in "±1.2 % DecisionWords".
	Decision      float64
	DecisionWords string
}

const (
	// refinement is the fraction of Target that a probe goes on to within
	// RefineSeconds. With 0.2 probes take 15 to 40 % more iterations for a median error
	// of 0.19 instead of 0.21 %; with 1, no refinement, 89 instead of 93 % of the means
	// are within 1 % (go test -v -run StopRule).
	refinement = 0.35
	// maxTightening bounds how many times tighter than Target a Decision makes it:
	// the length of a probe grows with its square.
	maxTightening = 4
	// minForGivingUp is how many steady iterations it takes to tell how much they
	// vary: a pause every 20th, seen twice, seems worse than it is. With 20 a few more
	// probes are given up.
	minForGivingUp = 100
)

// DefaultRule is ±2 % from at least 20 steady iterations and 5 s, and ±0.7 % where
// 30 s of steady iterations reach it. It has no caps, but gives up what would take
// longer than 10 minutes.
func DefaultRule() Rule {
	return Rule{Target: 0.02, RefineSeconds: 30, GiveUp: unforeseen, MinN: 20, MinSeconds: 5}
}

// StartUp is the allowance, in seconds, for what a probe does before its first
// steady iteration (importing a framework, loading data, warming up), in
// estimates of how long it will take.
const StartUp = 10

// unforeseen is the most that a probe without a cap in seconds or dollars is
// expected to take, in seconds; one whose times never settle takes longer.
const unforeseen = 600

// Spend is the least and the most that a number of probes, one after the other,
// is expected to take, in seconds. MaxUSD caps all of them together.
func (r Rule) Spend(probes int) (low, high float64) {
	low, high = StartUp+r.MinSeconds, unforeseen
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

// The reasons for which a rule stops a probe.
const (
	Precise = "precise"
	Cap     = "cap"
)

// Verdict is a [Rule]'s answer.
type Verdict struct {
	Stop     bool
	Reason   string  // Precise, Cap or ""
	Words    string  // for people: what was reached or what is missing
	Progress float64 // in [0,1], towards the nearest end
}

// SpentUSD is the cost of the elapsed seconds in US dollars, nil without a price.
func (r Rule) SpentUSD(elapsed float64) *float64 {
	if r.USDPerHour == nil {
		return nil
	}
	return new(elapsed / 3600 * *r.USDPerHour * float64(max(r.VMs, 1)))
}

// Judge decides from a summary and the seconds elapsed since the probe began.
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
	case r.unreachable(s, elapsed):
		return Verdict{Stop: true, Reason: Cap, Words: r.gaveUp(s), Progress: 1}
	}
	precise.Progress = max(precise.Progress, capped.Progress)
	return precise
}

// target is the relative half-width that must be reached.
func (r Rule) target() float64 {
	if r.Decision <= 0 {
		return r.Target
	}
	return min(r.Target, max(r.Decision, r.Target/maxTightening))
}

func (r Rule) precision(s Summary) Verdict {
	if !s.IsSteady {
		return Verdict{Words: s.Why}
	}
	half := max(s.Steady.HalfWidth(), s.InterimHalfWidth)
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
	if aim := min(refinement*r.Target, target); half <= target && seconds < r.RefineSeconds {
		need(max(ratio(aim, half)*ratio(aim, half), seconds/r.RefineSeconds),
			"±%s %%, goes on for ±%s %% until %g s", percent(half), percent(aim), r.RefineSeconds)
	}
	when := ""
	if s.InterimHalfWidth > s.Steady.HalfWidth() {
		when = " at the last check"
	}
	need(ratio(target, half)*ratio(target, half),
		"±%.1f %%%s, aims at ±%s %%%s", 100*half, when, percent(target), r.why())
	if s.Period > 0 {
		need(float64(s.Cycles)/minPeriods,
			"a long iteration every %d: %s seen, needs %d", s.Period, quantity.Several(s.Cycles, "period"), minPeriods)
	}
	need(ratio(seconds, r.MinSeconds),
		"±%.1f %% after %.1f s of steady steps, needs %g s", 100*half, seconds, r.MinSeconds)
	need(ratio(float64(s.N), float64(r.MinN)), "%d steady steps, needs %d", s.N, r.MinN)
	if v.Progress < 1 {
		return v
	}
	return Verdict{Stop: true, Reason: Precise, Progress: 1, Words: r.reached(s, half)}
}

// unreachable reports whether reaching the target would take too long.
func (r Rule) unreachable(s Summary, elapsed float64) bool {
	longest := max(r.GiveUp, r.MaxSeconds)
	switch {
	case r.GiveUp <= 0 || r.CapsOnly:
		return false
	case !s.IsSteady:
		return elapsed > longest && s.Total > 4*minLength
	}
	spent := float64(s.N) * s.Steady.Value
	return spent >= 2*r.RefineSeconds && s.N >= minForGivingUp && s.InterimHalfWidth < 1 &&
		r.secondsToTarget(s) > max(longest, 2*spent)
}

// secondsToTarget is how many seconds of steady iterations the target takes: the
// half-width falls with the square root of the time spent.
func (r Rule) secondsToTarget(s Summary) float64 {
	times := s.Steady.HalfWidth() / r.target()
	return float64(s.N) * s.Steady.Value * times * times
}

func (r Rule) gaveUp(s Summary) string {
	if !s.IsSteady {
		return "not steady after " + quantity.Several(s.Total, "iteration") + ": " + s.Why
	}
	return fmt.Sprintf("±%.1f %% after %d steady steps; they vary too much, ±%s %% would take %s",
		100*s.Steady.HalfWidth(), s.N, percent(r.target()), quantity.Duration(r.secondsToTarget(s)))
}

// reached is the sentence that is stored as the reason the probe stopped.
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
	case r.Decision < r.Target/maxTightening:
		words += fmt.Sprintf("; only ±%s %% %s", percent(r.Decision), r.DecisionWords)
	default:
		words += fmt.Sprintf("; ±%s %% %s", percent(r.Decision), r.DecisionWords)
	}
	return words
}

// why gives the decision's words where it made the target tighter.
func (r Rule) why() string {
	if r.target() == r.Target || r.DecisionWords == "" {
		return ""
	}
	return ", which " + r.DecisionWords
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
		reach(elapsed/r.MaxSeconds, "reached the cap of "+quantity.Duration(r.MaxSeconds))
	}
	if usd := r.SpentUSD(elapsed); usd != nil && r.MaxUSD > 0 {
		reach(*usd/r.MaxUSD, "reached the cap of "+quantity.Money(r.MaxUSD))
	}
	if v.Stop && !s.IsSteady && s.Why != "" {
		v.Words += "; not steady: " + s.Why
	}
	return v
}

// ratio is have/want in [0,1], 1 where want is 0.
func ratio(have, want float64) float64 {
	if have >= want {
		return 1
	}
	return max(0, have/want)
}

func percent(f float64) string { return fmt.Sprintf("%.3g", 100*f) }

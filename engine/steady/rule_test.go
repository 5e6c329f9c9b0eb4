package steady

import (
	"strings"
	"testing"

	"sweetspot/engine/estimate"
)

func steadySummary(n int, seconds, rel float64) Summary {
	return Summary{Total: n + 1, N: n, IsSteady: true, Steady: estimate.Around(seconds, seconds*rel, estimate.Measured)}
}

func TestJudge(t *testing.T) {
	capped := DefaultRule()
	capped.MaxN, capped.MaxSeconds, capped.MaxUSD, capped.USDPerHour = 1000, 60, 0.1, new(3.06)
	dear := capped
	dear.MaxUSD = 0.01
	decided := func(at float64) Rule {
		r := DefaultRule()
		r.Decision, r.DecisionWords = at, "separates it from #2 g4dn.xlarge"
		return r
	}
	doubtful := steadySummary(60, 2, 0.005)
	doubtful.InterimHalfWidth = 0.03
	stalls := steadySummary(60, 2, 0.005)
	stalls.Period, stalls.Cycles = 25, 2
	seen := stalls
	seen.Cycles = 3
	drifting := steadySummary(600, 0.1, 0.005)
	drifting.Drift = 0.004
	for _, c := range []struct {
		name    string
		rule    Rule
		s       Summary
		elapsed float64
		reason  string
		words   string
	}{
		{"precise", DefaultRule(), steadySummary(60, 0.1, 0.0069), 8, Precise, "±0.7 % after 60 steady steps"},
		{"precise, and cheap to know better", DefaultRule(), steadySummary(60, 0.1, 0.018), 8, "",
			"±1.8 %, goes on for ±0.7 % until 30 s"},
		{"precise after refining", DefaultRule(), steadySummary(610, 0.1, 0.018), 80, Precise,
			"±1.8 % after 610 steady steps"},
		{"precise without refining", Rule{Target: 0.02}, steadySummary(60, 0.1, 0.018), 8, Precise,
			"±1.8 % after 60 steady steps"},
		{"precise now, not at the interim analysis", DefaultRule(), doubtful, 130, "",
			"±3.0 % at the last check, aims at ±2 %"},
		{"two periods", DefaultRule(), stalls, 130, "", "a long iteration every 25: 2 periods seen, needs 3"},
		{"three periods", DefaultRule(), seen, 130, Precise, "±0.5 % after 60 steady steps, with a long one every 25"},
		{"drift", DefaultRule(), drifting, 80, Precise, "drifting by +0.4 %"},
		{"decision not reached", decided(0.012), steadySummary(700, 0.1, 0.013), 80, "",
			"±1.3 %, aims at ±1.2 %, which separates it from #2 g4dn.xlarge"},
		{"decision reached", decided(0.012), steadySummary(700, 0.1, 0.0119), 80, Precise, "±1.2 % after 700 steady " +
			"steps; ±1.2 % separates it from #2 g4dn.xlarge"},
		{"decision too fine", decided(0.001), steadySummary(700, 0.1, 0.0049), 80, Precise, "; only ±0.1 % separates it"},
		{"decision tighter than refining", decided(0.006), steadySummary(200, 0.1, 0.0065), 20, "", "aims at ±0.6 %"},
		{"decision looser than the target", decided(0.1), steadySummary(700, 0.1, 0.03), 80, "", "aims at ±2 %"},
		{"too few steps", DefaultRule(), steadySummary(19, 1, 0.001), 20, "", "19 steady steps, needs 20"},
		{"too short", DefaultRule(), steadySummary(49, 0.1, 0.001), 600, "", "after 4.9 s of steady steps, needs 5 s"},
		{"too wide", DefaultRule(), steadySummary(60, 0.1, 0.021), 8, "", "±2.1 %, aims at ±2 %"},
		{"not steady", DefaultRule(), Summary{Total: 30, Why: "still changing"}, 8, "", "still changing"},
		{"no cap, ever", Rule{Target: 0.02}, steadySummary(1e6, 1, 0.5), 1e9, "", "±50.0 %"},
		{"varies too much", DefaultRule(), steadySummary(600, 0.1, 0.1), 65, Cap, "±10.0 % after 600 steady steps; " +
			"they vary too much, ±2 % would take 25 m 00 s"},
		{"varies, but worth the wait", DefaultRule(), steadySummary(600, 0.1, 0.04), 65, "", "±4.0 %, aims at ±2 %"},
		{"varies, still refining", DefaultRule(), steadySummary(590, 0.1, 0.2), 65, "", "±20.0 %, aims at ±2 %"},
		{"slow steps, half of the way", DefaultRule(), steadySummary(130, 60, 0.028), 2000, "", "±2.8 %, aims at ±2 %"},
		{"varies, but only caps stop", Rule{Target: 0.02, GiveUp: 300, CapsOnly: true}, steadySummary(600, 0.1, 0.1), 65,
			"", "±10.0 %"},
		{"slow steps, few yet", DefaultRule(), steadySummary(90, 60, 0.2), 6000, "", "±20.0 %, aims at ±2 %"},
		{"never steady", DefaultRule(), Summary{Total: 1000, Why: "still changing"}, 601, Cap,
			"not steady after 1,000 iterations: still changing"},
		{"slow and not steady yet", DefaultRule(), Summary{Total: 15, Why: "still changing"}, 900, "", "still changing"},
		{"steps", capped, steadySummary(999, 0.01, 0.5), 8, Cap, "cap of 1000 steps"},
		{"steps while not steady", capped, Summary{Total: 1000, Why: "still changing"}, 8, Cap, "not steady: still changing"},
		{"seconds", capped, steadySummary(29, 1, 0.5), 60, Cap, "cap of 1 m 00 s"},
		{"dollars", dear, steadySummary(29, 1, 0.5), 59, Cap, "cap of $0.01"},
		{"precise and capped at once", capped, steadySummary(2000, 0.1, 0.001), 90, Precise, "after 2000"},
		{"precise, but only caps stop", Rule{Target: 0.02, CapsOnly: true}, steadySummary(60, 0.1, 0.018), 8, "",
			"±1.8 % after 60"},
		{"dollars without a price", Rule{Target: 0.02, MaxUSD: 0.01}, steadySummary(30, 1, 0.5), 1e6, "", "±50"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.rule.Judge(c.s, c.elapsed)
			if v.Reason != c.reason || v.Stop != (c.reason != "") || !strings.Contains(v.Words, c.words) {
				t.Errorf("got %+v, want reason %q and words %q", v, c.reason, c.words)
			}
			if v.Progress < 0 || v.Progress > 1 || v.Stop != (v.Progress == 1) {
				t.Errorf("progress %v with stop %v", v.Progress, v.Stop)
			}
		})
	}
}

// Stopping at the first moment that looks precise enough is how the rule is
// used; the mean must then be within a few percent on every trace.
func TestStopRuleOnPublishedTraces(t *testing.T) {
	bound := map[string]float64{"warm-up": 0.5, "autotune spikes": 0.5, "periodic stall": 0.4, "thermal drift": 3.5}
	rule := DefaultRule()
	rule.MinSeconds = 0
	for _, tr := range traces {
		sum := 0.0
		const runs = 200
		for seed := range uint64(runs) {
			var s Series
			for _, x := range tr.take(3000, seed) {
				s.Add(x)
				if rule.Judge(s.BriefSummary(), 0).Stop {
					break
				}
			}
			got := s.BriefSummary()
			if !got.IsSteady || s.Len() == 3000 {
				t.Fatalf("%s, seed %d: did not stop: %s", tr.name, seed, got.Why)
			}
			sum += 100 * max(got.Steady.Value/tr.mean-1, 1-got.Steady.Value/tr.mean)
		}
		if e := sum / runs; e > bound[tr.name] {
			t.Errorf("%s: error of the mean %.2f %%, want at most %v %%", tr.name, e, bound[tr.name])
		}
	}
}

func TestSpentUSD(t *testing.T) {
	if DefaultRule().SpentUSD(100) != nil {
		t.Error("money without a price")
	}
	if got := (Rule{USDPerHour: new(3.6), VMs: 2}).SpentUSD(100); got == nil || *got < 0.1999 || *got > 0.2001 {
		t.Errorf("100 s of two machines at 3.6 $/h cost %v", got)
	}
	if got := (Rule{USDPerHour: new(3.6)}).SpentUSD(100); got == nil || *got < 0.0999 || *got > 0.1001 {
		t.Errorf("100 s at $3.6/h cost %v", got)
	}
}

func TestSpend(t *testing.T) {
	r := DefaultRule()
	for _, c := range []struct {
		name      string
		rule      Rule
		probes    int
		low, high float64
	}{
		{"no caps", r, 3, 45, 1800},
		{"seconds", Rule{MinSeconds: 5, MaxSeconds: 60}, 3, 45, 180},
		{"a cap shorter than the least", Rule{MinSeconds: 5, MaxSeconds: 8}, 2, 16, 16},
		{"dollars", Rule{MinSeconds: 5, MaxUSD: 0.1, USDPerHour: new(3.6)}, 3, 45, 100},
		{"dollars for all together", Rule{MinSeconds: 5, MaxSeconds: 60, MaxUSD: 0.1, USDPerHour: new(3.6)}, 30, 100, 100},
		{"more dollars than seconds", Rule{MinSeconds: 5, MaxSeconds: 60, MaxUSD: 10, USDPerHour: new(3.6)}, 3, 45, 180},
		{"dollars without a price", Rule{MinSeconds: 5, MaxUSD: 0.1}, 1, 15, 600},
	} {
		if low, high := c.rule.Spend(c.probes); low != c.low || high != c.high {
			t.Errorf("%s: %v to %v s, want %v to %v", c.name, low, high, c.low, c.high)
		}
	}
}

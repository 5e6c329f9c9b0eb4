package serving

import (
	"strings"
	"testing"
)

func question() Question {
	return Question{
		Trace:    Poisson(7200, FlashCrowd{Base: 300, Factor: 4, AtS: 2400, RiseS: 60, HoldS: 600, DecayS: 300}.Rate, 3),
		Settings: Defaults(), MaxViolations: 0.01,
		Points: []BatchPoint{{1, 0.14, 0.16}, {2, 0.2, 0.24}, {3, 0.29, 0.3}, {6, 0.5, 0.6}, {12, 0.9, 1.1}},
		Memory: &Memory{FixedS: 0.05, ScalingS: 0.22, KneeGiB: 2, MinGiB: 0.5, MaxGiB: 3},
		Variants: Variants{List: []Variant{
			{"large", 0.82, 0.3, 2.8}, {"medium", 0.79, 0.2, 1.9}, {"small", 0.71, 0.1, 0.9}, {"dear", 0.6, 0.1, 4},
		}},
	}
}

func TestAdviseOnACrowd(t *testing.T) {
	q := question()
	a, err := Advise(q)
	if err != nil {
		t.Fatal(err)
	}
	pick := a.Outcomes[a.Pick]
	if !a.Keeps || !a.MixingPays || pick.Scheme != Paragon || a.VMsOnly != nil {
		t.Errorf("of a crowd: %+v", a)
	}
	for _, o := range a.Outcomes {
		if o.ViolationShare() <= q.MaxViolations && o.USD < pick.USD {
			t.Errorf("%s keeps the limit at $%g, the pick costs $%g", o.Scheme, o.USD, pick.USD)
		}
	}
	if want := pick.USD * 730 / 2; a.MonthlyUSD < want*0.9999 || a.MonthlyUSD > want*1.0001 {
		t.Errorf("$%g a month, want $%g", a.MonthlyUSD, want)
	}
	var slack []string
	for _, s := range a.Savings {
		slack = append(slack, string(s.Slack)+" "+s.Variant)
		if s.SavesUSD <= 0 || s.SavesUSD != a.MonthlyUSD-s.MonthlyUSD {
			t.Errorf("%+v against $%g", s, a.MonthlyUSD)
		}
	}
	if got := strings.Join(slack, ","); got != "latency ,latency ,latency ,accuracy medium,accuracy small" {
		t.Errorf("savings by %s", got)
	}
	all := strings.Join(a.Words, "\n")
	for _, words := range []string{"paragon: $", "mixing pays", "peak to median is",
		"strict limit of 750 ms instead of 500 ms", "small, accuracy 0.71"} {
		if !strings.Contains(all, words) {
			t.Errorf("%q is not in:\n%s", words, all)
		}
	}
}

func TestAdviseOnASteadyLoad(t *testing.T) {
	q := question()
	q.Trace, q.Points, q.Memory, q.Variants = Poisson(7200, Steady(300), 3), nil, nil, Variants{}
	a, err := Advise(q)
	if err != nil || a.MixingPays || a.VMsOnly == nil || !a.Keeps || a.Savings != nil {
		t.Errorf("%v: %+v", err, a)
	}
	for _, o := range a.Outcomes {
		if least := a.Outcomes[*a.VMsOnly]; o.OnFunctions.Total() == 0 && o.ViolationShare() <= q.MaxViolations &&
			o.USD < least.USD {
			t.Errorf("on VMs only %s costs $%g, %s $%g", least.Scheme, least.USD, o.Scheme, o.USD)
		}
	}
	q.Settings.VM.LatencyS, q.Settings.Function.Seconds = 1, 1
	a, err = Advise(q)
	if err != nil || a.Keeps || a.VMsOnly != nil || !strings.Contains(strings.Join(a.Words, "\n"), "no scheme keeps") {
		t.Errorf("where nothing is fast enough: %v: %+v", err, a)
	}
	if _, err := Advise(Question{}); err == nil {
		t.Error("advice about nothing")
	}
}

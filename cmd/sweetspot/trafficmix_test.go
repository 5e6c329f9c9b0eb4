package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/contract"
)

// mixed asks for two kinds of request of models that the built-in library has.
func mixed(t *testing.T, flags ...string) contract.Mix {
	t.Helper()
	text, _, err := execute(t, append([]string{"traffic", "mix", "--vm-price", "0.10", "--json"}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	var m contract.Mix
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Each kind gets a model within its limits, and the parts add up to the sums.
func TestTrafficMix(t *testing.T) {
	m := mixed(t, "--rate", "3000", "--hours", "0.2",
		"--query", "name=search,models=fashion-cnn+fashion-lenet,share=70%,slo=100ms",
		"--query", "name=review,models=fashion-cnn+fashion-cnn-wide,share=30%,slo=1s,min-accuracy=88%,"+
			"function-times=0.5:1.2s+1:600ms+2:310ms")
	if len(m.Kinds) != 2 || len(m.Schemes) != 5 || m.Saves == nil || *m.Saves < 0 {
		t.Fatalf("%+v", m)
	}
	requests, usd := 0, 0.0
	for _, k := range m.Kinds {
		requests, usd = requests+k.Requests, usd+k.CostUSD
		if k.VMLatencyS > k.LimitS || k.MinAccuracy != nil && (k.Accuracy == nil || *k.Accuracy < *k.MinAccuracy) {
			t.Errorf("%+v", k)
		}
	}
	if requests != m.Trace.Requests || math.Abs(float64(m.Kinds[0].Requests)/float64(requests)-0.7) > 1e-3 {
		t.Errorf("%d of %d requests, %d of the first kind", requests, m.Trace.Requests, m.Kinds[0].Requests)
	}
	for _, s := range m.Schemes {
		if s.Scheme == m.Pick && math.Abs(s.CostUSD-usd) > 1e-9 {
			t.Errorf("the kinds cost %g, %s %g", usd, s.Scheme, s.CostUSD)
		}
	}
	if s := m.Kinds[1].FunctionS; s < 0.6 || s > 1 || s == m.Kinds[0].FunctionS {
		t.Errorf("the measured function takes %g s", s)
	}
}

// Shares are those of the column model, whatever order the kinds are given in.
func TestTrafficMixOfANamedTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "named.csv")
	if err := os.WriteFile(path, []byte("second,requests,model\n0,30,a\n0,10,b\n5,30,a\n9,10,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, a := "name=b,models=fashion-cnn,slo=100ms", "name=a,models=fashion-lenet,slo=1s"
	m := mixed(t, "--trace", path, "--query", b, "--query", a)
	if m.Kinds[0].Requests != 20 || m.Kinds[1].Requests != 60 || m.Kinds[0].Share != 0.25 {
		t.Errorf("%+v", m.Kinds)
	}
	_, _, err := execute(t, "traffic", "mix", "--vm-price", "0.10", "--trace", path, "--query", a)
	if err == nil || !strings.Contains(err.Error(), `the model "b" too`) {
		t.Errorf("one kind is left out: %v", err)
	}
}

func TestTrafficMixRefuses(t *testing.T) {
	good := "name=a,models=fashion-cnn,slo=1s"
	for words, c := range map[string]struct {
		flags []string
		code  int
	}{
		"give --query":                 {nil, exitUsage},
		"it names no models":           {[]string{"--query", "slo=1s"}, exitUsage},
		"is not one of name, models":   {[]string{"--query", good + ",speed=1"}, exitUsage},
		"slo is given twice":           {[]string{"--query", good + ",slo=2s"}, exitUsage},
		"no field":                     {[]string{"--query", "fashion-cnn"}, exitUsage},
		"given twice: name each":       {[]string{"--query", good + ",share=50%", "--query", good + ",share=50%"}, exitUsage},
		"add up to 0.5":                {[]string{"--query", good + ",share=50%"}, exitUsage},
		"some have none":               {[]string{"--query", good + ",share=50%", "--query", "models=x"}, exitUsage},
		"give the share of each":       {[]string{"--query", good, "--query", "models=x"}, exitUsage},
		"not above zero":               {[]string{"--query", "models=x,slo=0s"}, exitUsage},
		"knee":                         {[]string{"--query", good + ",function-knee=99"}, exitUsage},
		"no time of a function":        {[]string{"--query", good + ",function-times=1+2"}, exitUsage},
		"leave them out":               {[]string{"--query", good + ",function-times=1:1s+2:1s,function-knee=2"}, exitUsage},
		"no inference run":             {[]string{"--query", "models=none"}, exitFailed},
		"accuracy rules out":           {[]string{"--query", good + ",min-accuracy=99%"}, exitInfeasible},
		"--rate describes a synthetic": {[]string{"--query", good, "--trace", "x.csv", "--rate", "3"}, exitUsage},
	} {
		_, _, err := execute(t, append([]string{"traffic", "mix", "--vm-price", "0.1", "--hours", "0.02"}, c.flags...)...)
		code := exitFailed
		if exit := (exitError{}); errors.As(err, &exit) {
			code = exit.code
		}
		if err == nil || !strings.Contains(err.Error(), words) || code != c.code {
			t.Errorf("%s: %v with code %d, not %d", words, err, code, c.code)
		}
	}
}

// The knee and the fixed share of a function are flags of traffic, too.
func TestTrafficFunctionFlags(t *testing.T) {
	memory := func(flags ...string) contract.Traffic {
		text, _, err := execute(t, append([]string{"traffic", "--hours", "0.02", "--json"}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		var got contract.Traffic
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	usual, late := memory(), memory("--function-knee", "4", "--function-fixed", "0%")
	at := func(m contract.Traffic, gib float64) float64 {
		for _, f := range m.Function {
			if f.MemoryGiB == gib {
				return f.Seconds
			}
		}
		return math.NaN()
	}
	if at(usual, 2) != at(usual, 4) || !(at(late, 4) < at(late, 2)) || math.Abs(at(late, 4)-0.35*1.5/4) > 1e-9 {
		t.Errorf("2 and 4 GiB take %g and %g s, with another knee %g and %g", at(usual, 2), at(usual, 4), at(late, 2),
			at(late, 4))
	}
	if got := memory("--function-times", "1:400ms,2:200ms,4:200ms"); math.Abs(at(got, 2)-0.2) > 1e-9 ||
		math.Abs(at(got, 1)-0.4) > 1e-9 {
		t.Errorf("measured times are %g and %g s", at(got, 1), at(got, 2))
	}
}

// Phases, a predictor and functions that are kept warm change what they are to change.
func TestTrafficChoices(t *testing.T) {
	ask := func(flags ...string) map[string]contract.TrafficScheme {
		text, _, err := execute(t, append([]string{"traffic", "--json", "--max-violations", "90%"}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		var got contract.Traffic
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Trace.PeriodS != 3600 {
			t.Errorf("%v lasts %d s", flags, got.Trace.PeriodS)
		}
		by := map[string]contract.TrafficScheme{}
		for _, s := range got.Schemes {
			by[s.Scheme] = s
		}
		return by
	}
	phases := []string{"--phases", "10,50,100,200", "--phase-length", "15m"}
	usual := ask(phases...)
	warm := ask(append(phases, "--prewarmed", "100")...)
	if w, u := warm["mixed"], usual["mixed"]; w.ColdStarts >= u.ColdStarts || w.Violations.All >= u.Violations.All ||
		w.Warming < 100 || warm["reactive"].CostUSD != usual["reactive"].CostUSD {
		t.Errorf("kept warm %+v, else %+v", w, u)
	}
	calm := ask(append(phases, "--predictor", "present")...)
	if calm["exascale"].CostUSD == usual["exascale"].CostUSD || calm["reactive"].CostUSD != usual["reactive"].CostUSD {
		t.Errorf("predictors change exascale from %g to %g", usual["exascale"].CostUSD, calm["exascale"].CostUSD)
	}
	for words, flags := range map[string][]string{
		"leave out --rate": append(phases, "--rate", "3"), "give some": {"--phase-length", "2h"},
		"from 0 to": {"--phases", "1,-3"}, "1 s at least": append(phases, "--phase-length", "0s"),
		"is not trend": {"--predictor", "magic"}, "kept warm": {"--prewarmed", "-1"},
		"window of the trend": {"--predictor-window", "1"},
	} {
		_, _, err := execute(t, append([]string{"traffic"}, flags...)...)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

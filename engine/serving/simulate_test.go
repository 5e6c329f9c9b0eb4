package serving

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyTrace draws small traces: calm, crowded, empty stretches and bursts.
func anyTrace(t *rapid.T, longest int) Trace {
	tr := make(Trace, rapid.IntRange(1, longest).Draw(t, "seconds"))
	level, left := 0, 0
	for i := range tr {
		if left == 0 {
			level = rapid.SampledFrom([]int{0, 1, 3, 7, 20}).Draw(t, "level")
			left = rapid.IntRange(1, 30).Draw(t, "stretch")
		}
		left--
		tr[i] = level
		if level > 0 && rapid.Bool().Draw(t, "noise") {
			tr[i] = rapid.IntRange(0, 2*level).Draw(t, "requests")
		}
	}
	return tr
}

// ms draws a time in whole milliseconds, as seconds.
func ms(t *rapid.T, least, most int, name string) float64 {
	return float64(rapid.IntRange(least, most).Draw(t, name)) / 1000
}

func anySettings(t *rapid.T) Settings {
	whole := func(least, most int, name string) int { return rapid.IntRange(least, most).Draw(t, name) }
	s := Settings{
		VM: VM{
			USDPerHour: 0.1, RequestsPerSecond: float64(whole(100, 9000, "per VM")) / 1000, LatencyS: ms(t, 0, 1500, "on a VM"),
			StartS: whole(0, 30, "start-up"), MinimumS: whole(0, 40, "minimum"), IncrementS: whole(0, 20, "increment"),
		},
		Function: Function{
			MemoryGiB: 1.5, Seconds: ms(t, 1, 2500, "on a function"), ColdStartS: ms(t, 0, 3000, "cold start"),
			ModelLoadS: ms(t, 0, 3000, "model load"), KeepAliveS: whole(0, 30, "keep-alive"),
			Prewarmed: whole(0, 3, "kept warm"), Prices: PublicPrices(),
		},
		StrictShare:  float64(whole(0, 10, "strict share")) / 10,
		StrictLimitS: ms(t, 1, 3000, "strict limit"), RelaxedLimitS: ms(t, 1, 20000, "relaxed limit"),
		MonitorS: whole(1, 12, "monitor"), CoolDownS: whole(1, 40, "cool-down"), DrainS: whole(1, 30, "drain"),
		MinVMs: whole(0, 2, "least VMs"), Utilisation: float64(whole(30, 100, "utilisation")) / 100,
		TrendS: whole(2, 20, "trend"), Headroom: float64(whole(0, 50, "headroom")) / 100,
		PeakWindowS: whole(1, 100, "peak window"), PeakToMedianAt: float64(whole(0, 30, "peak to median")) / 10,
	}
	s.Predictor = rapid.SampledFrom(append(Predictors, "")).Draw(t, "predictor")
	if rapid.Bool().Draw(t, "quota") {
		s.MaxVMs = s.MinVMs + whole(1, 4, "quota")
	}
	return s
}

func anyScheme(t *rapid.T) Scheme {
	return rapid.SampledFrom(append(Schemes(), FunctionsOnly)).Draw(t, "scheme")
}

// same compares outcomes of which a percentile may be unknown.
func same(a, b Outcome) bool {
	for _, p := range []*float64{&a.P50S, &b.P50S, &a.P99S, &b.P99S} {
		if math.IsNaN(*p) {
			*p = -1
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestSimulateEqualsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, s, scheme := anyTrace(t, 120), anySettings(t), anyScheme(t)
		fast, err := Simulate(tr, s, scheme)
		if err != nil {
			t.Fatal(err)
		}
		if want := simulateSlowly(tr, s, scheme); !same(fast, want) {
			t.Fatalf("fast and slow differ:\n%+v\n%+v", fast, want)
		}
	})
}

// Paragon that often changes its mind: strict requests wait, then pass by others
// that wait, then wait again, and instances stay warm in between.
func TestParagonThatWaversEqualsTheSlowOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, s := anyTrace(t, 120), anySettings(t)
		s.StrictShare = float64(rapid.IntRange(5, 10).Draw(t, "share")) / 10
		s.MonitorS, s.PeakWindowS = rapid.IntRange(1, 3).Draw(t, "bucket"), rapid.IntRange(1, 9).Draw(t, "window")
		s.PeakToMedianAt = float64(rapid.IntRange(10, 20).Draw(t, "threshold")) / 10
		s.MaxVMs = s.MinVMs + 1
		fast, err := Simulate(tr, s, Paragon)
		if want := simulateSlowly(tr, s, Paragon); err != nil || !same(fast, want) {
			t.Fatalf("fast and slow differ: %v\n%+v\n%+v", err, fast, want)
		}
	})
}

// Waits beyond an hour are counted by whole seconds; the slow simulator says so too.
func TestHoursOfWaiting(t *testing.T) {
	s := Defaults()
	s.VM.RequestsPerSecond, s.MaxVMs, s.RelaxedLimitS = 0.01, 1, 3600
	tr := append(Constant(30, 3), make(Trace, 9000)...)
	for _, scheme := range Schemes() {
		fast, err := Simulate(tr, s, scheme)
		if want := simulateSlowly(tr, s, scheme); err != nil || !same(fast, want) {
			t.Errorf("%s: %v\n%+v\n%+v", scheme, err, fast, want)
		}
		if scheme == Reactive && (fast.P99S < 3600 || fast.Queued.Total() != 0) {
			t.Errorf("p99 %g s, %d queued", fast.P99S, fast.Queued.Total())
		}
	}
}

func TestEveryRequestIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, s, scheme := anyTrace(t, 600), anySettings(t), anyScheme(t)
		o, err := Simulate(tr, s, scheme)
		if err != nil {
			t.Fatal(err)
		}
		if o.Requests.Total() != int64(tr.Requests()) {
			t.Fatalf("%d requests of %d", o.Requests.Total(), tr.Requests())
		}
		var ends Split
		for _, part := range []Split{o.OnVMs, o.OnFunctions, o.Queued} {
			if part.Strict < 0 || part.Relaxed < 0 {
				t.Fatalf("negative counts: %+v", o)
			}
			ends.add(part)
		}
		if ends != o.Requests {
			t.Fatalf("ends %+v, came %+v", ends, o.Requests)
		}
		if o.Violations.Strict > o.Requests.Strict || o.Violations.Relaxed > o.Requests.Relaxed ||
			o.ColdStarts > o.OnFunctions.Total() {
			t.Fatalf("counted twice: %+v", o)
		}
		if o.USD != o.VMUSD+o.FunctionUSD || o.VMUSD != float64(o.VMBilledSeconds)/3600*s.VM.USDPerHour {
			t.Fatalf("the cost is not the sum of its parts: %+v", o)
		}
		switch {
		case o.VMBilledSeconds < o.VMSeconds:
			t.Fatalf("lived %d VM-seconds, billed %d", o.VMSeconds, o.VMBilledSeconds)
		case s.VM.MinimumS <= 1 && s.VM.IncrementS <= 1 && o.VMBilledSeconds != o.VMSeconds:
			t.Fatalf("lived %d VM-seconds, billed %d by the second", o.VMSeconds, o.VMBilledSeconds)
		case !slices.Contains([]Scheme{Mixed, Paragon, FunctionsOnly}, scheme) && o.OnFunctions.Total() > 0,
			scheme == Paragon && o.OnFunctions.Relaxed > 0, scheme == Mixed && o.Queued.Total() > 0:
			t.Fatalf("not as the scheme says: %+v", o)
		}
	})
}

// A charge by the second without a minimum is what the VMs lived.
func TestBilledIsAliveByTheSecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, s := anyTrace(t, 600), anySettings(t)
		s.VM.MinimumS, s.VM.IncrementS = 0, 0
		o, err := Simulate(tr, s, anyScheme(t))
		if err != nil || o.VMBilledSeconds != o.VMSeconds {
			t.Fatalf("%v: lived %d VM-seconds, billed %d", err, o.VMSeconds, o.VMBilledSeconds)
		}
	})
}

func TestWatchAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, s := anyTrace(t, 300), anySettings(t)
		outcomes, spans, err := WatchAll(tr, s, rapid.IntRange(1, 50).Draw(t, "span"))
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Compare(tr, s)
		for i, o := range outcomes {
			addsUp(t, o, spans[i], len(tr))
			if !same(o, again[i]) {
				t.Fatalf("watching changes the outcome of %s", o.Scheme)
			}
		}
	})
}

// addsUp holds the spans of a simulation against its outcome.
func addsUp(t *rapid.T, o Outcome, spans []Span, length int) {
	var seconds int
	var requests, violations int64
	vmSeconds := 0.0 // of VMs that serve; those that start are paid for too
	for _, x := range spans {
		seconds += x.Seconds
		requests += x.Requests
		violations += x.Violations
		vmSeconds += x.Running * float64(x.Seconds)
	}
	// Requests that still wait at the end are noticed after the last second.
	if seconds != length || requests != o.Requests.Total() || violations > o.Violations.Total() ||
		o.Queued.Total() == 0 && violations != o.Violations.Total() {
		t.Fatalf("spans hold %d s, %d requests, %d violations; the outcome is %+v", seconds, requests, violations, o)
	}
	if vmSeconds > float64(o.VMSeconds)*(1+1e-6)+1e-6 || o.OnVMs.Total() > 0 && vmSeconds == 0 {
		t.Fatalf("spans hold %g VM-seconds; the outcome is %+v", vmSeconds, o)
	}
}

func TestSimulateRefuses(t *testing.T) {
	for name, change := range map[string]func(*Settings, *Trace, *Scheme){
		"no capacity":  func(s *Settings, _ *Trace, _ *Scheme) { s.VM.RequestsPerSecond = 0 },
		"NaN":          func(s *Settings, _ *Trace, _ *Scheme) { s.StrictShare = math.NaN() },
		"quota":        func(s *Settings, _ *Trace, _ *Scheme) { s.MinVMs, s.MaxVMs = 5, 4 },
		"no function":  func(s *Settings, _ *Trace, _ *Scheme) { s.Function.Seconds = 0 },
		"no trace":     func(_ *Settings, tr *Trace, _ *Scheme) { *tr = nil },
		"negative":     func(_ *Settings, tr *Trace, _ *Scheme) { *tr = Trace{-1} },
		"too many":     func(_ *Settings, tr *Trace, _ *Scheme) { *tr = Trace{MaxPerSecond + 1} },
		"other scheme": func(_ *Settings, _ *Trace, scheme *Scheme) { *scheme = "cocktail" },
	} {
		s, tr, scheme := Defaults(), Trace{1}, Reactive
		change(&s, &tr, &scheme)
		if o, err := Simulate(tr, s, scheme); err == nil {
			t.Errorf("%s: %+v", name, o)
		}
		if _, _, err := WatchAll(tr, s, 1); err == nil && scheme == Reactive {
			t.Errorf("%s: watched", name)
		}
	}
	if _, _, err := WatchAll(Trace{1}, Defaults(), 0); err == nil {
		t.Error("spans of 0 seconds")
	}
	if _, err := Compare(nil, Defaults()); err == nil {
		t.Error("compared nothing")
	}
}

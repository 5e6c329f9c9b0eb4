package report

import (
	"errors"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
)

// written is what people read of a probe.
func written(t *testing.T, p Probe) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b, "p.db"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// Two probes that differ by their variant or host alone do not read alike.
func TestHeadings(t *testing.T) {
	u := measured(t)
	u.Run.Variant = profile.Variant{Name: "pruned 30 %", Precision: "int8",
		Pruning: &profile.Pruning{Kind: "filters by L1 norm", Ratio: new(0.3)}}
	u.Machine.VM.InstanceType = "p3.2xlarge"
	rows := []matrix.Row{{Cell: matrix.Cell{Host: "me@vm1"}, State: matrix.Done, Update: u}}
	p := Row(rows, 0, nil, nil)
	wants(t, written(t, p), "net, train, batch 32, int8, pruned 30 % on me@vm1 (p3.2xlarge, V100-SXM2-16GB)\n")
	run := object(t, p)["run"].(map[string]any)
	pruning := run["pruning"].(map[string]any)
	if run["variant"] != "pruned 30 %" || pruning["ratio"] != 0.3 || pruning["kind"] != "filters by L1 norm" ||
		run["host"] != "me@vm1" {
		t.Errorf("%v, %v on %v", run["variant"], pruning, run["host"])
	}
	// A script only says by how much.
	u.Run.Variant.Name = ""
	wants(t, written(t, New(u, nil, nil)), "int8, pruned 30 % on p3.2xlarge (V100")
	u.Run.Variant = profile.Variant{}
	run = object(t, New(u, nil, nil))["run"].(map[string]any)
	if run["variant"] != "unchanged" || run["pruning"] != nil || run["host"] != nil {
		t.Errorf("%v, %v on %v", run["variant"], run["pruning"], run["host"])
	}
}

// The end is described by what is true of it, not by its kind alone. The words are
// those of the rule itself.
func TestEndings(t *testing.T) {
	rule := steady.DefaultRule()
	varying := steady.Summary{IsSteady: true, N: 11734, Total: 12000, Steady: estimate.Around(0.1, 0.0148,
		estimate.Measured), InterimHalfWidth: 0.148}
	hopeless := rule.Judge(varying, 1300)
	precise := rule.Judge(steady.Summary{IsSteady: true, N: 900, Total: 1000, Steady: estimate.Around(0.1, 0.0003,
		estimate.Measured), InterimHalfWidth: 0.003}, 100)
	drifting := rule.Judge(steady.Summary{IsSteady: true, N: 900, Total: 1000, Steady: estimate.Around(0.1, 0.0003,
		estimate.Measured), InterimHalfWidth: 0.003, Drift: 0.04}, 100)
	rule.MaxN = 30
	capped := rule.Judge(steady.Summary{Total: 30, Why: "30 iterations are too few"}, 5)
	lost := errors.New("the connection to vm was lost")
	for _, c := range []struct {
		name, reason, words string
		err                 error
		want, not           string
	}{
		{"gave up", hopeless.Reason, hopeless.Words, nil, "spent              10.0 s, $0.0085; ±14.8 % after 11734 " +
			"steady steps; they vary too much, ±2 % would take ", "cap"},
		{"capped", capped.Reason, capped.Words, nil, "; reached the cap of 30 steps", "at the cap"},
		{"an old cap", steady.Cap, "", nil, "; at the cap\n", "reached"},
		{"precise", precise.Reason, precise.Words, nil, "; precise enough\n", "after"},
		{"drifting", drifting.Reason, drifting.Words, nil, "; precise enough, drifting by +4.0 %\n", "after"},
		{"lost", session.Interrupted, "", lost, "; connection lost\n", "by you"},
		{"stopped", session.Interrupted, "", nil, "; stopped by you\n", "lost"},
		{"ended", session.End, "", nil, "; ran to its end\n", "stopped"},
		{"failed", "", "", errors.New("exit code 3"), "spent              10.0 s, $0.0085\n", ";"},
	} {
		u := measured(t)
		u.StoppedBecause, u.StoppedWords, u.Err = c.reason, c.words, c.err
		text := written(t, New(u, nil, nil))
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s (%q): want %q, not %q:\n%s", c.name, c.words, c.want, c.not, text)
		}
	}
}

// Why nothing became steady is said once.
func TestOneWordOfBeingUnsteady(t *testing.T) {
	u := measured(t)
	u.Summary = steady.Summarise([]float64{1, 2})
	rule := steady.DefaultRule()
	rule.MaxSeconds = 1
	v := rule.Judge(u.Summary, 2)
	u.StoppedBecause, u.StoppedWords = v.Reason, v.Words
	p := New(u, nil, nil)
	text := written(t, p)
	if len(p.Warnings) != 1 || strings.Count(text, u.Summary.Why) != 1 {
		t.Errorf("%q in\n%s", u.Summary.Why, text)
	}
	u.StoppedWords = ""
	wants(t, written(t, New(u, nil, nil)), "warning: not steady: "+u.Summary.Why)
}

// An estimate shows how sure it is, be its interval narrower than its digits.
func TestEstimatesShowTheirInterval(t *testing.T) {
	e := Epochs{Epochs: 5, Time: Seconds{101, 100.8, 101.2, "measured"}, Cost: &Dollars{0.0014, 0.00139, 0.00141,
		"measured"}}
	if got, want := e.line(), "  5 epochs           1 m 41 s ±0.2 %, $0.0014 ±0.7 %\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Time.Low, e.Time.High, e.Cost = 90, 112, nil
	if got, want := e.line(), "  5 epochs           1 m 41 s ±11 % (1 m 30 s … 1 m 52 s)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A time says which pauses are in it, or that nobody saw any.
func TestEstimatesSayWhatTheyHold(t *testing.T) {
	u := measured(t)
	without := New(u, []float64{5, 20}, nil)
	wants(t, written(t, without), "20 epochs ", "\n                     without checkpoints: not one epoch was seen "+
		"to its end\n")
	for i := range 2 {
		u.Run.Pauses = append(u.Run.Pauses, profile.Pause{AtS: 20 * float64(i+1), Seconds: 1.5, Kind: "check\x1b[2Jpoint",
			Iterations: new(100 * (i + 1))})
	}
	with := New(u, []float64{5, 20}, nil)
	wants(t, written(t, with), "with 5 checkpoints of 1.50 s\n", "with 20 checkpoints of 1.50 s\n")
	if got, want := with.Estimates[1].Time.S-without.Estimates[1].Time.S, 20*1.5; got < want-1e-6 || got > want+1e-6 {
		t.Errorf("twenty checkpoints take %g s", got)
	}
	if why := object(t, with)["estimates"].([]any)[0].(map[string]any)["why"]; why != "with 5 checkpoints of 1.50 s" {
		t.Errorf("why %v", why)
	}
}

// Repeats that agree within their own errors do not show a spread of 0.
func TestRepeatsThatAgree(t *testing.T) {
	row := func(repeat int, mean, half float64) matrix.Row {
		u := measured(t)
		u.Summary.Steady = estimate.Around(mean, half, estimate.Measured)
		return matrix.Row{Cell: matrix.Cell{Repeat: repeat}, State: matrix.Done, Update: u}
	}
	rows := []matrix.Row{row(0, 3.22e-3, 0.25e-3), row(1, 3.15e-3, 0.25e-3)}
	p := Row(rows, 1, nil, nil)
	wants(t, written(t, p), "fresh processes    3.19 ms", "over 2; no more spread between than within, standard "+
		"deviation 152 µs\n")
	if between, ok := object(t, p)["run"].(map[string]any)["processes"].(map[string]any)["between_s"]; !ok ||
		between != nil {
		t.Errorf("between_s is %v", between)
	}
	rows[1] = row(1, 4.22e-3, 0.25e-3)
	wants(t, written(t, Row(rows, 1, nil, nil)), "standard deviation 691 µs between, 152 µs within")
}

package session

import (
	"fmt"
	"strings"
	"testing"

	"sweetspot/engine/steady"
)

// A precise probe goes on to the end of the first epoch where that is near, and sees the
// validation there; to that of the training likewise.
func TestGoesOnToTheEndOfAnEpoch(t *testing.T) {
	const epochs = `echo '{"sweetspot":1,"event":"model","iterations_per_epoch":%d,"epochs":%d}' >&3
		e=0; while [ $e -lt %[2]d ]; do
			for i in $(seq %[1]d); do echo '{"sweetspot":1,"event":"iteration","epoch":'$e',"seconds":0.5}' >&3; done
			sleep 0.3; echo '{"sweetspot":1,"event":"validation","epoch":'$e',"seconds":0.3}' >&3
			e=$((e+1))
		done`
	for name, test := range map[string]struct {
		perEpoch, epochs int
		refine           float64
		because          string
		validated, ended bool
	}{
		"near":                      {35, 1000, 30, steady.Precise, true, false},
		"far":                       {100000, 2, 30, steady.Precise, false, false},
		"further than was measured": {60, 1000, 30, steady.Precise, false, false},
		"the training":              {15, 2, 30, End, true, true},
		"not at all":                {35, 1000, 0, steady.Precise, false, false},
	} {
		o := shell(openStore(t), fmt.Sprintf(epochs, test.perEpoch, test.epochs))
		o.Hooked, o.Rule.RefineSeconds = true, test.refine
		p := start(t, o)
		waited := false
		for u := range p.Updates() {
			waited = waited || strings.Contains(u.Verdict.Words, "goes on to the end of")
		}
		u := p.Wait()
		if u.StoppedBecause != test.because || (len(u.Run.Validations) > 0) != test.validated || test.validated && !waited ||
			(u.Run.TotalS != nil) != test.ended {
			t.Errorf("%s: because %q (%s) after %d steps, %d validations, waited: %t, total %v", name, u.StoppedBecause,
				u.StoppedWords, len(u.Seconds), len(u.Run.Validations), waited, u.Run.TotalS)
		}
	}
}

// A cap ends a probe that waits, too.
func TestCapsHoldWhileWaitingForAnEnd(t *testing.T) {
	for name, cap := range map[string]func(*steady.Rule){
		"seconds": func(r *steady.Rule) { r.MaxSeconds = 1 },
		"steps":   func(r *steady.Rule) { r.MaxN = 100 },
		"dollars": func(r *steady.Rule) { r.MaxUSD, r.USDPerHour = 0.001, new(3.6) },
	} {
		o := shell(openStore(t), `echo '{"sweetspot":1,"event":"model","iterations_per_epoch":40,"epochs":9}' >&3
			while :; do echo '{"sweetspot":1,"event":"iteration","epoch":0,"seconds":0.05}' >&3; sleep 0.005; done`)
		o.Hooked, o.Rule.MinSeconds = true, 1
		cap(&o.Rule)
		p, waited := start(t, o), false
		for u := range p.Updates() {
			waited = waited || strings.Contains(u.Verdict.Words, "goes on to the end of")
		}
		if u := p.Wait(); u.StoppedBecause != steady.Cap || !waited || u.SpentS > 10 {
			t.Errorf("%s: because %q (%s) after %g s, waited: %t", name, u.StoppedBecause, u.StoppedWords, u.SpentS, waited)
		}
	}
}

// It does not wait for long where that end does not come.
func TestWaitsForAnEndOnlySoLong(t *testing.T) {
	o := shell(openStore(t), `echo '{"sweetspot":1,"event":"model","iterations_per_epoch":40,"epochs":9}' >&3
		while :; do echo '{"sweetspot":1,"event":"iteration","epoch":0,"seconds":0.05}' >&3; sleep 0.005; done`)
	o.Hooked, o.Rule.RefineSeconds, o.Rule.MinSeconds = true, 1, 1
	u := start(t, o).Wait()
	if u.StoppedBecause != steady.Precise || u.SpentS < 2 || len(u.Seconds) < 40 ||
		strings.Contains(u.StoppedWords, "goes on") {
		t.Errorf("because %q (%s) after %d steps in %g s", u.StoppedBecause, u.StoppedWords, len(u.Seconds), u.SpentS)
	}
}

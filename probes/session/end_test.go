package session

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

// The script would go on for ever; the rule ends it, and its own complaint
// about the signal is no failure.
func TestStopsWhenPrecise(t *testing.T) {
	s := openStore(t)
	p := start(t, shell(s, `while :; do echo '{"sweetspot":1,"event":"iteration","seconds":0.5}'; sleep 0.005; done`))
	u := p.Wait()
	if u.Err != nil || u.StoppedBecause != steady.Precise || u.Run.Status != profile.Done || *u.ScriptExit == 0 {
		t.Errorf("%+v", u)
	}
	if n := len(u.Seconds); n < 21 || n > 5000 {
		t.Errorf("%d iterations", n)
	}
	if r := saved(t, s, u.Run.ID); r.Status != profile.Done || r.Steady.Value != 0.5 {
		t.Errorf("saved %+v", r)
	}
}

func TestCaps(t *testing.T) {
	s := openStore(t)
	noisy := `i=0; while :; do i=$((i+1)); echo ` +
		`"{\"sweetspot\":1,\"event\":\"iteration\",\"seconds\":0.$((i*7919%97+1))}"; sleep 0.003; done`
	steps, seconds, dollars := shell(s, noisy), shell(s, "sleep 100"), shell(s, noisy)
	steps.Rule.MaxN = 30
	seconds.Rule.MaxSeconds = 0.3
	dollars.Rule.MaxUSD, dollars.Rule.USDPerHour = 0.0001, new(3600.0)
	if u := start(t, seconds).Wait(); u.StoppedBecause != steady.Cap || u.Run.Status != profile.Failed || u.Err == nil ||
		u.SpentS > 50 {
		t.Errorf("nothing before the cap: because %q, %s, %v", u.StoppedBecause, u.Run.Status, u.Err)
	}
	for name, o := range map[string]Options{"steps": steps, "dollars": dollars} {
		u := start(t, o).Wait()
		if u.Err != nil || u.StoppedBecause != steady.Cap || !u.Verdict.Stop || u.SpentS > 50 {
			t.Errorf("%s: because %q, %v, %+v after %v s", name, u.StoppedBecause, u.Err, u.Verdict, u.SpentS)
		}
	}
}

func TestKeepRunning(t *testing.T) {
	o := shell(openStore(t), fmt.Sprintf(steps, 200, "")+`; sleep 0.1`)
	o.KeepRunning = true
	u := start(t, o).Wait()
	if u.StoppedBecause != End || len(u.Seconds) != 200 {
		t.Errorf("%q after %d of 200", u.StoppedBecause, len(u.Seconds))
	}
}

func TestUserStopsAndCancels(t *testing.T) {
	s := openStore(t)
	const endless = `while :; do echo '{"sweetspot":1,"event":"iteration","seconds":0.5}'; sleep 0.2; done`
	p := start(t, shell(s, endless))
	for u := range p.Updates() {
		if len(u.Seconds) > 0 {
			p.Stop()
			p.Stop()
			break
		}
	}
	u := p.Wait()
	if u.Err != nil || u.StoppedBecause != Interrupted || saved(t, s, u.Run.ID).Status != profile.Interrupted {
		t.Errorf("stopped: %+v", u)
	}
	p = start(t, shell(s, endless))
	p.Cancel()
	u = p.Wait()
	p.Cancel() // after the end it does nothing
	set, err := s.Load(t.Context())
	if err != nil || len(set.Runs) != 1 || u.Err != nil {
		t.Errorf("cancelled: %d runs left, %v, %v", len(set.Runs), err, u.Err)
	}
}

// A process that takes no hint is waited for until somebody asks again.
func TestAStopAskedAgainWaitsForNoStep(t *testing.T) {
	s := openStore(t)
	p := start(t, shell(s, `trap "" INT TERM; `+fmt.Sprintf(steps, 10, "")+`; while :; do sleep 1; done`))
	for u := range p.Updates() {
		if len(u.Seconds) == 10 {
			break
		}
	}
	p.Stop()
	p.Stop()
	select {
	case <-p.ended:
	case <-time.After(leastGrace): // between one signal and the next
		t.Fatal("it waits as long as for a step")
	}
	if u := p.Wait(); u.Run.Status != profile.Interrupted || len(u.Seconds) != 10 || u.Err != nil {
		t.Errorf("%s with %d iterations, %v", u.Run.Status, len(u.Seconds), u.Err)
	}
}

func TestContextEnds(t *testing.T) {
	s := openStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, err := Start(ctx, shell(s, fmt.Sprintf(steps, 10, "")+"; sleep 100"))
	if err != nil {
		t.Fatal(err)
	}
	for u := range p.Updates() {
		if len(u.Seconds) == 10 {
			cancel()
		}
	}
	u := p.Wait()
	its, err := s.Iterations(t.Context(), u.Run.ID)
	if u.StoppedBecause != Interrupted || err != nil || len(its) != 10 {
		t.Errorf("%q, %d saved, %v", u.StoppedBecause, len(its), err)
	}
}

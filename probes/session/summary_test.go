package session

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

// The script runs on for a step or more before it obeys. If these steps are
// unlike the others the series as a whole is not steady any more; the answer
// stays the one the probe was stopped for.
func TestLateStepsDoNotUnmakeTheAnswer(t *testing.T) {
	p := newState(Options{}, 1)
	for range 61 {
		p.series.Add(0.1)
	}
	p.decided = p.series.Len()
	for range 45 {
		p.series.Add(0.2)
	}
	if p.series.Summary().IsSteady {
		t.Fatal("the whole series is steady: this test proves nothing")
	}
	s := p.update().Summary
	if !s.IsSteady || s.N != 60 || s.Steady.Value != 0.1 {
		t.Errorf("summary %+v", s)
	}
	if p.decided = 0; p.update().Summary.IsSteady {
		t.Error("steady without a verdict")
	}
}

// Two CPU packages of 50 W each work at 32 units every 50 ms. Their readings come
// as a script may send them; of a run on a GPU they are kept, and not its energy.
func TestEnergyOfCPUs(t *testing.T) {
	const script = `awk 'BEGIN { for (i = 0; i < 200; i++) { t = (i+1)/20
		printf "{\"sweetspot\":1,\"event\":\"iteration\",\"t\":%g,\"index\":%d,\"seconds\":0.05,\"units\":32}\n", t, i
		for (p = 0; p < 2 && i % 20 == 0; p++)
			printf "{\"sweetspot\":1,\"event\":\"telemetry\",\"t\":%g,\"cpu\":true,\"gpu\":%d,\"energy_j\":%g}\n", t, p, 7 + 50*t } }' >&3`
	s := openStore(t)
	u := start(t, shell(s, script)).Wait()
	for _, r := range []profile.Run{u.Run, saved(t, s, u.Run.ID)} {
		if r.EnergyOf != profile.EnergyOfCPUs || r.AveragePowerW == nil || math.Abs(*r.AveragePowerW-100) > 1e-6 ||
			math.Abs(*r.EnergyJPerUnit-5./32) > 1e-9 {
			t.Errorf("%s: %v W, %v J a unit", r.EnergyOf, r.AveragePowerW, r.EnergyJPerUnit)
		}
	}
	if len(u.Telemetry) != 0 {
		t.Errorf("readings of GPUs: %+v", u.Telemetry)
	}
	u = start(t, shell(s, model+script)).Wait()
	if r := u.Run; r.GPUCount != 1 || r.EnergyOf != "" || r.AveragePowerW != nil || r.EnergyJPerUnit != nil {
		t.Errorf("on a GPU: %+v", r)
	}
}

// Other work there may have taken what a step was active, and no more. Pauses between the steps
// don't hide it, and what went on before the first step does not count.
func TestOtherWorkWidensTheInterval(t *testing.T) {
	const script = `awk 'BEGIN { for (i = 0; i < 200; i++) {
		printf "{\"sweetspot\":1,\"event\":\"iteration\",\"t\":%g,\"index\":%d,\"seconds\":0.05,\"units\":32}\n", 2+i*every, i
		if (i % 20 == 0)
			printf "{\"sweetspot\":1,\"event\":\"load\",\"t\":%g,\"seconds\":1,\"others\":0.6,\"idle\":0,\"active\":%g}\n",
				2+i*every, i == 0 ? 1 : active } }' `
	s := openStore(t)
	for args, low := range map[string]float64{
		"every=0.05 active=0.9":  0.02, // what the others took
		"every=0.05 active=0.2":  0.04,
		"every=0.1 active=0.2":   0.03, // all of it in the steps
		"every=0.05 active=0.01": 0.05,
	} {
		u := start(t, shell(s, strings.Replace(script, "BEGIN {", "BEGIN { "+strings.Replace(args, " ", "; ", 1)+";", 1)+
			">&3")).Wait()
		r := saved(t, s, u.Run.ID)
		if math.Abs(r.Steady.Low-low) > 1e-4 || math.Abs(r.Steady.Value-0.05) > 1e-9 {
			t.Errorf("%s: %+v, want low %g", args, r.Steady, low)
		}
		if said := strings.Contains(strings.Join(u.Warnings, "\n"), "other programs used 60.0 %"); said != (low < 0.05) {
			t.Errorf("%s: warnings %q", args, u.Warnings)
		}
	}
}

// Of a long list the last entries are kept, and what was handed out stays.
func TestPushKeepsTheLast(t *testing.T) {
	var list []int
	var handed [][]int
	for i := range 50 {
		list = push(list, i, 5)
		if last := tail(list, 5); len(last) != min(i+1, 5) || last[len(last)-1] != i || len(list) > 10 {
			t.Fatalf("after %d of %d kept the last are %v", i, len(list), last)
		}
		handed = append(handed, tail(list, 5))
	}
	for i, last := range handed {
		for k, v := range last {
			if want := i - len(last) + 1 + k; v != want {
				t.Fatalf("what was handed out after %d is now %v", i, last)
			}
		}
	}
}

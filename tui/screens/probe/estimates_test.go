package probe

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/probes/session"
)

func TestUnknownIsNotZero(t *testing.T) {
	s := started(t)
	u := measured(150)
	u.Run.USDPerHour, u.SpentUSD, u.Telemetry, u.MemoryBytes, u.MemoryTotalBytes = nil, nil, nil, nil, nil
	u.Run.IterationsPerEpoch = nil
	s.Update(one(u))
	got := exact(t, s)
	for _, not := range []string{"$0 ", "epochs", "mem", "W "} {
		if strings.Contains(got, not) {
			t.Errorf("%q is shown although it is unknown:\n%s", not, got)
		}
	}
	if !strings.Contains(got, "no GPU telemetry") || !strings.Contains(got, "iterations") {
		t.Errorf("lacks what is known:\n%s", got)
	}
}

func TestEstimatesAgreeWithTheRun(t *testing.T) {
	u := measured(200)
	what, lines := estimateLines(u, 10, false)
	if what != "epochs" || len(lines) != 3 || lines[1].length != 10 {
		t.Fatalf("%s %+v", what, lines)
	}
	steadySeconds := u.Summary.Steady.Value * (391*10 - 1)
	oneOff := 3.9 + u.Summary.First + u.Summary.WarmupExtra
	if got := lines[1].time.Value; math.Abs(got-steadySeconds-oneOff) > 1e-6 {
		t.Errorf("ten epochs take %.3f s, want %.3f", got, steadySeconds+oneOff)
	}
	if got, want := lines[1].cost.Value, lines[1].time.Value*1.006/3600; math.Abs(got-want) > 1e-9 {
		t.Errorf("cost %v, want %v", got, want)
	}
	u.Run.Mode = profile.Infer
	what, lines = estimateLines(u, 1, false)
	if what != "images" || lines[2].length != 1e6 || !lines[2].time.Known() {
		t.Errorf("inference: %s %+v", what, lines)
	}
	if _, lines := estimateLines(session.Update{}, 1, false); lines != nil {
		t.Errorf("an estimate of nothing: %+v", lines)
	}
}

func TestTimesSayThatTheyLeaveValidationOut(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	u := measured(200)
	u.Run.Mode, u.Run.IterationsPerEpoch, u.Run.FirstValidationS, u.Run.ValidationS = profile.Train, new(100.0), nil, nil
	s.Update(one(u))
	if got := exact(t, s); !strings.Contains(got, "without validation") {
		t.Errorf("no validation was measured, and nothing says so:\n%s", got)
	}
	u.Seq++
	u.Run.FirstValidationS = new(2.0)
	s.Update(one(u))
	if got := exact(t, s); strings.Contains(got, "without validation") {
		t.Errorf("a validation was measured:\n%s", got)
	}
}

// What a script was seen to pause for is in the times and named; of one that
// was not seen to, that is said. A model that we train writes nothing.
func TestTimesSayWhichPausesTheyHold(t *testing.T) {
	s := idle()
	s.SetSize(120, 38)
	u := measured(200)
	u.Run.SteadyN = u.Summary.N
	s.Update(one(u))
	if got := exact(t, s); strings.Contains(got, "checkpoint") {
		t.Errorf("of a model:\n%s", got)
	}
	s.form.Command = []string{"python3", "train.py"}
	u.Seq++
	s.Update(one(u))
	if got := exact(t, s); !strings.Contains(got, "without checkpoints: not one epoch was") {
		t.Errorf("of a script:\n%s", got)
	}
	_, before := estimateLines(u, 10, true)
	u.Seq++
	u.Run.Pauses = []profile.Pause{{AtS: 30, Seconds: 2, Kind: "checkpoint", Iterations: new(391)},
		{AtS: 60, Seconds: 2, Kind: "checkpoint", Iterations: new(782)}}
	s.Update(one(u))
	if got := exact(t, s); !strings.Contains(got, "epochs with ") || !strings.Contains(got, "checkpoints of 2.00 s") {
		t.Errorf("of a script with checkpoints:\n%s", got)
	}
	_, after := estimateLines(u, 10, true)
	for i := range after {
		if d := after[i].time.Value - before[i].time.Value; math.Abs(d-2*after[i].length) > 1e-6 {
			t.Errorf("the checkpoints of %g epochs take %g s", after[i].length, d)
		}
	}
}

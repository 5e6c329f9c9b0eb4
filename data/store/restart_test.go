package store

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// A run that is recorded again is as one recorded once: nothing of the first
// time is left in it, and its number stays.
func TestRestart(t *testing.T) {
	s := openTemp(t)
	d := description()
	d.StartedAt = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	d.Address, d.Spool, d.Series, d.Repeat = "me@vm:2222", "0123456789abcdef", 7, 2
	d.Count, d.WorldSize = 2, new(4)
	batch := func(n int) Batch {
		return Batch{
			Iterations: series(n), Validations: []profile.Validation{{Seconds: 2, Metric: "top1", Value: new(0.5),
				HigherIsBetter: true}},
			Pauses: []profile.Pause{{AtS: 1, Seconds: 2, Kind: "checkpoint"}}, Memory: []Memory{{1, 2, 3}},
			Telemetry: []Telemetry{{T: 1, Watts: new(300.0)}},
			Layers:    []Layer{{"conv1", "Conv2d", 0.5}}, Log: []LogLine{{1, "warning", "careful"}, {2, "out", "hello"},
				{3, "warning", "careful"}}, InitS: new(4.0),
		}
	}
	end := Finish{
		StoppedBecause: "interrupted", StoppedWords: "the connection was lost", ScriptExit: new(255), RejectedLines: 3,
		SpentS: 60, SpentUSD: new(0.1), InputWait: new(0.4),
		Run: profile.Run{
			Status: profile.Interrupted, FirstIterationS: new(9.0),
			Steady: estimate.Spread(0.5, 0.1, estimate.Measured), SteadyN: 9,
			TotalS: new(60.0), PeakMemoryBytes: new(8.0),
			EnergyJPerUnit: new(5.0), AveragePowerW: new(100.0), EnergyOf: profile.EnergyOfGPUs,
			Accuracy: &profile.Accuracy{Metric: "top1", Value: 0.5, HigherIsBetter: true, Basis: estimate.Measured},
		},
	}
	first, err := s.Start(t.Context(), d)
	must(t, err)
	must(t, first.Append(t.Context(), batch(50)))
	if _, err := s.Restart(t.Context(), first.ID()); err == nil ||
		!strings.Contains(err.Error(), "being recorded by another") {
		t.Errorf("taken from its recorder: %v", err)
	}
	must(t, first.Finish(t.Context(), end))
	r, err := s.Record(t.Context(), first.ID())
	must(t, err)
	if !reflect.DeepEqual(r.Description, d) {
		t.Errorf("described as %+v,\nwas %+v", r.Description, d)
	}
	if r.StoppedWords != end.StoppedWords || *r.SpentS != 60 || *r.ScriptExit != 255 || r.RejectedLines != 3 ||
		*r.InputWait != 0.4 ||
		len(r.Layers) != 1 || !reflect.DeepEqual(r.Warnings, []string{"careful"}) {
		t.Errorf("%+v", r)
	}
	if r := loadSet(t, s).Runs[0]; *r.EnergyJPerUnit != 5 || *r.AveragePowerW != 100 ||
		r.EnergyOf != profile.EnergyOfGPUs {
		t.Errorf("energy of %+v", r)
	}

	again, err := s.Restart(t.Context(), first.ID())
	must(t, err)
	if again.ID() != first.ID() {
		t.Errorf("run %d became %d", first.ID(), again.ID())
	}
	if r, err = s.Record(t.Context(), first.ID()); err != nil || r.Status != profile.Running || r.SpentS != nil ||
		r.ScriptExit != nil || r.Layers != nil || r.Warnings != nil {
		t.Errorf("emptied, %+v, %v", r, err)
	}
	must(t, again.Append(t.Context(), batch(20)))
	must(t, again.Finish(t.Context(), Finish{Run: profile.Run{Status: profile.Done}, SpentS: 20}))

	other := openTemp(t)
	once, err := other.Start(t.Context(), d)
	must(t, err)
	must(t, once.Append(t.Context(), batch(20)))
	must(t, once.Finish(t.Context(), Finish{Run: profile.Run{Status: profile.Done}, SpentS: 20}))
	got, want := loadSet(t, s).Runs, loadSet(t, other).Runs
	if !reflect.DeepEqual(got, want) {
		t.Errorf("recorded again %+v,\nonce %+v", got, want)
	}
	its, err := s.Iterations(t.Context(), first.ID())
	if err != nil || len(its) != 20 {
		t.Errorf("%d iterations, %v", len(its), err)
	}
	if _, err := s.Restart(t.Context(), 99); err == nil || !strings.Contains(err.Error(), "there is no run 99") {
		t.Errorf("a run that is not there: %v", err)
	}
}

// A run that waits in a queue is not interrupted, however long nobody writes of it; one that began and fell silent is.
func TestQueuedIsNotInterrupted(t *testing.T) {
	s := openTemp(t)
	status := func(spool string, batches ...Batch) profile.Status {
		t.Helper()
		now := time.Now()
		d := description()
		d.Spool = spool
		r, err := s.Start(t.Context(), d)
		must(t, err)
		for _, b := range batches {
			must(t, r.Append(t.Context(), b))
		}
		s.nowFunc = func() time.Time { return now.Add(time.Hour) }
		defer func() { s.nowFunc = time.Now }()
		runs := loadSet(t, s).Runs
		return runs[len(runs)-1].Status
	}
	if got := status("0123456789abcdef"); got != profile.Running {
		t.Errorf("a queued run is %s", got)
	}
	if got := status("0123456789abcdee", Batch{Iterations: series(3)}); got != profile.Interrupted {
		t.Errorf("one that fell silent is %s", got)
	}
	if got := status(""); got != profile.Interrupted {
		t.Errorf("one of this machine that fell silent is %s", got)
	}
}

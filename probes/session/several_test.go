package session

import (
	"context"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

// twice is a command that trains 30 steps and then 40 others, in another process.
const twice = `
event() { echo "{\"sweetspot\":1,\"event\":$1}" >&3; }
event '"training","t":0.1,"number":0,"script":"nets/first.py"'
event '"model","batch_size":8,"iterations_per_epoch":10,"epochs":3'
i=0; while [ $i -lt 30 ]; do event '"iteration","seconds":0.01,"units":8'; i=$((i+1)); done
sleep 0.6
event '"training","t":0.2,"number":1,"script":"nets/second.py"'
event '"training","t":0.2,"number":1,"script":"nets/second.py"'
event '"model","batch_size":4,"steps":40'
i=0; while [ $i -lt 40 ]; do event '"iteration","seconds":0.02,"units":4'; i=$((i+1)); done
`

// named names a model after its script.
func named(_ context.Context, script string, _ bool) (profile.Model, bool) {
	name, ok := strings.CutSuffix(script, ".py")
	return profile.Model{Name: name, SourceFile: script}, ok
}

func TestEachTrainingOfACommandIsARun(t *testing.T) {
	s := openStore(t)
	o := shell(s, twice)
	o.Hooked, o.KeepRunning, o.NameAfter = true, true, named
	u := start(t, o).Wait()
	if u.Err != nil || len(u.Earlier) != 1 || u.Run.Model != "nets/second" || len(u.Seconds) != 40 {
		t.Fatalf("%v, %d before, %s with %d steps", u.Err, len(u.Earlier), u.Run.Model, len(u.Seconds))
	}
	first, second := saved(t, s, u.Earlier[0].Run.ID), saved(t, s, u.Run.ID)
	if first.Model != "nets/first" || first.Status != profile.Done || *first.Epochs != 3 || first.BatchSize != 8 ||
		*first.TotalS < 0.35 || *first.TotalS > u.SpentS+u.Earlier[0].SpentS {
		t.Errorf("first %+v", first)
	}
	if second.Model != "nets/second" || second.Status != profile.Done || *second.Steps != 40 || second.BatchSize != 4 ||
		*second.TotalS < 0.2 {
		t.Errorf("second %+v", second)
	}
	for id, n := range map[int64]int{first.ID: 30, second.ID: 40} {
		if its, err := s.Iterations(t.Context(), id); err != nil || len(its) != n {
			t.Errorf("run %d has %d steps, %v", id, len(its), err)
		}
	}
	if !strings.Contains(strings.Join(u.Warnings, "\n"), "the command trained before: that is run 1, nets/first") {
		t.Errorf("warnings %q", u.Warnings)
	}
}

// A probe that has ended records nothing more, whatever still begins to train.
func TestWhatTrainsAfterTheStopIsNotRecorded(t *testing.T) {
	s := openStore(t)
	o := shell(s, "trap '' INT TERM\n"+twice)
	o.Hooked, o.NameAfter = true, named
	o.Rule.MaxN = 20
	u := start(t, o).Wait()
	set, err := s.Load(t.Context())
	if err != nil || u.Err != nil || len(set.Runs) != 1 || u.Run.Model != "nets/first" || len(u.Seconds) != 30 {
		t.Errorf("%d runs, %s with %d steps, %v, %v", len(set.Runs), u.Run.Model, len(u.Seconds), u.Err, err)
	}
}

func TestCancellingDeletesEveryTraining(t *testing.T) {
	s := openStore(t)
	o := shell(s, twice+"sleep 60")
	o.Hooked, o.KeepRunning, o.NameAfter = true, true, named
	p := start(t, o)
	for u := range p.Updates() {
		if len(u.Earlier) > 0 {
			go p.Cancel()
			break
		}
	}
	p.Wait()
	if set, err := s.Load(t.Context()); err != nil || len(set.Runs) != 0 {
		t.Errorf("%d runs are left, %v", len(set.Runs), err)
	}
}

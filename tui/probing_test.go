package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/probes/matrix"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
)

// leavable is a probe that goes on without the program.
type leavable struct {
	fakeProbe
	left bool
}

func (p *leavable) Leave() { p.left = true }

// probingWith is the program while p runs.
func probingWith(t *testing.T, p probe.Probe, updates chan matrix.Update) *driver {
	t.Helper()
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.prober = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
		return p, nil
	}
	updates <- update(1, 0.1, false)
	d.press("2", "p")
	if d.probe().Status() == "" {
		t.Fatalf("nothing runs:\n%s", d.screen())
	}
	return d
}

func TestAProbeThatGoesOnByItselfCanBeLeft(t *testing.T) {
	p := &leavable{fakeProbe: fakeProbe{updates: make(chan matrix.Update, 4)}}
	d := probingWith(t, p, p.updates)
	d.press("q")
	if s := d.screen(); !strings.Contains(s, "detach") || !strings.Contains(s, "sweetspot attach") {
		t.Fatalf("leaving is not offered:\n%s", s)
	}
	d.press("l")
	if !p.left || p.stopped || p.canceled {
		t.Errorf("left %v, stopped %v, cancelled %v", p.left, p.stopped, p.canceled)
	}
	d.app.End(false)
	if p.stopped || !strings.Contains(d.app.Farewell(), "sweetspot attach") {
		t.Errorf("stopped %v, farewell %q", p.stopped, d.app.Farewell())
	}
}

func TestOnlyWhatGoesOnByItselfCanBeLeft(t *testing.T) {
	p := &fakeProbe{updates: make(chan matrix.Update, 4)}
	d := probingWith(t, p, p.updates)
	d.press("q")
	if s := d.screen(); strings.Contains(s, "detach") {
		t.Errorf("leaving is offered:\n%s", s)
	}
}

func TestALostTerminalLeavesOrStops(t *testing.T) {
	for name, lost := range map[string]bool{"hang-up": true, "other end": false} {
		p := &leavable{fakeProbe: fakeProbe{updates: make(chan matrix.Update, 4)}}
		d := probingWith(t, p, p.updates)
		close(p.updates)
		d.app.End(lost)
		if p.left != lost || p.stopped == lost {
			t.Errorf("%s: left %v, stopped %v", name, p.left, p.stopped)
		}
	}
	p := &fakeProbe{updates: make(chan matrix.Update, 4)}
	d := probingWith(t, p, p.updates)
	close(p.updates)
	if d.app.End(true); !p.stopped || d.app.Farewell() != "" {
		t.Error("a probe that can't be left was not stopped when the terminal was lost")
	}
}

// A start that is under way when the program ends is given up, and what came
// of it nevertheless is stopped.
func TestAStartUnderWayDoesNotOutliveTheProgram(t *testing.T) {
	p := &fakeProbe{updates: make(chan matrix.Update)}
	close(p.updates)
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.prober = func(ctx context.Context, _ screen.Workspace, _ probe.Form, _ question.Query) (probe.Probe, error) {
		<-ctx.Done()
		return p, nil
	}
	d.press("2")
	_, cmd := d.app.Update(press("p"))
	result := make(chan any, 1)
	go func() { result <- cmd() }()
	d.app.End(false)
	if <-result; !p.stopped {
		t.Error("the probe that came about was not stopped")
	}
}

func TestAPriceIsAgreedToOnce(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	asked := 0
	d.prober = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
		asked++
		return nil, errors.New("no Python here")
	}
	f := probe.Defaults()
	f.USDPerHour = new(2.0)
	d.probe().SetForm(f)
	d.press("2", "p")
	if s := d.screen(); asked != 0 || !strings.Contains(s, "Start the probe?") || !strings.Contains(s, "at $2.00/h") {
		t.Fatalf("%d started:\n%s", asked, s)
	}
	d.press("n")
	if asked != 0 || d.probe().State() != probe.Filling {
		t.Errorf("a no started %d", asked)
	}
	d.press("p", "y")
	if asked != 1 {
		t.Errorf("a yes started %d", asked)
	}
}

// matrixOf is two probes: one that is over and one that runs.
func matrixOf(seq int, steadyS float64) matrix.Update {
	u := update(seq, 0.1, true)
	second := update(seq, steadyS, false).Rows[0]
	second.Batch, second.Update.Run.ID, second.Update.Run.BatchSize = 128, 8, 128
	u.Rows[0].Batch = 64
	u.Rows = append(u.Rows, second)
	u.Current, u.Done = 1, false
	return u
}

func TestSeveralProbesStandOnExplore(t *testing.T) {
	p := &fakeProbe{updates: make(chan matrix.Update, 4)}
	d := probingWith(t, p, p.updates)
	p.updates <- matrixOf(2, 0.3)
	d.arrive(func() bool { return strings.Contains(d.screen(), "1 of 2 done") && d.app.region() == keys.InRunCells })
	d.exact()
	d.press("1")
	d.arrive(func() bool {
		s := d.screen()
		return strings.Contains(s, "tiny") && strings.Contains(s, "2 of 2 feasible")
	})
	d.press("2", "esc")
	if s := d.screen(); !strings.Contains(s, "Finished probes stay saved") {
		t.Errorf("discarding does not say what stays:\n%s", s)
	}
	d.press("y")
	if !p.canceled || d.probe().State() == probe.Filling {
		t.Error("what is done of a matrix went out of sight with what was discarded")
	}
}

func TestADiscardedProbeSaysNoMore(t *testing.T) {
	p := &fakeProbe{updates: make(chan matrix.Update, 4)}
	d := probingWith(t, p, p.updates)
	d.press("esc", "y")
	if !p.canceled || d.probe().State() != probe.Filling {
		t.Fatal("not discarded")
	}
	p.updates <- update(2, 0.1, true)
	d.send(<-d.late)
	if d.probe().State() != probe.Filling {
		t.Error("the last words of a discarded probe took the form away")
	}
}

func TestProbingACandidateFillsItsVariantIn(t *testing.T) {
	f := probe.Defaults().For(&candidate.Candidate{
		Mode: profile.Infer, BatchSize: 300, Variant: profile.Variant{Precision: "int8",
			Pruning: &profile.Pruning{Ratio: new(0.3)}},
	})
	if f.Mode != profile.Infer || f.Batches[0] != 300 || f.Precisions[0] != "int8" || f.Prune != "0.3" {
		t.Errorf("form is %+v", f)
	}
	f = f.For(&candidate.Candidate{Variant: profile.Variant{Precision: "fp8"}})
	if f.Precisions[0] != "int8" || f.Prune != "0" || f.Batches[0] != 300 {
		t.Errorf("what is unknown replaced what was known: %+v", f)
	}
}

// A number typed where nothing is edited shows other screens by its digits; enter then
// starts nothing, for it stands on a field.
func TestADigitAndEnterStartNoProbe(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	asked := 0
	d.prober = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
		asked++
		return nil, errors.New("no Python here")
	}
	d.press("2", "0", "enter")
	if asked != 0 || d.app.shown.Typing() == screen.NotTyping {
		t.Fatalf("%d started:\n%s", asked, d.screen())
	}
	d.press("esc", "G", "1", "2", "enter", "esc")
	if asked != 0 {
		t.Fatalf("back from another screen %d started", asked)
	}
	d.press("G", "enter")
	if asked != 1 {
		t.Errorf("on the start line %d started", asked)
	}
}

// A question about a probe that has ended meanwhile goes, and says so.
func TestAQuestionAboutAnEndedProbeSaysWhatBecameOfIt(t *testing.T) {
	p := &fakeProbe{updates: make(chan matrix.Update, 4)}
	d := probingWith(t, p, p.updates)
	d.press("esc")
	before := d.screen()
	if !strings.Contains(before, "Discard this probe?") {
		t.Fatalf("nothing is asked:\n%s", before)
	}
	p.updates <- update(2, 0.1, true)
	d.send(<-d.late)
	close(p.updates)
	for strings.Contains(d.screen(), "Discard this probe?") {
		d.send(<-d.late)
	}
	if s := d.screen(); !strings.Contains(s, "the probe has ended meanwhile, and its result is saved") || p.canceled {
		t.Errorf("cancelled %v:\n%s", p.canceled, s)
	}
	d.press("y")
	if p.canceled {
		t.Error("a late yes discards it")
	}
}

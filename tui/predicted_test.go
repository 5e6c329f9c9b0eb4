package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/question"
	"sweetspot/probes/matrix"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
)

// What was never probed is ranked where that is asked for, says that it is a
// prediction, and can be probed next.
func TestPredictions(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("N")
	if s := d.screen(); !strings.Contains(s, "P adds predicted ones") {
		t.Errorf("no next probe, and not how to come to one:\n%s", s)
	}
	d.press("P", "S") // the dearest are predicted
	s := d.screen()
	for _, want := range []string{"◇ trans", "but never probed", "next probe: "} {
		if !strings.Contains(s, want) {
			t.Errorf("nothing says %q:\n%s", want, s)
		}
	}
	if strings.Contains(s, "168 of 168") {
		t.Errorf("no candidate was added:\n%s", s)
	}
	d.press("tab", "tab", "tab", "enter")
	if s := d.screen(); !strings.Contains(s, "predicted (transferred): from ") {
		t.Errorf("nothing says what it rests on:\n%s", s)
	}
	d.press("esc")
	for _, size := range [][2]int{{80, 24}, {50, 15}} {
		small := drive(t, size[0], size[1], &shelf{set: published(t)})
		small.press("P", "S")
		if s := small.screen(); !strings.Contains(s, "◇ ") {
			t.Errorf("at %d columns nothing marks a prediction:\n%s", size[0], s)
		}
	}
	d.press("N")
	if s := d.screen(); !strings.Contains(s, "start the probe") || !strings.Contains(s, "next is CaffeNet, batch 300") ||
		!strings.Contains(s, "VM under where") {
		t.Errorf("the form is not for it:\n%s", s)
	}
	d.press("esc", "1", "P") // out of the hosts, which are asked for
	if s := d.screen(); !strings.Contains(s, "168 of 168") || strings.Contains(s, "◇ trans") {
		t.Errorf("the predictions stay:\n%s", s)
	}
}

// Where the model's file and a machine of the VM type are known, N starts the
// probe there and then.
func TestNextProbeStartsWhereTheMachineIsKnown(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	var asked []probe.Form
	d.prober = func(_ context.Context, _ screen.Workspace, f probe.Form, _ question.Query) (probe.Probe, error) {
		asked = append(asked, f)
		return nil, errors.New("no Python here")
	}
	d.press("P")
	c, ok := d.explore().NextProbe()
	if !ok {
		t.Fatalf("no next probe:\n%s", d.screen())
	}
	u := update(1, 0.1, true)
	u.Rows[0].Host = "me@vm1"
	u.Rows[0].Update.Run.Cloud, u.Rows[0].Update.Run.Region = c.Configuration[0].VM.Cloud, c.Configuration[0].VM.Region
	u.Rows[0].Update.Run.InstanceType = c.Configuration[0].VM.InstanceType
	u.Rows[0].Update.Run.Steady = estimate.Estimate{} // nothing to rank
	p := &fakeProbe{updates: make(chan matrix.Update, 1)}
	p.updates <- u
	close(p.updates)
	starting := d.prober
	d.prober = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
		return p, nil
	}
	d.press("2", "p", "1")
	d.prober = starting
	form := d.probe().Form()
	form.Model, form.Input = "nets.py:"+c.Model, "3x224x224"
	d.probe().SetForm(form)
	d.press("N", "y") // to what it costs
	if len(asked) != 1 {
		t.Fatalf("%d probes were asked for:\n%s", len(asked), d.screen())
	}
	if f := asked[0]; f.Mode != c.Mode || f.Batches[0] != c.BatchSize || f.Hosts[0] != "me@vm1" {
		t.Errorf("asked for %+v, the next probe is batch %d of %s", f, c.BatchSize, c.ID)
	}
	if vm, ok := d.app.State().Machines["me@vm1"]; !ok || vm != c.Configuration[0].VM.Key() {
		t.Errorf("the machine is not remembered: %v", d.app.State().Machines)
	}
}

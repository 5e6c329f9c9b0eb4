package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
	"sweetspot/probes/matrix"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
)

// recognise remembers which VM type each probed machine is.
func (a *App) recognise(u matrix.Update) {
	for i := range u.Rows {
		r := &u.Rows[i].Update.Run
		if r.InstanceType != "" {
			a.machines[u.Rows[i].Host] = r.VM()
		}
	}
}

// machineOf is the SSH destination, "" being this machine, that was found to be
// of a VM type.
func (a *App) machineOf(vm profile.VMKey) (host string, ok bool) {
	var hosts []string
	for host, is := range a.machines {
		if is == vm {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return "", false
	}
	return slices.Min(hosts), true // this machine before others
}

// toNextProbe starts the probe that it is most worth to know, where the model's
// file and a machine of that VM type are known. Else the form asks for what is
// missing.
func (a *App) toNextProbe() tea.Cmd {
	c, ok := a.explore.NextProbe()
	switch {
	case a.probe.Active():
		a.screen = keys.Probe
		return nil
	case !ok && a.explore.Question().Predicted:
		return a.note(toast.Good, "no probe is expected to pay: stop probing")
	case !ok:
		b, _ := a.keys.Lookup(keys.Predicted)
		return a.note(toast.Info, "no probe of what is shown is expected to pay; "+strings.Join(b.Keys, " or ")+" adds what was never probed")
	}
	vm := c.Configuration[0].VM
	host, found := a.machineOf(vm.Key())
	f := a.probe.Form().For(c)
	known := strings.HasSuffix(f.Model, ":"+c.Model)
	if !known {
		f.Model = "" // another one must not be measured in its place
	}
	f.Hosts = []string{host}
	a.screen = keys.Probe
	a.probe.Reset()
	a.probe.SetForm(f)
	switch {
	case known && found:
		return a.effect(a.probe.Key(keys.ProbeThis))
	case !found: // nor another machine
		a.probe.AskHost()
	}
	return a.note(toast.Good, missing(c, known, found))
}

// missing says what the next probe of a candidate still wants to be told.
func missing(c *rank.Candidate, model, machine bool) string {
	what := fmt.Sprintf("next is %s, batch %d, on a %s: ", c.Model, c.BatchSize, c.Configuration[0].VM.InstanceType)
	var wants []string
	if !model {
		wants = append(wants, "name the model")
	}
	if !machine {
		wants = append(wants, "name the VM under hosts")
	}
	return what + strings.Join(wants, ", and ")
}

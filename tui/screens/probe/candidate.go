package probe

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/probes/matrix"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

// recognise remembers which VM type each probed machine is.
func (s *Screen) recognise(u matrix.Update) {
	for i := range u.Rows {
		r := &u.Rows[i].Update.Run
		if r.InstanceType != "" {
			s.machines[u.Rows[i].Host] = r.VM()
		}
	}
}

// machineOf is the SSH destination, "" being this machine, that was found to be
// of a VM type.
func (s *Screen) machineOf(vm profile.VMKey) (host string, ok bool) {
	var hosts []string
	for host, is := range s.machines {
		if is == vm {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return "", false
	}
	return slices.Min(hosts), true // this machine before others
}

// names reports whether the form's model is that of a candidate: mode and batch
// size of another model say nothing about it.
func (f Form) names(c *candidate.Candidate) bool { return strings.HasSuffix(f.Model, ":"+c.Model) }

// probeCandidate opens the form for the candidate's mode, batch size and variant.
func (s *Screen) probeCandidate(m screen.ProbeCandidate) tea.Cmd {
	if !s.Active() {
		f := s.Form()
		if m.Candidate != nil && f.names(m.Candidate) {
			f = f.For(m.Candidate)
		}
		s.Reset()
		s.SetForm(f)
		if m.File != "" {
			s.SetModel(m.File)
		}
	}
	return s.Shell.Show(keys.Probe)
}

// probeNext starts the probe of a candidate where the model's file and a machine
// of that VM type are known. Else the form asks for what is missing.
func (s *Screen) probeNext(m screen.ProbeNext) tea.Cmd {
	c := m.Candidate
	switch {
	case s.Active():
		return s.Shell.Show(keys.Probe)
	case c == nil:
		return s.Shell.Note(m.Why.Level, m.Why.Text)
	}
	host, found := s.machineOf(c.Configuration[0].VM.Key())
	f := s.Form().For(c)
	known := f.names(c)
	if !known {
		f.Model = "" // another one must not be measured in its place
	}
	f.Hosts = []string{host}
	s.Reset()
	s.SetForm(f)
	show := s.Shell.Show(keys.Probe)
	switch {
	case known && found:
		return tea.Batch(show, s.Act(keys.ProbeThis))
	case !found: // nor another machine
		s.AskHost()
	}
	return tea.Batch(show, s.Shell.Note(toast.Good, missing(c, known, found)))
}

// missing says what the next probe of a candidate still wants to be told.
func missing(c *candidate.Candidate, model, machine bool) string {
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

package probe

import (
	"context"
	"errors"
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
)

// rented, as a host, stands for a VM that is rented for the probe.
const rented = "rent"

// Rents reports whether a VM is rented for the probes.
func (f Form) Rents() bool { return !f.IsQueued() && slices.Contains(f.Hosts, rented) }

// checkRent finds what is missing to rent.
func (f Form) checkRent() error {
	switch {
	case !f.Rents():
		return nil
	case len(f.Hosts) > 1:
		return errors.New("a VM is rented by itself: name either rent or other hosts")
	case f.VM == "":
		return errors.New("which VM to rent is not known: name the VM type")
	case f.USDPerHour == nil:
		return errors.New("what the VM costs is not known: write its price in $ per hour")
	}
	return nil
}

// Rental is a VM that would be rented: what it costs at most, in words, and the script
// that rents it, probes on it and ends it. Lacks is what this machine lacks to run the
// script; Discard removes it.
type Rental struct {
	Words   string
	Lacks   error
	Script  string
	Run     *exec.Cmd
	Discard func()
}

// Renter writes the script that rents a VM for the form's probes. Nothing is rented.
type Renter func(ctx context.Context, w screen.Workspace, f Form) (Rental, error)

// Messages of renting.
type (
	plannedMsg struct {
		rental Rental
		err    error
	}
	rentedMsg struct{ err error }
)

// planRental has the script written; then its cost is asked for.
func (s *Screen) planRental() tea.Cmd {
	if s.renter == nil {
		s.err = "VMs are not rented from here: use sweetspot probe --rent"
		return nil
	}
	ctx, ws, f, renter := s.Shell.Ctx, s.Shell.Workspace, s.form.clone(), s.renter
	return func() tea.Msg {
		r, err := renter(ctx, ws, f)
		return plannedMsg{r, err}
	}
}

// The answers to what a VM costs, besides no.
const (
	rentNow   = "rent"
	writeOnly = "write"
)

// planned asks whether the VM shall be rented.
func (s *Screen) planned(m plannedMsg) tea.Cmd {
	if m.err != nil {
		s.err = m.err.Error()
		return nil
	}
	r := m.rental
	question, words := "Rent a VM?", r.Words
	answers := []confirm.Answer{
		{ID: rentNow, Key: "y", Label: "rent", Long: "rent it, probe on it, and end it"},
		{ID: writeOnly, Key: "w", Label: "write", Long: "only write the script that does it"},
		{ID: confirm.Stay, Key: "n", Label: "no"},
	}
	if r.Lacks != nil {
		question, words, answers = "Write the script that rents a VM?", words+" But "+r.Lacks.Error()+".", answers[1:]
	}
	s.Shell.Confirm(question, words, func(id string) tea.Cmd {
		switch id {
		case rentNow:
			return tea.ExecProcess(r.Run, func(err error) tea.Msg { return rentedMsg{err} })
		case writeOnly:
			return s.Shell.Note(toast.Good, "nothing was rented; this does it: bash "+r.Script)
		}
		return func() tea.Msg { r.Discard(); return nil }
	}, answers...)
	return nil
}

// rentedNow shows what the probes on the rented VM came to.
func (s *Screen) rentedNow(m rentedMsg) tea.Cmd {
	said := s.Shell.Note(toast.Good, "the VM has ended; its runs are in the ranking")
	if m.err != nil {
		said = s.Shell.Note(toast.Bad, "the rental ended early ("+m.err.Error()+"); what was measured is saved, and "+
			"sweetspot doctor says whether a VM is left")
	}
	return tea.Batch(s.Shell.Reload(), s.Shell.Show(keys.Explore), said)
}

package probe

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/toast"
)

// Quit asks what becomes of a running probe. One in a queue goes on, unless it was asked to
// stop: then that is waited for.
func (s *Screen) Quit() (asked bool) {
	if s.running == nil {
		return false
	}
	if _, ok := s.running.(Queued); ok {
		s.leaving = s.state == Stopping
		return s.leaving
	}
	answers := []confirm.Answer{{ID: confirm.StopAndSave, Key: "s", Label: "stop and save",
		Long: "stop at the next step and save the result"}}
	if _, ok := s.running.(Detacher); ok {
		answers = append(answers, confirm.Answer{ID: confirm.Detach, Key: "l", Label: "detach",
			Long: "leave it running; sweetspot attach shows it again"})
	}
	answers = append(answers, discardAnswer("d", "discard what it has measured"), stayAnswer)
	s.Shell.Confirm("A probe is running", "What should happen to it?", s.quit, answers...)
	return true
}

func (s *Screen) quit(id string) tea.Cmd {
	if s.running == nil {
		return nil
	}
	switch id {
	case confirm.StopAndSave:
		s.leaving = true
		said := s.Shell.Note(toast.Info, "stopping the probe at its next step…")
		if s.state == Stopping { // asked already; asked again, it would not wait for the step
			return said
		}
		s.state = Stopping
		return tea.Batch(s.tell(Probe.Stop), said)
	case confirm.Detach:
		p, _ := s.running.(Detacher)
		return func() tea.Msg {
			p.Leave()
			return leftMsg{}
		}
	case discard:
		s.leaving = true
		return s.tell(Probe.Cancel)
	}
	return nil
}

// Close sees to a running probe after the screen is gone: one that can be left
// goes on where the terminal was lost, any other is stopped and saves what it
// has. What does not stop by itself is made to.
func (s *Screen) Close(ctx context.Context, lost bool) {
	if s.endStarting != nil {
		defer s.endStarting()
	}
	if s.starting != nil { // it may still come about
		if !s.form.IsQueued() { // what is queued goes on
			s.endStarting()
		}
		select {
		case m := <-s.starting:
			if m.err == nil {
				s.running = m.probe
			}
		case <-ctx.Done():
		}
	}
	if s.running == nil {
		return
	}
	_, queued := s.running.(Queued)
	if p, ok := s.running.(Detacher); ok && (lost || queued) {
		s.leave(ctx, p)
		return
	}
	// While it starts another one of several it would not listen.
	asked := make(chan struct{})
	go func() {
		s.running.Stop()
		close(asked)
	}()
	over := time.After(untilHurry)
	for {
		select {
		case _, open := <-s.running.Updates():
			if !open { // the last one comes when everything is saved
				select {
				case <-asked:
				case <-ctx.Done():
				}
				return
			}
		case <-over:
			go s.running.Stop()
		case <-ctx.Done():
			return
		}
	}
}

// leave lets go of a probe, which may take a moment.
func (s *Screen) leave(ctx context.Context, p Detacher) {
	s.left = true
	gone := make(chan struct{})
	go func() {
		p.Leave()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

// untilHurry is how long a probe may take to its next step at the end of the program.
const untilHurry = 2 * time.Second

// Farewell says where a probe went that was left.
func (s *Screen) Farewell() string {
	if s.left {
		return leftWords(s.running)
	}
	return ""
}

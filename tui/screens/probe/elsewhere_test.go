package probe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/profile"
	"sweetspot/probes/matrix"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
)

// gone is what goes on when the program is opened.
func gone() Left {
	f := Defaults()
	f.Command, f.On, f.GPUs = []string{"python3", "train.py"}, "slurm:me@login", []string{"a100", "h100"}
	return Left{Key: "5f0a12cdef001122", Form: f, Probes: 12, Since: noon}
}

// Quitting leaves what is in a queue, and asks nothing.
func TestAQueueIsLeft(t *testing.T) {
	for _, lost := range []bool{false, true} {
		s, p := inAQueue(t)
		if s.Quit() || s.Shell.Question.Visible() {
			t.Error("something is asked")
		}
		if s.Close(t.Context(), lost); !p.left || len(p.told) > 0 {
			t.Errorf("left %v, told %v", p.left, p.told)
		}
		if got := s.Farewell(); got != "The probes go on. sweetspot follows them again, and so does sweetspot "+
			"attach 5f0a12." {
			t.Error(got)
		}
		var remembered state.State
		if s.Remember(&remembered); remembered.Queue != "slurm" {
			t.Errorf("remembers %q", remembered.Queue)
		}
	}
	s, p := inAQueue(t)
	if do(s.Act(keys.Stop)); !s.Quit() || !s.leaving || !slices.Equal(p.told, []string{"stop"}) {
		t.Error("what was asked to stop is left")
	}
	s, _ = inAQueue(t)
	if s.Act(keys.Back); !strings.Contains(ansi.Strip(s.Shell.Over(s.View(), "", nil, 120, 38)), "cancelled") {
		t.Error("what esc does is not said")
	}
}

// A start that is under way when the program is left comes about, and is left.
func TestAQueueIsLeftWhileItStarts(t *testing.T) {
	s := queueable(t, newFakeQueues())
	p := &queuedProbe{}
	s.form.On, s.form.GPUs = "slurm", []string{"a100"}
	cmd := s.await("", func(ctx context.Context) (Probe, error) {
		time.Sleep(10 * time.Millisecond)
		return p, ctx.Err()
	})
	go cmd()
	if s.Close(t.Context(), false); !p.left || s.Farewell() == "" {
		t.Errorf("left %v: %q", p.left, s.Farewell())
	}
}

func TestTheOnlyProbesThatGoOnAreFollowed(t *testing.T) {
	q := newFakeQueues()
	q.left, q.probe = []Left{gone()}, &queuedProbe{quitting: quitting{updates: make(chan matrix.Update, 1)}}
	s := queueable(t, q)
	answer(s, s.Receive(screen.Loaded{Set: &profile.Set{}}))
	if !slices.Equal(q.followed, []string{gone().Key}) || s.running == nil || s.State() != Starting || len(s.goesOn) > 0 {
		t.Fatalf("followed %q, in state %v", q.followed, s.State())
	}
	if f := s.Form(); f.On != "slurm:me@login" || f.name() != "train.py" {
		t.Errorf("the form is %+v", f)
	}
	if answer(s, s.Receive(screen.Loaded{Set: &profile.Set{}})); len(q.followed) != 1 {
		t.Error("it is followed twice")
	}
}

func TestSeveralThatGoOnAreListed(t *testing.T) {
	q := newFakeQueues()
	other := gone()
	other.Key = "aa00aa00aa00aa00"
	q.left, q.probe = []Left{gone(), other}, &queuedProbe{quitting: quitting{updates: make(chan matrix.Update, 1)}}
	s := queueable(t, q)
	answer(s, s.Receive(screen.Loaded{Set: &profile.Set{}}))
	if len(q.followed) > 0 || len(s.goesOn) != 2 || s.State() != Filling {
		t.Fatalf("followed %q of %d", q.followed, len(s.goesOn))
	}
	for range len(fields) + 9 {
		s.Act(keys.Down)
	}
	if s.Region() != keys.InLeft || s.row != s.lastRow() {
		t.Errorf("row %d in %s", s.row, s.Region())
	}
	if answer(s, s.Act(keys.Enter)); !slices.Equal(q.followed, []string{other.Key}) {
		t.Errorf("followed %q", q.followed)
	}
	q.left, q.err = nil, errors.New("the database is gone")
	s = queueable(t, q)
	s.attach(other)
	answer(s, s.await("", func(ctx context.Context) (Probe, error) { return q.Follow(ctx, nil, other) }))
	if s.State() != Failed || !strings.Contains(exact(t, s), "the database is gone") {
		t.Errorf("a failure:\n%s", exact(t, s))
	}
}

// One that another sweetspot follows is left to it, unless that was killed.
func TestWhatAnotherFollowsIsLookedAtAgain(t *testing.T) {
	q := newFakeQueues()
	q.probe = &queuedProbe{quitting: quitting{updates: make(chan matrix.Update, 1)}}
	s := queueable(t, q)
	var again []tea.Cmd
	s.Shell.After = func(_ time.Duration, then func(time.Time) tea.Msg) tea.Cmd {
		again = append(again, func() tea.Msg { return then(noon) })
		return nil
	}
	held := gone()
	held.Followed = true
	q.left = []Left{held}
	answer(s, s.Receive(screen.Loaded{Set: &profile.Set{}}))
	if len(again) != 1 || len(q.followed) > 0 || len(s.goesOn) != 1 {
		t.Fatalf("%d looks, followed %q", len(again), q.followed)
	}
	q.left = []Left{gone()}
	if answer(s, again[0]); len(q.followed) != 1 {
		t.Error("it is not followed")
	}
	s = queueable(t, q)
	s.Shell.After = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { again = append(again, nil); return nil }
	q.left, again = []Left{held}, nil
	s.opening = true
	for range 5 {
		s.lookedNow(lookedFor{all: q.left})
	}
	if len(again) != mostWaits {
		t.Errorf("looked at again %d times", len(again))
	}
}

// What goes on elsewhere is named by where that is.
func TestWhereProbesGoOn(t *testing.T) {
	f := Defaults()
	hosts, queued := f, f
	hosts.Hosts, queued.On = []string{"", "me@vm"}, "slurm:me@login"
	for want, l := range map[string]Left{
		"in the background":      {Form: f, Background: true},
		"on this machine":        {Form: f},
		"on this machine, me@vm": {Form: hosts},
		"in slurm:me@login":      {Form: queued},
	} {
		if got := l.where(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package library

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/quantity"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
)

// changes are what the user does to the database: one after the other, in the
// order they were asked for, and taken back the other way round.
type changes struct {
	done    []undo
	waiting []func() work
	busy    bool
}

// undo takes a change back and says so; run is one that the cursor goes to, 0 for
// none.
type undo func(ctx context.Context, ws screen.Workspace) (said string, run int64, err error)

// changedMsg says what became of a change.
type changedMsg struct {
	ws    screen.Workspace
	said  string
	level toast.Level
	undo  undo // nil where it can't be taken back
	run   int64
	err   error
}

// work makes or takes back a change, in a command.
type work func(ctx context.Context, ws screen.Workspace) changedMsg

// change makes a change once those before it are made.
func (s *Screen) change(do func(ctx context.Context, ws screen.Workspace) (said string, back undo, err error)) tea.Cmd {
	return s.inTurn(func() work {
		return func(ctx context.Context, ws screen.Workspace) changedMsg {
			said, back, err := do(ctx, ws)
			return changedMsg{said: said, undo: back, level: toast.Good, err: err}
		}
	})
}

// inTurn does some work once the one before it is done; start is called then.
func (s *Screen) inTurn(start func() work) tea.Cmd {
	if s.changes.busy {
		s.changes.waiting = append(s.changes.waiting, start)
		return nil
	}
	s.changes.busy = true
	ctx, ws, do := s.Shell.Ctx, s.Shell.Workspace, start()
	return func() tea.Msg {
		m := do(ctx, ws)
		if m.ws = ws; m.err != nil {
			m = changedMsg{ws: ws, said: m.err.Error(), level: toast.Bad}
		}
		return m
	}
}

func (s *Screen) changed(msg changedMsg) tea.Cmd {
	s.changes.busy = false
	if msg.undo != nil && msg.ws == s.Shell.Workspace {
		s.changes.done = append(s.changes.done, msg.undo)
	}
	if msg.run != 0 {
		s.show = msg.run
	}
	said := s.Shell.Note(msg.level, msg.said)
	if len(s.changes.waiting) == 0 {
		return tea.Batch(said, s.Shell.Reload())
	}
	next := s.changes.waiting[0]
	s.changes.waiting = s.changes.waiting[1:]
	return tea.Batch(said, s.inTurn(next))
}

// undo takes the last change back; without one of this session it brings back
// what was deleted last.
func (s *Screen) undo() tea.Cmd {
	return s.inTurn(func() work {
		take := undeleting(0)
		if n := len(s.changes.done); n > 0 {
			take, s.changes.done = s.changes.done[n-1], s.changes.done[:n-1]
		}
		return func(ctx context.Context, ws screen.Workspace) changedMsg {
			said, run, err := take(ctx, ws)
			return changedMsg{said: said, run: run, level: toast.Info, err: err}
		}
	})
}

// undeleting brings back a deletion; 0 is the last one.
func undeleting(deletion int64) undo {
	return func(ctx context.Context, ws screen.Workspace) (string, int64, error) {
		back, err := ws.Undelete(ctx, deletion)
		switch r, p := back.Runs, back.Picks; {
		case err != nil:
			return "", 0, err
		case len(r) == 1:
			return fmt.Sprintf("run %d is restored", r[0]), r[0], nil
		case len(r) > 1:
			return quantity.Several(len(r), "run") + " are restored", r[0], nil
		case len(p) == 1:
			return "the pick is restored", 0, nil
		case len(p) > 1:
			return quantity.Several(len(p), "pick") + " are restored", 0, nil
		}
		return "nothing to undo", 0, nil
	}
}

package server

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/ask"
)

// watched are screens whose panics end their own session alone, in an orderly way. It is a
// model around theirs, for a program that dies of a panic leaves its reader of keys behind.
type watched struct {
	model   tea.Model
	fault   func(any)
	input   *input
	turns   *ask.Session
	done    func() // ends the turn that [watched.Update] has taken; nil where it has none
	last    tea.View
	drawn   time.Time // when last was
	leaving bool      // nothing reaches the screens any more
	marked  bool      // the mark after the last keys was read
}

// Messages of the end of a session.
type (
	leaveMsg struct{} // it is to end
	quitMsg  struct{} // it has left
)

// settle is how long keys that are on their way may take to be read before the program ends
// all the same: long, for on a busy machine it leaves their reader behind.
const settle = 20 * time.Second

// guard calls the screens. A panic ends the session.
func (m *watched) guard(call func() tea.Cmd) (cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.leaving = true
			m.fault(r)
			cmd = nil
		}
	}()
	return m.command(call())
}

// command is a command whose panics end the session, and those of the commands in it.
func (m *watched) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				m.fault(r)
				msg = nil
			}
		}()
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for k, c := range msg {
				msg[k] = m.command(c)
			}
			return msg
		case tea.QuitMsg:
			return leaveMsg{}
		default:
			return msg
		}
	}
}

// Init begins.
func (m *watched) Init() tea.Cmd { return m.guard(m.model.Init) }

// Update passes on messages until the session is to end. It takes a turn, which lasts until
// the drawing that follows it.
func (m *watched) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.MouseMsg:
		m.turns.InUse()
	case leaveMsg:
		m.leaving = true
		m.input.end()
		return m, m.quitLate
	case quitMsg:
		return m, tea.Quit
	case tea.PasteMsg:
		m.marked = msg.Content == m.input.mark
	case tea.PasteEndMsg: // the last that follows the mark
		if m.marked {
			return m, tea.Quit
		}
	}
	if m.leaving {
		return m, nil
	}
	m.pass() // where there was no drawing
	m.done = m.turns.Take()
	return m, m.guard(func() (cmd tea.Cmd) {
		m.model, cmd = m.model.Update(msg)
		return cmd
	})
}

// quitLate quits after a while, unless the program has ended by then.
func (m *watched) quitLate() tea.Msg {
	select {
	case <-time.After(settle):
		return quitMsg{}
	case <-m.input.over:
		return nil
	}
}

// pass ends the turn.
func (m *watched) pass() {
	if m.done != nil {
		m.done()
		m.done = nil
	}
}

// behind is how old a drawing may be that stands for the present one while more keys wait.
const behind = 100 * time.Millisecond

// View is the screens', and at the end the last one. Where keys come faster than they can be
// drawn, many at once on a busy server, some are not: the last one is.
func (m *watched) View() tea.View {
	defer m.pass()
	if m.leaving || m.input.waiting.Load() && time.Since(m.drawn) < behind {
		return m.last
	}
	m.guard(func() tea.Cmd {
		m.last = m.model.View()
		return nil
	})
	m.drawn = time.Now()
	return m.last
}

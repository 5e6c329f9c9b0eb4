package tui

import (
	"context"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/validate"
	"sweetspot/probes/matrix"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screens/explore"
	"sweetspot/tui/screens/probe"
)

// Messages that commands bring back. Each carries what it belongs to, so that
// a late one is recognised and dropped.
type (
	loadedMsg struct {
		ws      Workspace
		set     *profile.Set
		picks   []store.Pick
		version int64
		err     error
	}
	openedMsg struct {
		ws  Workspace
		err error
	}
	versionMsg struct {
		ws      Workspace
		version int64
	}
	answerMsg struct{ answer *explore.Answer }
	lateMsg   struct{ asked int } // an answer is a long time coming
	testedMsg struct {
		set    *profile.Set
		tested validate.Tested
	}
	startedMsg struct {
		probe Probe
		err   error
	}
	probeMsg struct {
		probe  Probe
		update matrix.Update
		open   bool
	}
	listingMsg struct{ listing picker.Listing }
	noteMsg    struct {
		level  toast.Level
		text   string
		reload bool
	}
	expireMsg struct{ seq int }
	leftMsg   struct{} // the probe goes on without this program
)

// load reads everything the workspace holds.
func (a *App) load() tea.Cmd {
	ctx, ws := a.ctx, a.ws
	return func() tea.Msg {
		m := loadedMsg{ws: ws}
		// The version is read first: a write in between is then seen later.
		if m.version, m.err = ws.Version(ctx); m.err != nil {
			return m
		}
		if m.set, m.err = ws.Load(ctx); m.err == nil {
			m.picks, m.err = ws.Picks(ctx)
		}
		return m
	}
}

// pollEvery is how often other processes' writes are looked for.
const pollEvery = time.Second

// test finds out how well predictions do on the runs there are, away from
// everything that waits.
func (a *App) test() tea.Cmd {
	set := a.set
	return func() tea.Msg { return testedMsg{set, validate.ByBasis(set)} }
}

// poll reports the database's version after a while.
func (a *App) poll() tea.Cmd {
	ctx, ws := a.ctx, a.ws
	return a.after(pollEvery, func(time.Time) tea.Msg {
		v, err := ws.Version(ctx)
		if err != nil {
			v = -1
		}
		return versionMsg{ws, v}
	})
}

// ask has the present question answered.
func (a *App) ask() tea.Cmd {
	if !a.explore.Ready() {
		return nil
	}
	if a.asking { // one at a time: a key held down asks faster than a million candidates are answered
		a.askAgain = true
		return nil
	}
	a.asking = true
	a.asked++
	answer, asked := a.explore.Request(), a.asked
	find := func() tea.Msg { return answerMsg{answer()} }
	if a.explore.Late() {
		return find
	}
	return tea.Batch(find, a.after(lateAfter, func(time.Time) tea.Msg { return lateMsg{asked} }))
}

// lateAfter is how long an answer may take before the screen says that what it
// shows is still of an older question.
const lateAfter = 250 * time.Millisecond

func (a *App) open(path string) tea.Cmd {
	ctx, opener := a.ctx, a.opts.Open
	return func() tea.Msg {
		ws, err := opener(ctx, path)
		return openedMsg{ws, err}
	}
}

// start begins the form's probes. Their context is not the program's: what
// becomes of them when that ends is decided in [App.end].
func (a *App) start(f probe.Form) tea.Cmd {
	ctx, cancel := context.WithCancel(context.WithoutCancel(a.ctx))
	ws, prober := a.ws, a.opts.Probe
	a.starting, a.endStarting = make(chan startedMsg, 1), cancel
	result, asked := a.starting, a.explore.Query()
	return func() tea.Msg {
		p, err := prober(ctx, ws, f, asked)
		m := startedMsg{p, err}
		result <- m // for a program that has ended in the meantime
		return m
	}
}

// leave lets go of a probe that goes on by itself.
func leave(p Leaver) tea.Cmd {
	return func() tea.Msg {
		p.Leave()
		return leftMsg{}
	}
}

// listen waits for the next state of a probe.
func listen(p Probe) tea.Cmd {
	return func() tea.Msg {
		u, open := <-p.Updates()
		return probeMsg{p, u, open}
	}
}

func (a *App) list(path string) tea.Cmd {
	list := a.picker.Lister(path)
	return func() tea.Msg { return listingMsg{list()} }
}

func (a *App) savePick(p contract.Pick) tea.Cmd {
	ctx, ws := a.ctx, a.ws
	return func() tea.Msg {
		if err := ws.SavePick(ctx, p); err != nil {
			return noteMsg{level: toast.Bad, text: err.Error()}
		}
		return noteMsg{toast.Good, "picked and kept in " + filepath.Base(ws.Path()) + ": e writes it for the next tool", true}
	}
}

// note shows a passing message.
func (a *App) note(level toast.Level, text string) tea.Cmd {
	seq := a.toast.Show(level, text)
	stay := 5 * time.Second
	if level == toast.Bad {
		stay = 12 * time.Second
	}
	return a.after(stay, func(time.Time) tea.Msg { return expireMsg{seq} })
}

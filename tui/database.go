package tui

import (
	"path/filepath"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
)

// Messages about the open database. Each carries the workspace it is of, so that
// a late one is recognised and dropped.
type (
	loadedMsg struct {
		ws      screen.Workspace
		set     *profile.Set
		picks   []store.Pick
		version int64
		err     error
	}
	openedMsg struct {
		ws  screen.Workspace
		err error
	}
	versionMsg struct {
		ws      screen.Workspace
		version int64
	}
)

// Reload reads everything the workspace holds.
func (a *App) Reload() tea.Cmd {
	ctx, ws := a.shell.Ctx, a.shell.Workspace
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

func (a *App) received(msg loadedMsg) tea.Cmd {
	if msg.ws != a.shell.Workspace {
		return nil
	}
	if msg.err != nil {
		return a.shell.Fail(msg.err)
	}
	first := !a.loaded
	a.loaded, a.version = true, msg.version
	cmd := a.Tell(screen.Loaded{Set: msg.set, Picks: msg.picks})
	if first {
		return tea.Batch(cmd, a.poll())
	}
	return cmd
}

// pollEvery is how often other processes' writes are looked for.
const pollEvery = time.Second

// poll reports the database's version after a while.
func (a *App) poll() tea.Cmd {
	ctx, ws := a.shell.Ctx, a.shell.Workspace
	return a.shell.After(pollEvery, func(time.Time) tea.Msg {
		v, err := ws.Version(ctx)
		if err != nil {
			v = -1
		}
		return versionMsg{ws, v}
	})
}

// polled reads the database again once another process has written; what a probe
// of this program writes comes with its end.
func (a *App) polled(msg versionMsg) tea.Cmd {
	if msg.ws != a.shell.Workspace {
		return nil
	}
	if msg.version >= 0 && msg.version != a.version && a.status() == "" {
		return tea.Batch(a.Reload(), a.poll())
	}
	return a.poll()
}

// openFile has a file chosen: the present screen's own, a database or a model.
func (a *App) openFile() tea.Cmd {
	if o, ok := a.shown.(screen.Opener); ok {
		return o.Open()
	}
	return a.shell.Choose("Open a profile database, or a model to probe",
		append(slices.Clone(screen.DatabaseFiles), probe.ModelFiles()...), func(path string) tea.Cmd {
			if slices.Contains(probe.ModelFiles(), filepath.Ext(path)) {
				return a.Tell(screen.ProbeSelected{File: path})
			}
			ctx, opener := a.shell.Ctx, a.opts.Open
			return func() tea.Msg {
				ws, err := opener(ctx, path)
				return openedMsg{ws, err}
			}
		})
}

func (a *App) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		return a.shell.Fail(msg.err)
	}
	old := a.shell.Workspace
	a.shell.Workspace, a.loaded = msg.ws, false
	return tea.Batch(a.Tell(screen.Opened{}), a.Reload(), a.shell.Note(toast.Good, "opened "+msg.ws.Label()),
		func() tea.Msg {
			_ = old.Close()
			return nil
		})
}

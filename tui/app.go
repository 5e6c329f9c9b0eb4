// Package tui is the terminal program: one Bubble Tea model at the root, a list
// of screens and the shell around them. Screens and components are plain structs
// with imperative methods. Update touches no disk and waits for nothing; commands
// touch no state.
package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/store"
	"sweetspot/engine/parallel"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/explore"
	"sweetspot/tui/screens/fleet"
	"sweetspot/tui/screens/library"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/screens/traffic"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// Options are what the program is started with.
type Options struct {
	Workspace screen.Workspace
	Open      Opener
	Probe     probe.Prober
	Rent      probe.Renter // nil where nothing can be rented
	Queues    probe.Queues // nil where nothing can be queued
	Traces    fleet.TraceReader
	Loads     traffic.TraceReader
	Keys      *keys.Table
	Theme     string // name; "" follows the terminal's background
	NoColor   bool
	Symbols   theme.Symbols
	NoMouse   bool
	FPS       int // 0 is the default
	State     state.State
	Version   string
	Today     time.Time // from which the age of prices is counted; zero is now
	Notice    string    // something to say at the start

	Denied screen.Rights   // what the person at the screens may not do
	Shared *explore.Shared // what other screens of this process hold too; nil for none
}

// Opener opens another database; an empty path is the built-in library with
// the default database.
type Opener func(ctx context.Context, path string) (screen.Workspace, error)

// App is the root model.
type App struct {
	opts  Options
	shell *screen.Shell
	dark  bool
	mouse bool
	w, h  int

	screens []screen.Screen
	shown   screen.Screen

	loaded  bool  // the workspace was read
	version int64 // of the database, as last read
}

// New returns the program before its first message.
func New(ctx context.Context, o Options) *App {
	o.Keys = cmp.Or(o.Keys, keys.Default())
	if o.Today.IsZero() {
		o.Today = time.Now()
	}
	o.deny()
	a := &App{opts: o, dark: true, mouse: !o.NoMouse}
	a.shell = &screen.Shell{Program: a, Ctx: ctx, Workspace: o.Workspace, Bindings: o.Keys, Theme: a.theme(),
		Version: o.Version, Denied: o.Denied, After: tea.Tick}
	a.screens = screens(a.shell, o)
	a.shown = a.screens[0]
	return a
}

// deny takes away, beside keys, what would do what may not be done.
func (o *Options) deny() {
	o.Workspace = screen.Without(o.Denied, o.Workspace)
	if why := o.Denied.Forbid(screen.Probing); why != "" {
		o.Rent, o.Queues = nil, nil
		o.Probe = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
			return nil, errors.New(why)
		}
	}
	if why := o.Denied.Forbid(screen.Filing); why != "" {
		o.Open = func(context.Context, string) (screen.Workspace, error) { return nil, errors.New(why) }
		o.Traces = syntheticOnly(o.Traces, why)
		o.Loads = syntheticOnly(o.Loads, why)
	}
}

// syntheticOnly reads no traces but synthetic ones, which have no path.
func syntheticOnly[T any](read func(context.Context, string) (T, error), why string) func(context.Context, string) (T,
	error) {
	return func(ctx context.Context, path string) (none T, err error) {
		if path != "" {
			return none, errors.New(why)
		}
		return read(ctx, path)
	}
}

func (a *App) theme() *theme.Theme {
	return theme.New(a.opts.Theme, a.dark, a.opts.NoColor).WithSymbols(a.opts.Symbols)
}

// State is what is worth remembering for the next session.
func (a *App) State() (s state.State) {
	for _, x := range a.screens {
		x.Remember(&s)
	}
	return s
}

// Init asks for everything the first frame needs.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{a.Reload()}
	if a.opts.Theme == "" || a.opts.Theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if a.opts.Notice != "" {
		cmds = append(cmds, a.shell.Note(toast.Warn, a.opts.Notice))
	}
	return tea.Batch(cmds...)
}

// Update is the only place where state changes.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		if dark := msg.IsDark(); dark != a.dark {
			a.dark = dark
			a.retheme()
		}
	case tea.KeyPressMsg:
		return a, a.key(msg)
	case tea.PasteMsg:
		return a, a.paste(msg)
	case tea.MouseMsg:
		return a, a.mouseAt(msg)
	case loadedMsg:
		return a, a.received(msg)
	case openedMsg:
		return a, a.opened(msg)
	case versionMsg:
		return a, a.polled(msg)
	default:
		return a, tea.Batch(a.shell.Receive(msg), a.Tell(msg))
	}
	return a, nil
}

// Tell hands a message to every screen.
func (a *App) Tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range a.screens {
		cmds = append(cmds, s.Receive(msg))
	}
	return tea.Batch(cmds...)
}

// Show shows a screen.
func (a *App) Show(tab keys.Action) tea.Cmd {
	i := slices.IndexFunc(a.screens, func(s screen.Screen) bool { return s.Tab() == tab })
	if i < 0 {
		return nil
	}
	a.shown = a.screens[i]
	return a.shown.Activate()
}

// Shown is the tab of the screen that is shown.
func (a *App) Shown() keys.Action { return a.shown.Tab() }

func (a *App) resize(w, h int) {
	a.w, a.h = w, h
	for _, s := range a.screens {
		s.SetSize(w, max(h-chromeRows, 0))
	}
}

// retheme draws everything in the theme that is asked for now.
func (a *App) retheme() {
	a.shell.Theme = a.theme()
	for _, s := range a.screens {
		s.SetTheme(a.shell.Theme)
	}
}

// screens are all there are, in the order of [keys.Tabs]; the program begins with
// the first. A new one is a line here and one there.
func screens(sh *screen.Shell, o Options) []screen.Screen {
	e := explore.New(sh, o.State, o.Today).SharedWith(o.Shared)
	return []screen.Screen{
		e,
		probe.New(sh, o.Probe, o.State.Machines, e.Question).RentWith(o.Rent).WithQueues(o.Queues, o.State.Queue),
		fleet.New(sh, o.Traces),
		traffic.New(sh, o.Loads),
		library.New(sh),
	}
}

// Run shows the screens until the user leaves, and returns what to remember.
// The terminal is put back whatever happens: Bubble Tea does it after a panic,
// and when a signal ends the context here. Its own handler knows no hang-up.
func Run(ctx context.Context, o Options, more ...tea.ProgramOption) (state.State, error) {
	connected, stopHangup := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stopHangup()
	ctx, stop := signal.NotifyContext(connected, os.Interrupt, syscall.SIGTERM)
	defer stop()
	app := New(ctx, o)
	more = append(more, tea.WithContext(ctx), tea.WithoutSignalHandler())
	if o.FPS > 0 {
		more = append(more, tea.WithFPS(o.FPS))
	}
	_, err := tea.NewProgram(app, more...).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // asked to end by a signal: that is no failure
	}
	app.End(connected.Err() != nil)
	if words := app.Farewell(); words != "" {
		fmt.Fprintln(os.Stdout, words)
	}
	return app.State(), err
}

// wayOut is how long the program waits at its end for what goes on.
const wayOut = 4 * time.Second

// End has every screen end what it has begun, once the program has ended; lost is
// whether the terminal is.
func (a *App) End(lost bool) {
	ctx, cancel := context.WithTimeout(context.Background(), wayOut)
	defer cancel()
	var all parallel.Group
	for _, s := range a.screens {
		all.Go(func() { s.Close(ctx, lost) })
	}
	all.Wait()
	_ = a.shell.Workspace.Close()
}

// Farewell is what to say once the terminal is back, "" for nothing.
func (a *App) Farewell() string { return a.said(screen.Screen.Farewell, "\n") }

// Interactive reports whether screens can be shown on this terminal.
func Interactive() bool {
	term := os.Getenv("TERM")
	return term != "" && term != "dumb"
}

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

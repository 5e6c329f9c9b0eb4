// Package tui is the terminal program: one Bubble Tea model at the root, a list
// of screens and the shell around them. Screens and components are plain structs
// with imperative methods. Update touches no disk and waits for nothing; commands
// touch no state.
package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/fleet"
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
	if o.Keys == nil {
		o.Keys = keys.Default()
	}
	if o.Today.IsZero() {
		o.Today = time.Now()
	}
	a := &App{opts: o, dark: true, mouse: !o.NoMouse}
	a.shell = &screen.Shell{Program: a, Ctx: ctx, Workspace: o.Workspace, Bindings: o.Keys, Theme: a.theme(),
		Version: o.Version, After: tea.Tick}
	a.screens = screens(a.shell, o)
	a.shown = a.screens[0]
	return a
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

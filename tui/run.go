package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/screen"
	"sweetspot/tui/state"
)

// Run shows the screens until the user leaves, and returns what to remember.
// The terminal is put back whatever happens: Bubble Tea does it after a panic,
// and when a signal ends the context here. Its own handler knows no hang-up.
func Run(ctx context.Context, o Options) (state.State, error) {
	connected, stopHangup := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stopHangup()
	ctx, stop := signal.NotifyContext(connected, os.Interrupt, syscall.SIGTERM)
	defer stop()
	app := New(ctx, o)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if o.FPS > 0 {
		options = append(options, tea.WithFPS(o.FPS))
	}
	_, err := tea.NewProgram(app, options...).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // asked to end by a signal: that is no failure
	}
	app.end(connected.Err() != nil)
	if words := app.Farewell(); words != "" {
		fmt.Fprintln(os.Stdout, words)
	}
	return app.State(), err
}

// end has every screen end what it has begun; lost is whether the terminal is.
func (a *App) end(lost bool) {
	for _, s := range a.screens {
		s.Close(lost)
	}
	_ = a.shell.Workspace.Close()
}

// Farewell is what to say once the terminal is back, "" for nothing.
func (a *App) Farewell() string { return a.said(screen.Screen.Farewell, "\n") }

// Interactive reports whether screens can be shown on this terminal.
func Interactive() bool {
	term := os.Getenv("TERM")
	return term != "" && term != "dumb"
}

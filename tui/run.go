package tui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/state"
)

// Run shows the screens until the user leaves, and returns what to remember.
// The terminal is put back whatever happens: Bubble Tea does it after a panic,
// and when a signal ends the context here. Its own handler knows no hang-up.
func Run(ctx context.Context, o Options) (state.State, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGHUP, syscall.SIGTERM)
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
	app.end()
	return app.State(), err
}

// end waits for a running probe to save what it has, after the screen is gone.
func (a *App) end() {
	if a.running != nil {
		a.running.Stop()
		for range a.running.Updates() {
			continue // the last one comes when everything is saved
		}
	}
	_ = a.ws.Close()
}

// Interactive reports whether screens can be shown on this terminal.
func Interactive() bool {
	term := os.Getenv("TERM")
	return term != "" && term != "dumb"
}

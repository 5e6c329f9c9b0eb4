package tui

import (
	"context"

	"sweetspot/data/export"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/session"
	"sweetspot/tui/screens/probe"
)

// Workspace is the open database beside or without the built-in library. Its
// methods are called from commands, several at once.
type Workspace interface {
	Label() string
	Path() string
	Load(ctx context.Context) (*profile.Set, error)
	Version(ctx context.Context) (int64, error) // changes when any process has written
	SavePick(ctx context.Context, p export.Pick) error
	Picks(ctx context.Context) ([]store.Pick, error)
	DeleteRun(ctx context.Context, id int64) error
	Close() error
}

// Opener opens another database; an empty path is the built-in library with
// the default database.
type Opener func(ctx context.Context, path string) (Workspace, error)

// Probe is a probe that runs.
type Probe interface {
	Updates() <-chan session.Update // closed after the last one
	Stop()                          // stop and save
	KeepRunning()                   // past the stop rule
	Cancel()                        // stop and forget
}

// Prober starts a probe of what the form says, to be saved in the workspace.
type Prober func(ctx context.Context, w Workspace, f probe.Form) (Probe, error)

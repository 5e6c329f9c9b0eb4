package tui

import (
	"context"

	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/probes/matrix"
	"sweetspot/tui/screens/probe"
)

// Workspace is the open database beside or without the built-in library. Its
// methods are called from commands, several at once.
type Workspace interface {
	Label() string
	Path() string
	Load(ctx context.Context) (*profile.Set, error)
	Version(ctx context.Context) (int64, error) // changes when any process has written
	SavePick(ctx context.Context, p contract.Pick) error
	Picks(ctx context.Context) ([]store.Pick, error)
	Keeper
	Close() error
}

// Keeper is what a user does to look after the database. What is the built-in
// library's is refused.
type Keeper interface {
	Rename(ctx context.Context, to []store.RunName) (was []store.RunName, err error)
	Annotate(ctx context.Context, of store.Table, id int64, note string) (was string, err error)
	Delete(ctx context.Context, of store.Table, ids ...int64) (deletion int64, err error)
	Undelete(ctx context.Context, deletion int64) (store.Restored, error) // 0 is the last one
	Merge(ctx context.Context, path string) (store.Merged, error)
	Backup(ctx context.Context, path string) (size int64, err error)
	Import(ctx context.Context, found imports.Found, o imports.Options, taken func(intake.File)) (intake.Result, error)
}

// Opener opens another database; an empty path is the built-in library with
// the default database.
type Opener func(ctx context.Context, path string) (Workspace, error)

// Probe is a probe that runs, or several that were started as one.
type Probe interface {
	Updates() <-chan matrix.Update // closed after the last one
	Stop()                         // stop and save
	KeepRunning()                  // past the stop rule
	Cancel()                       // stop and forget
}

// Leaver is a [Probe] that goes on without this program. Leave lets go of it
// and returns when nothing more is needed of this process; its updates need
// not be read any more.
type Leaver interface{ Leave() }

// Prober starts the probes of what the form says, to be saved in the
// workspace. What is asked on Explore says how precise they must be. ctx ends when the program is left before they have started, and
// after they have been stopped or left; a hang-up alone does not end it.
type Prober func(ctx context.Context, w Workspace, f probe.Form, asked question.Query) (Probe, error)

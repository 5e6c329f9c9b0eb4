package screen

import (
	"context"

	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
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
	Editor
	Close() error
}

// Editor changes the database for the user. What belongs to the built-in library
// is refused.
type Editor interface {
	Rename(ctx context.Context, to []store.RunName) (was []store.RunName, err error)
	Annotate(ctx context.Context, of store.Table, id int64, note string) (was string, err error)
	Delete(ctx context.Context, of store.Table, ids ...int64) (deletion int64, err error)
	Undelete(ctx context.Context, deletion int64) (store.Restored, error) // 0 is the last one
	Merge(ctx context.Context, path string) (store.Merged, error)
	Backup(ctx context.Context, path string) (size int64, err error)
	Import(ctx context.Context, found imports.Found, o imports.Options, taken func(intake.File)) (intake.Result, error)
}

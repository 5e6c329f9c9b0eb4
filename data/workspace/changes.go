package workspace

import (
	"context"
	"errors"
	"fmt"

	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
)

// ErrBuiltIn means that built-in data cannot be changed.
var ErrBuiltIn = errors.New("this belongs to the built-in library, which cannot be changed")

// own returns the user's database if it contains all of the rows.
func (w *Workspace) own(ids ...int64) (*store.Store, error) {
	db := w.Store()
	if db == nil {
		return nil, ErrBuiltIn
	}
	for _, id := range ids {
		if id <= 0 {
			return nil, ErrBuiltIn
		}
	}
	return db, nil
}

// Rename is [store.Store.Rename] for runs of the user's database.
func (w *Workspace) Rename(ctx context.Context, to []store.RunName) ([]store.RunName, error) {
	ids := make([]int64, len(to))
	for i, n := range to {
		ids[i] = n.Run
	}
	db, err := w.own(ids...)
	if err != nil {
		return nil, err
	}
	return db.Rename(ctx, to)
}

// Annotate is [store.Store.Annotate] for the user's own.
func (w *Workspace) Annotate(ctx context.Context, of store.Table, id int64, note string) (was string, err error) {
	db, err := w.own(id)
	if err != nil {
		return "", err
	}
	return db.Annotate(ctx, of, id, note)
}

// Delete is [store.Store.Delete] for the user's own.
func (w *Workspace) Delete(ctx context.Context, of store.Table, ids ...int64) (deletion int64, err error) {
	db, err := w.own(ids...)
	if err != nil {
		return 0, err
	}
	return db.Delete(ctx, of, ids...)
}

// Undelete is [store.Store.Undelete]; without a database there is nothing to
// restore.
func (w *Workspace) Undelete(ctx context.Context, deletion int64) (store.Restored, error) {
	db := w.Store()
	if db == nil {
		return store.Restored{}, nil
	}
	return db.Undelete(ctx, deletion)
}

// Merge is [store.Store.Merge] into the user's database, which is created if necessary.
func (w *Workspace) Merge(ctx context.Context, path string) (store.Merged, error) {
	db, err := w.Writable(ctx)
	if err != nil {
		return store.Merged{}, err
	}
	return db.Merge(ctx, path)
}

// Backup is [store.Store.Backup].
func (w *Workspace) Backup(ctx context.Context, path string) (size int64, err error) {
	db := w.Store()
	if db == nil {
		return 0, fmt.Errorf("there is no database to back up yet: %s is created when the first run is saved",
			plaintext.Clean(w.path))
	}
	return db.Backup(ctx, path)
}

// Import imports the runs of files into the user's database, which is created if necessary.
func (w *Workspace) Import(ctx context.Context, found imports.Found, o imports.Options,
	taken func(intake.File)) (intake.Result, error) {
	db, err := w.Writable(ctx)
	if err != nil {
		return intake.Result{}, err
	}
	return intake.Import(ctx, db, found, o, taken)
}

// Package workspace combines the built-in library and a profile database of the
// user, which are never mixed.
package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sweetspot/data/bundle"
	"sweetspot/data/catalog"
	"sweetspot/data/contract"
	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/data/library"
	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Workspace is a profile database with or without the built-in library. It is
// safe for concurrent use.
type Workspace struct {
	mu       sync.Mutex // guards store, which is created when first needed
	path     string
	alone    bool  // the user named the database: only its runs count
	homeless error // why there is no place for a database; the library can be read all the same
	store    *store.Store
	library  *profile.Set
}

// Open opens only the database at path. With path "" it opens the built-in
// library and the user's default database, if there is one.
func Open(ctx context.Context, path string) (*Workspace, error) {
	w, err := newWorkspace(path)
	if err != nil {
		return nil, err
	}
	if !w.alone && !store.HasDefault() {
		return w, nil // created when the first run is saved
	}
	if w.store, err = store.OpenExisting(ctx, w.path); err != nil && w.alone {
		return nil, err
	}
	return w, err
}

// OpenFor is like [Open], but creates a named database that does not exist: for
// subcommands that write.
func OpenFor(ctx context.Context, path string) (*Workspace, error) {
	w, err := newWorkspace(path)
	if err == nil {
		_, err = w.Writable(ctx)
	}
	return w, err
}

func newWorkspace(path string) (*Workspace, error) {
	lib, err := library.Load()
	if err != nil {
		return nil, err
	}
	w := &Workspace{path: path, alone: path != "", library: lib}
	files, homeless := CatalogFiles()
	if lib.VMTypes, err = files.Joined(); err != nil { // without a folder there are none but the built-in ones
		return nil, err
	}
	if !w.alone {
		if w.path, w.homeless = store.Named(""); homeless != nil {
			w.homeless = homeless
		}
	}
	return w, nil
}

// CatalogFiles are the user's own catalogs, next to the default database.
func CatalogFiles() (catalog.Files, error) {
	home, err := store.Home()
	if err != nil {
		return catalog.Files{}, err
	}
	return catalog.FilesIn(home), nil
}

// Warnings are [store.Store.Warnings] of the database.
func (w *Workspace) Warnings() []string {
	if db := w.Store(); db != nil {
		return db.Warnings()
	}
	return nil
}

// Path is where runs are saved.
func (w *Workspace) Path() string { return w.path }

// Label describes what is open, for titles.
func (w *Workspace) Label() string {
	file := plaintext.Clean(filepath.Base(w.path))
	switch {
	case w.alone:
		return file
	case w.Store() != nil:
		return "built-in library + " + file
	default:
		return "built-in library"
	}
}

// Store is the open database; nil if there is none yet.
func (w *Workspace) Store() *store.Store {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store
}

// Writable returns the database to save to, and creates it if necessary.
func (w *Workspace) Writable(ctx context.Context) (*store.Store, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store != nil {
		return w.store, nil
	}
	if w.homeless != nil {
		return nil, w.homeless
	}
	s, err := store.Open(ctx, w.path)
	if err != nil {
		return nil, err
	}
	w.store = s
	return s, nil
}

// Load reads the current content of library and database.
func (w *Workspace) Load(ctx context.Context) (*profile.Set, error) {
	db := w.Store()
	if db == nil {
		return w.library, nil
	}
	own, err := db.Load(ctx)
	if err != nil {
		return nil, err
	}
	own.Kinds, own.AccuracyKind = w.library.Kinds, w.library.AccuracyKind
	if !w.alone {
		return own.Merge(w.library), nil
	}
	return own.Merge(&profile.Set{VMTypes: w.library.VMTypes, GPUs: w.library.GPUs,
		Architectures: w.library.Architectures, Throughputs: w.library.Throughputs,
		Latencies: w.library.Latencies, Reached: w.library.Reached}), nil
}

// Close closes the database.
func (w *Workspace) Close() error {
	if db := w.Store(); db != nil {
		return db.Close()
	}
	return nil
}

// Version changes whenever any process has written to the database; 0 without
// one.
func (w *Workspace) Version(ctx context.Context) (int64, error) {
	db := w.Store()
	if db == nil {
		if _, err := os.Stat(w.path); err != nil {
			return 0, nil
		}
		// Another process created the default database meanwhile.
		var err error
		if db, err = w.Writable(ctx); err != nil {
			return 0, err
		}
	}
	return db.DataVersion(ctx)
}

// SavePick saves a pick with the query that led to it.
func (w *Workspace) SavePick(ctx context.Context, p contract.Pick) error {
	db, err := w.Writable(ctx)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, p.PickedAt)
	if err != nil {
		return err
	}
	query, err := json.Marshal(p.Query)
	if err != nil {
		return err
	}
	candidate, err := json.Marshal(p.Candidate)
	if err != nil {
		return err
	}
	_, err = db.SavePick(ctx, store.Pick{CreatedAt: at, Name: p.Candidate.ID, Query: query, Candidate: candidate})
	return err
}

// Picks lists the saved picks, newest first.
func (w *Workspace) Picks(ctx context.Context) ([]store.Pick, error) {
	db := w.Store()
	if db == nil {
		return nil, nil
	}
	return db.Picks(ctx)
}

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

// Sync is [store.Store.Sync] of the user's database, which is created if necessary.
func (w *Workspace) Sync(ctx context.Context, folder bundle.Folder) (store.Synced, error) {
	db, err := w.Writable(ctx)
	if err != nil {
		return store.Synced{}, err
	}
	return db.Sync(ctx, folder)
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

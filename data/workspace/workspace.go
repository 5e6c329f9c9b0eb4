// Package workspace joins what is open: the built-in library and a profile
// database of the user's, which are never written into one another.
package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sweetspot/data/library"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
)

// Workspace is a profile database beside the built-in library, or alone. It is
// used from one goroutine at a time.
type Workspace struct {
	path    string
	alone   bool // the user named the database: only its runs count
	store   *store.Store
	library *profile.Set
}

// Open opens the database at path alone. With path "" it opens the built-in
// library and, beside it, the user's default database where there is one.
func Open(ctx context.Context, path string) (*Workspace, error) {
	lib, err := library.Load()
	if err != nil {
		return nil, err
	}
	w := &Workspace{path: path, alone: path != "", library: lib}
	if w.alone {
		w.store, err = store.OpenExisting(ctx, path)
		if err != nil {
			return nil, err
		}
		return w, nil
	}
	w.path = store.DefaultPath()
	if _, err := os.Stat(w.path); errors.Is(err, fs.ErrNotExist) {
		return w, nil // made when the first run is saved
	}
	if w.store, err = store.OpenExisting(ctx, w.path); err != nil {
		return w, err
	}
	return w, nil
}

// OpenFor opens like [Open], but makes a named database that does not exist
// yet: for verbs that write.
func OpenFor(ctx context.Context, path string) (*Workspace, error) {
	lib, err := library.Load()
	if err != nil {
		return nil, err
	}
	w := &Workspace{path: path, alone: path != "", library: lib}
	if !w.alone {
		w.path = store.DefaultPath()
	}
	_, err = w.Writable(ctx)
	return w, err
}

// Path is where runs are saved.
func (w *Workspace) Path() string { return w.path }

// Label names what is open, for titles.
func (w *Workspace) Label() string {
	switch {
	case w.alone:
		return filepath.Base(w.path)
	case w.store != nil:
		return "built-in library + " + filepath.Base(w.path)
	default:
		return "built-in library"
	}
}

// Store is the open database; nil where there is none yet.
func (w *Workspace) Store() *store.Store { return w.store }

// Writable returns the database to save to, made now if need be.
func (w *Workspace) Writable(ctx context.Context) (*store.Store, error) {
	if w.store != nil {
		return w.store, nil
	}
	s, err := store.Open(ctx, w.path)
	if err != nil {
		return nil, err
	}
	w.store = s
	return s, nil
}

// Load reads everything the engine may be asked about, as it is now.
func (w *Workspace) Load(ctx context.Context) (*profile.Set, error) {
	if w.store == nil {
		return w.library, nil
	}
	own, err := w.store.Load(ctx)
	if err != nil {
		return nil, err
	}
	own.Kinds = w.library.Kinds
	if !w.alone {
		return own.Merge(w.library), nil
	}
	catalog := &profile.Set{VMTypes: w.library.VMTypes}
	return own.Merge(catalog), nil
}

// Close closes the database.
func (w *Workspace) Close() error {
	if w.store == nil {
		return nil
	}
	return w.store.Close()
}

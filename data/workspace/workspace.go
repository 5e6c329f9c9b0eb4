// Package workspace joins what is open: the built-in library and a profile
// database of the user's, which are never written into one another.
package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sweetspot/data/catalog"
	"sweetspot/data/contract"
	"sweetspot/data/library"
	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Workspace is a profile database beside the built-in library, or alone. It
// may be used from several goroutines.
type Workspace struct {
	mu      sync.Mutex // guards store, which is made when first needed
	path    string
	alone   bool // the user named the database: only its runs count
	store   *store.Store
	library *profile.Set
}

// Open opens the database at path alone. With path "" it opens the built-in
// library and, beside it, the user's default database where there is one.
func Open(ctx context.Context, path string) (*Workspace, error) {
	lib, err := loadLibrary()
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
	lib, err := loadLibrary()
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

// CatalogFiles are the user's own catalogs, beside the default database.
func CatalogFiles() catalog.Files { return catalog.FilesIn(filepath.Dir(store.DefaultPath())) }

// loadLibrary is the built-in library with the user's catalogs over its own.
func loadLibrary() (*profile.Set, error) {
	lib, err := library.Load()
	if err != nil {
		return nil, err
	}
	lib.VMTypes, err = CatalogFiles().Joined()
	return lib, err
}

// Path is where runs are saved.
func (w *Workspace) Path() string { return w.path }

// Label names what is open, for titles.
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

// Store is the open database; nil where there is none yet.
func (w *Workspace) Store() *store.Store {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store
}

// Writable returns the database to save to, made now if need be.
func (w *Workspace) Writable(ctx context.Context) (*store.Store, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
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
	return own.Merge(&profile.Set{VMTypes: w.library.VMTypes, GPUs: w.library.GPUs}), nil
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
		// Another process made the default database meanwhile.
		var err error
		if db, err = w.Writable(ctx); err != nil {
			return 0, err
		}
	}
	return db.DataVersion(ctx)
}

// SavePick keeps a pick with the query that led to it.
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

// Picks lists the picks kept, newest first.
func (w *Workspace) Picks(ctx context.Context) ([]store.Pick, error) {
	db := w.Store()
	if db == nil {
		return nil, nil
	}
	return db.Picks(ctx)
}

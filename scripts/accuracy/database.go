package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
	"sweetspot/scripts/convert"
)

// load converts a set to the Profile CSV, which it also writes to a folder where
// one is named, imports that into an empty profile database and loads it as
// every subcommand does. Errors name the set and what is wrong where.
func load(ctx context.Context, set convert.Set, data, write string) (*profile.Set, error) {
	runs, err := set.Read(ctx, filepath.Join(data, set.Name))
	if convert.Absent(err) {
		return nil, err
	}
	loaded := &profile.Set{}
	if err == nil {
		loaded, err = throughDatabase(ctx, set.Name, runs, write)
	}
	if err != nil {
		return nil, fmt.Errorf("the set %s is left out: %w", set.Name, err)
	}
	return loaded, nil
}

func throughDatabase(ctx context.Context, name string, runs *profile.Set, write string) (*profile.Set, error) {
	var text bytes.Buffer
	if err := profilecsv.Write(&text, runs); err != nil {
		return nil, err
	}
	if write != "" {
		if err := os.WriteFile(filepath.Join(write, name+".csv"), text.Bytes(), 0o600); err != nil {
			return nil, err
		}
	}
	read, err := profilecsv.Read(&text)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sweetspot-accuracy-")
	if err != nil {
		return nil, err
	}
	loaded, err := imported(ctx, filepath.Join(dir, name+".db"), read)
	return loaded, errors.Join(err, os.RemoveAll(dir))
}

// imported makes a database of the runs and loads it as every subcommand does that is
// told to ask it alone.
func imported(ctx context.Context, path string, runs *profile.Set) (set *profile.Set, err error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	_, err = db.Import(ctx, runs)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	w, err := workspace.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	set, err = w.Load(ctx)
	return set, errors.Join(err, w.Close())
}

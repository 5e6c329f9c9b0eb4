package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sweetspot/data/bundle"
	"sweetspot/engine/quantity"
)

// Synced is what a sync brought and gave.
type Synced struct {
	Read        int      `json:"bundles_read"`    // new ones
	Written     int      `json:"bundles_written"` // by this sync
	Runs        int      `json:"new_runs"`        // that were not here
	Changed     int      `json:"changed"`         // runs and picks whose name, note or measurements are others now
	Deleted     int      `json:"deleted"`         // runs and picks, elsewhere
	Undeleted   int      `json:"undeleted"`       // runs and picks, elsewhere
	Picks       int      `json:"new_picks"`       // that were not here
	Prices      int      `json:"new_prices"`      // new or corrected ones
	SentRuns    int      `json:"sent_runs"`       // with what was measured
	SentPicks   int      `json:"sent_picks"`      // new ones
	SentChanges int      `json:"sent_changes"`    // of names, notes, deletions, models, VM types and prices
	Warnings    []string `json:"-"`
}

func (d Synced) brought() int {
	return d.Runs + d.Changed + d.Deleted + d.Undeleted + d.Picks + d.Prices
}

// String counts in words.
func (d Synced) String() string {
	out := fmt.Sprintf("%s new", quantity.Several(d.Runs, "run"))
	for _, more := range []struct {
		n    int
		what string
	}{{d.Changed, "changed"}, {d.Deleted, "deleted"}, {d.Undeleted, "undeleted"}} {
		if more.n > 0 {
			out += fmt.Sprintf(", %s %s", quantity.Count(float64(more.n)), more.what)
		}
	}
	if d.Picks > 0 {
		out += fmt.Sprintf(", %s new", quantity.Several(d.Picks, "pick"))
	}
	if d.Prices > 0 {
		out += fmt.Sprintf(", %s new", quantity.Several(d.Prices, "price"))
	}
	out += "; sent " + quantity.Several(d.SentRuns, "run")
	if others := d.SentPicks + d.SentChanges; others > 0 {
		out += " and " + quantity.Several(others, "other change")
	}
	return out
}

// syncing is a sync under way.
type syncing struct {
	store    *Store
	folder   bundle.Folder
	inFolder []string // names of bundles
	columns  map[string][]column
	refused  map[string]bool // bundles that were said to be unreadable
	done     Synced
}

// Sync reads the bundles that other databases have left in a folder, and leaves what these
// do not have. After all have done so, all have the same. It may be broken off at any moment
// and begun again. A bundle that can't be read is left out with a warning.
func (s *Store) Sync(ctx context.Context, folder bundle.Folder) (Synced, error) {
	if err := s.refuse("sync"); err != nil {
		return Synced{}, err
	}
	x := &syncing{store: s, folder: folder, refused: map[string]bool{}}
	if err := s.change(ctx, "sync", x.prepare); err != nil {
		return x.done, err
	}
	var err error
	if x.inFolder, err = folder.List(ctx); err != nil {
		return x.done, err
	}
	slices.Sort(x.inFolder)
	x.inFolder = append([]string{}, x.inFolder...) // never null in JSON
	if err := x.receive(ctx); err != nil {
		return x.done, err
	}
	return x.done, x.send(ctx)
}

// prepare gives a fingerprint to runs that another program has inserted without one.
func (x *syncing) prepare(ctx context.Context, tx *transaction) (err error) {
	if x.columns, err = x.store.columnsTold(ctx, tx); err != nil {
		return err
	}
	return insert(ctx, tx, "UPDATE runs SET fingerprint = 'inserted ' || lower(hex(randomblob(16))) "+
		"WHERE fingerprint IS NULL")
}

// maxPasses bounds how often bundles are read again because another one completes them.
const maxPasses = 8

// receive reads the bundles that were not read yet, and again those that waited for others.
func (x *syncing) receive(ctx context.Context) error {
	for pass := range maxPasses {
		unread, err := x.unread(ctx)
		if err != nil || len(unread) == 0 {
			return err
		}
		brought, before := false, x.done.brought()
		err = x.folder.Fetch(ctx, unread, func(name string, content []byte, err error) error {
			if err == nil {
				var progress bool
				progress, err = x.take(ctx, name, content)
				brought = brought || progress
			}
			var left *bundle.Error
			if errors.As(err, &left) {
				x.leaveOut(name, left)
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		if !brought && x.done.brought() == before || pass == maxPasses-1 {
			return nil
		}
	}
	return nil
}

func (x *syncing) leaveOut(name string, err *bundle.Error) {
	if !x.refused[name] {
		x.refused[name] = true
		err.Bundle = name
		x.done.Warnings = append(x.done.Warnings, err.Error())
	}
}

// unread are the bundles of the folder that have something new.
func (x *syncing) unread(ctx context.Context) ([]string, error) {
	names, err := json.Marshal(x.inFolder)
	if err != nil {
		return nil, err
	}
	list, err := all[string](ctx, x.store.write, `SELECT value FROM json_each(?) WHERE value NOT IN
		(SELECT name FROM sync_bundles WHERE complete = 1) ORDER BY 1`, string(names))
	list = slices.DeleteFunc(list, func(name string) bool { return x.refused[name] })
	return list, x.store.explain("be read", err)
}

// take applies a bundle, all of it or nothing, and reports whether it is another step: it was
// not read before, or is complete now.
func (x *syncing) take(ctx context.Context, name string, content []byte) (progress bool, err error) {
	if !bundle.Fits(name, content) {
		return false, bundle.Damaged("its content does not fit its name, so it is damaged or not yet whole")
	}
	before := x.done
	err = x.store.change(ctx, "take in a bundle", func(ctx context.Context, tx *transaction) error {
		a := &applying{syncing: x, tx: tx, bundle: name}
		progress, err = a.all(ctx, content)
		return err
	})
	if err != nil {
		x.done = before
	}
	return progress, err
}

// notThere says that a row is missing, which is no error.
func notThere(err error) bool { return errors.Is(err, sql.ErrNoRows) }

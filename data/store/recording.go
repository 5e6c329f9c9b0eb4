package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Recording writes one run while it goes on. Each call is one transaction.
// It may be used from several goroutines.
type Recording struct {
	store *Store
	id    int64

	mu    sync.Mutex
	next  map[string]int64 // number of the next row, by table
	model string           // the name that it has here
}

// Start inserts a run that goes on from now.
func (s *Store) Start(ctx context.Context, d Description) (*Recording, error) {
	rec := &Recording{store: s, next: map[string]int64{}}
	err := s.change(ctx, "store a new run", func(ctx context.Context, tx *transaction) error {
		variant, machine, err := saveDescribed(ctx, tx, d)
		if err != nil {
			return err
		}
		started := d.StartedAt
		if started.IsZero() {
			started = s.nowFunc()
		}
		row := assignments{}
		row.add("variant_id", variant)
		row.add("machine_id", machine)
		row.add("mode", string(d.Mode))
		row.add("status", string(profile.Running))
		row.add("basis", estimate.Measured.String())
		row.add("started_at", stamp(started))
		row.add("as_of", started.UTC().Format(time.DateOnly))
		row.add("fingerprint", "recorded "+rand.Text())
		rec.id, err = row.insertNumbered(ctx, tx, "runs", "")
		if err != nil {
			return err
		}
		return rec.describe(ctx, tx, d, variant, machine)
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// ID is the number of the run.
func (r *Recording) ID() int64 { return r.id }

// Model is the name of the run's model, which may be longer than the described one where
// that is of another network.
func (r *Recording) Model() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.model
}

func saveDescribed(ctx context.Context, tx *transaction, d Description) (variant, machine int64, err error) {
	model, err := saveModel(ctx, tx, d.Model)
	if err != nil {
		return 0, 0, err
	}
	if variant, err = saveVariant(ctx, tx, model, d.Variant); err != nil {
		return 0, 0, err
	}
	machine, err = saveMachine(ctx, tx, d.Machine)
	return variant, machine, err
}

// Describe replaces the description: the script tells parts of it later.
func (r *Recording) Describe(ctx context.Context, d Description) error {
	err := r.store.change(ctx, "store the description of a run", func(ctx context.Context, tx *transaction) error {
		var err error
		if d.Model.Name, err = nameOf(ctx, tx, d.Model.Name, d.Work, r.id); err != nil {
			return err
		}
		variant, machine, err := saveDescribed(ctx, tx, d)
		if err != nil {
			return err
		}
		if err := r.describe(ctx, tx, d, variant, machine); err != nil {
			return err
		}
		return dropUnused(ctx, tx)
	})
	if err == nil {
		r.mu.Lock()
		r.model = d.Model.Name
		r.mu.Unlock()
	}
	return err
}

func (r *Recording) describe(ctx context.Context, tx *transaction, d Description, variant, machine int64) error {
	set := assignments{}
	set.add("variant_id", variant)
	set.add("machine_id", machine)
	set.from(d.Model, "dataset", "unit")
	set.add("count", max(d.Count, 1))
	set.from(d, "mode", "batch_size", "world_size", "epochs", "iterations_per_epoch", "train_size", "steps", "schedule",
		"framework", "address", "spool", "series", "repeat", "folder")
	set.work(d.Work)
	set.add("usd_per_hour", real(d.Machine.USDPerHour))
	set.add("command", formatCommand(d.Command))
	set.add("packages", formatPackages(d.Packages))
	set.add("tuning", profile.FormatTuning(d.Tuning))
	set.add("sizes", profile.FormatSizes(d.Sizes))
	set.add("source", sourceOf(d))
	set.add("heartbeat_ms", r.store.nowFunc().UnixMilli())
	stamp, err := r.store.tick(ctx, tx)
	if err != nil {
		return err
	}
	set.add("named", stamp+byProgram)
	set.add("content", "")
	return r.present(set.update(ctx, tx, "runs", "id = ? AND deleted = 0", r.id))
}

// present turns an update that found no row into an error.
func (r *Recording) present(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return fmt.Errorf("run %d is no longer in %s; it was deleted while it went on", r.id, r.store.name)
}

// sourceOf says in words where a recorded run comes from.
func sourceOf(d Description) string {
	if d.Machine.Host == "" {
		return "sweetspot probe"
	}
	return "sweetspot probe on " + clean(d.Machine.Host)
}

// Finish closes the recording.
func (r *Recording) Finish(ctx context.Context, f Finish) error {
	return r.store.change(ctx, "store the end of a run", func(ctx context.Context, tx *transaction) error {
		starts, err := epochStarts(ctx, tx, r.id)
		if err != nil {
			return err
		}
		now := r.store.nowFunc()
		set := assignments{}
		set.add("epoch_starts_s", formatStarts(starts))
		set.add("finished_at", stamp(now))
		set.add("content", "")
		measured, err := r.store.tick(ctx, tx)
		if err != nil {
			return err
		}
		set.add("measured", measured)
		set.add("heartbeat_ms", now.UnixMilli())
		set.from(f, "stopped_because", "stopped_words", "script_exit", "rejected_lines", "spent_s", "spent_usd", "input_wait")
		set.summary(f.Run)
		if err := r.present(set.update(ctx, tx, "runs", "id = ? AND deleted = 0", r.id)); err != nil {
			return err
		}
		return r.replaceValidations(ctx, tx, f.Run.Validations)
	})
}

// replaceValidations puts the validations of a finished run in the place of those
// recorded so far: a script may print their values later than they were seen. Those
// of the untrained network stay.
func (r *Recording) replaceValidations(ctx context.Context, tx *transaction, all []profile.Validation) error {
	if len(all) == 0 {
		return nil
	}
	const trained = "DELETE FROM validations WHERE run_id = ? AND iterations IS NOT 0"
	if _, err := tx.ExecContext(ctx, trained, r.id); err != nil {
		return err
	}
	const next = "SELECT coalesce(max(seq) + 1, 0) FROM validations WHERE run_id = ?"
	seq, err := one[int64](ctx, tx, next, r.id)
	if err != nil {
		return err
	}
	rows := runRows{tx: tx, run: r.id, next: map[string]int64{"validations": seq}}
	appendList(ctx, &rows, "validations", all)
	return rows.err
}

// stamp writes a time so that text order is time order.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
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

	mu  sync.Mutex
	seq struct{ iterations, validations, pauses, memory, telemetry, log, layers int64 }
}

// Start inserts a run that goes on from now.
func (s *Store) Start(ctx context.Context, d Description) (*Recording, error) {
	rec := &Recording{store: s}
	err := s.change(ctx, "take a new run", func(ctx context.Context, tx *transaction) error {
		variant, machine, err := saveDescribed(ctx, tx, d)
		if err != nil {
			return err
		}
		started := d.StartedAt
		if started.IsZero() {
			started = s.nowFunc()
		}
		err = tx.QueryRowContext(ctx, `
			INSERT INTO runs (variant_id, machine_id, mode, status, basis, started_at, as_of, fingerprint)
			VALUES (?, ?, ?, ?, ?, ?, ?, 'recorded ' || lower(hex(randomblob(16)))) RETURNING id`,
			variant, machine, string(d.Mode), string(profile.Running), estimate.Measured.String(),
			stamp(started), started.UTC().Format(time.DateOnly)).Scan(&rec.id)
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
	return r.store.change(ctx, "take what a run is of", func(ctx context.Context, tx *transaction) error {
		variant, machine, err := saveDescribed(ctx, tx, d)
		if err != nil {
			return err
		}
		if err := r.describe(ctx, tx, d, variant, machine); err != nil {
			return err
		}
		return dropUnused(ctx, tx)
	})
}

func (r *Recording) describe(ctx context.Context, tx *transaction, d Description, variant, machine int64) error {
	words := make([]string, len(d.Command))
	for i, w := range d.Command {
		words[i] = clean(w)
	}
	command, err := json.Marshal(words)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `
		UPDATE runs SET variant_id = ?, machine_id = ?, dataset = ?, unit = ?, mode = ?, batch_size = ?, usd_per_hour = ?, epochs = ?, iterations_per_epoch = ?,
			train_size = ?, command = ?, framework = ?, source = ?, heartbeat_ms = ?, address = ?, spool = ?, series = ?, repeat = ? WHERE id = ? AND deleted = 0`,
		variant, machine, clean(d.Model.Dataset), clean(d.Model.Unit), string(d.Mode), d.BatchSize, real(d.Machine.USDPerHour), real(d.Epochs), real(d.IterationsPerEpoch),
		real(d.TrainSize), string(command), clean(d.Framework), sourceOf(d), r.store.nowFunc().UnixMilli(),
		clean(d.Address), clean(d.Spool), d.Series, d.Repeat, r.id)
	return r.present(res, err)
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
	return r.store.change(ctx, "take the end of a run", func(ctx context.Context, tx *transaction) error {
		starts, err := epochStarts(ctx, tx, r.id)
		if err != nil {
			return err
		}
		s, now := f.Summary, r.store.nowFunc()
		set := assignments{}
		set.add("epoch_starts_s", formatStarts(starts))
		set.add("status", string(f.Status))
		set.add("finished_at", stamp(now))
		set.add("heartbeat_ms", now.UnixMilli())
		set.add("stopped_because", clean(f.StoppedBecause))
		set.add("stopped_words", clean(f.StoppedWords))
		set.add("script_exit", f.ScriptExit)
		set.add("rejected_lines", f.RejectedLines)
		set.add("spent_s", real(&f.SpentS))
		set.add("spent_usd", real(f.SpentUSD))
		set.add("first_iteration_s", real(s.FirstIterationS))
		set.steady(s.Steady)
		set.add("steady_stddev_s", real(s.SteadyStdDevS))
		set.add("steady_n", s.SteadyN)
		set.add("warmup_iterations", s.Warmup)
		set.add("warmup_extra_s", s.WarmupExtraS)
		set.add("first_validation_s", real(s.FirstValidationS))
		set.add("validation_s", real(s.ValidationS))
		set.add("peak_memory_bytes", real(s.PeakMemoryBytes))
		set.add("total_s", real(s.TotalS))
		set.energy(f.Energy)
		set.add("input_wait", real(f.InputWait))
		set.accuracy(f.Accuracy)
		return r.present(tx.ExecContext(ctx, "UPDATE runs SET "+set.names+" WHERE id = ? AND deleted = 0", append(set.args, r.id)...))
	})
}

// assignments builds the list of an UPDATE; the names come from the code.
type assignments struct {
	names string
	args  []any
}

func (a *assignments) add(column string, value any) {
	if a.names != "" {
		a.names += ", "
	}
	a.names += column + " = ?"
	a.args = append(a.args, value)
}

func (a *assignments) steady(e estimate.Estimate) {
	if !e.Known() {
		return
	}
	a.add("steady_s", real(&e.Value))
	a.add("steady_low_s", real(&e.Low))
	a.add("steady_high_s", real(&e.High))
	a.add("steady_basis", e.Basis.String())
}

func (a *assignments) energy(e Energy) {
	a.add("energy_j_per_unit", real(e.JPerUnit))
	a.add("average_power_w", real(e.AveragePowerW))
	a.add("energy_of", clean(e.Of))
}

func (a *assignments) accuracy(acc *profile.Accuracy) {
	if acc == nil {
		return
	}
	a.add("metric", clean(acc.Metric))
	a.add("accuracy", real(&acc.Value))
	a.add("accuracy_stddev", real(acc.StdDev))
	a.add("higher_is_better", acc.HigherIsBetter)
	a.add("accuracy_basis", acc.Basis.String())
}

// insert inserts one row of the assigned columns and returns its number.
func (a *assignments) insert(ctx context.Context, tx *transaction, table string) (id int64, err error) {
	columns := strings.ReplaceAll(a.names, " = ?", "")
	marks := strings.Repeat(", ?", len(a.args))[2:]
	err = tx.QueryRowContext(ctx, "INSERT INTO "+table+" ("+columns+") VALUES ("+marks+") RETURNING id", a.args...).Scan(&id)
	return id, err
}

// stamp writes a time so that text order is time order.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

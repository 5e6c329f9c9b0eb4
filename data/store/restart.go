package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sweetspot/engine/profile"
)

// Record is what the database holds of one run beside what [Store.Load] gives:
// how it was described and how it ended.
type Record struct {
	Description
	Status                       profile.Status // running if its recorder was heard within ten seconds, else interrupted
	StoppedBecause, StoppedWords string
	ScriptExit                   *int
	RejectedLines                int
	SpentS, SpentUSD             *float64
	InputWait                    *float64
	Layers                       []Layer
	Warnings                     []string
}

// Record returns the run, or an error that says what to do where there is none.
func (s *Store) Record(ctx context.Context, id int64) (r Record, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return r, s.explain("be read", err)
	}
	defer tx.Rollback()
	if r, err = s.readRecord(ctx, tx, id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return r, s.absent(RunTable, id)
		}
		return r, s.explain("be read", err)
	}
	return r, nil
}

const recordQuery = `
	SELECT m.name AS "model.name", r.dataset AS "model.dataset", m.task AS "model.task", r.unit AS "model.unit",
		m.source_file AS "model.source_file", m.params AS "model.params", m.flops_per_unit AS "model.flops_per_unit",
		v.name AS "variant.name", v.precision AS "variant.precision",
		v.pruned, v.pruning_kind, v.pruning_ratio, v.pruning_layers,
		r.mode, r.batch_size, r.count, r.world_size, r.epochs, r.iterations_per_epoch, r.train_size, r.steps, r.schedule, r.sizes, r.command, r.folder, r.packages, r.tuning,
		r.network AS "work.network", r.input AS "work.input", r.flops_per_unit AS "work.flops",
		r.activations_per_unit AS "work.activations", r.params AS "work.params", r.layers AS "work.layers",
		r.state_bytes AS "work.state_bytes",
		r.framework, r.started_at,
		r.address, r.spool, r.series, r.repeat, r.usd_per_hour AS "machine.usd_per_hour",
		c.host AS "machine.host", c.os AS "machine.os", c.cpu AS "machine.cpu", c.cpus AS "machine.cpus",
		CASE c.gpu WHEN 'none' THEN '' ELSE c.gpu END AS "machine.gpu", c.gpu = 'none' AS "machine.no_gpu",
		c.gpu_count AS "machine.gpu_count", c.gpu_mem_gib AS "machine.gpu_mem_gib",
		c.power_limit_w AS "machine.power_limit_w", c.driver AS "machine.driver", c.cuda AS "machine.cuda",
		c.cloud AS "machine.vm.cloud", c.region AS "machine.vm.region", c.instance_type AS "machine.vm.instance_type",
		r.status, r.heartbeat_ms, r.stopped_because, r.stopped_words, r.script_exit, r.rejected_lines, r.spent_s, r.spent_usd, r.input_wait
	FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id JOIN machines c ON c.id = r.machine_id
	WHERE r.id = ? AND r.deleted = 0`

// recordRow is a row of [recordQuery]. Its own fields hold what a column has in
// another form than the field of the record.
type recordRow struct {
	Record
	prunedRow
	Command, Packages, Tuning, Sizes, StartedAt string
	HeartbeatMS                                 int64
}

func (s *Store) readRecord(ctx context.Context, tx *sql.Tx, id int64) (Record, error) {
	row, err := one[recordRow](ctx, tx, recordQuery, id)
	if err != nil {
		return Record{}, err
	}
	r := row.Record
	r.Variant.Pruning = row.pruning()
	r.Command, r.Packages, r.Tuning = parseCommand(row.Command), parsePackages(row.Packages), parseTuning(row.Tuning)
	r.Sizes = parseSizes(row.Sizes)
	if at, err := time.Parse(time.RFC3339, row.StartedAt); err == nil {
		r.StartedAt = at
	}
	if r.Status == profile.Running && !s.lives(row.HeartbeatMS) {
		r.Status = profile.Interrupted
	}
	return r, r.readLists(ctx, tx, id)
}

func (r *Record) readLists(ctx context.Context, tx *sql.Tx, id int64) (err error) {
	r.Layers, err = all[Layer](ctx, tx, "SELECT name, kind, share FROM layers WHERE run_id = ? ORDER BY seq", id)
	if err != nil {
		return err
	}
	const warnings = "SELECT text FROM log_lines WHERE run_id = ? AND level = 'warning' GROUP BY text ORDER BY " +
		"min(seq) LIMIT 50"
	r.Warnings, err = all[string](ctx, tx, warnings, id)
	return err
}

// Restart empties a run and records it again under its number: of a detached
// probe, whatever came before its connection was lost comes again. A run that
// someone records at this moment is refused.
func (s *Store) Restart(ctx context.Context, id int64) (*Recording, error) {
	rec := &Recording{store: s, id: id, next: map[string]int64{}}
	r, err := s.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.Status == profile.Running {
		return nil, fmt.Errorf("run %d is being recorded by another sweetspot; stop that one first", id)
	}
	err = s.change(ctx, "record a run again", func(ctx context.Context, tx *transaction) error {
		for _, table := range recorded {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE run_id = ?", id); err != nil {
				return err
			}
		}
		stamp, err := s.tick(ctx, tx)
		if err != nil {
			return err
		}
		return rec.present(tx.ExecContext(ctx, emptied, string(profile.Running), s.nowFunc().UnixMilli(), stamp, id))
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// emptied takes back all that was measured and keeps what was described.
const emptied = `
	UPDATE runs SET status = ?, heartbeat_ms = ?, measured = ?, content = '', finished_at = '', stopped_because = '', stopped_words = '', script_exit = NULL,
		rejected_lines = 0, spent_s = NULL, spent_usd = NULL, init_s = NULL, first_iteration_s = NULL, startup_s = NULL,
		steady_s = NULL, steady_low_s = NULL, steady_high_s = NULL, steady_basis = '', steady_stddev_s = NULL,
		steady_n = 0, warmup_iterations = NULL, warmup_extra_s = NULL, first_validation_s = NULL, validation_s = NULL,
		exit_s = NULL, total_s = NULL, total_stddev_s = NULL, total_n = 0, peak_memory_bytes = NULL, metric = NULL,
		accuracy = NULL, accuracy_stddev = NULL, higher_is_better = NULL, accuracy_basis = NULL, epoch_starts_s = '',
		input_wait = NULL, energy_j_per_unit = NULL,
		average_power_w = NULL, energy_of = '',
		iterations = 0, iterations_sum_s = 0, iterations_sum_s2 = 0, iterations_min_s = NULL, iterations_max_s = NULL
	WHERE id = ? AND deleted = 0`

package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/training"
)

// silence is how long a recorder may say nothing before its run counts as
// interrupted. A word from the future is none: nobody would ever fall silent.
const silence = 10 * time.Second

// lives reports whether a recorder was heard at a moment near to now.
func (s *Store) lives(heartbeatMS int64) bool {
	now := s.nowFunc()
	return heartbeatMS >= now.Add(-silence).UnixMilli() && heartbeatMS <= now.Add(silence).UnixMilli()
}

// Load returns everything the engine is asked of: models, runs with their
// summaries, validations and pauses, oldest first, and the user's own VM types. A run
// whose recorder was killed is summarised from its raw rows.
func (s *Store) Load(ctx context.Context) (*profile.Set, error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one state of the file for all queries
	if err != nil {
		return nil, s.explain("be read", err)
	}
	defer tx.Rollback()
	set := &profile.Set{}
	if set.Models, err = all[profile.Model](ctx, tx, modelQuery); err != nil {
		return nil, s.explain("be read", err)
	}
	unfinished, err := s.loadRuns(ctx, tx, set)
	if err != nil {
		return nil, s.explain("be read", err)
	}
	for _, load := range []func(context.Context, *sql.Tx, *profile.Set) error{loadLists, loadVMTypes} {
		if err := load(ctx, tx, set); err != nil {
			return nil, s.explain("be read", err)
		}
	}
	for _, i := range unfinished {
		if err := summariseRaw(ctx, tx, &set.Runs[i]); err != nil {
			return nil, s.explain("be read", err)
		}
	}
	for i := range set.Runs {
		set.Runs[i] = training.InEpochs(set.Runs[i])
	}
	return set, nil
}

// modelQuery leaves out models of which no run is left: all are deleted, or have
// another name.
const modelQuery = `
	SELECT name, dataset, task, unit, source_file, params, flops_per_unit FROM models m
	WHERE EXISTS (SELECT 1 FROM variants v JOIN runs r ON r.variant_id = v.id WHERE v.model_id = m.id AND r.deleted = 0) ORDER BY id`

const runQuery = `
	SELECT r.id, m.name AS model, r.dataset, r.unit, v.name AS "variant.name", v.precision AS "variant.precision",
		v.pruned, v.pruning_kind, v.pruning_ratio, v.pruning_layers,
		r.mode, c.cloud, c.region, CASE c.instance_type WHEN '' THEN c.host ELSE c.instance_type END AS instance_type,
		CASE c.gpu WHEN 'none' THEN '' ELSE c.gpu END AS gpu, c.gpu = 'none' AS no_gpu,
		c.gpu_count, c.gpu_mem_gib, c.cpus, c.power_limit_w,
		r.count, r.world_size, r.usd_per_hour, r.batch_size, r.epochs, r.iterations_per_epoch, r.train_size,
		r.steps, r.schedule, r.sizes,
		r.init_s, r.first_iteration_s, r.startup_s, r.steady_s, r.steady_low_s, r.steady_high_s, r.steady_basis, r.steady_stddev_s, r.steady_n,
		r.warmup_iterations, r.warmup_extra_s, r.first_validation_s, r.validation_s, r.exit_s, r.total_s, r.total_stddev_s, r.total_n,
		CASE r.command WHEN '[]' THEN '' ELSE r.command END AS command, r.folder, r.packages, r.tuning, r.framework,
		r.serving,
		r.network AS "work.network", r.input AS "work.input", r.flops_per_unit AS "work.flops",
		r.activations_per_unit AS "work.activations", r.params AS "work.params", r.layers AS "work.layers",
		r.state_bytes AS "work.state_bytes",
		r.input_wait,
		r.energy_j_per_unit, r.average_power_w, r.energy_of, r.peak_memory_bytes,
		coalesce(r.metric, '') AS metric, r.accuracy, r.accuracy_stddev, coalesce(r.higher_is_better, 0) AS higher_is_better,
		coalesce(r.accuracy_basis, '') AS accuracy_basis,
		r.status, r.heartbeat_ms, r.spool <> '' AND r.iterations = 0 AS queued, r.basis, r.source, r.as_of, r.epoch_starts_s, r.note
	FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id JOIN machines c ON c.id = r.machine_id`

// runRow is a row of [runQuery]. Its own fields hold what a column has in another
// form than the field of the run.
type runRow struct {
	profile.Run
	prunedRow
	SteadyS, SteadyLowS, SteadyHighS  *float64
	Metric                            string
	Accuracy, AccuracyStdDev          *float64
	HigherIsBetter                    bool
	HeartbeatMS                       int64
	Queued                            bool // it is to run elsewhere, and has not begun
	Basis, SteadyBasis, AccuracyBasis string
	EpochStartsS, Command, Packages   string
	Tuning, Serving, Sizes            string
}

func (row *runRow) run() profile.Run {
	r := row.Run
	r.Variant.Pruning = row.pruning()
	r.Basis, r.EpochStartsS, r.Command = basisOf(row.Basis), parseStarts(row.EpochStartsS), parseCommand(row.Command)
	r.Packages, r.Tuning = parsePackages(row.Packages), parseTuning(row.Tuning)
	r.Serving, r.Sizes = parseServing(row.Serving), parseSizes(row.Sizes)
	// Without its interval, or one that holds it, a mean would seem to be known exactly.
	if low, high := row.SteadyLowS, row.SteadyHighS; row.SteadyS != nil && (low == nil) == (high == nil) && (low == nil ||
		*low <= *row.SteadyS && *row.SteadyS <= *high) {
		r.Steady = estimate.Exact(*row.SteadyS, basisOf(row.SteadyBasis))
		if low != nil {
			r.Steady.Low, r.Steady.High = *row.SteadyLowS, *row.SteadyHighS
		}
	}
	if row.Accuracy != nil {
		r.Accuracy = &profile.Accuracy{Metric: row.Metric, Value: *row.Accuracy, StdDev: row.AccuracyStdDev,
			HigherIsBetter: row.HigherIsBetter, Basis: basisOf(row.AccuracyBasis)}
	}
	return r
}

// prunedRow are the columns of a variant's pruning.
type prunedRow struct {
	Pruned        bool
	PruningKind   string
	PruningRatio  *float64
	PruningLayers string
}

func (p prunedRow) pruning() *profile.Pruning {
	if !p.Pruned {
		return nil
	}
	return &profile.Pruning{Kind: p.PruningKind, Ratio: p.PruningRatio, Layers: parseLayers(p.PruningLayers)}
}

// loadRuns appends the runs and says which of them nobody has finished.
func (s *Store) loadRuns(ctx context.Context, tx *sql.Tx, set *profile.Set) (unfinished []int, err error) {
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE deleted = 0").Scan(&n); err != nil {
		return nil, err
	}
	set.Runs = make([]profile.Run, 0, n)
	err = each(ctx, tx, runQuery+" WHERE r.deleted = 0 ORDER BY r.id", nil, func(row *runRow) error {
		r := row.run()
		if r.Status == profile.Running {
			unfinished = append(unfinished, len(set.Runs))
			if !row.Queued && !s.lives(row.HeartbeatMS) {
				r.Status = profile.Interrupted
			}
		}
		set.Runs = append(set.Runs, r)
		return nil
	})
	return unfinished, err
}

// Deleted returns the runs that were deleted and can be brought back, without
// their validations and pauses.
func (s *Store) Deleted(ctx context.Context) (runs []profile.Run, err error) {
	err = each(ctx, s.read, runQuery+" WHERE r.deleted > 0 ORDER BY r.id", nil, func(row *runRow) error {
		runs = append(runs, row.run())
		return nil
	})
	return runs, s.explain("be read", err)
}

// basisOf reads a word this program wrote; any other is unknown.
func basisOf(word string) estimate.Basis {
	b, err := estimate.ParseBasis(word)
	if err != nil {
		return estimate.Unknown
	}
	return b
}

// parseLayers reads what profilecsv.FormatLayers wrote.
func parseLayers(text string) map[string]float64 {
	if text == "" {
		return nil
	}
	layers := map[string]float64{}
	for part := range strings.SplitSeq(text, ";") {
		i := strings.LastIndexByte(part, '=')
		if v, err := strconv.ParseFloat(part[i+1:], 64); i > 0 && err == nil {
			layers[part[:i]] = v
		}
	}
	return layers
}

// loadLists reads the validations and pauses of the runs of a set.
func loadLists(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	at := make(map[int64]int, len(set.Runs))
	for i, r := range set.Runs {
		at[r.ID] = i
	}
	type validationRow struct {
		RunID int64
		profile.Validation
	}
	const validationQuery = "SELECT run_id, epoch, seconds, metric, value, higher_is_better, units, at_s, " +
		"iterations FROM validations ORDER BY run_id, seq"
	err := each(ctx, tx, validationQuery, nil, func(v *validationRow) error {
		if i, ok := at[v.RunID]; ok {
			set.Runs[i].AddValidation(v.Validation)
		}
		return nil
	})
	if err != nil {
		return err
	}
	type pauseRow struct {
		RunID int64
		profile.Pause
	}
	const pauseQuery = "SELECT run_id, t AS at_s, seconds, kind, iterations FROM pauses ORDER BY run_id, seq"
	return each(ctx, tx, pauseQuery, nil, func(p *pauseRow) error {
		if i, ok := at[p.RunID]; ok {
			set.Runs[i].Pauses = append(set.Runs[i].Pauses, p.Pause)
		}
		return nil
	})
}

func loadVMTypes(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	at := map[int64]int{}
	type vmRow struct {
		ID int64
		profile.VMType
	}
	const vmQuery = "SELECT id, cloud, region, instance_type, gpu, gpu_count, gpu_mem_gib, vcpus, mem_gib FROM " +
		"vm_types ORDER BY cloud, region, instance_type"
	err := each(ctx, tx, vmQuery, nil, func(v *vmRow) error {
		at[v.ID] = len(set.VMTypes)
		set.VMTypes = append(set.VMTypes, v.VMType)
		return nil
	})
	if err != nil {
		return err
	}
	type priceRow struct {
		VMTypeID int64
		profile.Price
	}
	const priceQuery = "SELECT vm_type_id, purchase, usd_per_hour, source, as_of FROM prices ORDER BY vm_type_id, " +
		"purchase, as_of, source"
	return each(ctx, tx, priceQuery, nil, func(p *priceRow) error {
		if i, ok := at[p.VMTypeID]; ok { // without one another program deleted it
			set.VMTypes[i].Prices = append(set.VMTypes[i].Prices, p.Price)
		}
		return nil
	})
}

// Iterations returns every iteration of a run in order of arrival.
func (s *Store) Iterations(ctx context.Context, runID int64) ([]Iteration, error) {
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT iterations FROM runs WHERE id = ? AND deleted = 0", runID).Scan(&n)
	if err == sql.ErrNoRows {
		return nil, s.absent(RunTable, runID)
	}
	if err != nil {
		return nil, s.explain("be read", err)
	}
	its := make([]Iteration, 0, min(max(n, 0), 1<<20)) // another program may have written any number
	err = eachIteration(ctx, s.read, runID, func(it Iteration) { its = append(its, it) })
	return its, s.explain("be read", err)
}

// eachIteration scans by position: there may be millions of rows, of few columns.
func eachIteration(ctx context.Context, q querier, run int64, do func(Iteration)) error {
	rows, err := q.QueryContext(ctx, "SELECT epoch, idx, rank, seconds, units, t FROM iterations WHERE run_id = ? "+
		"ORDER BY seq", run)
	if err != nil {
		return err
	}
	defer rows.Close()
	var it Iteration
	for rows.Next() {
		if err := rows.Scan(&it.Epoch, &it.Index, &it.Rank, &it.Seconds, &it.Units, &it.T); err != nil {
			return err
		}
		if !(it.Seconds >= 0) || math.IsInf(it.Seconds, 0) {
			return &unreadable{" in column seconds", fmt.Errorf("an iteration of %g seconds", it.Seconds)}
		}
		do(it)
	}
	return rows.Err()
}

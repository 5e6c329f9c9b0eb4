package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// silence is how long a recorder may say nothing before its run counts as
// interrupted.
const silence = 10 * time.Second

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
	var unfinished []int
	for _, load := range []func() error{
		func() error { return loadModels(ctx, tx, set) },
		func() (err error) { unfinished, err = s.loadRuns(ctx, tx, set); return err },
		func() error { return loadValidations(ctx, tx, set) },
		func() error { return loadPauses(ctx, tx, set) },
		func() error { return loadVMTypes(ctx, tx, set) },
	} {
		if err := load(); err != nil {
			return nil, s.explain("be read", err)
		}
	}
	for _, i := range unfinished {
		if err := summariseRaw(ctx, tx, &set.Runs[i]); err != nil {
			return nil, s.explain("be read", err)
		}
	}
	cleanSet(set)
	return set, nil
}

// each calls scan for every row of a query.
func each(ctx context.Context, tx *sql.Tx, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// modelQuery leaves out models of which no run is left: all are deleted, or have
// another name.
const modelQuery = `
	SELECT name, dataset, task, unit, source_file, params, flops_per_unit FROM models m
	WHERE EXISTS (SELECT 1 FROM variants v JOIN runs r ON r.variant_id = v.id WHERE v.model_id = m.id AND r.deleted = 0) ORDER BY id`

func loadModels(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	return each(ctx, tx, modelQuery, nil, func(rows *sql.Rows) error {
		var m profile.Model
		err := rows.Scan(&m.Name, &m.Dataset, &m.Task, &m.Unit, &m.SourceFile, &m.Params, &m.FLOPsPerUnit)
		set.Models = append(set.Models, m)
		return err
	})
}

const runQuery = `
	SELECT r.id, m.name, r.dataset, r.unit, v.name, v.precision, v.pruned, v.pruning_kind, v.pruning_ratio, v.pruning_layers,
		r.mode, c.cloud, c.region, CASE c.instance_type WHEN '' THEN c.host ELSE c.instance_type END, c.gpu, c.gpu_count, c.gpu_mem_gib, c.power_limit_w,
		r.count, r.usd_per_hour, r.batch_size, r.epochs, r.iterations_per_epoch, r.train_size,
		r.init_s, r.first_iteration_s, r.startup_s, r.steady_s, r.steady_low_s, r.steady_high_s, r.steady_basis, r.steady_stddev_s, r.steady_n,
		r.warmup_iterations, r.warmup_extra_s, r.first_validation_s, r.validation_s, r.total_s, r.total_stddev_s, r.total_n, r.energy_j_per_unit, r.average_power_w, r.energy_of, r.peak_memory_bytes,
		r.metric, r.accuracy, r.accuracy_stddev, r.higher_is_better, r.accuracy_basis,
		r.status, r.heartbeat_ms, r.basis, r.source, r.as_of, r.epoch_starts_s, r.note
	FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id JOIN machines c ON c.id = r.machine_id`

// loadRuns appends the runs and says which of them nobody has finished.
func (s *Store) loadRuns(ctx context.Context, tx *sql.Tx, set *profile.Set) (unfinished []int, err error) {
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE deleted = 0").Scan(&n); err != nil {
		return nil, err
	}
	set.Runs = make([]profile.Run, 0, n)
	words := words{}
	err = each(ctx, tx, runQuery+" WHERE r.deleted = 0 ORDER BY r.id", nil, func(rows *sql.Rows) error {
		r, heartbeat, err := scanRun(rows)
		if r.Status == profile.Running {
			unfinished = append(unfinished, len(set.Runs))
			if s.nowFunc().Sub(heartbeat) > silence {
				r.Status = profile.Interrupted
			}
		}
		words.share(&r)
		set.Runs = append(set.Runs, r)
		return err
	})
	return unfinished, err
}

// Deleted returns the runs that were deleted and can be brought back, without
// their validations and pauses.
func (s *Store) Deleted(ctx context.Context) (runs []profile.Run, err error) {
	rows, err := s.read.QueryContext(ctx, runQuery+" WHERE r.deleted > 0 ORDER BY r.id")
	if err != nil {
		return nil, s.explain("be read", err)
	}
	defer rows.Close()
	for rows.Next() {
		r, _, err := scanRun(rows)
		if err != nil {
			return nil, s.explain("be read", err)
		}
		cleanRun(&r)
		runs = append(runs, r)
	}
	return runs, s.explain("be read", rows.Err())
}

// words hold every text once, however many runs say the same.
type words map[string]string

func (w words) share(r *profile.Run) {
	for _, s := range []*string{
		&r.Model, &r.Dataset, &r.Unit, &r.Variant.Name, &r.Variant.Precision, (*string)(&r.Mode), &r.Cloud, &r.Region, &r.InstanceType,
		&r.GPU, (*string)(&r.Status), &r.Source, &r.AsOf, &r.EnergyOf,
	} {
		known, ok := w[*s]
		if !ok {
			known = *s
			w[known] = known
		}
		*s = known
	}
}

func scanRun(rows *sql.Rows) (r profile.Run, heartbeat time.Time, err error) {
	var (
		pruned                     bool
		pruning                    profile.Pruning
		layers, steadyBasis, basis string
		starts                     string
		steady, low, high          *float64
		metric, accuracyBasis      sql.NullString
		accuracy, accuracySD       *float64
		higher                     sql.NullBool
		heartbeatMS                int64
	)
	err = rows.Scan(&r.ID, &r.Model, &r.Dataset, &r.Unit, &r.Variant.Name, &r.Variant.Precision, &pruned, &pruning.Kind, &pruning.Ratio, &layers,
		&r.Mode, &r.Cloud, &r.Region, &r.InstanceType, &r.GPU, &r.GPUCount, &r.GPUMemGiB, &r.PowerLimitW,
		&r.Count, &r.USDPerHour, &r.BatchSize, &r.Epochs, &r.IterationsPerEpoch, &r.TrainSize,
		&r.InitS, &r.FirstIterationS, &r.StartupS, &steady, &low, &high, &steadyBasis, &r.SteadyStdDevS, &r.SteadyN,
		&r.WarmupIterations, &r.WarmupExtraS, &r.FirstValidationS, &r.ValidationS, &r.TotalS, &r.TotalStdDevS, &r.TotalN, &r.EnergyJPerUnit, &r.AveragePowerW, &r.EnergyOf, &r.PeakMemoryBytes,
		&metric, &accuracy, &accuracySD, &higher, &accuracyBasis,
		&r.Status, &heartbeatMS, &basis, &r.Source, &r.AsOf, &starts, &r.Note)
	if err != nil {
		return r, heartbeat, err
	}
	r.Basis, r.EpochStartsS = basisOf(basis), parseStarts(starts)
	if pruned {
		pruning.Layers = parseLayers(layers)
		r.Variant.Pruning = &pruning
	}
	if steady != nil {
		r.Steady = estimate.Exact(*steady, basisOf(steadyBasis))
		if low != nil && high != nil {
			r.Steady.Low, r.Steady.High = *low, *high
		}
	}
	if accuracy != nil {
		r.Accuracy = &profile.Accuracy{Metric: metric.String, Value: *accuracy, StdDev: accuracySD, HigherIsBetter: higher.Bool, Basis: basisOf(accuracyBasis.String)}
	}
	return r, time.UnixMilli(heartbeatMS), nil
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

func loadVMTypes(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	at := map[int64]int{}
	err := each(ctx, tx, "SELECT id, cloud, region, instance_type, gpu, gpu_count, gpu_mem_gib, vcpus, mem_gib FROM vm_types ORDER BY cloud, region, instance_type", nil, func(rows *sql.Rows) error {
		var id int64
		var v profile.VMType
		err := rows.Scan(&id, &v.Cloud, &v.Region, &v.InstanceType, &v.GPU, &v.GPUCount, &v.GPUMemGiB, &v.VCPUs, &v.MemGiB)
		at[id] = len(set.VMTypes)
		set.VMTypes = append(set.VMTypes, v)
		return err
	})
	if err != nil {
		return err
	}
	return each(ctx, tx, "SELECT vm_type_id, purchase, usd_per_hour, source, as_of FROM prices ORDER BY vm_type_id, purchase, as_of, source", nil, func(rows *sql.Rows) error {
		var id int64
		var p profile.Price
		if err := rows.Scan(&id, &p.Purchase, &p.USDPerHour, &p.Source, &p.AsOf); err != nil {
			return err
		}
		i := at[id]
		set.VMTypes[i].Prices = append(set.VMTypes[i].Prices, p)
		return nil
	})
}

// Iterations returns every iteration of a run in order of arrival.
func (s *Store) Iterations(ctx context.Context, runID int64) ([]Iteration, error) {
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT iterations FROM runs WHERE id = ? AND deleted = 0", runID).Scan(&n)
	if err == sql.ErrNoRows {
		return nil, fmt.Errorf("there is no run %d in %s; sweetspot export --format csv lists the runs", runID, s.name)
	}
	if err != nil {
		return nil, s.explain("be read", err)
	}
	rows, err := s.read.QueryContext(ctx, "SELECT epoch, idx, rank, seconds, units, t FROM iterations WHERE run_id = ? ORDER BY seq", runID)
	if err != nil {
		return nil, s.explain("be read", err)
	}
	defer rows.Close()
	its := make([]Iteration, 0, n)
	for rows.Next() {
		var it Iteration
		if err := rows.Scan(&it.Epoch, &it.Index, &it.Rank, &it.Seconds, &it.Units, &it.T); err != nil {
			return nil, s.explain("be read", err)
		}
		its = append(its, it)
	}
	return its, s.explain("be read", rows.Err())
}

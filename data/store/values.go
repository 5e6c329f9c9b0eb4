package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"sweetspot/data/profilecsv"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// real is a float64 column that may be NULL. What is not a finite number is
// unknown: SQLite would store NaN as NULL anyway and infinities as text to
// whoever reads them.
func real(v *float64) any {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return *v
}

func clean(s string) string { return plaintext.Clean(s) }

// saveModel returns the row of the model, made if it is missing. What was
// unknown so far is filled in.
func saveModel(ctx context.Context, tx *transaction, m profile.Model) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO models (name, dataset, task, unit, source_file, params, flops_per_unit) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET
			dataset = iif(dataset = '', excluded.dataset, dataset), task = iif(task = '', excluded.task, task),
			unit = iif(unit = '', excluded.unit, unit), source_file = iif(source_file = '', excluded.source_file, source_file),
			params = coalesce(params, excluded.params), flops_per_unit = coalesce(flops_per_unit, excluded.flops_per_unit)
		RETURNING id`,
		clean(m.Name), clean(m.Dataset), clean(m.Task), clean(m.Unit), clean(m.SourceFile), real(m.Params), real(m.FLOPsPerUnit)).Scan(&id)
	return id, err
}

// ModelSource is the file or command that the model of a name comes from; ""
// where there is no such model, or it is not known.
func (s *Store) ModelSource(ctx context.Context, name string) (source string, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT source_file FROM models WHERE name = ?", clean(name)).Scan(&source)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return source, err
}

// saveVariant returns the row of the variant, made if it is missing.
func saveVariant(ctx context.Context, tx *transaction, model int64, v profile.Variant) (id int64, err error) {
	args := []any{model, clean(v.Name), clean(v.Precision), v.Pruning != nil, "", nil, ""}
	if p := v.Pruning; p != nil {
		args[4], args[5], args[6] = clean(p.Kind), real(p.Ratio), clean(profilecsv.FormatLayers(p.Layers))
	}
	return findOrInsert(ctx, tx, "variants", variantColumns, args)
}

// The columns that tell variants and machines apart.
var (
	variantColumns = []string{"model_id", "name", "precision", "pruned", "pruning_kind", "pruning_ratio", "pruning_layers"}
	machineColumns = []string{"host", "os", "cpu", "cpus", "gpu", "gpu_count", "gpu_mem_gib", "power_limit_w", "driver", "cuda", "cloud", "region", "instance_type"}
)

// saveMachine returns the row of the machine, made if it is missing.
func saveMachine(ctx context.Context, tx *transaction, m Machine) (id int64, err error) {
	return findOrInsert(ctx, tx, "machines", machineColumns,
		[]any{clean(m.Host), clean(m.OS), clean(m.CPU), m.CPUs, clean(m.GPU), m.GPUCount, real(m.GPUMemGiB), real(m.PowerLimitW), clean(m.Driver), clean(m.CUDA),
			clean(m.VM.Cloud), clean(m.VM.Region), clean(m.VM.InstanceType)})
}

// findOrInsert returns the row whose columns are just so, NULLs included. The
// names come from this file, never from outside.
func findOrInsert(ctx context.Context, tx *transaction, table string, columns []string, args []any) (id int64, err error) {
	where, names, marks := "", "", ""
	for i, c := range columns {
		if i > 0 {
			where, names, marks = where+" AND ", names+", ", marks+", "
		}
		where, names, marks = where+c+" IS ?", names+c, marks+"?"
	}
	err = tx.QueryRowContext(ctx, "SELECT id FROM "+table+" WHERE "+where, args...).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	err = tx.QueryRowContext(ctx, "INSERT INTO "+table+" ("+names+") VALUES ("+marks+") RETURNING id", args...).Scan(&id)
	return id, err
}

// dropUnused removes what the last run that used it left behind.
func dropUnused(ctx context.Context, tx *transaction) error {
	for _, q := range []string{
		"DELETE FROM variants WHERE id NOT IN (SELECT variant_id FROM runs)",
		"DELETE FROM models WHERE id NOT IN (SELECT model_id FROM variants)",
		"DELETE FROM machines WHERE id NOT IN (SELECT machine_id FROM runs)",
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// transaction is a transaction with the connection it runs on.
type transaction struct {
	*sql.Tx
	conn *sql.Conn
}

// change runs f in one transaction that is kept whole or not at all. A
// transaction once begun is not cut by ctx: it is short, and a half-told
// batch helps nobody.
func (s *Store) change(ctx context.Context, what string, f func(ctx context.Context, tx *transaction) error) error {
	if err := cmp.Or(s.refuse(what), ctx.Err()); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return s.explain(what, err)
	}
	defer conn.Close()
	return s.changeOn(ctx, conn, what, f)
}

// refuse says that the file can only be read, where that is so.
func (s *Store) refuse(what string) error {
	if s.write == nil {
		return fmt.Errorf("%s can't %s: it is read-only; allow writing to the file and its directory, or choose another place with --db", s.name, what)
	}
	return nil
}

// changeOn is change on a connection. ctx is one that nobody cancels.
func (s *Store) changeOn(ctx context.Context, conn *sql.Conn, what string, f func(ctx context.Context, tx *transaction) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(what, err)
	}
	defer tx.Rollback() // does nothing after the commit
	if err := f(ctx, &transaction{tx, conn}); err != nil {
		return s.explain(what, err)
	}
	return s.explain(what, tx.Commit())
}

package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

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
	row := assignments{}
	row.from(m)
	return row.insertNumbered(ctx, tx, "models", `
		ON CONFLICT (name) DO UPDATE SET
			dataset = iif(dataset = '', excluded.dataset, dataset), task = iif(task = '', excluded.task, task),
			unit = iif(unit = '', excluded.unit, unit), source_file = iif(source_file = '', excluded.source_file, source_file),
			params = coalesce(params, excluded.params), flops_per_unit = coalesce(flops_per_unit, excluded.flops_per_unit)`)
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
	p := profile.Pruning{}
	if v.Pruning != nil {
		p = *v.Pruning
	}
	row := assignments{}
	row.add("model_id", model)
	row.text("name", v.Name)
	row.text("precision", v.Precision)
	row.add("pruned", v.Pruning != nil)
	row.text("pruning_kind", p.Kind)
	row.add("pruning_ratio", real(p.Ratio))
	row.text("pruning_layers", profilecsv.FormatLayers(p.Layers))
	return row.findOrInsert(ctx, tx, "variants")
}

// formatCommand writes the words of a command as a JSON list.
func formatCommand(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = clean(w)
	}
	text, err := json.Marshal(words)
	if err != nil {
		panic(err) // of texts there is none
	}
	return string(text)
}

// parseCommand reads what [formatCommand] wrote; of what was typed in by hand nothing is
// known.
func parseCommand(text string) (words []string) {
	if text == "" || json.Unmarshal([]byte(text), &words) != nil || len(words) == 0 {
		return nil
	}
	for i, w := range words {
		words[i] = clean(w)
	}
	return words
}

// formatPackages writes names with versions, which hold no spaces.
func formatPackages(packages []string) string { return strings.Join(packages, " ") }

// parsePackages reads what [formatPackages] wrote; what was typed in by hand and is no
// package is left out.
func parsePackages(text string) (packages []string) {
	for p := range strings.FieldsSeq(text) {
		if profile.IsPackage(p) {
			packages = append(packages, p)
		}
	}
	return packages
}

// parseTuning reads what [profile.FormatTuning] wrote; of what was typed in by hand and cannot
// be nothing is known.
func parseTuning(text string) *profile.Tuning {
	t, err := profile.ParseTuning(text)
	if err != nil {
		return nil
	}
	return t
}

// parseSizes reads what [profile.FormatSizes] wrote; of anything else nothing is known.
func parseSizes(text string) []profile.Size {
	sizes, err := profile.ParseSizes(text)
	if err != nil {
		return nil
	}
	return sizes
}

// parseServing reads what [profile.FormatServing] wrote; what was typed in by hand and is no
// load is unknown.
func parseServing(text string) *profile.Serving {
	s, err := profile.ParseServing(text)
	if err != nil {
		return nil
	}
	return s
}

// noGPU stands for the GPU of a machine that is known to have none.
const noGPU = "none"

// saveMachine returns the row of the machine, made if it is missing.
func saveMachine(ctx context.Context, tx *transaction, m Machine) (id int64, err error) {
	row := assignments{}
	if m.NoGPU {
		m.GPU = noGPU
	}
	row.from(m, "host", "os", "cpu", "cpus", "gpu", "gpu_count", "gpu_mem_gib", "power_limit_w", "driver", "cuda")
	row.from(m.VM, "cloud", "region", "instance_type")
	return row.findOrInsert(ctx, tx, "machines")
}

// dropUnused removes what the last run that used it left behind.
func dropUnused(ctx context.Context, tx *transaction) error {
	for _, q := range []string{
		"DELETE FROM variants WHERE id NOT IN (SELECT variant_id FROM runs)",
		// What other databases know of a model comes once: it stays.
		"DELETE FROM models WHERE id NOT IN (SELECT model_id FROM variants) AND name NOT IN " +
			"(SELECT mark FROM sync_versions WHERE kind = 'model')",
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
		return fmt.Errorf("%s can't %s: it is read-only; allow writing to the file and its directory, or choose "+
			"another place with --db", s.name, what)
	}
	return nil
}

// changeOn is change on a connection. ctx is one that nobody cancels.
func (s *Store) changeOn(ctx context.Context, conn *sql.Conn, what string,
	f func(ctx context.Context, tx *transaction) error) error {
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

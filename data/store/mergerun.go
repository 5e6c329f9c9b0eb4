package store

import "context"

// recorded are the tables of what was recorded of runs.
var recorded = []string{"iterations", "validations", "pauses", "memory", "telemetry", "layers", "log_lines"}

// copier copies runs from the attached database with everything recorded of
// them, byte for byte but for text, which is cleaned.
type copier struct {
	intoRuns string
	into     map[string]string // by table
}

func newCopier(ctx context.Context, tx *transaction) (*copier, error) {
	columns, values, err := columnsOf(ctx, tx, "runs", "id", "variant_id", "machine_id", "fingerprint", "deleted")
	if err != nil {
		return nil, err
	}
	c := &copier{
		intoRuns: "INSERT INTO main.runs (variant_id, machine_id, fingerprint, " + columns + ") SELECT ?, ?, ?, " + values +
			" FROM other.runs WHERE id = ? RETURNING id",
		into: map[string]string{},
	}
	for _, table := range recorded {
		columns, values, err := columnsOf(ctx, tx, table, "run_id")
		if err != nil {
			return nil, err
		}
		c.into[table] = "INSERT INTO main." + table + " (run_id, " + columns + ") SELECT ?, " + values + " FROM other." +
			table + " WHERE run_id = ? ORDER BY seq"
	}
	return c, nil
}

// run copies one run and returns its number here and how many iterations it has.
func (c *copier) run(ctx context.Context, tx *transaction, r otherRun, variant, machine int64) (id int64,
	iterations int, err error) {
	if err := tx.QueryRowContext(ctx, c.intoRuns, variant, machine, r.Mark, r.ID).Scan(&id); err != nil {
		return 0, 0, err
	}
	for _, table := range recorded {
		res, err := tx.ExecContext(ctx, c.into[table], id, r.ID)
		n, err := affected(res, err)
		if err != nil {
			return 0, 0, err
		}
		if table == "iterations" {
			iterations = n
		}
	}
	return id, iterations, nil
}

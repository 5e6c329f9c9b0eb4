package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
)

// epochStarts finds in the rows of a recorded run when its epochs began. It is
// empty where the rows tell no consistent times.
func epochStarts(ctx context.Context, tx *transaction, run int64) ([]float64, error) {
	rows, err := tx.QueryContext(ctx, "SELECT min(t - seconds) FROM iterations WHERE run_id = ? GROUP BY epoch ORDER BY epoch", run)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var starts []float64
	for rows.Next() {
		var at float64
		if err := rows.Scan(&at); err != nil {
			return nil, err
		}
		at = max(0, at) // a first iteration's time can be a rounding above its moment
		if n := len(starts); n > 0 && at <= starts[n-1] {
			return nil, nil
		}
		starts = append(starts, at)
	}
	return starts, rows.Err()
}

// formatStarts writes moments as epoch_starts_s holds them.
func formatStarts(starts []float64) string {
	words := make([]string, len(starts))
	for i, at := range starts {
		words[i] = strconv.FormatFloat(at, 'g', -1, 64)
	}
	return strings.Join(words, ";")
}

// parseStarts reads what formatStarts wrote; anything else is unknown.
func parseStarts(text string) []float64 {
	if text == "" {
		return nil
	}
	var starts []float64
	for word := range strings.SplitSeq(text, ";") {
		at, err := strconv.ParseFloat(word, 64)
		if n := len(starts); err != nil || !(at >= 0) || (n > 0 && at <= starts[n-1]) {
			return nil
		}
		starts = append(starts, at)
	}
	return starts
}

// insertValidation inserts one evaluation of a run.
func insertValidation(ctx context.Context, tx *transaction, run, seq int64, v profile.Validation) error {
	return insert(ctx, tx, `
		INSERT INTO validations (run_id, seq, epoch, seconds, metric, value, higher_is_better, units, at_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run, seq, v.Epoch, v.Seconds, clean(v.Metric), real(v.Value), v.HigherIsBetter, real(v.Units), real(v.AtS))
}

// placesOf finds the runs of a set by their numbers.
func placesOf(set *profile.Set) map[int64]int {
	at := make(map[int64]int, len(set.Runs))
	for i, r := range set.Runs {
		at[r.ID] = i
	}
	return at
}

func loadValidations(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	at := placesOf(set)
	return each(ctx, tx, "SELECT run_id, epoch, seconds, metric, value, higher_is_better, units, at_s FROM validations ORDER BY run_id, seq", nil, func(rows *sql.Rows) error {
		var id int64
		var v profile.Validation
		err := rows.Scan(&id, &v.Epoch, &v.Seconds, &v.Metric, &v.Value, &v.HigherIsBetter, &v.Units, &v.AtS)
		if i, ok := at[id]; ok {
			set.Runs[i].Validations = append(set.Runs[i].Validations, v)
		}
		return err
	})
}

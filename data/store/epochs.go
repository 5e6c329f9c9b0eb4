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
	type began struct{ At float64 }
	rows, err := all[began](ctx, tx, "SELECT min(t - seconds) AS at FROM iterations WHERE run_id = ? GROUP BY epoch "+
		"ORDER BY epoch", run)
	var starts []float64
	for _, r := range rows {
		at := max(0, r.At) // a first iteration's time can be a rounding above its moment
		if n := len(starts); n > 0 && at <= starts[n-1] {
			return nil, nil
		}
		starts = append(starts, at)
	}
	return starts, err
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
	type validationRow struct {
		RunID int64
		profile.Validation
	}
	const query = "SELECT run_id, epoch, seconds, metric, value, higher_is_better, units, at_s FROM validations " +
		"ORDER BY run_id, seq"
	return each(ctx, tx, query, nil, func(v *validationRow) error {
		if i, ok := at[v.RunID]; ok {
			set.Runs[i].Validations = append(set.Runs[i].Validations, v.Validation)
		}
		return nil
	})
}

func loadPauses(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	at := placesOf(set)
	type pauseRow struct {
		RunID int64
		profile.Pause
	}
	const query = "SELECT run_id, t AS at_s, seconds, kind, iterations FROM pauses ORDER BY run_id, seq"
	return each(ctx, tx, query, nil, func(p *pauseRow) error {
		if i, ok := at[p.RunID]; ok {
			set.Runs[i].Pauses = append(set.Runs[i].Pauses, p.Pause)
		}
		return nil
	})
}

package store

import (
	"context"
	"database/sql"

	"sweetspot/engine/profile"
)

// insertPause inserts one pause of a run.
func insertPause(ctx context.Context, tx *transaction, run, seq int64, p profile.Pause) error {
	return insert(ctx, tx, "INSERT INTO pauses (run_id, seq, t, seconds, kind, iterations) VALUES (?, ?, ?, ?, ?, ?)",
		run, seq, p.AtS, p.Seconds, clean(p.Kind), p.Iterations)
}

func loadPauses(ctx context.Context, tx *sql.Tx, set *profile.Set) error {
	at := placesOf(set)
	return each(ctx, tx, "SELECT run_id, t, seconds, kind, iterations FROM pauses ORDER BY run_id, seq", nil, func(rows *sql.Rows) error {
		var id int64
		var p profile.Pause
		err := rows.Scan(&id, &p.AtS, &p.Seconds, &p.Kind, &p.Iterations)
		if i, ok := at[id]; ok {
			set.Runs[i].Pauses = append(set.Runs[i].Pauses, p)
		}
		return err
	})
}

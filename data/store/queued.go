package store

import (
	"context"
	"strings"
)

// QueuedRun is a run whose job waits, runs, or has not been followed to its end.
type QueuedRun struct {
	ID         int64
	Address    string // of where the job is
	Spool      string
	StartedAt  string // RFC 3339
	Iterations int    // that were saved so far
}

// Queued lists the runs whose spools are still there, in the order of these.
func (s *Store) Queued(ctx context.Context) ([]QueuedRun, error) {
	const query = `SELECT id, address, spool, started_at, iterations FROM runs
		WHERE spool <> '' AND deleted = 0 ORDER BY spool`
	list, err := all[QueuedRun](ctx, s.read, query)
	return list, s.explain("be read", err)
}

// Unqueue notes that runs were followed to their ends, and that their spools are gone.
func (s *Store) Unqueue(ctx context.Context, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	return s.change(ctx, "note the end of a job", func(ctx context.Context, tx *transaction) error {
		args := make([]any, len(ids))
		for i, id := range ids {
			args[i] = id
		}
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", ")
		_, err := tx.ExecContext(ctx, "UPDATE runs SET spool = '' WHERE id IN ("+marks+")", args...)
		return err
	})
}

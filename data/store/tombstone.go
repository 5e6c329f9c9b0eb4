package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// pickMark is what a pick is known by in any database: when it was made, and what it is.
func pickMark(createdAt, query, candidate string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{createdAt, query, candidate}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// byProgram ends the stamp of a name that the program gave, which it may change again.
const byProgram = "+"

// buryDeleted leaves a tombstone for all that was deleted. What is left of a matrix still
// knows that it belongs together.
func buryDeleted(ctx context.Context, tx *transaction) error {
	for _, step := range []string{
		`UPDATE runs SET series_mark = (SELECT f.fingerprint FROM runs f WHERE f.id = runs.series)
			WHERE series_mark = '' AND series IN (SELECT id FROM runs WHERE deleted > 0 AND fingerprint IS NOT NULL)`,
		`INSERT OR REPLACE INTO sync_absent (kind, mark, stamp)
			SELECT 'run', fingerprint, kept FROM runs WHERE deleted > 0 AND fingerprint IS NOT NULL`,
		`INSERT OR REPLACE INTO sync_absent (kind, mark, stamp)
			SELECT 'pick', pick_mark(created_at, query, candidate), max(kept) FROM picks p WHERE deleted > 0 GROUP BY 2`,
	} {
		if err := insert(ctx, tx, step); err != nil {
			return err
		}
	}
	return nil
}

// buryExchanged leaves a tombstone for a run that other databases may have.
func (s *Store) buryExchanged(ctx context.Context, tx *transaction, id int64) error {
	stamp, err := s.tick(ctx, tx)
	if err != nil {
		return err
	}
	return insert(ctx, tx, `INSERT OR REPLACE INTO sync_absent (kind, mark, stamp) SELECT 'run', fingerprint, ? FROM runs
		WHERE id = ? AND fingerprint IN (SELECT mark FROM sync_versions WHERE kind = 'run')`, stamp, id)
}

// stampKept notes that a run is there again, which all databases are to know.
func (s *Store) stampKept(ctx context.Context, tx *transaction, mark string) error {
	stamp, err := s.tick(ctx, tx)
	if err != nil {
		return err
	}
	return insert(ctx, tx, "UPDATE runs SET kept = ? WHERE fingerprint = ?", stamp, mark)
}

// raise removes the tombstone of a run that is imported again.
func (s *Store) raise(ctx context.Context, tx *transaction, mark string) error {
	n, err := affected(tx.ExecContext(ctx, "DELETE FROM sync_absent WHERE kind = 'run' AND mark = ?", mark))
	if err != nil || n == 0 {
		return err
	}
	return s.stampKept(ctx, tx, mark)
}

package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"sweetspot/engine/profile"
)

// Table is one of the lists that the user keeps.
type Table string

// The tables whose rows can be annotated and deleted.
const (
	RunTable  Table = "runs"
	PickTable Table = "picks"
)

// noun is a row of the table in a sentence.
func (t Table) noun() string { return strings.TrimSuffix(string(t), "s") }

// Limits on what is typed, in characters.
const (
	MaxName = 200
	MaxNote = 500
)

// absent says that there is no such row.
func (s *Store) absent(of Table, id int64) error {
	if of == RunTable {
		return fmt.Errorf("there is no run %d in %s; sweetspot runs list shows which there are (--db names another database)",
			id, s.name)
	}
	return fmt.Errorf("there is no %s %d in %s", of.noun(), id, s.name)
}

// typed is text as a user typed it, cleaned and without surrounding white space; longer
// ones than the limit are refused.
func typed(what, text string, limit int) (string, error) {
	text = strings.TrimSpace(clean(text))
	if n := utf8.RuneCountInString(text); n > limit {
		return "", fmt.Errorf("%s has %d characters; keep it to %d", what, n, limit)
	}
	return text, nil
}

// Annotate gives a run or a pick a note, in place of the one it had; "" takes it
// away.
func (s *Store) Annotate(ctx context.Context, of Table, id int64, note string) (was string, err error) {
	if note, err = typed("the note", note, MaxNote); err != nil {
		return "", err
	}
	err = s.change(ctx, "store a note", func(ctx context.Context, tx *transaction) error {
		err := tx.QueryRowContext(ctx, "SELECT note FROM "+string(of)+" WHERE id = ? AND deleted = 0", id).Scan(&was)
		if errors.Is(err, sql.ErrNoRows) {
			return s.absent(of, id)
		}
		if err != nil {
			return err
		}
		stamp, err := s.tick(ctx, tx)
		if err != nil {
			return err
		}
		return insert(ctx, tx, "UPDATE "+string(of)+" SET note = ?, noted = ? WHERE id = ?", note, stamp, id)
	})
	return clean(was), err
}

// RunName is what a run is called: its model and its variant, "" for the model
// as published.
type RunName struct {
	Run            int64
	Model, Variant string
}

// Rename gives runs other names, all or none, and returns the ones they had.
// Precision and pruning of a variant stay. A run that is being recorded is
// refused: its script may still say what it is.
func (s *Store) Rename(ctx context.Context, to []RunName) (was []RunName, err error) {
	err = s.change(ctx, "store other names", func(ctx context.Context, tx *transaction) error {
		was = was[:0]
		for _, n := range to {
			old, err := s.rename(ctx, tx, n)
			if err != nil {
				return err
			}
			was = append(was, old)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return was, nil
}

func (s *Store) rename(ctx context.Context, tx *transaction, to RunName) (was RunName, err error) {
	if to.Model, err = typed("the name of the model", to.Model, MaxName); err != nil {
		return was, err
	}
	if to.Variant, err = typed("the name of the variant", to.Variant, MaxName); err != nil {
		return was, err
	}
	if to.Model == "" {
		return was, errors.New("a model needs a name; only that of a variant may be empty")
	}
	was.Run = to.Run
	if err := s.refuseRecording(ctx, tx, to.Run, "rename"); err != nil {
		return was, err
	}
	var model, variant int64
	err = tx.QueryRowContext(ctx, `
		SELECT m.name, v.name, m.id, v.id FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id
		WHERE r.id = ? AND r.deleted = 0`, to.Run).Scan(&was.Model, &was.Variant, &model, &variant)
	if errors.Is(err, sql.ErrNoRows) {
		return was, s.absent(RunTable, to.Run)
	}
	if err != nil {
		return was, err
	}
	was.Model, was.Variant = clean(was.Model), clean(was.Variant)
	if model, err = modelLike(ctx, tx, model, to.Model); err != nil {
		return was, err
	}
	if variant, err = variantLike(ctx, tx, variant, model, to.Variant); err != nil {
		return was, err
	}
	stamp, err := s.tick(ctx, tx)
	if err != nil {
		return was, err
	}
	return was, insert(ctx, tx, "UPDATE runs SET variant_id = ?, named = ? WHERE id = ?", variant, stamp, to.Run)
}

// refuseRecording refuses to change a run that is being recorded. One that is not
// there is not.
func (s *Store) refuseRecording(ctx context.Context, tx *transaction, id int64, change string) error {
	var heartbeatMS int64
	err := tx.QueryRowContext(ctx, "SELECT heartbeat_ms FROM runs WHERE id = ? AND status = ? AND deleted = 0", id,
		string(profile.Running)).Scan(&heartbeatMS)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil && s.lives(heartbeatMS) {
		err = fmt.Errorf("run %d is being recorded; %s it when it has ended", id, change)
	}
	return err
}

// modelLike returns the model of a name; where there is none it is made, with
// what is known of another. What it leaves without runs stays, so that taking
// the name back finds all of it again.
func modelLike(ctx context.Context, tx *transaction, other int64, name string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id FROM models WHERE name = ?", name).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO models (name, dataset, task, unit, source_file, params, flops_per_unit)
		SELECT ?, dataset, task, unit, source_file, params, flops_per_unit FROM models WHERE id = ? RETURNING id`, name,
		other).Scan(&id)
	return id, err
}

// variantLike returns the variant of a model that is another one but for its
// name.
func variantLike(ctx context.Context, tx *transaction, other, model int64, name string) (int64, error) {
	row, err := described(ctx, tx, "main", "variants", other)
	if err != nil {
		return 0, err
	}
	row.set("model_id", model)
	row.set("name", name)
	return row.findOrInsert(ctx, tx, "variants")
}

// lastDeletion is the number of the last deletion that can be taken back, 0 without
// one.
const lastDeletion = `SELECT max((SELECT coalesce(max(deleted), 0) FROM runs WHERE deleted > 0), (SELECT ` +
	`coalesce(max(deleted), 0) FROM picks))`

// Delete takes runs or picks out of every list, sum and ranking, all or none, and
// returns the number of the deletion. [Store.Undelete] brings them back as they
// were: nothing of them is removed before [Store.Purge]. A run that is being
// recorded is refused: its probe would end, and what it had yet to save be lost.
func (s *Store) Delete(ctx context.Context, of Table, ids ...int64) (deletion int64, err error) {
	err = s.change(ctx, "delete a "+of.noun(), func(ctx context.Context, tx *transaction) error {
		err := tx.QueryRowContext(ctx, lastDeletion).Scan(&deletion)
		if err != nil {
			return err
		}
		deletion++
		stamp, err := s.tick(ctx, tx)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if of == RunTable {
				if err := s.refuseRecording(ctx, tx, id, "delete"); err != nil {
					return err
				}
			}
			res, err := tx.ExecContext(ctx, "UPDATE "+string(of)+" SET deleted = ?1, kept = ?2 WHERE id = ?3 AND deleted IN (0, ?1)",
				deletion, stamp, id)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				return cmp.Or(err, s.absent(of, id))
			}
		}
		return nil
	})
	return deletion, err
}

// Restored are the rows that came back.
type Restored struct{ Runs, Picks []int64 }

// Undelete brings back what went in a deletion; 0 is the last one. Nothing comes
// back, without an error, where there is no such deletion.
func (s *Store) Undelete(ctx context.Context, deletion int64) (back Restored, err error) {
	err = s.change(ctx, "bring back what was deleted", func(ctx context.Context, tx *transaction) error {
		if deletion == 0 {
			err := tx.QueryRowContext(ctx, lastDeletion).Scan(&deletion)
			if err != nil || deletion == 0 {
				return err
			}
		}
		if back.Runs, err = s.undeleted(ctx, tx, RunTable, "deleted = ?1", deletion); err != nil {
			return err
		}
		back.Picks, err = s.undeleted(ctx, tx, PickTable, "deleted = ?1", deletion)
		return err
	})
	return back, err
}

// UndeleteRuns brings back deleted runs by their numbers, all or none.
func (s *Store) UndeleteRuns(ctx context.Context, ids ...int64) error {
	return s.change(ctx, "bring back what was deleted", func(ctx context.Context, tx *transaction) error {
		for _, id := range ids {
			back, err := s.undeleted(ctx, tx, RunTable, "deleted > 0 AND id = ?1", id)
			if err != nil {
				return err
			}
			if len(back) == 0 {
				return fmt.Errorf("there is no deleted run %d in %s; sweetspot runs list --deleted lists them", id, s.name)
			}
		}
		return nil
	})
}

// undeleted brings back the rows of a condition and returns their numbers.
func (s *Store) undeleted(ctx context.Context, tx *transaction, of Table, where string, arg int64) ([]int64, error) {
	stamp, err := s.tick(ctx, tx)
	if err != nil {
		return nil, err
	}
	return all[int64](ctx, tx, "UPDATE "+string(of)+" SET deleted = 0, kept = ?2 WHERE "+where+" RETURNING id", arg, stamp)
}

// Purge removes what was deleted for good and gives its room in the file back. Tombstones stay,
// so that nothing of it comes back from other databases.
func (s *Store) Purge(ctx context.Context) (gone Restored, err error) {
	err = s.change(ctx, "remove what was deleted", func(ctx context.Context, tx *transaction) (err error) {
		gone, err = purge(ctx, tx)
		return err
	})
	if err != nil {
		return Restored{}, err
	}
	_, err = s.write.ExecContext(ctx, "VACUUM")
	return gone, s.explain("be made smaller", err)
}

func purge(ctx context.Context, tx *transaction) (gone Restored, err error) {
	if err := buryDeleted(ctx, tx); err != nil {
		return gone, err
	}
	if gone.Runs, err = all[int64](ctx, tx, "DELETE FROM runs WHERE deleted > 0 RETURNING id"); err != nil {
		return gone, err
	}
	if gone.Picks, err = all[int64](ctx, tx, "DELETE FROM picks WHERE deleted > 0 RETURNING id"); err != nil {
		return gone, err
	}
	return gone, dropUnused(ctx, tx)
}

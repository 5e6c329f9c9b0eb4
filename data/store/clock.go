package store

import (
	"context"

	"sweetspot/data/bundle"
)

// tick is a stamp later than all that this database has given or seen, whatever the clocks
// of other machines say: a hybrid logical clock.
func (s *Store) tick(ctx context.Context, tx *transaction) (string, error) {
	type self struct{ ID, Stamp string }
	me, err := one[self](ctx, tx, "SELECT id, stamp FROM sync_self LIMIT 1")
	if err != nil {
		return "", err
	}
	now := s.nowFunc().UnixMilli()
	ms, count := bundle.ParseStamp(me.Stamp)
	switch {
	case now > ms:
		ms, count = now, 0
	case count == 1<<16-1:
		ms, count = ms+1, 0
	default:
		count++
	}
	stamp := bundle.Stamp(ms, count, me.ID)
	return stamp, insert(ctx, tx, "UPDATE sync_self SET stamp = ?", stamp)
}

// observe makes later stamps later than one that came from another database.
func observe(ctx context.Context, tx *transaction, stamp string) error {
	return insert(ctx, tx, "UPDATE sync_self SET stamp = ?1 WHERE stamp < ?1", stamp)
}

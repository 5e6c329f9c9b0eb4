package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Pick is a candidate the user chose and the query that led to it, as the JSON
// of the rank command has them.
type Pick struct {
	ID        int64 // given by SavePick
	CreatedAt time.Time
	Name      string
	Note      string // the user's own words; see [Store.Annotate]
	Query     json.RawMessage
	Candidate json.RawMessage
}

// insertPick repeats parts of the candidate in plain columns. Their instance_type
// names all of a combination: 2x g3.4xlarge + 1x p2.xlarge. A machine of one's own
// has a host in its place. OR REPLACE gives a column its default where the
// candidate says nothing.
const insertPick = `
	WITH vms AS (SELECT plain(value ->> 'cloud') AS cloud, plain(value ->> 'region') AS region, value ->> 'count' AS count,
			plain(ifnull(nullif(value ->> 'instance_type', ''), value ->> 'host')) AS type
			FROM json_each(?4, '$.configuration')),
		only AS (SELECT * FROM vms WHERE (SELECT count(*) FROM vms) = 1)
	INSERT OR REPLACE INTO picks (created_at, name, query, candidate, model, variant, mode, cloud, region, instance_type,
		count, batch_size, epochs, units, purchase, time_s, cost_usd, metric, accuracy, basis)
	SELECT ?1, ?2, ?3, ?4, plain(?4 ->> 'model'), plain(?4 ->> 'variant'), plain(?4 ->> 'mode'),
		(SELECT cloud FROM only), (SELECT region FROM only),
		ifnull((SELECT type FROM only), (SELECT group_concat(format('%gx %s', ifnull(count, 1), type), ' + ') FROM vms)),
		(SELECT count FROM only), ?4 ->> 'batch_size', ?4 ->> 'epochs', ?4 ->> 'units', plain(?4 ->> 'purchase'),
		?4 ->> '$.time.s', ?4 ->> '$.cost.usd', plain(?4 ->> '$.accuracy.metric'), ?4 ->> '$.accuracy.value',
		plain(?4 ->> '$.time.basis')
	RETURNING id`

// SavePick stores a pick, whose note comes later, and returns its number. A zero
// CreatedAt is now.
func (s *Store) SavePick(ctx context.Context, p Pick) (id int64, err error) {
	if !json.Valid(p.Query) || !json.Valid(p.Candidate) {
		return 0, errors.New("the pick can't be saved: its query or its candidate is not JSON")
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = s.nowFunc()
	}
	err = s.change(ctx, "store a pick", func(ctx context.Context, tx *transaction) error {
		return tx.QueryRowContext(ctx, insertPick, stamp(p.CreatedAt), clean(p.Name), string(p.Query), string(p.Candidate)).
			Scan(&id)
	})
	return id, err
}

// Picks returns the picks, newest first.
func (s *Store) Picks(ctx context.Context) (picks []Pick, err error) {
	type pickRow struct {
		Pick
		CreatedAt, Query, Candidate string
	}
	const query = "SELECT id, created_at, name, note, query, candidate FROM picks WHERE deleted = 0 ORDER BY id DESC"
	err = each(ctx, s.read, query, nil, func(row *pickRow) error {
		p := row.Pick
		if p.CreatedAt, err = time.Parse(time.RFC3339, row.CreatedAt); err != nil {
			return fmt.Errorf("%s holds a pick whose date, %q, can't be read; another program changed it", s.name,
				row.CreatedAt)
		}
		p.Query, p.Candidate = json.RawMessage(row.Query), json.RawMessage(row.Candidate)
		picks = append(picks, p)
		return nil
	})
	return picks, s.explain("be read", err)
}

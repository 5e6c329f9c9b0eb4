package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
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

// pickedCandidate is what the plain columns of a pick repeat of its JSON.
type pickedCandidate struct {
	Model         string   `json:"model"`
	Variant       string   `json:"variant"`
	Mode          string   `json:"mode"`
	BatchSize     *float64 `json:"batch_size"`
	Epochs        *float64 `json:"epochs"`
	Units         *float64 `json:"units"`
	Purchase      string   `json:"purchase"`
	Configuration []struct {
		Cloud        string   `json:"cloud"`
		Region       string   `json:"region"`
		InstanceType string   `json:"instance_type"`
		Host         string   `json:"host"` // of a machine of one's own, which has no instance type
		Count        *float64 `json:"count"`
	} `json:"configuration"`
	Time struct {
		S     *float64 `json:"s"`
		Basis string   `json:"basis"`
	} `json:"time"`
	Cost struct {
		USD *float64 `json:"usd"`
	} `json:"cost"`
	Accuracy struct {
		Metric string   `json:"metric"`
		Value  *float64 `json:"value"`
	} `json:"accuracy"`
}

// vms names a combination: 2x g3.4xlarge + 1x p2.xlarge.
func (c pickedCandidate) vms() string {
	parts := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		n := 1.0
		if p.Count != nil {
			n = *p.Count
		}
		parts[i] = fmt.Sprintf("%gx %s", n, cmp.Or(p.InstanceType, p.Host))
	}
	return strings.Join(parts, " + ")
}

// SavePick stores a pick and returns its number. A zero CreatedAt is now.
func (s *Store) SavePick(ctx context.Context, p Pick) (id int64, err error) {
	var c pickedCandidate
	if err := json.Unmarshal(p.Candidate, &c); err != nil {
		return 0, fmt.Errorf("the pick can't be saved: its candidate is not the JSON of one (%v)", err)
	}
	if !json.Valid(p.Query) {
		return 0, fmt.Errorf("the pick can't be saved: its query is not JSON")
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = s.nowFunc()
	}
	row := &assignments{}
	row.add("created_at", stamp(p.CreatedAt))
	row.text("name", p.Name)
	row.text("note", p.Note)
	row.text("model", c.Model)
	row.text("variant", c.Variant)
	row.text("mode", c.Mode)
	if len(c.Configuration) > 1 { // the plain columns hold one VM type; the candidate's JSON holds all
		row.text("instance_type", c.vms())
	} else if len(c.Configuration) > 0 {
		first := c.Configuration[0]
		row.text("cloud", first.Cloud)
		row.text("region", first.Region)
		row.text("instance_type", cmp.Or(first.InstanceType, first.Host))
		row.add("count", whole(first.Count))
	}
	row.add("batch_size", whole(c.BatchSize))
	row.add("epochs", real(c.Epochs))
	row.add("units", real(c.Units))
	row.text("purchase", c.Purchase)
	row.add("time_s", real(c.Time.S))
	row.add("cost_usd", real(c.Cost.USD))
	row.text("metric", c.Accuracy.Metric)
	row.add("accuracy", real(c.Accuracy.Value))
	row.text("basis", c.Time.Basis)
	row.add("query", string(p.Query))
	row.add("candidate", string(p.Candidate))
	err = s.change(ctx, "store a pick", func(ctx context.Context, tx *transaction) error {
		id, err = row.insertNumbered(ctx, tx, "picks", "")
		return err
	})
	return id, err
}

// whole is a count column that may be NULL.
func whole(v *float64) any {
	if v == nil {
		return nil
	}
	return int64(*v)
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
				clean(row.CreatedAt))
		}
		p.Name, p.Note = clean(p.Name), clean(p.Note)
		p.Query, p.Candidate = json.RawMessage(row.Query), json.RawMessage(row.Candidate)
		picks = append(picks, p)
		return nil
	})
	return picks, s.explain("be read", err)
}

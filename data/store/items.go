package store

import (
	"context"
	"encoding/json"

	"sweetspot/data/bundle"
	"sweetspot/engine/profile"
)

// text is a value of a register.
func text(v any) json.RawMessage {
	value, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts, truths and finite numbers there is none
	}
	return value
}

// items are all that this database would tell others. A run that is being recorded, or waits to
// be collected here, follows when it has ended.
func (x *syncing) items(ctx context.Context, tx *transaction) (items []own, err error) {
	type lister = func(context.Context, *transaction) ([]own, error)
	for _, list := range []lister{x.models, x.runs, x.picks, x.prices, tombstones} {
		more, err := list(ctx, tx)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}

func (x *syncing) runs(ctx context.Context, tx *transaction) (items []own, err error) {
	type row struct {
		ID, HeartbeatMS, Deleted                                          int64
		Mark, Measured, Named, Model, Variant, Noted, Note, Kept, Content string
		Status, Spool                                                     string
	}
	err = each(ctx, tx, `
		SELECT r.id, r.heartbeat_ms, r.deleted, r.fingerprint AS mark, r.measured, r.named, m.name AS model,
			v.name AS variant, r.noted, r.note, r.kept, r.content, r.status, r.spool
		FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id ORDER BY r.id`, nil,
		func(r *row) error {
			if profile.Status(r.Status) == profile.Running && (r.Spool != "" || x.store.lives(r.HeartbeatMS)) {
				return nil
			}
			o := own{id: r.ID, gone: r.Deleted > 0, content: r.Content, measured: r.Measured}
			o.Item = bundle.Item{Kind: bundle.Run, Mark: r.Mark, Registers: map[string]bundle.Register{
				bundle.Kept: {Stamp: r.Kept, Value: text(!o.gone)}}}
			if !o.gone {
				o.Registers[bundle.Name] = bundle.Register{Stamp: r.Named, Value: text([]string{r.Model, r.Variant})}
				o.Registers[bundle.Note] = bundle.Register{Stamp: r.Noted, Value: text(r.Note)}
			}
			items = append(items, o)
			return nil
		})
	return items, err
}

func (x *syncing) picks(ctx context.Context, tx *transaction) (items []own, err error) {
	type row struct {
		ID, Deleted             int64
		Mark, Noted, Note, Kept string
	}
	err = each(ctx, tx, "SELECT id, deleted, pick_mark(created_at, query, candidate) AS mark, noted, note, kept "+
		"FROM picks ORDER BY id", nil, func(r *row) error {
		o := own{id: r.ID, gone: r.Deleted > 0}
		o.Item = bundle.Item{Kind: bundle.Pick, Mark: r.Mark, Registers: map[string]bundle.Register{
			bundle.Kept: {Stamp: r.Kept, Value: text(!o.gone)}}}
		if !o.gone {
			o.Registers[bundle.Note] = bundle.Register{Stamp: r.Noted, Value: text(r.Note)}
		}
		items = append(items, o)
		return nil
	})
	return items, err
}

// models are those that runs are of.
func (x *syncing) models(ctx context.Context, tx *transaction) ([]own, error) {
	type row struct {
		ID   int64
		Name string
	}
	rows, err := all[row](ctx, tx, `SELECT id, name FROM models m WHERE EXISTS
		(SELECT 1 FROM variants v JOIN runs r ON r.variant_id = v.id WHERE v.model_id = m.id AND r.deleted = 0) ORDER BY id`)
	if err != nil {
		return nil, err
	}
	items := make([]own, len(rows))
	for i, r := range rows {
		value, err := sparse(ctx, tx, "models", x.columns["models"], r.ID)
		if err != nil {
			return nil, err
		}
		items[i].Item = bundle.Item{Kind: bundle.Model, Mark: r.Name,
			Registers: map[string]bundle.Register{bundle.Value: {Value: text(value)}}}
	}
	return items, nil
}

// prices are VM types, each before its prices.
func (x *syncing) prices(ctx context.Context, tx *transaction) (items []own, err error) {
	type vm struct {
		ID                                 int64
		Cloud, Region, InstanceType, Stamp string
	}
	vms, err := all[vm](ctx, tx, "SELECT id, cloud, region, instance_type, stamp FROM vm_types ORDER BY id")
	if err != nil {
		return nil, err
	}
	for _, t := range vms {
		value, err := sparse(ctx, tx, "vm_types", x.columns["vm_types"], t.ID)
		if err != nil {
			return nil, err
		}
		items = append(items, own{Item: bundle.Item{Kind: bundle.VMType, Mark: string(text([]string{t.Cloud, t.Region,
			t.InstanceType})), Registers: map[string]bundle.Register{bundle.Value: {Stamp: t.Stamp, Value: text(value)}}}})
		type price struct {
			Purchase, Source, AsOf, Stamp string
			USDPerHour                    float64
		}
		const query = "SELECT purchase, source, as_of, usd_per_hour, stamp FROM prices WHERE vm_type_id = ?"
		err = each(ctx, tx, query, []any{t.ID},
			func(p *price) error {
				mark := text([]string{t.Cloud, t.Region, t.InstanceType, p.Purchase, p.Source, p.AsOf})
				value := bundle.Register{Stamp: p.Stamp, Value: text(map[string]any{"usd_per_hour": p.USDPerHour})}
				items = append(items, own{Item: bundle.Item{Kind: bundle.Price, Mark: string(mark),
					Registers: map[string]bundle.Register{bundle.Value: value}}})
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// tombstones are what was purged here.
func tombstones(ctx context.Context, tx *transaction) (items []own, err error) {
	type row struct{ Kind, Mark, Stamp string }
	const query = "SELECT kind, mark, stamp FROM sync_absent WHERE kept = 0 ORDER BY kind, mark"
	err = each(ctx, tx, query, nil, func(r *row) error {
		items = append(items, own{gone: true, Item: bundle.Item{Kind: bundle.Kind(r.Kind), Mark: r.Mark,
			Registers: map[string]bundle.Register{bundle.Kept: {Stamp: r.Stamp, Value: text(false)}}}})
		return nil
	})
	return items, err
}

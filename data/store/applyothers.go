package store

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"sweetspot/data/bundle"
	"sweetspot/engine/profile"
)

// valueOf is the row that the value of an item holds, with numbers as they are written.
func valueOf(item bundle.Item, columns []column) (assignments, error) {
	var row map[string]any
	d := json.NewDecoder(bytes.NewReader(item.Registers[bundle.Value].Value))
	d.UseNumber()
	if d.Decode(&row) != nil {
		return assignments{}, bundle.Damaged("it is damaged (a value that is none)")
	}
	return full(columns, row)
}

// marked reads an item whose mark is a list of n words, and the row that its value holds.
func marked(item bundle.Item, n int, columns []column) (mark []string, row assignments, err error) {
	if json.Unmarshal([]byte(item.Mark), &mark) != nil || len(mark) != n {
		return nil, row, bundle.Damaged("it is damaged (a mark that is none)")
	}
	for i, w := range mark {
		mark[i] = clean(w)
	}
	row, err = valueOf(item, columns)
	return mark, row, err
}

// model takes in what is known of a model. Of what two databases know differently the greater
// holds, so that it is the same everywhere whatever came first.
func (a *applying) model(ctx context.Context, item bundle.Item) error {
	theirs, err := valueOf(item, a.columns["models"])
	if err != nil {
		return err
	}
	if err := insert(ctx, a.tx, "INSERT OR IGNORE INTO models (name) VALUES (?)", item.Mark); err != nil {
		return err
	}
	for i, column := range theirs.names { // of our own layout
		if v := theirs.args[i]; v != nil && v != "" {
			if err := insert(ctx, a.tx, "UPDATE models SET "+column+" = ?1 WHERE name = ?2 AND ("+column+" IS NULL OR "+column+
				" < ?1)", v, item.Mark); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *applying) vmType(ctx context.Context, item bundle.Item) error {
	mark, row, err := marked(item, 3, a.columns["vm_types"])
	if err != nil {
		return err
	}
	type known struct {
		ID    int64
		Stamp string
	}
	const where = "cloud = ? AND region = ? AND instance_type = ?"
	mine, err := all[known](ctx, a.tx, "SELECT id, stamp FROM vm_types WHERE "+where, mark[0], mark[1], mark[2])
	if err != nil {
		return err
	}
	register := item.Registers[bundle.Value]
	row.add("stamp", register.Stamp)
	if len(mine) == 0 {
		row.add("cloud", mark[0])
		row.add("region", mark[1])
		row.add("instance_type", mark[2])
		return row.insert(ctx, a.tx, "vm_types", "")
	}
	was, err := sparse(ctx, a.tx, "vm_types", a.columns["vm_types"], mine[0].ID)
	if err != nil || register.Version() <= (bundle.Register{Stamp: mine[0].Stamp, Value: text(was)}).Version() {
		return err
	}
	_, err = row.update(ctx, a.tx, "vm_types", "id = ?", mine[0].ID)
	return err
}

func (a *applying) price(ctx context.Context, item bundle.Item) error {
	mark, row, err := marked(item, 6, []column{{Name: "usd_per_hour", Type: "REAL", Notnull: true}})
	if err != nil {
		return err
	}
	vm, err := all[int64](ctx, a.tx, "SELECT id FROM vm_types WHERE cloud = ? AND region = ? AND instance_type = ?", mark[0],
		mark[1], mark[2])
	if err != nil {
		return err
	}
	if len(vm) == 0 {
		a.waits = true // for the bundle with its VM type
		return nil
	}
	type known struct {
		USDPerHour float64
		Stamp      string
	}
	mine, err := all[known](ctx, a.tx, "SELECT usd_per_hour, stamp FROM prices WHERE vm_type_id = ? AND purchase = ? "+
		"AND source = ? AND as_of = ?", vm[0], mark[3], mark[4], mark[5])
	if err != nil {
		return err
	}
	register := item.Registers[bundle.Value]
	isNew := true
	for _, m := range mine {
		old := bundle.Register{Stamp: m.Stamp, Value: text(map[string]any{"usd_per_hour": m.USDPerHour})}
		if register.Version() <= old.Version() {
			return nil
		}
		isNew = row.value("usd_per_hour") != m.USDPerHour
	}
	if isNew {
		a.done.Prices++
	}
	row.add("stamp", register.Stamp)
	row.add("vm_type_id", vm[0])
	row.add("purchase", mark[3])
	row.add("source", mark[4])
	row.add("as_of", mark[5])
	return row.insert(ctx, a.tx, "prices", " ON CONFLICT DO UPDATE SET usd_per_hour = excluded.usd_per_hour, "+
		"stamp = excluded.stamp")
}

// partWorks gives runs of other work than the first run of their model another name, as a probe
// does: two databases may have given one name to two networks. Names that a user gave stay. It
// follows from what the runs are, so all databases come to the same names.
func (a *applying) partWorks(ctx context.Context) error {
	type row struct {
		ID, VariantID, HeartbeatMS    int64
		Model, Variant, Named, Status string
		Work                          profile.Work
	}
	rows, err := all[row](ctx, a.tx, `
		SELECT r.id, r.variant_id, r.heartbeat_ms, m.name AS model, v.name AS variant, r.named, r.status,
			r.network AS "work.network", r.input AS "work.input", iif(v.pruned, NULL, r.params) AS "work.params"
		FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id
		WHERE r.deleted = 0 AND r.network <> '' AND m.id IN (SELECT v.model_id FROM runs r JOIN variants v ON v.id = r.variant_id
			WHERE r.deleted = 0 AND r.network <> '' GROUP BY 1 HAVING count(DISTINCT r.network) > 1 OR count(DISTINCT r.input) > 1 OR
			count(DISTINCT iif(v.pruned, NULL, r.params)) > 1)
		ORDER BY m.name, r.named <> '' AND r.named NOT LIKE '%+' DESC, r.fingerprint`)
	if err != nil {
		return err
	}
	var of string
	var first []profile.Work
	for _, r := range rows {
		if r.Model != of {
			of, first = r.Model, nil
		}
		other := false
		for _, w := range first {
			other = other || w.Differs(r.Work)
		}
		byUser := r.Named != "" && !strings.HasSuffix(r.Named, byProgram)
		if !other || byUser {
			first = append(first, r.Work)
			continue
		}
		if strings.HasSuffix(r.Named, byProgram+byProgram+byProgram) || profile.Status(r.Status) == profile.Running &&
			a.store.lives(r.HeartbeatMS) {
			continue
		}
		described, err := a.variantOf(ctx, r.ID)
		if err != nil {
			return err
		}
		variant, err := a.variant(ctx, described, [2]string{r.Work.FullName(r.Model), r.Variant})
		if err != nil {
			return err
		}
		if err := insert(ctx, a.tx, "UPDATE runs SET variant_id = ?, named = ? WHERE id = ?", variant, r.Named+byProgram,
			r.ID); err != nil {
			return err
		}
	}
	return nil
}

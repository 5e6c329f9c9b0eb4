package store

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"sweetspot/data/bundle"
	"sweetspot/engine/profile"

	"github.com/mattn/go-sqlite3"
)

// applying is a bundle that is being taken in.
type applying struct {
	*syncing
	tx       *transaction
	bundle   string
	run      int64 // that rows are of; 0 where they are not wanted
	rows     map[string]int
	expected int64 // iterations that its sums are of
	deletion int64 // the number of what is deleted by this bundle
	waits    bool  // for another bundle, or the end of a recording
	series   map[string]bool
	named    bool
	latest   string // stamp
	versions []version
}

// all takes in a bundle and reports whether that was a step: it was not read before, or is
// complete now.
func (a *applying) all(ctx context.Context, content []byte) (progress bool, err error) {
	was, err := all[bool](ctx, a.tx, "SELECT complete FROM sync_bundles WHERE name = ?", a.bundle)
	if err != nil {
		return false, err
	}
	reader, err := bundle.NewReader(content, len(steps))
	if err != nil {
		return false, err
	}
	a.series = map[string]bool{}
	for err == nil {
		var line bundle.Line
		if line, err = reader.Next(); err == nil {
			err = a.line(ctx, line)
		}
	}
	if !errors.Is(err, io.EOF) {
		return false, damagedIfRefused(err)
	}
	if err := a.finish(ctx); err != nil {
		return false, damagedIfRefused(err)
	}
	if len(was) == 0 {
		a.done.Read++
	}
	return len(was) == 0 || !was[0] && !a.waits, nil
}

// damagedIfRefused is for values that the layout does not allow.
func damagedIfRefused(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch ||
		e.Code == sqlite3.ErrTooBig) {
		return bundle.Damaged("it is damaged (a row that no database writes)")
	}
	return err
}

func (a *applying) line(ctx context.Context, line bundle.Line) error {
	if line.Rows != nil {
		return a.addRows(ctx, *line.Rows)
	}
	if err := a.endRun(); err != nil {
		return err
	}
	item := *line.Item
	for name, r := range item.Registers {
		a.latest = max(a.latest, r.Stamp)
		a.versions = append(a.versions, version{item.Kind, item.Mark, name, r.Version()})
	}
	if item.Content != nil {
		a.versions = append(a.versions, version{item.Kind, item.Mark, contentRegister, item.Content.Version})
		a.latest = max(a.latest, item.Content.Stamp())
	}
	switch item.Kind {
	case bundle.Model:
		return a.model(ctx, item)
	case bundle.VMType:
		return a.vmType(ctx, item)
	case bundle.Price:
		return a.price(ctx, item)
	}
	return a.kept(ctx, item)
}

// endRun checks that all iterations of a run came that it counts.
func (a *applying) endRun() error {
	if a.run != 0 && int64(a.rows["iterations"]) != a.expected {
		return bundle.Damaged("it is damaged (iterations are missing)")
	}
	a.run = 0
	return nil
}

func (a *applying) finish(ctx context.Context) error {
	if err := a.endRun(); err != nil {
		return err
	}
	for mark := range a.series {
		err := insert(ctx, a.tx, `UPDATE runs SET series = coalesce((SELECT id FROM runs f WHERE f.fingerprint = ?1),
			(SELECT min(id) FROM runs g WHERE g.series_mark = ?1)) WHERE series_mark = ?1`, mark)
		if err != nil {
			return err
		}
	}
	if a.named {
		if err := a.partWorks(ctx); err != nil {
			return err
		}
	}
	if err := observe(ctx, a.tx, strings.TrimRight(a.latest, byProgram)); err != nil {
		return err
	}
	return recordBundle(ctx, a.tx, a.bundle, !a.waits, a.versions)
}

// here is a run or pick of this database, or its tombstone.
type here struct {
	ID, HeartbeatMS, Deleted                                            int64
	Model, Variant, Note, Named, Noted, Kept, Content, Measured, Status string
}

const runHere = `
	SELECT r.id, r.heartbeat_ms, r.deleted, m.name AS model, v.name AS variant, r.note, r.named, r.noted, r.kept,
		r.content, r.measured, r.status
	FROM runs r JOIN variants v ON v.id = r.variant_id JOIN models m ON m.id = v.model_id WHERE r.fingerprint = ?`

const pickHere = `SELECT id, deleted, note, noted, kept FROM picks WHERE pick_mark(created_at, query, candidate) = ?`

// kept takes in a run or a pick.
func (a *applying) kept(ctx context.Context, item bundle.Item) error {
	query := runHere
	if item.Kind == bundle.Pick {
		query = pickHere
	}
	rows, err := all[here](ctx, a.tx, query, item.Mark)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return a.unknown(ctx, item)
	}
	for _, row := range rows {
		if profile.Status(row.Status) == profile.Running && a.store.lives(row.HeartbeatMS) {
			a.waits = true // until it is recorded
			continue
		}
		if err := a.change(ctx, item, row); err != nil {
			return err
		}
	}
	return nil
}

// unknown takes in a run or pick that is not here: it is new, or only its tombstone is here, or
// it is deleted everywhere.
func (a *applying) unknown(ctx context.Context, item bundle.Item) error {
	type absent struct {
		Stamp string
		Kept  bool
	}
	known, err := all[absent](ctx, a.tx, "SELECT stamp, kept FROM sync_absent WHERE kind = ? AND mark = ?", string(item.Kind),
		item.Mark)
	if err != nil {
		return err
	}
	register, told := item.Registers[bundle.Kept]
	for _, k := range known {
		mine := bundle.Register{Stamp: k.Stamp, Value: text(k.Kept)}
		if !told || mine.Version() > register.Version() {
			register, told = mine, true
		}
	}
	kept := !told || string(register.Value) == "true"
	raised := kept && len(known) > 0 && !known[0].Kept
	if raised { // what others told of it meanwhile was passed over
		if err := insert(ctx, a.tx, `UPDATE sync_bundles SET complete = 0 WHERE id IN
			(SELECT bundle FROM sync_versions WHERE kind = ? AND mark = ?)`, string(item.Kind), item.Mark); err != nil {
			return err
		}
	}
	if kept && item.Content != nil {
		if len(known) > 0 {
			a.done.Undeleted++
			if err := insert(ctx, a.tx, "DELETE FROM sync_absent WHERE kind = ? AND mark = ?", string(item.Kind),
				item.Mark); err != nil {
				return err
			}
		}
		return a.insert(ctx, item, register.Stamp, len(known) == 0)
	}
	if kept {
		a.waits = true
		if len(known) == 0 {
			return nil
		}
	}
	return insert(ctx, a.tx, "INSERT OR REPLACE INTO sync_absent (kind, mark, stamp, kept) VALUES (?, ?, ?, ?)",
		string(item.Kind), item.Mark, register.Stamp, kept)
}

// insert adds a run or a pick that is not here.
func (a *applying) insert(ctx context.Context, item bundle.Item, kept string, isNew bool) error {
	var note string
	_ = json.Unmarshal(item.Registers[bundle.Note].Value, &note) // the reader has checked it; none is ""
	extra := assignments{}
	extra.add("note", note)
	extra.add("noted", item.Registers[bundle.Note].Stamp)
	extra.add("kept", kept)
	if item.Kind == bundle.Pick {
		if isNew {
			a.done.Picks++
		}
		row, err := full(a.columns["picks"], item.Content.Columns)
		if err != nil {
			return err
		}
		made, query, candidate := row.value("created_at"), row.value("query"), row.value("candidate")
		if pickMark(asText(made), asText(query), asText(candidate)) != item.Mark {
			return bundle.Damaged("it is damaged (a pick that its mark does not fit)")
		}
		row.names, row.args = append(row.names, extra.names...), append(row.args, extra.args...)
		return row.insert(ctx, a.tx, "picks", "")
	}
	if isNew {
		a.done.Runs++
	}
	var name [2]string
	if err := json.Unmarshal(item.Registers[bundle.Name].Value, &name); err != nil {
		return bundle.Damaged("it is damaged (a run without a name)")
	}
	extra.add("named", item.Registers[bundle.Name].Stamp)
	return a.insertRun(ctx, item, name, extra)
}

func asText(v any) string {
	t, _ := v.(string)
	return t
}

// change takes in what is newer of a run or pick that is here.
func (a *applying) change(ctx context.Context, item bundle.Item, row here) error {
	table, before, changed := Table(item.Kind+"s"), row, false
	newer := func(name, stamp string, value any) bool {
		r, told := item.Registers[name]
		return told && r.Version() > bundle.Register{Stamp: stamp, Value: text(value)}.Version()
	}
	set := assignments{}
	if newer(bundle.Note, row.Noted, row.Note) {
		_ = json.Unmarshal(item.Registers[bundle.Note].Value, &row.Note) // the reader has checked it
		set.add("note", row.Note)
		set.add("noted", item.Registers[bundle.Note].Stamp)
		changed = changed || row.Note != before.Note
	}
	if newer(bundle.Kept, row.Kept, row.Deleted == 0) {
		if err := a.deleteOrNot(ctx, &set, item.Registers[bundle.Kept], row); err != nil {
			return err
		}
	}
	if newer(bundle.Name, row.Named, []string{row.Model, row.Variant}) {
		var name [2]string
		_ = json.Unmarshal(item.Registers[bundle.Name].Value, &name) // the reader has checked it
		row.Model, row.Variant, row.Named = name[0], name[1], item.Registers[bundle.Name].Stamp
		described, err := a.variantOf(ctx, row.ID)
		if err != nil {
			return err
		}
		variant, err := a.variant(ctx, described, name)
		if err != nil {
			return err
		}
		set.add("variant_id", variant)
		set.add("named", row.Named)
		a.named = true
		changed = changed || row.Model != before.Model || row.Variant != before.Variant
	}
	if len(set.names) > 0 {
		if _, err := set.update(ctx, a.tx, string(table), "id = ?", row.ID); err != nil {
			return err
		}
	}
	if item.Kind == bundle.Run && item.Content != nil {
		replaced, err := a.replaceContent(ctx, item, row)
		if err != nil {
			return err
		}
		changed = changed || replaced
	}
	if changed {
		a.done.Changed++
	}
	return nil
}

// variantOf are the columns of a run's variant, but for its name and model.
func (a *applying) variantOf(ctx context.Context, run int64) (row assignments, err error) {
	var id int64
	if err := a.tx.QueryRowContext(ctx, "SELECT variant_id FROM runs WHERE id = ?", run).Scan(&id); err != nil {
		return row, err
	}
	all, err := described(ctx, a.tx, "main", "variants", id)
	for i, name := range all.names {
		if name != "model_id" && name != "name" {
			row.add(name, all.args[i])
		}
	}
	return row, err
}

// deleteOrNot deletes or undeletes a row. All that a bundle deletes is one deletion here.
func (a *applying) deleteOrNot(ctx context.Context, set *assignments, r bundle.Register, row here) error {
	kept := string(r.Value) == "true"
	set.add("kept", r.Stamp)
	if kept == (row.Deleted == 0) {
		return nil
	}
	if kept {
		a.done.Undeleted++
		set.add("deleted", 0)
		return nil
	}
	if a.deletion == 0 {
		if err := a.tx.QueryRowContext(ctx, lastDeletion).Scan(&a.deletion); err != nil {
			return err
		}
		a.deletion++
	}
	a.done.Deleted++
	set.add("deleted", a.deletion)
	return nil
}

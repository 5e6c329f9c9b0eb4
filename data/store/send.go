package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sweetspot/data/bundle"
)

// own is an item of this database.
type own struct {
	bundle.Item
	id       int64
	gone     bool   // deleted, or only a tombstone
	content  string // version of what was measured; "" is not yet known, or none
	measured string // stamp of that
}

// version is a version that a bundle has.
type version struct {
	Kind                    bundle.Kind
	Mark, Register, Version string
}

// enough is the size from which a bundle takes nothing more.
const enough = 32 << 20

// contentRegister is the register of what was measured, in sync_versions.
const contentRegister = "content"

// send writes bundles of all that no bundle in the folder has.
func (x *syncing) send(ctx context.Context) error {
	for {
		var b *sending
		err := x.store.change(ctx, "write a bundle", func(ctx context.Context, tx *transaction) (err error) {
			b, err = x.fill(ctx, tx)
			return err
		})
		if err != nil || b == nil {
			return err
		}
		if err := x.folder.Add(ctx, b.name, b.bytes); err != nil {
			return err
		}
		if err := x.store.change(ctx, "note what was sent", b.record); err != nil {
			return err
		}
		x.inFolder = append(x.inFolder, b.name)
		x.done.Written++
		x.done.SentRuns += b.runs
		x.done.SentPicks += b.picks
		x.done.SentChanges += b.others
	}
}

// sending is a bundle that is being written.
type sending struct {
	*bundle.Writer
	tx                  *transaction
	name                string
	bytes               []byte
	versions            []version
	runs, picks, others int
}

// fill makes a bundle of what the folder lacks; nil if it lacks nothing.
func (x *syncing) fill(ctx context.Context, tx *transaction) (*sending, error) {
	there, err := x.versionsThere(ctx, tx)
	if err != nil {
		return nil, err
	}
	items, err := x.items(ctx, tx)
	if err != nil {
		return nil, err
	}
	type self struct {
		ID     string
		Number int64
	}
	me, err := one[self](ctx, tx, "SELECT id, number + 1 AS number FROM sync_self")
	if err != nil {
		return nil, err
	}
	b := &sending{tx: tx, Writer: bundle.NewWriter(me.ID, len(steps))}
	for i := range items {
		if err := x.add(ctx, b, &items[i], there); err != nil {
			return nil, err
		}
		if b.Len() > enough {
			break
		}
	}
	if len(b.versions) == 0 {
		return nil, nil
	}
	if b.bytes, err = b.Bytes(); err != nil {
		return nil, err
	}
	if len(b.bytes) > bundle.MaxBytes {
		return nil, fmt.Errorf("a run of %s is too large for a bundle; copy it with sweetspot merge", x.store.name)
	}
	b.name = bundle.FileName(me.ID, me.Number, b.bytes)
	return b, insert(ctx, tx, "UPDATE sync_self SET number = ?", me.Number)
}

// versionsThere are all that bundles of the folder have.
func (x *syncing) versionsThere(ctx context.Context, tx *transaction) (map[version]bool, error) {
	names, err := json.Marshal(x.inFolder)
	if err != nil {
		return nil, err
	}
	there := map[version]bool{}
	err = each(ctx, tx, `
		SELECT v.kind, v.mark, v.register, v.version 
		FROM sync_versions v JOIN sync_bundles b ON b.id = v.bundle
		WHERE b.name IN (SELECT value FROM json_each(?))`, []any{string(names)}, func(v *version) error {
		there[*v] = true
		return nil
	})
	return there, err
}

// add writes an item unless the folder has all of it.
func (x *syncing) add(ctx context.Context, b *sending, item *own, there map[version]bool) error {
	var news []version
	for _, name := range bundle.RegistersOf(item.Kind) {
		r, has := item.Registers[name]
		v := version{item.Kind, item.Mark, name, r.Version()}
		if has && !there[v] {
			news = append(news, v)
		}
	}
	withContent := false
	if !item.gone && (item.Kind == bundle.Run || item.Kind == bundle.Pick) {
		if err := x.knowContent(ctx, b.tx, item); err != nil {
			return err
		}
		v := version{item.Kind, item.Mark, contentRegister, item.content}
		if withContent = !there[v]; withContent {
			news = append(news, v)
		}
	}
	if len(news) == 0 {
		return nil
	}
	for _, name := range bundle.RegistersOf(item.Kind) { // all of them are written
		if r, has := item.Registers[name]; has {
			if v := (version{item.Kind, item.Mark, name, r.Version()}); !slices.Contains(news, v) {
				news = append(news, v)
			}
		}
	}
	b.versions = append(b.versions, news...)
	switch {
	case !withContent:
		b.others++
		return b.Write(item.Item)
	case item.Kind == bundle.Pick:
		b.picks++
	default:
		b.runs++
	}
	return x.write(ctx, b.tx, item, b.Write)
}

// knowContent finds the version of what was measured, unless it is known.
func (x *syncing) knowContent(ctx context.Context, tx *transaction, item *own) error {
	if item.Kind == bundle.Pick {
		item.content = bundle.ContentVersion("", 0, item.Mark)
		return nil
	}
	if item.content != "" {
		return nil
	}
	sum, size := sha256.New(), 0
	bare := *item
	bare.Item = bundle.Item{Kind: item.Kind, Mark: item.Mark}
	err := x.write(ctx, tx, &bare, func(line any) error {
		text, err := bundle.Encoded(line)
		size += len(text)
		_, _ = sum.Write(text) // a hash takes everything
		return err
	})
	if err != nil {
		return err
	}
	item.content = bundle.ContentVersion(item.measured, size, hex.EncodeToString(sum.Sum(nil)))
	return insert(ctx, tx, "UPDATE runs SET content = ? WHERE id = ?", item.content, item.id)
}

// write writes an item with its content.
func (x *syncing) write(ctx context.Context, tx *transaction, item *own, write func(line any) error) (err error) {
	whole := item.Item
	whole.Content = &bundle.Content{Version: item.content}
	c := whole.Content
	if item.Kind == bundle.Pick {
		if c.Columns, err = sparse(ctx, tx, "picks", x.columns["picks"], item.id); err != nil {
			return err
		}
		return write(whole)
	}
	type row struct {
		VariantID, MachineID int64
		Series               string
	}
	r, err := one[row](ctx, tx, `SELECT variant_id, machine_id, iif(series_mark <> '', series_mark,
		coalesce((SELECT fingerprint FROM runs f WHERE f.id = runs.series), '')) AS series FROM runs WHERE id = ?`, item.id)
	if err != nil {
		return err
	}
	c.Series = r.Series
	if c.Columns, err = sparse(ctx, tx, "runs", x.columns["runs"], item.id); err != nil {
		return err
	}
	if c.Variant, err = sparse(ctx, tx, "variants", x.columns["variants"], r.VariantID); err != nil {
		return err
	}
	if c.Machine, err = sparse(ctx, tx, "machines", x.columns["machines"], r.MachineID); err != nil {
		return err
	}
	if err := write(whole); err != nil {
		return err
	}
	for _, table := range recorded {
		if err := x.writeRows(ctx, tx, table, item.id, write); err != nil {
			return err
		}
	}
	return nil
}

// rowsPerLine bounds a line of rows.
const rowsPerLine = 1000

func (x *syncing) writeRows(ctx context.Context, tx *transaction, table string, run int64,
	write func(line any) error) error {
	line := bundle.Rows{Table: table}
	for _, c := range x.columns[table] {
		line.Columns = append(line.Columns, c.Name)
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(line.Columns, ", ")+" FROM "+table+
		" WHERE run_id = ? ORDER BY seq", run)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row := make([]any, len(line.Columns))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, v := range row {
			row[i] = portable(v)
		}
		if line.Rows = append(line.Rows, row); len(line.Rows) == rowsPerLine {
			if err := write(line); err != nil {
				return err
			}
			line.Rows = nil
		}
	}
	if err := rows.Err(); err != nil || len(line.Rows) == 0 {
		return err
	}
	return write(line)
}

// record notes what the folder has now.
func (b *sending) record(ctx context.Context, tx *transaction) error {
	return recordBundle(ctx, tx, b.name, true, b.versions)
}

func recordBundle(ctx context.Context, tx *transaction, name string, complete bool, versions []version) error {
	var id int64
	err := tx.QueryRowContext(ctx, `INSERT INTO sync_bundles (name, complete) VALUES (?1, ?2)
		ON CONFLICT (name) DO UPDATE SET complete = excluded.complete RETURNING id`, name, complete).Scan(&id)
	for _, v := range versions {
		if err != nil {
			break
		}
		err = insert(ctx, tx, "INSERT OR IGNORE INTO sync_versions (bundle, kind, mark, register, version) "+
			"VALUES (?, ?, ?, ?, ?)", id, string(v.Kind), v.Mark, v.Register, v.Version)
	}
	return err
}

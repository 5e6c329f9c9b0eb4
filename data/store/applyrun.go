package store

import (
	"context"
	"slices"
	"strings"

	"sweetspot/data/bundle"
	"sweetspot/engine/estimate"
)

// insertRun adds the row of a run; its recorded rows follow.
func (a *applying) insertRun(ctx context.Context, item bundle.Item, name [2]string, extra assignments) error {
	c := item.Content
	row, err := full(a.columns["runs"], c.Columns)
	if err != nil {
		return err
	}
	machine, err := full(a.columns["machines"], c.Machine)
	if err != nil {
		return err
	}
	variant, err := full(a.columns["variants"], c.Variant)
	if err != nil {
		return err
	}
	machineID, err := machine.findOrInsert(ctx, a.tx, "machines")
	if err != nil {
		return err
	}
	variantID, err := a.variant(ctx, variant, name)
	if err != nil {
		return err
	}
	extra.add("variant_id", variantID)
	extra.add("machine_id", machineID)
	extra.add("fingerprint", item.Mark)
	extra.add("content", c.Version)
	extra.add("measured", c.Stamp())
	extra.text("series_mark", c.Series)
	row.names, row.args = append(row.names, extra.names...), append(row.args, extra.args...)
	a.expected, _ = row.value("iterations").(int64)
	a.rows, a.named = map[string]int{}, true
	a.series[item.Mark], a.series[clean(c.Series)] = true, true
	delete(a.series, "")
	a.run, err = row.insertNumbered(ctx, a.tx, "runs", "")
	return err
}

// variant is the number of a variant of these columns under a name.
func (a *applying) variant(ctx context.Context, row assignments, name [2]string) (int64, error) {
	var model int64
	err := a.tx.QueryRowContext(ctx, "SELECT id FROM models WHERE name = ?", name[0]).Scan(&model)
	if notThere(err) {
		err = a.tx.QueryRowContext(ctx, "INSERT INTO models (name) VALUES (?) RETURNING id", name[0]).Scan(&model)
	}
	if err != nil {
		return 0, err
	}
	row.add("model_id", model)
	row.add("name", name[1])
	return row.findOrInsert(ctx, a.tx, "variants")
}

// replaceContent puts what was measured later in the place of what is here.
func (a *applying) replaceContent(ctx context.Context, item bundle.Item, row here) (bool, error) {
	mine := own{Item: bundle.Item{Kind: item.Kind, Mark: item.Mark}, id: row.ID, content: row.Content,
		measured: row.Measured}
	if err := a.knowContent(ctx, a.tx, &mine); err != nil {
		return false, err
	}
	if item.Content.Version <= mine.content {
		return false, nil
	}
	type stays struct {
		Deleted                         int64
		Note, Named, Noted, Kept, Spool string
	}
	s, err := one[stays](ctx, a.tx, "SELECT deleted, note, named, noted, kept, spool FROM runs WHERE id = ?", row.ID)
	if err != nil {
		return false, err
	}
	extra := assignments{}
	extra.add("id", row.ID)
	extra.from(s)
	if err := insert(ctx, a.tx, "DELETE FROM runs WHERE id = ?", row.ID); err != nil {
		return false, err
	}
	return true, a.insertRun(ctx, item, [2]string{row.Model, row.Variant}, extra)
}

// addRows adds rows that were recorded of the run before them.
func (a *applying) addRows(ctx context.Context, rows bundle.Rows) error {
	if a.run == 0 {
		return nil
	}
	if !slices.Contains(recorded, rows.Table) {
		return bundle.Damaged("it is damaged (rows of an unknown table)")
	}
	columns := make([]column, len(rows.Columns))
	for i, name := range rows.Columns {
		at := slices.IndexFunc(a.columns[rows.Table], func(c column) bool { return c.Name == name })
		if at < 0 || slices.Contains(rows.Columns[:i], name) {
			return bundle.Damaged("it is damaged (rows with unknown columns)")
		}
		columns[i] = a.columns[rows.Table][at]
	}
	statement, err := a.tx.PrepareContext(ctx, "INSERT INTO "+rows.Table+" (run_id, "+strings.Join(rows.Columns, ", ")+
		") VALUES (?"+strings.Repeat(", ?", len(columns))+")")
	if err != nil {
		return err
	}
	defer statement.Close()
	values := make([]any, len(columns)+1)
	values[0] = a.run
	for _, row := range rows.Rows {
		for i, c := range columns {
			v, ok := c.read(row[i])
			if seconds, is := v.(float64); is && c.Name == "seconds" && !estimate.Plausible(seconds) {
				ok = false
			}
			if !ok {
				return bundle.Damaged("it is damaged (no value of " + c.Name + ")")
			}
			values[i+1] = v
		}
		if _, err := statement.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	a.rows[rows.Table] += len(rows.Rows)
	return nil
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Merged is what came from another database.
type Merged struct {
	Runs       int      `json:"runs"`        // new ones; deprecated: run_count
	KnownRuns  int      `json:"known_runs"`  // that were here already
	Iterations int      `json:"iterations"`  // of the new runs
	Picks      int      `json:"picks"`       // new ones
	KnownPicks int      `json:"known_picks"` // that were here already
	Prices     int      `json:"prices"`      // new ones
	Warnings   []string `json:"-"`
}

// Merge adds the runs, picks and VM types of another database, which is only
// read. What is here stays as it is: a run is known again by its fingerprint,
// whatever its name and note, so merging twice adds nothing. What was deleted
// here does not come back. It is all or nothing.
func (s *Store) Merge(ctx context.Context, path string) (Merged, error) {
	if err := s.refuse("merge another database"); err != nil {
		return Merged{}, err
	}
	from, err := s.openSource(ctx, path)
	if err != nil {
		return Merged{}, err
	}
	defer from.Close()
	ctx = context.WithoutCancel(ctx)
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return Merged{}, s.explain("be written", err)
	}
	defer conn.Close()
	if err := from.attach(ctx, conn); err != nil {
		return Merged{}, from.explain("be read", err)
	}
	m := &merging{into: s, from: from}
	err = s.changeOn(ctx, conn, "merge another database", m.all)
	if _, left := conn.ExecContext(ctx, "DETACH other"); err == nil && left != nil {
		err = s.explain("let go of the other database", left)
	}
	if err != nil {
		return Merged{}, err
	}
	return m.done, nil
}

// merging is a merge under way.
type merging struct {
	into, from                 *Store
	runs                       []otherRun      // that are new here
	models, variants, machines map[int64]int64 // by their numbers there, of what is new here
	numbers                    map[int64]int64 // of runs, by those there
	done                       Merged
}

func (m *merging) all(ctx context.Context, tx *transaction) error {
	m.models, m.numbers = map[int64]int64{}, map[int64]int64{}
	for _, step := range []func(context.Context, *transaction) error{m.compare, m.addDescribed, m.addRuns,
		m.renumberSeries, m.addVMTypes, m.addPicks} {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// otherRun is a run of the other database, and what it is here.
type otherRun struct {
	ID, VariantID, MachineID, Series int64
	Mark, Status                     string
	HeartbeatMS                      int64
	Known                            int64 // its number here, 0 for none
	Deleted                          bool  // here
}

const otherRuns = `
	SELECT o.id, o.variant_id, o.machine_id, o.series, plain(o.mark) AS mark, o.status, o.heartbeat_ms,
		coalesce(r.id, 0) AS known, coalesce(r.deleted, 0) > 0 AS deleted
	FROM (SELECT *, coalesce(fingerprint, 'recorded ' || started_at || ' ' || id) AS mark FROM other.runs WHERE deleted = 0) o
	LEFT JOIN main.runs r ON r.fingerprint = plain(o.mark) ORDER BY o.id`

// buried are the runs of the other database of which only a tombstone is left here.
const buried = "SELECT mark FROM main.sync_absent WHERE kind = 'run' AND kept = 0"

// compare finds out which runs are new here.
func (m *merging) compare(ctx context.Context, tx *transaction) error {
	runs, err := all[otherRun](ctx, tx, otherRuns)
	if err != nil {
		return m.from.explain("be read", err)
	}
	gone, err := all[string](ctx, tx, buried)
	if err != nil {
		return err
	}
	tombstones := make(map[string]bool, len(gone))
	for _, mark := range gone {
		tombstones[mark] = true
	}
	recording, deleted, purged := 0, 0, 0
	for _, r := range runs {
		switch {
		case tombstones[r.Mark]:
			m.done.KnownRuns++
			purged++
		case r.Known != 0:
			m.numbers[r.ID] = r.Known
			m.done.KnownRuns++
			if r.Deleted {
				deleted++
			}
		case profile.Status(r.Status) == profile.Running && m.into.lives(r.HeartbeatMS):
			recording++
		default:
			m.runs = append(m.runs, r)
		}
	}
	if recording > 0 {
		m.warn("%s being recorded there and left out; merge again when that has ended", areRuns(recording))
	}
	if deleted > 0 {
		m.warn("%s deleted here and not brought back; sweetspot runs undelete does that", areRuns(deleted))
	}
	if purged > 0 {
		m.warn("%s purged here and not brought back; to have one again, delete and undelete it there, then sync both "+
			"databases", areRuns(purged))
	}
	return nil
}

func (m *merging) warn(format string, args ...any) {
	m.done.Warnings = append(m.done.Warnings, fmt.Sprintf(format, args...))
}

func areRuns(n int) string {
	if n == 1 {
		return "1 run is"
	}
	return quantity.Several(n, "run") + " are"
}

// addDescribed adds the variants and machines of new runs, and the models of
// these. What is known of a model here stays, and what was unknown is filled in.
func (m *merging) addDescribed(ctx context.Context, tx *transaction) (err error) {
	variants, machines := map[int64]bool{}, map[int64]bool{}
	for _, r := range m.runs {
		variants[r.VariantID], machines[r.MachineID] = true, true
	}
	m.machines, err = addRows(ctx, tx, "machines", machines, nil)
	if err != nil {
		return err
	}
	m.variants, err = addRows(ctx, tx, "variants", variants, func(id int64, row *assignments) error {
		model, ok := row.value("model_id").(int64)
		if !ok {
			return fmt.Errorf("the other database was changed by another program: row %d of variants belongs to no model", id)
		}
		here, err := m.addModel(ctx, tx, model)
		row.set("model_id", here)
		return err
	})
	return err
}

func (m *merging) addModel(ctx context.Context, tx *transaction, id int64) (here int64, err error) {
	if here, ok := m.models[id]; ok {
		return here, nil
	}
	x, err := one[profile.Model](ctx, tx, "SELECT name, dataset, task, unit, source_file, params, flops_per_unit "+
		"FROM other.models WHERE id = ?", id)
	if err != nil {
		return 0, err
	}
	work, err := one[profile.Work](ctx, tx, `
		SELECT max(r.network) AS network, max(r.input) AS input, max(iif(v.pruned, NULL, r.params)) AS params
		FROM other.runs r JOIN other.variants v ON v.id = r.variant_id WHERE v.model_id = ?`, id)
	if err != nil {
		return 0, err
	}
	if x.Name, err = nameOf(ctx, tx, x.Name, work, 0); err != nil {
		return 0, err
	}
	m.models[id], err = saveModel(ctx, tx, x)
	return m.models[id], err
}

// addRows finds or makes rows of a table here, and returns which is which. change
// may be nil.
func addRows(ctx context.Context, tx *transaction, table string, needed map[int64]bool,
	change func(id int64, row *assignments) error) (map[int64]int64, error) {
	here := map[int64]int64{}
	for _, id := range slices.Sorted(maps.Keys(needed)) {
		row, err := described(ctx, tx, "other", table, id)
		if err == nil && change != nil {
			err = change(id, &row)
		}
		if err == nil {
			here[id], err = row.findOrInsert(ctx, tx, table)
		}
		if err != nil {
			return nil, err
		}
	}
	return here, nil
}

func (m *merging) addRuns(ctx context.Context, tx *transaction) error {
	copier, err := newCopier(ctx, tx)
	if err != nil {
		return err
	}
	for _, r := range m.runs {
		id, iterations, err := copier.run(ctx, tx, r, m.variants[r.VariantID], m.machines[r.MachineID])
		if err != nil {
			return err
		}
		m.numbers[r.ID] = id
		m.done.Runs++
		m.done.Iterations += iterations
	}
	return nil
}

// renumberSeries gives the new runs of a matrix the number that its first run
// has here; where that one is not, they take the first of theirs.
func (m *merging) renumberSeries(ctx context.Context, tx *transaction) error {
	for _, r := range m.runs {
		if r.Series == 0 {
			continue
		}
		if m.numbers[r.Series] == 0 {
			m.numbers[r.Series] = m.numbers[r.ID]
		}
		if err := insert(ctx, tx, "UPDATE main.runs SET series = ? WHERE id = ?", m.numbers[r.Series],
			m.numbers[r.ID]); err != nil {
			return err
		}
	}
	return nil
}

// addVMTypes adds VM types and prices that are not here.
func (m *merging) addVMTypes(ctx context.Context, tx *transaction) error {
	columns, values, err := columnsOf(ctx, tx, "vm_types", "id", "stamp")
	if err != nil {
		return err
	}
	if err := insert(ctx, tx, "INSERT OR IGNORE INTO main.vm_types ("+columns+") SELECT "+values+
		" FROM other.vm_types ORDER BY id"); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `
		INSERT OR IGNORE INTO main.prices (vm_type_id, purchase, usd_per_hour, source, as_of)
		SELECT t.id, plain(p.purchase), p.usd_per_hour, plain(p.source), plain(p.as_of)
		FROM other.prices p JOIN other.vm_types o ON o.id = p.vm_type_id
		JOIN main.vm_types t ON t.cloud = plain(o.cloud) AND t.region = plain(o.region) AND t.instance_type = plain(o.instance_type)`)
	m.done.Prices, err = affected(res, err)
	return err
}

// addPicks adds picks that are not here: made at another moment, or another
// choice.
func (m *merging) addPicks(ctx context.Context, tx *transaction) error {
	columns, values, err := columnsOf(ctx, tx, "picks", "id", "noted", "kept")
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO main.picks ("+columns+") SELECT "+values+` FROM other.picks o
		WHERE o.deleted = 0 AND NOT EXISTS (SELECT 1 FROM main.picks p
			WHERE p.created_at = o.created_at AND p.query = plain(o.query) AND p.candidate = plain(o.candidate))
		AND NOT EXISTS (SELECT 1 FROM main.sync_absent a WHERE a.kind = 'pick' AND a.kept = 0
			AND a.mark = pick_mark(plain(o.created_at), plain(o.query), plain(o.candidate))) ORDER BY o.id`)
	if m.done.Picks, err = affected(res, err); err != nil {
		return err
	}
	var all int
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM other.picks WHERE deleted = 0").Scan(&all)
	m.done.KnownPicks = all - m.done.Picks
	return err
}

func affected(res sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// columnsOf are the columns of a table but for some, and how a row of another
// database fills them: with text cleaned. The names come from our own layout.
func columnsOf(ctx context.Context, tx *transaction, table string, but ...string) (columns, values string, err error) {
	var names, cleaned []string
	err = each(ctx, tx.Tx, "SELECT name, type FROM pragma_table_info(?, 'main') ORDER BY cid", []any{table},
		func(column *struct{ Name, Type string }) error {
			name := column.Name
			if slices.Contains(but, name) {
				return nil
			}
			names = append(names, name)
			if column.Type == "TEXT" {
				name = "plain(" + name + ")"
			}
			cleaned = append(cleaned, name)
			return nil
		})
	return strings.Join(names, ", "), strings.Join(cleaned, ", "), err
}

// String counts what came, in words.
func (m Merged) String() string {
	out := fmt.Sprintf("%s new, %s here already", quantity.Several(m.Runs, "run"), quantity.Count(float64(m.KnownRuns)))
	if m.Iterations > 0 {
		out += ", " + quantity.Several(m.Iterations, "iteration")
	}
	out += fmt.Sprintf(", %s new", quantity.Several(m.Picks, "pick"))
	if m.Prices > 0 {
		out += fmt.Sprintf(", %s new", quantity.Several(m.Prices, "price"))
	}
	return out
}

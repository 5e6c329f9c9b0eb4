package mlflow

import (
	"context"
	"database/sql"

	"sweetspot/data/imports/logged"
	"sweetspot/data/imports/source"
	"sweetspot/engine/quantity"
)

// Store is how the database of MLflow's tracking is recognised and read.
var Store = source.Format{Name: "mlflow-db", Title: "MLflow database",
	Claims: func(string, []byte) bool { return false }, Opens: isMLflows, Read: source.Alone(readStore)}

func readStore(f source.File, given source.Given) source.Report {
	d, err := open(f)
	if err != nil {
		return source.Failed(f, explain(f, err))
	}
	defer d.close()
	t := telling{f: f, given: given, runs: map[string]*described{}}
	if err = d.check(f); err == nil {
		err = t.all(f.Context(), d)
	}
	if err != nil {
		return source.Failed(f, explain(f, err))
	}
	return t.report()
}

// described is a run without its metrics.
type described struct {
	stored
	experiment string
	start      float64 // milliseconds since 1970
}

// telling reads the runs of a database one after the other.
type telling struct {
	f       source.File
	given   source.Given
	runs    map[string]*described
	told    logged.Several
	deleted int
}

// The columns are cast, since SQLite keeps any kind of value in any column.
const (
	readRuns = `
		SELECT CAST(r.run_uuid AS TEXT), coalesce(CAST(t.value AS TEXT), CAST(r.name AS TEXT), ''),
			coalesce(CAST(r.status AS TEXT), ''), coalesce(CAST(r.start_time AS REAL), 0),
			coalesce(CAST(r.lifecycle_stage AS TEXT), ''), coalesce(CAST(e.name AS TEXT), '')
		FROM runs r LEFT JOIN experiments e ON e.experiment_id = r.experiment_id
		LEFT JOIN tags t ON t.run_uuid = r.run_uuid AND t.key = 'mlflow.runName'
		WHERE r.run_uuid IS NOT NULL ORDER BY r.start_time, r.run_uuid`
	readParams = `
		SELECT CAST(run_uuid AS TEXT), CAST(key AS TEXT), CAST(value AS TEXT) FROM params
		WHERE run_uuid IS NOT NULL AND key IS NOT NULL AND value IS NOT NULL ORDER BY run_uuid, key`
	readMetrics = `
		SELECT CAST(run_uuid AS TEXT), CAST(key AS TEXT), CAST(value AS REAL), CAST(timestamp AS REAL), CAST(step AS INTEGER)
		FROM metrics WHERE run_uuid IS NOT NULL AND key IS NOT NULL AND value IS NOT NULL AND timestamp IS NOT NULL
			AND step IS NOT NULL AND NOT coalesce(CAST(is_nan AS INTEGER), 0) ORDER BY run_uuid, timestamp, step`
)

func (t *telling) all(ctx context.Context, d database) error {
	if err := each(ctx, d, readRuns, t.described); err != nil {
		return err
	}
	err := each(ctx, d, readParams, func(rows *sql.Rows) error {
		var id, key, value string
		err := rows.Scan(&id, &key, &value)
		if r := t.runs[id]; r != nil {
			r.settings.Take(key, value)
		}
		return err
	})
	if err != nil {
		return err
	}
	var now *described // whose points come
	err = each(ctx, d, readMetrics, func(rows *sql.Rows) error {
		var id, key string
		var p logged.Point
		if err := rows.Scan(&id, &key, &p.Value, &p.Wall, &p.Step); err != nil {
			return err
		}
		if now != nil && now.id != id {
			t.tell(now)
			now = nil
		}
		if now == nil {
			if now = t.runs[id]; now == nil {
				return nil // it was deleted
			}
			now.Run = logged.New()
			now.begin(now.start / 1000)
		}
		p.Wall /= 1000
		return now.point(key, p)
	})
	if now != nil && err == nil {
		t.tell(now)
	}
	return err
}

// described takes a run without its metrics.
func (t *telling) described(rows *sql.Rows) error {
	var r described
	var status string
	if err := rows.Scan(&r.id, &r.RunName, &status, &r.start, &r.Lifecycle, &r.experiment); err != nil {
		return err
	}
	r.Status = status
	switch {
	case r.Lifecycle == "deleted":
		t.deleted++
	case len(t.runs) >= source.MaxRuns:
		return t.f.Wrong("more than %d runs; delete some, or import them from a copy with fewer", source.MaxRuns)
	case t.runs[r.id] == nil:
		t.runs[r.id] = &r
	}
	return nil
}

// tell makes a run of what was read, whose points are then let go.
func (t *telling) tell(r *described) {
	if r.Points > 0 {
		t.told.Add(r.Run, r.profile(t.given, r.experiment))
	}
	r.Run = nil
}

func (t *telling) report() source.Report {
	if t.told.Len() == 0 {
		return source.Failed(t.f, t.f.Wrong("none of its runs has metrics with steps; only those have times"))
	}
	report := source.Report{File: t.f.Path}
	if t.deleted > 0 {
		report.Note("%s deleted in MLflow and left out", quantity.Several(t.deleted, "run"))
	}
	if n := len(t.runs) - t.told.Len(); n > 0 {
		report.Note("%s without metrics left out", quantity.Several(n, "run"))
	}
	t.told.Report(&report)
	return report
}

// each passes the rows of a query on.
func each(ctx context.Context, d database, query string, do func(*sql.Rows) error) error {
	rows, err := d.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

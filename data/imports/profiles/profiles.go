// Package profiles reads sweetspot's own forms: the Profile CSV (columns:
// package data/profilecsv) and the JSON that export --runs writes, schema 1.
//
// Runs keep the basis, source and date that they came with. Times of single
// iterations, which the JSON holds, are summed up where the run has no summary
// and are not kept one by one. The JSON does not tell a model's size, its task,
// or the spread of a total, which stay unknown.
package profiles

import (
	"bytes"
	"errors"

	"sweetspot/data/imports/source"
	"sweetspot/data/profilecsv"
	"sweetspot/data/textfile"
)

// CSV is the Profile CSV.
var CSV = source.Format{Name: "profile-csv", Rows: true, Title: "Profile CSV", Claims: claimsCSV,
	Read: source.Alone(readCSV)}

func claimsCSV(_ string, head []byte) bool {
	return source.HaveAll(source.Header(bytes.ToLower(head), ','), "model", "mode", "basis")
}

func readCSV(f source.File, _ source.Given) source.Report {
	file, err := f.Open()
	if err != nil {
		return source.Failed(f, source.Opening(f, err))
	}
	defer file.Close()
	set, err := profilecsv.Read(file)
	var where *textfile.Error
	switch {
	case errors.As(err, &where):
		what := where.What
		if where.Column != "" {
			what = "column " + where.Column + " " + what
		}
		return source.Failed(f, &source.Error{File: f.Base(), Row: where.Row, What: what})
	case err != nil:
		return source.Failed(f, source.Opening(f, err))
	case len(set.Runs) == 0:
		return source.Failed(f, f.Wrong("has a header but no runs"))
	}
	return source.Report{File: f.Path, Set: set}
}

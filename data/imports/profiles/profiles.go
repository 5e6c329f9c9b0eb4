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
	"io"

	"sweetspot/data/imports/source"
	"sweetspot/data/profilecsv"
	"sweetspot/engine/profile"
)

// CSV is the Profile CSV.
var CSV = source.Format{Name: "profile-csv", Rows: true, Title: "Profile CSV", Claims: claimsCSV,
	Read: source.Alone(readCSV)}

func claimsCSV(_ string, head []byte) bool {
	return source.HaveAll(source.Header(bytes.ToLower(head), ','), "model", "mode", "basis")
}

func readCSV(f source.File, _ source.Given) source.Report {
	var set *profile.Set
	err := f.Read(func(text io.Reader) (err error) {
		set, err = profilecsv.Read(text)
		return err
	})
	return source.Found(f, set, err, "has a header but no runs")
}

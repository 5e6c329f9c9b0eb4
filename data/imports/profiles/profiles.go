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
	"encoding/json"
	"errors"
	"io"

	"sweetspot/data/contract"
	"sweetspot/data/imports/source"
	"sweetspot/data/profilecsv"
	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
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

// document reads the JSON one run at a time: all iterations of a database may
// not fit in memory.
type document struct {
	file source.File
	left *io.LimitedReader
	json *json.Decoder
}

func newDocument(f source.File, text io.Reader) *document {
	left := &io.LimitedReader{R: plaintext.Unmarked(text), N: source.MaxDocumentBytes}
	return &document{file: f, left: left, json: json.NewDecoder(left)}
}

// runs calls do with every run, after the schema and the command.
func (d *document) runs(do func(*writtenIn) error) error {
	if err := d.open('{'); err != nil {
		return err
	}
	schema, command, n := 0, "", 0
	for d.json.More() {
		key, err := d.json.Token()
		if err != nil {
			return d.worded(err)
		}
		var other json.RawMessage
		switch key {
		case "schema":
			err = d.json.Decode(&schema)
		case "command":
			err = d.json.Decode(&command)
		case "runs":
			if schema != contract.Schema {
				return d.file.Wrong("its schema is %d, not %d; was it written by another version of sweetspot?", schema,
					contract.Schema)
			}
			if n, err = d.list(do); err != nil {
				return err
			}
		default:
			err = d.json.Decode(&other)
		}
		if err != nil {
			return d.worded(err)
		}
	}
	if _, err := d.json.Token(); err != nil {
		return d.worded(err)
	}
	if n == 0 || command != "export" {
		return d.file.Wrong("contains no runs; only the output of sweetspot export --runs can be imported")
	}
	return nil
}

// list reads the runs and counts them.
func (d *document) list(do func(*writtenIn) error) (n int, err error) {
	if err := d.open('['); err != nil {
		return 0, err
	}
	for ; d.json.More(); n++ {
		d.left.N = source.MaxDocumentBytes
		if n >= source.MaxRuns {
			return n, d.file.Wrong("more than %d runs; split the file", source.MaxRuns)
		}
		var w writtenIn
		if err := d.json.Decode(&w); err != nil {
			return n, d.worded(err)
		}
		if err := do(&w); err != nil {
			return n, err
		}
	}
	d.left.N = source.MaxDocumentBytes
	if _, err := d.json.Token(); err != nil {
		return n, d.worded(err)
	}
	return n, nil
}

func (d *document) open(bracket json.Delim) error {
	token, err := d.json.Token()
	switch {
	case errors.Is(err, io.EOF) && d.left.N > source.MaxDocumentBytes/2:
		return d.file.Wrong("the file is empty")
	case err != nil:
		return d.worded(err)
	case token != bracket:
		return d.file.Wrong("is not a document of sweetspot")
	}
	return nil
}

func (d *document) worded(err error) error {
	if d.left.N <= 0 {
		return d.file.Wrong("a part of it is larger than %d MiB, more than any run", source.MaxDocumentBytes>>20)
	}
	return d.file.Unreadable(err)
}

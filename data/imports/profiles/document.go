package profiles

import (
	"encoding/json"
	"errors"
	"io"

	"sweetspot/data/contract"
	"sweetspot/data/imports/source"
	"sweetspot/engine/plaintext"
)

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

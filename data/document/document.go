// Package document holds the registry of all output formats: of picks, launch
// files, reports, rankings, fleets, serving and runs. The command line and the
// export dialog write by it.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Document is something in one form, ready to be written.
type Document struct {
	Form
	Name string // for a file, with its extension; no folder is part of it
	Why  error  // one sentence why it cannot be written in this format; nil where it can
	// Outline describes what is not meant to be read as it is written; nil where
	// the text speaks for itself.
	Outline func() (string, error)

	files func(name string) ([]File, error)
}

// File is one of the files that a document consists of.
type File struct {
	Name    string // without a folder
	Write   func(io.Writer) error
	private bool // other users may not read it
}

// Files are what the document of that file name consists of: itself first, then
// what belongs beside it.
func (d Document) Files(name string) ([]File, error) {
	if d.Why != nil {
		return nil, d.Why
	}
	files, err := d.files(filepath.Base(name))
	for i := range files {
		files[i].private = d.Group == Runs || d.Group == Pick // as the database that they come from
	}
	return files, err
}

// Text is the document itself.
func (d Document) Text() (string, error) {
	files, err := d.Files(d.Name)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = files[0].Write(&b)
	return b.String(), err
}

// Find is the document in a form.
func Find(all []Document, f Form) (Document, bool) {
	i := slices.IndexFunc(all, func(d Document) bool { return d.Group == f.Group && d.Format == f.Format })
	if i < 0 {
		return Document{}, false
	}
	return all[i], true
}

// ExistsError says that a file exists already.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string {
	return plaintext.Clean(e.Path) + " exists already: give another name"
}

// Save writes files: the first at the path, the others beside it. Without force
// nothing is overwritten, as it may be the only copy, and if one file can't be
// written, none is left. An existing file is an [ExistsError].
func Save(path string, files []File, force bool) (err error) {
	var made []string
	defer func() {
		if err != nil && !force {
			for _, file := range made {
				_ = os.Remove(file)
			}
		}
	}()
	for i, f := range files {
		at := path
		if i > 0 {
			at = filepath.Join(filepath.Dir(path), f.Name)
		}
		file, err := create(at, force, f.private)
		if err != nil {
			return err
		}
		made = append(made, at)
		if err := errors.Join(f.Write(file), file.Close()); err != nil {
			return cannot(at, err)
		}
	}
	return nil
}

// Wrote says which file was saved, and how many others with it.
func Wrote(path string, files []File) string {
	words := "wrote " + plaintext.Clean(path)
	if n := len(files) - 1; n > 0 {
		words += " and " + quantity.Several(n, "picture") + " beside it"
	}
	return words
}

func create(path string, force, private bool) (*os.File, error) {
	flag, mode := os.O_EXCL, fs.FileMode(0o644)
	if force {
		flag = os.O_TRUNC
	}
	if private {
		mode = 0o600
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, mode)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, &ExistsError{path}
	case err != nil:
		return nil, fmt.Errorf("%w; name another file", cannot(path, err))
	}
	return file, nil
}

// cannot says why a path can't be written.
func cannot(path string, err error) error {
	return fmt.Errorf("cannot write %s: %w", plaintext.Clean(path), textfile.Cause(err))
}

// Package source holds what the readers of all formats share: a file to read,
// what the user says of it, the report of what was found, and bounded readers
// of tables and of JSON. What a format does not say stays unknown.
package source

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Limits on what is read, so that a wrong file ends in a sentence and not in a
// machine without memory.
const (
	MaxDocumentBytes = 32 << 20             // a JSON document, read as a whole
	MaxRowBytes      = textfile.MaxRowBytes // a row of a table or a line of a log
	MaxRows          = 1_000_000
	MaxRuns          = 200_000 // of one file
	maxText          = 200     // characters of a name
)

// File is something to read runs from.
type File struct {
	Path string // absolute, so that folders always have a name; with slashes
	Open func() (io.ReadCloser, error)
	Size int64 // bytes, where that is known beforehand; else 0
}

// Base is the last part of the file's path, plain and short enough for a
// sentence.
func (f File) Base() string { return plaintext.Line(path.Base(f.Path), 100) }

// Stem is Base without its extension.
func (f File) Stem() string { return strings.TrimSuffix(f.Base(), path.Ext(f.Base())) }

// Folder is the name of the folder that holds the file, "" if its path names
// none.
func (f File) Folder() string {
	dir := path.Base(path.Dir(f.Path))
	if dir == "." || dir == "/" || dir == ".." {
		return ""
	}
	return Text(dir)
}

// Tail is the end of the file's path, so many names long: the same from
// wherever it is imported.
func (f File) Tail(names int) string {
	parts := strings.Split(strings.Trim(f.Path, "/"), "/")
	return Text(strings.Join(parts[max(0, len(parts)-names):], "/"))
}

// Given is what the user says of all files. It fills in what a file leaves
// open and changes nothing that a file says.
type Given struct {
	Model, Dataset, Unit, Precision string

	GPU        string
	GPUCount   int
	VM         *profile.VMType
	USDPerHour *float64 // of one VM
	Prices     []Price  // of machines by their GPU, before USDPerHour
	BatchSize  int
	EpochS     *float64 // seconds of an epoch, for logs without times

	Mapping *Mapping // of the columns of a table of nobody's format
}

// Price is what a machine with such a GPU costs, in US dollars an hour.
type Price struct {
	GPU        string
	USDPerHour float64
}

// ModelOr is the model the user names, else the first that is not empty.
func (g Given) ModelOr(names ...string) string {
	return cmp.Or(g.Model, cmp.Or(names...), "unnamed")
}

// GPUs is how many GPUs the user says a machine has, 0 where that is not said.
func (g Given) GPUs() int {
	if g.GPUCount == 0 && g.VM != nil {
		return g.VM.GPUCount
	}
	return g.GPUCount
}

// Report is what was found in a file, or in several that belong together.
type Report struct {
	File   string
	Format string
	Set    *profile.Set // nil where Err is not
	Notes  []string     // a sentence each: what was left out, assumed or is lacking
	Err    error
}

// Note adds a sentence.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Failed is the report of a file that could not be read.
func Failed(f File, err error) Report { return Report{File: f.Path, Err: err} }

// Format is a form that measurements come in.
type Format struct {
	Name  string // as --format takes it
	Title string // as sentences name it
	Rows  bool   // its numbers stand in rows, of which the last may be cut off unseen
	// Claims says from a file's path and its beginning whether it is one.
	Claims func(path string, head []byte) bool
	// Group names what a file belongs to that is read with others; nil where
	// every file stands alone.
	Group func(path string) string
	Read  func(files []File, given Given) []Report
}

// Alone makes a reader of single files one of several.
func Alone(read func(File, Given) Report) func([]File, Given) []Report {
	return func(files []File, given Given) []Report {
		reports := make([]Report, len(files))
		for i, f := range files {
			reports[i] = read(f, given)
		}
		return reports
	}
}

// ByFolder groups the files of one folder.
func ByFolder(p string) string { return path.Dir(p) }

// Error says what is wrong with a file and where. Row counts rows with the
// header as row 1, or lines; 0 where the whole file is meant.
type Error struct {
	File string
	Row  int
	What string // ends the sentence; says the mend where there is one
}

// Error returns one sentence.
func (e *Error) Error() string {
	if e.Row > 0 {
		return fmt.Sprintf("%s, row %d: %s", e.File, e.Row, e.What)
	}
	return fmt.Sprintf("%s: %s", e.File, e.What)
}

// Wrong is an error about the whole file.
func (f File) Wrong(format string, args ...any) error {
	return &Error{File: f.Base(), What: fmt.Sprintf(format, args...)}
}

// Text is a name from outside, plain and of bounded length.
func Text(s string) string { return plaintext.Cut(strings.TrimSpace(plaintext.Clean(s)), maxText) }

// Package source holds what the readers of all formats share: a file to read,
// the user's additions, the report of what was found, and bounded readers of
// tables and JSON. What a format does not say stays unknown.
package source

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Limits on the input, so that a wrong file causes an error message instead of
// exhausting memory.
const (
	MaxDocumentBytes = 32 << 20 // a JSON document, read as a whole
	MaxRuns          = 200_000  // of one file
)

// File is something to read runs from.
type File struct {
	Path  string // absolute, so that folders always have a name; with slashes
	Open  func() (io.ReadCloser, error)
	Size  int64           // bytes, if known beforehand; else 0
	Local string          // where it lies, compressed or not; "" where only Open reads it
	Until context.Context // ends what reads a file without Open; nil where nothing does
}

// Context ends the reading of the file.
func (f File) Context() context.Context {
	if f.Until == nil {
		return context.Background()
	}
	return f.Until
}

// Base is the last element of the file's path, cleaned and cut for messages.
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

// Tail is the last n elements of the file's path, which do not depend on where
// it is imported from.
func (f File) Tail(names int) string {
	parts := strings.Split(strings.Trim(f.Path, "/"), "/")
	return Text(strings.Join(parts[max(0, len(parts)-names):], "/"))
}

// Given is what the user says about all files. It fills in what a file does not
// say and never overrides a file.
type Given struct {
	Model, Dataset, Unit, Precision string

	GPU       string
	GPUCount  int
	VM        *profile.VMType
	Prices    profile.Prices // of machines in no catalog
	BatchSize int
	EpochS    *float64 // seconds of an epoch, for logs without times

	Mapping *Mapping // of the columns of a table in no known format
}

// ModelOr is the model that the user named, else the first that is not empty.
func (g Given) ModelOr(names ...string) string {
	return cmp.Or(g.Model, cmp.Or(names...), "unnamed")
}

// GPUs is the number of GPUs per machine that the user gave, or 0.
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
	Set    *profile.Set // nil if Err is not nil
	Notes  []string     // sentences on what was left out, assumed or is missing
	Err    error
}

// Note adds a sentence.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Failed returns the report of a file that could not be read.
func Failed(f File, err error) Report { return Report{File: f.Path, Err: err} }

// Found reports the runs of a file, or why it could not be read; none says what
// is wrong with a file without runs.
func Found(f File, set *profile.Set, err error, none string) Report {
	if err == nil && len(set.Runs) == 0 {
		err = f.Wrong("%s", none)
	}
	if err != nil {
		return Failed(f, err)
	}
	return Report{File: f.Path, Set: set}
}

// NameModels adds the models of a set's runs that it has not.
func NameModels(set *profile.Set) {
	known := map[string]bool{}
	for _, m := range set.Models {
		known[m.Name] = true
	}
	for _, r := range set.Runs {
		if !known[r.Model] {
			known[r.Model] = true
			set.Models = append(set.Models, profile.Model{Name: r.Model, Dataset: r.Dataset, Unit: r.Unit})
		}
	}
}

// Format is a file format of measurements.
type Format struct {
	Name  string // as --format takes it
	Title string // as sentences name it
	Rows  bool   // it has rows, the last of which may be cut off unnoticed
	// Claims reports from a file's path and its beginning whether it has this format.
	Claims func(path string, head []byte) bool
	// Opens reports the same of a file that must be opened to tell; nil where Claims does.
	Opens func(f File, head []byte) (bool, error)
	// Marks are words of which one may first stand anywhere in a text of this format.
	Marks []string
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

// Pair reads files of a group, some of which only describe those beside them.
type Pair struct {
	Describes func(path string) bool
	Load      func(File) error // a description; all are loaded first
	Read      func(*Report, File)
	Alone     string // what is wrong with descriptions alone, with the mend
	Note      string // what a description is
}

// Reports reads the files.
func (p Pair) Reports(files []File) []Report {
	reports := make([]Report, len(files))
	others := 0
	for i, f := range files {
		reports[i] = Report{File: f.Path, Set: &profile.Set{}}
		if p.Describes(f.Path) {
			reports[i].Err = p.Load(f)
		} else {
			others++
		}
	}
	for i, f := range files {
		switch {
		case !p.Describes(f.Path):
			p.Read(&reports[i], f)
		case reports[i].Err != nil:
		case others == 0:
			reports[i].Err = f.Wrong("%s", p.Alone)
		default:
			reports[i].Note("%s", p.Note)
		}
	}
	return reports
}

// ByFolder groups the files of one folder.
func ByFolder(p string) string { return path.Dir(p) }

// Wrong returns an error about the whole file.
func (f File) Wrong(format string, args ...any) error {
	return &textfile.Error{File: f.Base(), What: fmt.Sprintf(format, args...)}
}

// Text is a name from outside, cleaned and of bounded length.
func Text(s string) string { return textfile.Text(s) }

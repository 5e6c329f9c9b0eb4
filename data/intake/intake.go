// Package intake imports the runs in other programs' files into a profile
// database. Good files are saved at once, and the result of every file is
// reported.
package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// File is the result for one file, as in the JSON output.
type File struct {
	File     string   `json:"file"` // as the user gave it
	Format   *string  `json:"format"`
	RunCount int      `json:"run_count"` // that it holds
	Runs     int      `json:"runs"`      // Deprecated: run_count
	Imported int      `json:"imported"`  // of these, new ones
	Error    *string  `json:"error"`
	Warnings []string `json:"warnings"`
}

// Result is the result for all files.
type Result struct {
	Files          []File   // except skipped files
	Bad            []File   // of these, those that could not be imported
	Skipped        []string // names of files of unknown format in folders
	Runs, Imported int
	GPUs           map[string]bool // that any run names
}

// Import reads files into a database. taken, if not nil, is called for every
// file as it is done, except skipped ones. If it ends early, what was imported
// is kept and the result says what.
func Import(ctx context.Context, db *store.Store, found imports.Found, o imports.Options, taken func(File)) (r Result,
	err error) {
	r.GPUs = map[string]bool{}
	err = imports.Read(ctx, found.Files, o, func(report source.Report) error {
		file, ok, err := r.take(ctx, db, found, report)
		if ok && taken != nil {
			taken(file)
		}
		return err
	})
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped before all files were read; what was imported is kept")
	}
	return r, err
}

// take saves the content of a file; ok is false for a skipped file.
func (r *Result) take(ctx context.Context, db *store.Store, found imports.Found, report source.Report) (file File,
	ok bool, err error) {
	named := found.Named[report.File]
	var unknown *imports.Unrecognised
	if errors.As(report.Err, &unknown) && named.InFolder {
		r.Skipped = append(r.Skipped, unknown.File.Base()) // a folder holds more than logs
		return file, false, nil
	}
	file = File{File: plaintext.Line(named.Path, 300), Warnings: report.Notes}
	if file.Warnings == nil {
		file.Warnings = []string{}
	}
	if report.Format != "" {
		file.Format = &report.Format
	}
	if report.Err != nil {
		file.Error = new(report.Err.Error())
		r.Files, r.Bad = append(r.Files, file), append(r.Bad, file)
		return file, true, nil
	}
	file.Runs, file.RunCount = len(report.Set.Runs), len(report.Set.Runs)
	for _, run := range report.Set.Runs {
		if run.GPU != "" {
			r.GPUs[run.GPU] = true
		}
	}
	if file.Runs > 0 {
		if file.Imported, err = db.Import(ctx, report.Set); err != nil {
			return file, false, err
		}
	}
	r.Runs, r.Imported = r.Runs+file.Runs, r.Imported+file.Imported
	r.Files = append(r.Files, file)
	return file, true, nil
}

// PassedOver says which files were skipped, "" for none.
func (r *Result) PassedOver() string {
	n := len(r.Skipped)
	if n == 0 {
		return ""
	}
	const most = 5
	names := strings.Join(r.Skipped[:min(n, most)], ", ")
	if n > most {
		names += fmt.Sprintf(" and %s more", quantity.Count(float64(n-most)))
	}
	return quantity.Several(n, "file") + " of unknown format skipped: " + names
}

// Failure is one sentence about the bad files, nil if there are none.
func (r *Result) Failure() error {
	switch good := len(r.Files) - len(r.Bad); {
	case len(r.Files) == 0:
		return errors.New("none of the files has a known format; give it with --format")
	case len(r.Bad) == 0:
		return nil
	case len(r.Files) == 1:
		return errors.New(*r.Bad[0].Error)
	case good == 0:
		return fmt.Errorf("none of %s could be imported", quantity.Several(len(r.Bad), "file"))
	default:
		return fmt.Errorf("%d of %s could not be imported; the others are kept", len(r.Bad),
			quantity.Several(len(r.Files), "file"))
	}
}

// Count is how much came in one format.
type Count struct {
	Format      string
	Files, Runs int
	Imported    int
}

// ByFormat counts what was imported, the most files first.
func (r *Result) ByFormat() []Count {
	counts := map[string]Count{}
	for _, f := range r.Files {
		if f.Error == nil && f.Format != nil {
			c := counts[*f.Format]
			counts[*f.Format] = Count{*f.Format, c.Files + 1, c.Runs + f.Runs, c.Imported + f.Imported}
		}
	}
	return slices.SortedFunc(maps.Values(counts), func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Format, b.Format))
	})
}

// Package intake takes the runs of other programs' files into a profile database:
// what is good is kept at once, and of every file it is told what became of it.
package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// File is what became of a file, as JSON tells it.
type File struct {
	File     string   `json:"file"` // as the user named it
	Format   *string  `json:"format"`
	Runs     int      `json:"runs"`     // that it holds
	Imported int      `json:"imported"` // of these, new ones
	Error    *string  `json:"error"`
	Warnings []string `json:"warnings"`
}

// Result is what became of all files.
type Result struct {
	Files          []File // but for those passed over
	Bad            []File // of these, those that could not be imported
	Skipped        int    // files in folders that are of no known format
	Runs, Imported int
	GPUs           map[string]bool // that any run names
}

// Import reads files into a database. taken is told of every file as it is done,
// but for those passed over; nil is told nothing. Where it is ended early, what
// was imported is kept and the result says what.
func Import(ctx context.Context, db *store.Store, found imports.Found, o imports.Options, taken func(File)) (r Result, err error) {
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

// take keeps what a file holds; ok is false for a file that is passed over.
func (r *Result) take(ctx context.Context, db *store.Store, found imports.Found, report source.Report) (file File, ok bool, err error) {
	named := found.Named[report.File]
	var unknown *imports.Unrecognised
	if errors.As(report.Err, &unknown) && named.InFolder {
		r.Skipped++ // a folder holds more than logs
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
	file.Runs = len(report.Set.Runs)
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

// PassedOver says how many files were passed over, "" for none.
func (r *Result) PassedOver() string {
	switch r.Skipped {
	case 0:
		return ""
	case 1:
		return "1 file in a folder is of no known format and was passed over"
	}
	return quantity.Several(r.Skipped, "file") + " in folders are of no known format and were passed over"
}

// Failure is the one sentence for files that are bad, nil without any.
func (r *Result) Failure() error {
	switch good := len(r.Files) - len(r.Bad); {
	case len(r.Files) == 0:
		return errors.New("none of the files is of a known format; --format says which they are")
	case len(r.Bad) == 0:
		return nil
	case len(r.Files) == 1:
		return errors.New(*r.Bad[0].Error)
	case good == 0:
		return fmt.Errorf("none of %s could be imported", quantity.Several(len(r.Bad), "file"))
	default:
		return fmt.Errorf("%d of %s could not be imported; the others are kept", len(r.Bad), quantity.Several(len(r.Files), "file"))
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

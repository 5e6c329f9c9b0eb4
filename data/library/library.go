// Package library is the built-in library: the published and reconstructed
// profiles of the studies sweetspot implements and profiles measured with
// sweetspot itself, as Profile CSV files whose rows name their source and
// date. README.md says what each file holds and how its numbers were got.
package library

import (
	"embed"
	"fmt"

	"sweetspot/data/catalog"
	"sweetspot/data/profilecsv"
	"sweetspot/engine/profile"
)

//go:embed *.csv
var files embed.FS

// order is the order of the files and so of the run numbers. New files go to
// the end, so that numbers in saved picks stay valid.
var order = []string{"malta_cells.csv", "malta_totals.csv", "tarcar.csv", "approxdnn.csv", "measured.csv"}

// Load returns the library: models, runs with the IDs -1, -2, … in file order,
// the built-in VM types, and per basis the spread found among the numbers.
// Every call returns a new set.
func Load() (*profile.Set, error) {
	set := &profile.Set{VMTypes: catalog.Builtin(), GPUs: catalog.GPUs()}
	for _, name := range order {
		part, err := read(name)
		if err != nil {
			return nil, err
		}
		set = set.Merge(part)
	}
	for i := range set.Runs {
		set.Runs[i].ID = -int64(i + 1)
	}
	set.Kinds, set.AccuracyKind = kinds(set.Runs), accuracyKind(set.Runs)
	return set, nil
}

func read(name string) (*profile.Set, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("built-in library: %w", err)
	}
	defer f.Close()
	set, err := profilecsv.Read(f)
	if err != nil {
		return nil, fmt.Errorf("built-in library, %s: %w", name, err)
	}
	return set, nil
}

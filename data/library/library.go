// Package library is the built-in library: the published and reconstructed
// profiles of the studies sweetspot implements and profiles measured with
// sweetspot itself, as Profile CSV files whose rows name their source and
// date. README.md says what each file holds and how its numbers were got.
package library

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"

	"sweetspot/data/catalog"
	"sweetspot/data/profilecsv"
	"sweetspot/engine/fleet"
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

const ratiosFile = "int8_ratios.csv"

// StudyMix is the workload of ApproxDNN: its nine networks, all equally
// frequent, with the accuracies of its table II. The study draws their INT8
// runtimes but prints only the shortest; README.md says how the others were
// chosen to agree with what it prints.
func StudyMix() (fleet.Mix, error) {
	set, err := read("approxdnn.csv")
	if err != nil {
		return nil, err
	}
	mix := fleet.MixOf(set)
	f, err := files.Open(ratiosFile)
	if err != nil {
		return nil, fmt.Errorf("built-in library: %w", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != len(mix)+1 {
		return nil, fmt.Errorf("built-in library, %s: %d rows for %d models: %w", ratiosFile, len(rows), len(mix), err)
	}
	for i, row := range rows[1:] {
		ratio, err := strconv.ParseFloat(row[1], 64)
		if err != nil || row[0] != mix[i].Model || !(ratio > 0) {
			return nil, fmt.Errorf("built-in library, %s: row %d is not a ratio of %s", ratiosFile, i+2, mix[i].Model)
		}
		mix[i].Ratio = ratio
		mix[i].Basis += "; ratio " + row[2]
	}
	return mix, nil
}

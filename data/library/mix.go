package library

import (
	"encoding/csv"
	"fmt"
	"strconv"

	"sweetspot/engine/fleet"
)

const ratiosFile = "int8_ratios.csv"

// StudyMix is the workload of ApproxDNN: its nine networks, all equally
// frequent, with the accuracies of its table II. The study draws their INT8
// runtimes but prints only the shortest; README.md says how the others were
// assumed.
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

// Package library is the built-in library: the published and reconstructed
// profiles of the studies sweetspot implements and profiles measured with
// sweetspot itself, as Profile CSV files whose rows name their source and
// date. README.md says what each file holds and how its numbers were got.
package library

import (
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"sweetspot/data/architecture"
	"sweetspot/data/catalog"
	"sweetspot/data/profilecsv"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/fleet"
	"sweetspot/engine/profile"
)

//go:embed *.csv
var files embed.FS

// order is the order of the files and so of the run numbers. New files go to
// the end, so that numbers in saved picks stay valid.
var order = []string{"malta_cells.csv", "malta_totals.csv", "tarcar.csv", "approxdnn.csv", "measured.csv",
	"imagenet.csv", "tensorrt.csv", "fashion_lenet.csv"}

// Load returns the library: models, runs with the IDs -1, -2, … in file order,
// the built-in VM types, and per basis the spread found among the numbers.
// Every call returns a new set.
func Load() (set *profile.Set, err error) {
	set = &profile.Set{VMTypes: catalog.Builtin(), GPUs: catalog.GPUs()}
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
	set.Architectures = architecture.Builtin()
	if set.Reached, err = reached(); err != nil {
		return nil, err
	}
	if set.Throughputs, err = throughputs(); err != nil {
		return nil, fmt.Errorf("built-in library, %s: %w", throughputFile, err)
	}
	if set.Latencies, err = latencies(set); err != nil {
		return nil, fmt.Errorf("built-in library, %s: %w", latencyFile, err)
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

// kinds computes the 90 % spread for single numbers of each basis, from the
// numbers of the library that can be compared with others.
func kinds(runs []profile.Run) map[estimate.Basis]profile.Kind {
	out := map[estimate.Basis]profile.Kind{}
	if errors := reconstructionErrors(runs); len(errors) > 0 {
		slices.Sort(errors)
		rel := math.Exp(estimate.Quantile(errors, 0.9)) - 1
		out[estimate.Reconstructed] = profile.Kind{
			Rel: rel,
			Words: fmt.Sprintf("±%.0f %%: 90 %% of %d totals predicted from reconstructed times are this close to the "+
				"published ones", 100*rel, len(errors)),
		}
	}
	if sigmas := relativeDeviations(runs); len(sigmas) > 0 {
		median := estimate.Median(sigmas)
		rel := estimate.Z90 * median
		out[estimate.Published] = profile.Kind{
			Rel: rel,
			Words: fmt.Sprintf("±%.0f %%: 90 %% interval for the median standard deviation, %.1f %%, of %d published totals",
				100*rel, 100*median, len(sigmas)),
		}
	}
	return out
}

// reconstructionErrors returns |ln(real / predicted)| of the runs that have
// both: start-up, steady iteration and epochs, and a real total. The
// prediction is the iteration-time method without validation: the first
// iteration is part of the start-up.
func reconstructionErrors(runs []profile.Run) []float64 {
	var errors []float64
	for _, r := range runs {
		startup, known := r.Startup()
		if r.Basis != estimate.Reconstructed || !known || !r.Steady.Known() ||
			r.Epochs == nil || r.IterationsPerEpoch == nil || r.TotalS == nil {
			continue
		}
		predicted := startup + r.Steady.Value*(*r.Epochs**r.IterationsPerEpoch-1)
		errors = append(errors, math.Abs(math.Log(*r.TotalS/predicted)))
	}
	return errors
}

// relativeDeviations returns the standard deviations of the published totals,
// relative to them.
func relativeDeviations(runs []profile.Run) []float64 {
	var sigmas []float64
	for _, r := range runs {
		if r.Basis == estimate.Published && r.TotalS != nil && r.TotalStdDevS != nil && *r.TotalS > 0 {
			sigmas = append(sigmas, *r.TotalStdDevS / *r.TotalS)
		}
	}
	return sigmas
}

// accuracyKind is the 90 % spread for a single accuracy: that of the published
// accuracies with a standard deviation.
func accuracyKind(runs []profile.Run) profile.Kind {
	seen := map[float64]bool{}
	var sigmas []float64
	for _, r := range runs {
		// One accuracy belongs to several VM types; it counts once.
		if a := r.Accuracy; a != nil && a.StdDev != nil && r.Basis == estimate.Published && !seen[a.Value] {
			seen[a.Value] = true
			sigmas = append(sigmas, *a.StdDev)
		}
	}
	half := estimate.Z90 * estimate.Median(sigmas)
	return profile.Kind{Rel: half, Words: fmt.Sprintf("±%.1f points: 90 %% interval for the median standard "+
		"deviation of %d published accuracies", 100*half, len(sigmas))}
}

// eachRow reads a table whose header names these columns at least, row by row; of is what it is, in words.
func eachRow(r io.Reader, of string, need []string, row func(t *textfile.Table) error) error {
	t := textfile.NewTable(r)
	if err := t.Header(of, ""); err != nil {
		return err
	}
	if err := t.Need(need...); err != nil {
		return err
	}
	return t.Each(func() error { return row(t) })
}

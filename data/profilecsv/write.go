package profilecsv

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/shellwords"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Write writes the runs of a set, one row each, with the columns of the
// contract and then those of [extraColumns] that any run needs.
func Write(w io.Writer, set *profile.Set) error {
	models := make(map[string]profile.Model, len(set.Models))
	for _, m := range set.Models {
		models[m.Name] = m
	}
	rows := make([]map[string]string, len(set.Runs))
	used := map[string]bool{}
	for i, run := range set.Runs {
		rows[i] = cellsOf(run, models[run.Model])
		if err := checkWritable(run, rows[i]); err != nil {
			return fmt.Errorf("%s: %w", nameOf(run, i+2), err)
		}
		for column, cell := range rows[i] {
			used[column] = used[column] || cell != ""
		}
	}
	columns := slices.Clone(contractColumns)
	for _, extra := range extraColumns {
		if used[extra] {
			columns = append(columns, extra)
		}
	}

	records := [][]string{columns}
	for _, row := range rows {
		record := make([]string, len(columns))
		for i, column := range columns {
			record[i] = row[column]
		}
		records = append(records, record)
	}
	if err := csv.NewWriter(w).WriteAll(records); err != nil {
		return fmt.Errorf("writing the Profile CSV: %w", err)
	}
	return nil
}

// cellsOf returns the cells of a run by column, empty ones included.
func cellsOf(run profile.Run, model profile.Model) map[string]string {
	cells := map[string]string{
		"mode": string(run.Mode), "count": whole(run.Count), "basis": run.Basis.String(),
		"warmup_extra_s": optional(run.WarmupExtraS), "status": statusCell(run.Status),
		"command": shellwords.Join(run.Command), "packages": strings.Join(run.Packages, " "),
		"tuning":  profile.FormatTuning(run.Tuning),
		"serving": profile.FormatServing(run.Serving),
		"sizes":   profile.FormatSizes(run.Sizes),
	}
	run.Work = run.WorkIn(model)
	for _, f := range fields(&model, &run) {
		switch of := f.of.(type) {
		case *string:
			cells[f.column] = *of
		case **float64:
			cells[f.column] = optional(*of)
		case *int:
			cells[f.column] = whole(*of)
		case **int:
			if *of != nil {
				cells[f.column] = strconv.Itoa(**of)
			}
		}
	}
	if n := run.GPUs(); n != nil {
		cells["gpu_count"] = strconv.Itoa(*n)
	}
	if cells["variant"] = run.Variant.Title(); run.Cloud == "" {
		cells["host"] = run.InstanceType
	}
	if s := run.Steady; s.Known() {
		cells["steady_iteration_s"] = decimalCell(s.Value)
		if s.Low != s.Value || s.High != s.Value {
			cells["steady_low_s"], cells["steady_high_s"] = decimalCell(s.Low), decimalCell(s.High)
		}
	}
	if p := run.Variant.Pruning; p != nil {
		cells["pruning"], cells["pruning_kind"], cells["pruning_layers"] = optional(p.Ratio), p.Kind, FormatLayers(p.Layers)
	}
	if a := run.Accuracy; a != nil {
		cells["metric"], cells["accuracy"] = a.Metric, decimalCell(a.Value)
		cells["accuracy_stddev"], cells["higher_is_better"] = optional(run.AccuracyStdDev()),
			strconv.FormatBool(a.HigherIsBetter)
	}
	describeEvaluations(run, cells)
	cells["pauses"] = pausesCell(run.Pauses)
	for column, cell := range cells {
		cells[column] = plaintext.Clean(cell)
	}
	return cells
}

// textColumns hold text, where "NaN" is a name like any other.
var textColumns = []string{
	"model", "dataset", "unit", "task", "variant", "precision", "metric", "cloud", "region", "instance_type",
	"gpu", "host", "source", "as_of", "note", "pruning_kind", "pruning_layers", "pauses", "energy_of",
	"command", "folder", "network", "input",
}

// nameOf is a run's name in errors: its number in the database if it has one,
// else its row.
func nameOf(run profile.Run, row int) string {
	model := plaintext.Line(run.Model, 100)
	if run.ID != 0 {
		return fmt.Sprintf("run %d of %s", run.ID, model)
	}
	return fmt.Sprintf("row %d, %s", row, model)
}

// checkWritable rejects a run that could not be read back.
func checkWritable(run profile.Run, cells map[string]string) error {
	if run.Basis == estimate.Unknown {
		return errors.New("the run has no basis and can't be written")
	}
	if run.Mode != profile.Train && run.Mode != profile.Infer {
		return fmt.Errorf("the run has mode %q and can't be written", run.Mode)
	}
	for _, p := range run.Pauses {
		if sum := p.AtS + p.Seconds; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("the run has %g in pauses and can't be written", sum)
		}
	}
	if n := len(run.Pauses); len(cells["pauses"]) > textfile.MaxRowBytes/2 {
		return fmt.Errorf("the run has %d pauses, more than a row holds; write it as JSON", n)
	}
	for _, column := range slices.Concat(contractColumns, extraColumns) {
		cell := cells[column]
		for _, odd := range []string{"NaN", "+Inf", "-Inf"} {
			if strings.Contains(cell, odd) && !slices.Contains(textColumns, column) {
				return fmt.Errorf("the run has %s in %s and can't be written", odd, column)
			}
		}
	}
	return nil
}

// statusCell returns "" for done, and interrupted for a run that is still
// running: to readers of the file it is.
func statusCell(s profile.Status) string {
	switch s {
	case profile.Done:
		return ""
	case profile.Running:
		return string(profile.Interrupted)
	}
	return string(s)
}

// FormatLayers writes a pruning per layer as pruning_layers holds it, layers
// in alphabetical order.
func FormatLayers(layers map[string]float64) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		if b.Len() > 0 {
			b.WriteByte(';')
		}
		b.WriteString(name + "=" + decimalCell(layers[name]))
	}
	return b.String()
}

func decimalCell(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func optional(v *float64) string { return plaintext.Optional(v, "", decimalCell) }

// whole writes a count; zero means unknown.
func whole(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

package library

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// table reads one of the typed-out tables of the studies, which lie beside
// the project where it is developed and are no part of it.
func table(t *testing.T, name string) []map[string]string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "seeds", "tables", name)
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		t.Skipf("the typed-out tables of the studies (%s) are not here; TestAnchors holds a few of their numbers", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]map[string]string, 0, len(records))
	for _, rec := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = rec[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// take finds and removes the one run that a row of a table is about.
func take(t *testing.T, runs *[]profile.Run, row map[string]string, fits func(profile.Run) bool) profile.Run {
	t.Helper()
	for i, r := range *runs {
		if r.Model == row["application"] && r.InstanceType == row["instance_type"] &&
			strconv.Itoa(r.BatchSize) == row["batch_size"] && fits(r) {
			*runs = append((*runs)[:i:i], (*runs)[i+1:]...)
			return r
		}
	}
	t.Fatalf("the library has no run for %v", row)
	return profile.Run{}
}

func TestCellsAgainstTables(t *testing.T) {
	runs := load(t).Runs
	rows := table(t, "malta_reconstructed.csv")
	if len(rows) != 48 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		r := take(t, &runs, row, func(r profile.Run) bool { return r.Basis == estimate.Reconstructed })
		for column, got := range map[string]float64{
			"iterations_per_epoch": *r.IterationsPerEpoch, "usd_per_hour": *r.USDPerHour,
			"init_plus_first_iteration_s": *r.StartupS,
			"steady_iteration_s":          r.Steady.Value, "epochs": *r.Epochs, "real_total_s": *r.TotalS,
		} {
			if want := number(t, row, column); got != want {
				t.Errorf("%v: %s is %g in the library, %g in the table", row, column, got, want)
			}
		}
		predicted := *r.StartupS + r.Steady.Value*(*r.Epochs**r.IterationsPerEpoch-1)
		if want := number(t, row, "predicted_total_s"); math.Abs(predicted/want-1) > 0.005 {
			t.Errorf("%v: predicted %g, the table says %g", row, predicted, want)
		}
	}
}

func TestTotalsAgainstTables(t *testing.T) {
	runs := load(t).Runs
	for _, row := range table(t, "malta_totals.csv") {
		study := strings.TrimPrefix(row["source"], "thesis ") // "4.1", "4.2" or "Malta-2019 table 2"
		study = strings.Replace(study, "Malta-2019", "Malta 2019", 1)
		r := take(t, &runs, row, func(r profile.Run) bool { return strings.Contains(r.Source, study) })
		if *r.TotalS != number(t, row, "mean_total_s") || *r.TotalStdDevS != number(t, row, "stddev_s") || r.Epochs != nil {
			t.Errorf("%v: the library has %g ± %g", row, *r.TotalS, *r.TotalStdDevS)
		}
		if (row["accuracy_percent"] == "") != (r.Accuracy == nil) {
			t.Errorf("%v: accuracy %v", row, r.Accuracy)
		} else if r.Accuracy != nil && math.Abs(100*r.Accuracy.Value-number(t, row, "accuracy_percent")) > 1e-9 {
			t.Errorf("%v: accuracy %v", row, r.Accuracy)
		}
		cost := *r.TotalS / 3600 * *r.USDPerHour
		if want := number(t, row, "cost_usd_computed"); math.Abs(cost-want) > 5e-4 {
			t.Errorf("%v: costs %g, the table says %g", row, cost, want)
		}
	}
}

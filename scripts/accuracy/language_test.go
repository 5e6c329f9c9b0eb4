package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// languageFile is a table of published measurements, or a reason to skip.
func languageFile(t *testing.T, name string) source.File {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(sets, languageSet, name+".gz"))
	if len(paths) == 0 {
		t.Skipf("%s.gz is not in %s", name, filepath.Join(sets, languageSet))
	}
	return imports.File(paths[0])
}

// atMost holds the mean error and the coverage of cases against what is aimed at, and
// against the plain rule.
func atMost(t *testing.T, name string, cases []validate.Case, mean float64) {
	t.Helper()
	s := validate.Summarise(cases)
	t.Logf("%s: %d, mean error %.2f %%, plain %.2f %%, coverage %.1f %%", name, s.N, 100*s.Mean, 100*s.Plain,
		100*s.Coverage)
	if s.N == 0 || s.Mean > mean || s.Coverage < 0.85 || s.Coverage > 0.95 || splitsOf(cases).beside.low > 1e-6 {
		t.Errorf("%s: aimed at a mean error of %v and a coverage of 0.85 to 0.95", name, mean)
	}
}

func TestServingBars(t *testing.T) {
	points, err := convert.ReadServing(languageFile(t, "serving_points.csv"))
	if err != nil {
		t.Fatal(err)
	}
	atMost(t, "another GPU", leaveOut(otherGPU(points), fewFolds), 0.065)
	if !testing.Short() {
		atMost(t, "two probes", leaveOut(otherConcurrency(points, 2, true), fewFolds), 0.07)
	}
}

func TestTuningBars(t *testing.T) {
	var r report
	if err := askTunings(languageFile(t, "lora_runs.csv"), &r); err != nil {
		t.Fatal(err)
	}
	totals, samples := r.answers[0], r.answers[1]
	atMost(t, "totals", totals.cases, 0.002)
	for _, c := range totals.cases {
		if c.Error() > 0.05 && !c.Flagged {
			t.Errorf("%s is off by %.3f and not marked", c.Of, c.Error())
		}
	}
	if c := samples.all.Coverage; c < 0.85 || c > 0.95 {
		t.Errorf("samples to the target: coverage %.3f", c)
	}
	t.Log(samples.asked.Asks)
}

// A table that is not there is named; a damaged one keeps none of the others from
// being asked.
func TestLanguageTables(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency\n")
	for m := range 12 {
		for _, size := range []float64{1, 4, 16, 64} {
			for _, hardware := range []string{"A", "B"} {
				seconds := (1 + float64(m)) * (10 + size + math.Sqrt(size))
				fmt.Fprintf(&rows, "%s,1,f,m%d,128,%v,%v\n", hardware, m, size, seconds)
			}
		}
	}
	dir := folderWith(t, map[string]string{"llm/batch_latency.csv": rows.String(), "llm/lora_runs.csv": "a,b\n1,2\n"})
	var notes bytes.Buffer
	var r report
	read, err := r.askLanguage(dir, &notes)
	if read != 1 || err == nil || !strings.Contains(err.Error(), "lora_runs.csv is left out") ||
		!strings.Contains(notes.String(), "llm/serving_points.csv.gz is not in "+dir) {
		t.Errorf("%d tables, %v, %s", read, err, notes.String())
	}
	for _, a := range r.answers {
		if a.asked.Name == "llm-batch" && (a.all.N != 48 || a.all.Mean > a.all.Plain/2) {
			t.Errorf("%+v", a.all)
		}
	}
	if len(r.answers) < 2 {
		t.Errorf("%d rows", len(r.answers))
	}
}

// The groups of a kind are dealt out evenly, and no group is split.
func TestFolds(t *testing.T) {
	var cases []asked
	for g := range 20 {
		for range 3 {
			var c asked
			c.Kind, c.Group = fmt.Sprint(g%2), fmt.Sprint(g)
			cases = append(cases, c)
		}
	}
	n, of := map[int]int{}, map[string]int{}
	for i, f := range foldsOf(cases, 5) {
		n[f]++
		if before, seen := of[cases[i].Group]; seen && before != f {
			t.Errorf("group %s is in folds %d and %d", cases[i].Group, before, f)
		}
		of[cases[i].Group] = f
	}
	for f := range 5 {
		if n[f] != 12 {
			t.Errorf("fold %d has %d cases", f, n[f])
		}
	}
}

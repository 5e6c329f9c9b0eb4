package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/engine/reproduce"
)

// reproduceOutput runs the subcommand.
func reproduceOutput(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, _, err := execute(t, append([]string{"reproduce"}, args...)...)
	return out, err
}

func TestReproduceJSON(t *testing.T) {
	text, err := reproduceOutput(t, "--paper", "malta", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   int
		Command  string
		Warnings []string
		Rows     []map[string]any
		Summary  map[string]map[string]int
		Method   struct {
			N                 int
			MeanAbsoluteError float64 `json:"mean_absolute_error"`
			Worst             struct {
				Cell  string
				Error float64
			}
			Fastest, Cheapest struct {
				Right, Of int
				Wrong     []map[string]string
			}
			FindingOut []map[string]any `json:"finding_out"`
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Command != "reproduce" || got.Warnings == nil {
		t.Errorf("head %d %q %v", got.Schema, got.Command, got.Warnings)
	}
	sum := got.Summary["malta"]
	if n := sum["ok"] + sum["not_ok"] + sum["not_computable"]; n != len(got.Rows) || sum["ok"] < 750 {
		t.Errorf("summary %v of %d rows", sum, len(got.Rows))
	}
	repeated := map[any]int{}
	for _, row := range got.Rows {
		repeated[row["repeats"]]++
	}
	if sum["separate"] != 430 || sum["ok"] != 430+repeated["printing"]+repeated["one"]+repeated["identity"] ||
		repeated["printing"] != 68 || repeated["one"] < 99 || repeated["identity"] < 60 {
		t.Errorf("summary %v, repeats %v", sum, repeated)
	}
	for _, row := range got.Rows {
		for _, field := range []string{"paper", "table", "cell", "published", "ours", "relative_error", "tolerance",
			"ok", "repeats", "note"} {
			if _, ok := row[field]; !ok {
				t.Fatalf("row without %s: %v", field, row)
			}
		}
		if row["ours"] == nil && row["ok"] != nil || row["published"] == nil && row["ok"] != nil {
			t.Errorf("judged without both numbers: %v", row)
		}
	}
	// The method's error over the 48 cells of the library.
	m := got.Method
	if m.N != 48 || math.Abs(m.MeanAbsoluteError-0.0555) > 0.0001 || m.Worst.Cell != "MNIST/Simple-CNN b256 p3.2xlarge" ||
		math.Abs(m.Worst.Error+0.307) > 0.001 {
		t.Errorf("method %+v", m)
	}
	if m.Fastest.Right != 8 || m.Fastest.Of != 8 || m.Cheapest.Right != 7 || m.Cheapest.Of != 8 {
		t.Errorf("picks %+v %+v", m.Fastest, m.Cheapest)
	}
	if len(m.Cheapest.Wrong) != 1 || m.Cheapest.Wrong[0]["says"] != "p3.2xlarge" ||
		m.Cheapest.Wrong[0]["truth"] != "p2.xlarge" {
		t.Errorf("wrong %v", m.Cheapest.Wrong)
	}
	if len(m.FindingOut) != 2 || m.FindingOut[0]["method_2_usd"] != nil ||
		m.FindingOut[1]["recomputed_everything_usd"] != nil {
		t.Errorf("finding out %v", m.FindingOut)
	}
}

func TestReproduceText(t *testing.T) {
	if testing.Short() {
		t.Skip("TestReproducedNumbers computes the same in parallel")
	}
	short, err := reproduceOutput(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"B.4", "should be 15.9", "mean error 5.55 %", "cheapest in 7 of 8", "III, same s_max",
		"should be 0.259", "remain almost the same"} {
		if !strings.Contains(short, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(short, " yes ") {
		t.Error("rows that are ok are printed without --all")
	}
	all, err := reproduceOutput(t, "--all")
	if err != nil || strings.Count(all, "\n") < strings.Count(short, "\n")+700 {
		t.Errorf("--all prints %d lines, without %d (%v)", strings.Count(all, "\n"), strings.Count(short, "\n"), err)
	}
}

func TestReproduceOnePaperOrAll(t *testing.T) {
	rows := map[string]int{}
	for _, paper := range []string{"", "malta", "malta2019", "tarcar", "approxdnn", "paragon"} {
		args := []string{"--json"}
		if paper != "" {
			args = append(args, "--paper", paper)
		}
		text, err := reproduceOutput(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Rows    []struct{ Paper string }
			Summary map[string]map[string]int
			Method  any
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		rows[paper] = len(got.Rows)
		for _, r := range got.Rows {
			if paper != "" && r.Paper != paper {
				t.Fatalf("--paper %s gives a row of %s", paper, r.Paper)
			}
		}
		if of := map[string]int{"": 5, "malta": 1, "malta2019": 1, "tarcar": 1, "approxdnn": 1,
			"paragon": 1}[paper]; len(got.Summary) != of {
			t.Errorf("--paper %q sums up %v", paper, got.Summary)
		}
		if judged := paper == "" || paper == "malta"; (got.Method != nil) != judged {
			t.Errorf("--paper %q: method %v", paper, got.Method)
		}
	}
	if rows[""] != rows["malta"]+rows["malta2019"]+rows["tarcar"]+rows["approxdnn"]+rows["paragon"] ||
		rows["malta2019"] < 50 || rows["tarcar"] < 100 || rows["approxdnn"] < 250 || rows["paragon"] < 100 {
		t.Errorf("rows %v", rows)
	}
	text, err := reproduceOutput(t, "--paper", "malta2019")
	if err != nil || !strings.Contains(text, "every number that can be computed is ok") ||
		strings.Contains(text, "method 2") {
		t.Errorf("%v:\n%s", err, text)
	}
	text, err = reproduceOutput(t, "--paper", "tarcar", "--all")
	if err != nil || !strings.Contains(text, "tar_s") || !strings.Contains(text, "30.4 min") ||
		!strings.Contains(text, "fashion-cnn fp32 b512 sweet_spot_percent") ||
		!strings.Contains(text, "pruned 40 % is 54 % faster") || !strings.Contains(text, "algorithm_1_time_h") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// What ApproxDNN's synthetic jobs come to, with how they were chosen.
func TestReproduceApproxDNN(t *testing.T) {
	text, err := reproduceOutput(t, "--paper", "approxdnn", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Warnings []string
		Rows     []reproduce.Row
		Summary  map[string]reproduce.Count
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"approxdnn": 0.815, "acceptance-centric": 0.933, "penalty-centric": 0.933}
	offers := 0
	for _, r := range got.Rows {
		if r.Table != "III, synthetic jobs" {
			continue
		}
		policy, first := strings.CutPrefix(r.Cell, "int8 ")
		policy, total := strings.CutSuffix(policy, " total_cost_share")
		if share, ok := want[policy]; ok && first && total {
			delete(want, policy)
			if r.Ours == nil || math.Abs(*r.Ours-share) > 0.01 || r.OK == nil || !*r.OK {
				t.Errorf("%s: %+v", r.Cell, r)
			}
		}
		if strings.HasSuffix(r.Cell, " s") {
			offers++
			if r.RelativeError == nil || math.Abs(*r.RelativeError) > 0.01 {
				t.Errorf("%s: %+v", r.Cell, r)
			}
		}
	}
	if len(want) > 0 || offers != 15 || got.Summary["approxdnn"].NotOK > 6 {
		t.Errorf("no share of %v, %d offers, %+v", want, offers, got.Summary)
	}
	if len(got.Warnings) == 0 || !strings.Contains(got.Warnings[0], "seeds 1 to") ||
		!strings.Contains(got.Warnings[0], "0.75 for ResNet-V2-152") {
		t.Errorf("it does not say what was assumed: %q", got.Warnings)
	}
	if !strings.Contains(got.Warnings[0], "the other 8 are chosen to agree") {
		t.Errorf("it does not say how the ratios were chosen: %q", got.Warnings[0])
	}
}

// What Paragon's schemes come to on synthetic loads, with where the study's
// relations do not hold and why.
func TestReproduceParagon(t *testing.T) {
	text, err := reproduceOutput(t, "--paper", "paragon", "--all")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"the loads of Paragon are synthetic, seeds 1 to 5", "figure 4, synthetic loads",
		"wiki-like util-aware over_provisioned_percent", "peak to median 1.41",
		"bursty exascale over_provisioned_percent", "the load rises faster than VMs start", "10 queries/s functions_over_vms",
		"cheapest_within_limit_gb",
		"how long a relaxed query may wait", "pool: variants of fashion-cnn measured with this program",
		"pool: 14 pre-trained ImageNet models",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	again, err := reproduceOutput(t, "--paper", "paragon", "--all")
	if err != nil || again != text {
		t.Errorf("another call prints something else (%v)", err)
	}
}

func TestReproduceRefusesOtherPapers(t *testing.T) {
	_, err := reproduceOutput(t, "--paper", "spock")
	var exit exitError
	if !errors.As(err, &exit) || exit.code != exitUsage ||
		!strings.Contains(err.Error(), "malta, malta2019, tarcar, approxdnn or paragon") {
		t.Errorf("got %v", err)
	}
}

// Every number that is computed for the studies stays as it is, agreeing or not,
// and so do the words about it, which are below the first row they are of:
// go test ./cmd/sweetspot -run ReproducedNumbers -update.
func TestReproducedNumbers(t *testing.T) {
	text, err := reproduceOutput(t, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rows     []reproduce.Row
		Warnings []string
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) < 1600 {
		t.Errorf("only %d rows", len(got.Rows))
	}
	var table strings.Builder
	said := map[string]bool{}
	for _, r := range got.Rows {
		ours, verdict := "none", "nothing to agree with"
		if r.Ours != nil {
			ours = fmt.Sprintf("%.6g", *r.Ours)
		}
		if r.OK != nil {
			verdict = map[bool]string{true: "agrees", false: "differs"}[*r.OK]
		}
		fmt.Fprintf(&table, "%s\t%s\t%s\t%s\t%s\n", r.Paper, r.Table, r.Cell, ours, verdict)
		if !said[r.Note] {
			said[r.Note] = true
			fmt.Fprintf(&table, "\t%s\n", r.Note)
		}
	}
	for _, w := range got.Warnings {
		fmt.Fprintln(&table, w)
	}
	path := filepath.Join("testdata", "reproduced.tsv")
	if *update {
		if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(golden), "\n")
	for k, line := range strings.Split(table.String(), "\n") {
		if k >= len(want) || line != want[k] {
			t.Fatalf("line %d of %s is now %q", k+1, path, line)
		}
	}
}

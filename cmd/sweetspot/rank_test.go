package main

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sweetspot/data/contract"
	"sweetspot/data/texttable"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
)

// Of costs that are equal but for their last bits, which sums of many VMs are, the
// fastest alone is on the frontier.
func TestFrontiersOfEqualCosts(t *testing.T) {
	for _, of := range [][]string{{"--model", "CaffeNet", "--units", "50k"}, {"--model", "GoogLeNet"}} {
		r := ranking(t, of...)
		by := map[string]contract.Candidate{}
		for _, c := range r.Candidates {
			by[c.ID] = c
		}
		front := r.Frontier.Of("time_cost")
		for k, id := range front[1:] {
			if now, before := *by[id].Cost.USD, *by[front[k]].Cost.USD; !(now < before*(1-1e-9)) {
				t.Errorf("%v: %s costs %g, the faster %s %g", of, id, now, front[k], before)
			}
		}
	}
}

// Sweet spots and what to take are said in JSON.
func TestRankSaysWhatToTake(t *testing.T) {
	r := ranking(t, "--model", "CaffeNet")
	if r.Recommended == nil || *r.Recommended != r.Candidates[0].ID {
		t.Errorf("recommended is %v", r.Recommended)
	}
	by := map[string]contract.Candidate{}
	for _, c := range r.Candidates {
		by[c.ID] = c
	}
	for _, p := range r.SweetSpots {
		spot, whole := by[p.Candidate], by[p.Unpruned]
		if spot.Pruning == nil || whole.Pruning != nil || math.Abs(1 - *spot.Time.S / *whole.Time.S - p.Saved) > 1e-9 ||
			math.Abs(whole.Accuracy.Value-spot.Accuracy.Value-p.Lost) > 1e-9 || p.Lost > p.Tolerance*(1+1e-9) ||
			(p.Layer == nil) != (spot.Pruning.Ratio != nil) {
			t.Errorf("%+v is no sweet spot: %+v", p, spot)
		}
	}
	if len(r.SweetSpots) == 0 {
		t.Error("no sweet spots of CaffeNet")
	}
}

// A GPU is meant by its name: A10 is neither A10G nor A100, which has several forms.
func TestRankOfAGPU(t *testing.T) {
	for name, want := range map[string][]string{"V100-SXM": {"V100-SXM2-16GB", "V100-SXM2-32GB"},
		"A100-80GB": {"A100-PCIE-80GB", "A100-SXM4-80GB"},
		"K80":       {"K80"}} {
		met := map[string]bool{}
		for _, c := range ranking(t, "--predicted", "--gpu", name).Candidates {
			met[*c.Configuration[0].GPU] = true
		}
		if got := slices.Sorted(maps.Keys(met)); !slices.Equal(got, want) {
			t.Errorf("--gpu %s ranks %v, not %v", name, got, want)
		}
	}
	if _, _, err := execute(t, "rank", "--mode", "infer", "--predicted", "--gpu", "A10"); err == nil {
		t.Error("A10 is met where there is none in the catalog")
	}
}

// ranking is what rank --json says of inference.
func ranking(t *testing.T, words ...string) (r contract.Ranking) {
	t.Helper()
	out, _, err := execute(t, append([]string{"rank", "--mode", "infer", "--json"}, words...)...)
	if err == nil {
		err = json.Unmarshal([]byte(out), &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is asked where a user says nothing is said, and what leaves variants out.
func TestRankOfTheOpeningQuestion(t *testing.T) {
	q := ranking(t).Query
	if q.Model != question.Opening || !q.Predicted || q.Limits.Get(objective.Accuracy) == nil {
		t.Errorf("the opening question is %+v", q)
	}
	for words, want := range map[string]string{
		"":                                    "--min-accuracy 0 keeps them",
		"--min-accuracy 0":                    "",
		"--model CaffeNet":                    "variants under 60.0 % err more than twice as often as the best",
		"--model CaffeNet --min-accuracy 70%": "",
		"--model CaffeNet --variant conv1-90": "",
		"--model fashion-cnn --mode train":    "",
	} {
		out, _, _ := execute(t, append([]string{"rank", "--limit", "1"}, strings.Fields(words)...)...)
		if want == "" && strings.Contains(out, "keeps them") || !strings.Contains(out, want) {
			t.Errorf("rank %s says\n%s", words, out)
		}
	}
	if c := ranking(t, "--model", "CaffeNet", "--variant", "conv1-90").Candidates; len(c) == 0 || *c[0].Rank != 1 {
		t.Error("a variant that is asked for by name is left out")
	}
}

func TestRankLimit(t *testing.T) {
	all := ranking(t, "--model", "CaffeNet", "--min-accuracy", "0", "--limit", "all")
	if all.Listed != all.Total || len(all.Candidates) != all.Total || all.Total < 30 {
		t.Fatalf("%d of %d candidates are listed, %d are there", all.Listed, all.Total, len(all.Candidates))
	}
	few := ranking(t, "--model", "CaffeNet", "--min-accuracy", "0", "--limit", "2")
	if few.Total != all.Total || few.Listed != len(few.Candidates) || few.Listed >= all.Total ||
		few.Candidates[0].ID != all.Candidates[0].ID || few.Candidates[1].ID != all.Candidates[1].ID {
		t.Errorf("%d of %d candidates are listed", few.Listed, few.Total)
	}
	for words, want := range map[string]int{"--limit 2": 2, "": texttable.RankingRows, "--limit 0": all.Total} {
		out, _, err := execute(t, append([]string{"rank", "--model", "CaffeNet", "--min-accuracy", "0"},
			strings.Fields(words)...)...)
		rows := regexp.MustCompile(`(?m)^\d+ +\d+× `).FindAllString(out, -1)
		if err != nil || len(rows) != want || strings.Contains(out, "more: --limit all") != (want < all.Total) {
			t.Errorf("%q: %d rows, want %d; %v\n%s", words, len(rows), want, err, out)
		}
	}
	for _, wrong := range []string{"-1", "2.5", "few", "1e300"} {
		_, _, err := execute(t, "rank", "--limit="+wrong)
		if err == nil || !strings.Contains(err.Error(), "write 100, or all") {
			t.Errorf("--limit %s: %v", wrong, err)
		}
	}
}

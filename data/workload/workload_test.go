package workload

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/serving"
)

func TestTraces(t *testing.T) {
	dir := t.TempDir()
	jobs, requests := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "arrivals.csv")
	for path, text := range map[string]string{jobs: "submit_s,runtime_s\n0,50\n500,60\n",
		requests: "second,requests\n0,3\n1,4\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j, err := ReadJobs(jobs)
	if err != nil || len(j.Jobs) != 2 || len(j.Mix) == 0 || j.Source != "jobs.csv: 2 jobs, job trace CSV" {
		t.Errorf("%+v, %v", j, err)
	}
	r, err := ReadRequests(requests)
	if err != nil || r.Arrivals.Requests() != 7 || !strings.HasPrefix(r.Source, "arrivals.csv: 7 requests") {
		t.Errorf("%s, %v", r.Source, err)
	}
	for path, want := range map[string]string{dir: "is a folder", filepath.Join(dir, "no.csv"): "cannot read the trace",
		requests: "arrivals.csv: "} {
		if _, err := ReadJobs(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestSynthetic(t *testing.T) {
	j, err := MakeJobs(100, 1)
	if source, notes := j.Described(); err != nil || len(j.Jobs) != 100 || j.Source != "100 synthetic jobs" ||
		!strings.HasPrefix(source, "synthetic: ") || notes != nil {
		t.Errorf("%q, %q, %v", source, notes, err)
	}
	r, err := ReadRequests("")
	if source, _ := r.Described(); err != nil || len(r.Arrivals) != 24*3600 || r.Source != "a synthetic day" ||
		!strings.HasPrefix(source, "synthetic: ") {
		t.Errorf("%q, %v", source, err)
	}
}

// Phases follow one another, each as long as the others; a pattern lasts as long as it says.
func TestLoads(t *testing.T) {
	phases := Load{Phases: []float64{10, 0, 2.5}, Seconds: 60}
	r := phases.Make()
	if len(r.Arrivals) != 180 || r.Arrivals[:60].Requests() != 600 || r.Arrivals[60:120].Requests() != 0 ||
		r.Arrivals[120:].Requests() != 150 || r.Made == nil {
		t.Errorf("%d seconds, %+v", len(r.Arrivals), r.Made)
	}
	if phases.LongestLoad()*3 > 31*86400 {
		t.Errorf("three phases may have %d s each", phases.LongestLoad())
	}
	usual := DefaultLoad()
	usual.Seconds = 900
	if r := usual.Make(); len(r.Arrivals) != 900 || r.Made.Pattern != usual.Pattern {
		t.Errorf("%d seconds", len(r.Arrivals))
	}
}

// Requests are as long as those of the loads on average, and come quicker as often as is asked.
func TestTokensLikeLoads(t *testing.T) {
	loads := []*profile.Serving{{Input: 100, Output: 10}, {Input: 300, Output: 30}}
	l := LengthsOf(loads)
	if l.Input != 200 || l.Output != 20 || l.Spread != DefaultLengths().Spread {
		t.Errorf("%+v", l)
	}
	made := MakeTokens(serving.PoissonLoad, 60, 1, l, 1)
	quick := made.Quicker(4)
	last := len(made.Requests) - 1
	length := func(t Tokens) float64 { return t.Requests[last].ArrivalS - t.Requests[0].ArrivalS }
	if math.Abs(4*length(quick)-length(made)) > 1e-9 || quick.Requests[last].Input !=
		made.Requests[last].Input || !strings.HasSuffix(quick.Source, ", 4 times as fast") {
		t.Errorf("%+v of %+v, %s", quick.Requests[last], made.Requests[last], quick.Source)
	}
	if same := made.Quicker(1); same.Source != made.Source {
		t.Error(same.Source)
	}
}

package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestMadeUp(t *testing.T) {
	j, err := MakeJobs(100, 1)
	if source, notes := j.Described(); err != nil || len(j.Jobs) != 100 || j.Source != "100 synthetic jobs" ||
		!strings.HasPrefix(source, "made up: ") || notes != nil {
		t.Errorf("%q, %q, %v", source, notes, err)
	}
	r, err := ReadRequests("")
	if source, _ := r.Described(); err != nil || len(r.Arrivals) != 24*3600 || r.Source != "a synthetic day" ||
		!strings.HasPrefix(source, "made up: ") {
		t.Errorf("%q, %v", source, err)
	}
}

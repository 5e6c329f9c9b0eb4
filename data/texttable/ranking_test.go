package texttable

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/data/internal/exampleranking"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var pickedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("elsewhere", 3600))

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// begun is a training of which only the first epochs are known, asked about
// more of them.
func begun() *rank.Result {
	set := &profile.Set{Runs: []profile.Run{{
		ID: 1, Model: "net", Mode: profile.Train, InstanceType: "desk", Count: 1, BatchSize: 256, Epochs: new(4.0),
		EpochStartsS: []float64{5, 65, 125, 185, 245},
		Basis:        estimate.Measured, Status: profile.Done,
	}}}
	q := question.Query{
		Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(20.0), Purchase: profile.OnDemand,
			MaxCount: 1},
		Weights: question.Weights{objective.Time: 1, objective.Cost: 1}, Sort: question.ByTime,
	}
	return rank.Answer(set, q, nil)
}

func TestTableGolden(t *testing.T) {
	var b bytes.Buffer
	if err := Ranking(&b, exampleranking.New(), nil, pickedAt, RankingRows); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", b.Bytes())
}

// The table goes to a terminal, whatever a database calls its models.
func TestTableOfHostileNames(t *testing.T) {
	r := exampleranking.New()
	const hostile = "n\x1b]0;title\x07e\nt\u202e"
	r.Query.Model, r.Space.Metric = hostile, hostile
	for i := range r.Space.Len() {
		c := r.Space.At(i)
		c.Variant.Name, c.Variant.Precision = hostile, hostile
		for k := range c.Configuration {
			c.Configuration[k].VM.InstanceType = hostile
		}
	}
	var b bytes.Buffer
	if err := Ranking(&b, r, nil, pickedAt, RankingRows); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.ContainsAny(got, "\x1b\x07\u202e") || !strings.Contains(got, "\nne t · ") ||
		strings.Contains(got, "\nt") {
		t.Errorf("got %q", got)
	}
}

// How good such estimates were stands under the table.
func TestBackTestsStandUnderTheTable(t *testing.T) {
	tested := validate.Tested{{Mode: profile.Train, Basis: estimate.Measured}: {N: 14, Median: 0.04, P90: 0.11}}
	r := begun()
	var with, without bytes.Buffer
	err := errors.Join(Ranking(&with, r, tested, pickedAt, RankingRows),
		Ranking(&without, r, nil, pickedAt, RankingRows))
	if err != nil {
		t.Fatal(err)
	}
	const line = "note: measured estimates, tested 14 times on these runs: off by 4 % median, 11 % p90\n"
	if !strings.HasSuffix(with.String(), line) || strings.Contains(without.String(), "tested") {
		t.Errorf("with:\n%s\nwithout:\n%s", with.String(), without.String())
	}
}

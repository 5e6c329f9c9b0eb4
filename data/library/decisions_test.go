package library

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// The study's own sweet spots on one K80: conv1 holds its accuracy to 30 % and
// conv2 to 50 % (18.4 and 16.7 of 19 minutes); at 90 % it is gone.
func TestSweetSpotsOfCaffeNet(t *testing.T) {
	w := question.Workload{Model: "CaffeNet", Mode: profile.Infer, Units: 50000, Purchase: profile.OnDemand}
	s := rank.NewSpace(candidate.NewList(load(t), w, nil, nil))
	vms := map[string][]string{}
	for _, spot := range advice.SweetSpots(s) {
		vm := s.At(spot.Candidate).Configuration[0].VM.InstanceType
		vms[vm] = append(vms[vm], spot.Words())
		want := map[string]struct{ ratio, saved float64 }{"conv1": {0.3, 1 - 18.4/19},
			"conv2": {0.5, 1 - 16.7/19}}[spot.Layer]
		if spot.Ratio != want.ratio || math.Abs(spot.Saved-want.saved) > 0.005 || spot.Lost != 0 {
			t.Errorf("%s: %+v, want %+v", vm, spot, want)
		}
	}
	want := []string{"conv1 pruned 30 % is 3.2 % faster at the same top-5",
		"conv2 pruned 50 % is 12 % faster at the same top-5"}
	if got := vms["p2.xlarge"]; !slices.Equal(got, want) {
		t.Errorf("p2.xlarge: %q, want %q", got, want)
	}
	if len(vms) != 6 {
		t.Errorf("sweet spots on %d VM types, want all 6: %v", len(vms), vms)
	}
}

func BenchmarkDecisionPrecision(b *testing.B) {
	set := load(b)
	at := slices.IndexFunc(set.Runs, func(r profile.Run) bool {
		return r.Model == "CaffeNet" && strings.HasPrefix(r.InstanceType, "g3.8")
	})
	run := set.Runs[at]
	run.ID = 1
	for _, by := range []question.Sort{question.ByTime, question.ByScore} {
		b.Run(string(by), func(b *testing.B) {
			q := question.Query{Workload: question.Workload{Model: run.Model, Mode: run.Mode, Units: 1e6,
				Purchase: profile.OnDemand, MaxCount: 8}, Sort: by}
			if p, _ := advice.DecisionPrecision(set, q, run); p == 0 {
				b.Fatal("nothing to decide")
			}
			for b.Loop() {
				advice.DecisionPrecision(set, q, run)
			}
		})
	}
}

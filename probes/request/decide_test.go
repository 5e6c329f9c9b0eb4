package request

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

func trainingRun(id int64, vm string, seconds float64) profile.Run {
	return profile.Run{
		ID: id, Model: "net", Mode: profile.Train, InstanceType: vm, BatchSize: 32, IterationsPerEpoch: new(1000.0),
		Status: profile.Done,
		Steady: estimate.Around(seconds, seconds/100, estimate.Measured), Basis: estimate.Measured,
	}
}

// The place in the ranking that is asked for says how precise a probe must be:
// the rival is 10 % slower, a deadline 4 % above. Of another model it is the
// training of the form's epochs.
func TestForQuery(t *testing.T) {
	set := &profile.Set{Models: []profile.Model{{Name: "net"}}, Runs: []profile.Run{trainingRun(1, "rival", 0.11)}}
	own := trainingRun(2, "own", 0.1)
	query := question.Query{Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0),
		Purchase: profile.OnDemand}, Sort: question.ByTime}
	precision := func(q question.Query, epochs float64) (float64, string) { return ForQuery(set, q, epochs)(own) }
	if p, words := precision(query, 5); math.Abs(p-0.1) > 0.01 || !strings.Contains(words, "rival") {
		t.Errorf("a rival 10 %% slower: ±%g %s", p, words)
	}
	near := query
	near.Limits = question.Limits{objective.Time: 1040}
	if p, words := precision(near, 5); math.Abs(p-0.04) > 0.005 || strings.Contains(words, "rival") {
		t.Errorf("a deadline 4 %% above: ±%g %s", p, words)
	}
	other := near
	other.Model = "another"
	if p, words := precision(other, 5); math.Abs(p-0.1) > 0.01 || !strings.Contains(words, "rival") {
		t.Errorf("a question about another model: ±%g %s", p, words)
	}
	if p, words := precision(other, 0); p != 0 || words != "" {
		t.Errorf("nothing asked for: ±%g %s", p, words)
	}
}

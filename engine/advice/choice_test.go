package advice

import (
	"math"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// onVM is a candidate of a timing cell of its own.
func onVM(vm string, cell int, seconds, usd float64, basis estimate.Basis) candidate.Candidate {
	return candidate.Candidate{ID: vm, Cell: cell, Time: estimate.Spread(seconds, 0.05, basis),
		Cost: estimate.Spread(usd, 0.05, basis), Configuration: []candidate.Part{{Count: 1, USDPerHour: new(usd),
			VM: profile.VMType{Cloud: "aws", InstanceType: vm}}}}
}

func TestChoose(t *testing.T) {
	of := []candidate.Candidate{onVM("guess", 0, 50, 0.5, estimate.Spec), onVM("cheap", 1, 300, 1, estimate.Measured),
		onVM("alike", 2, 200, 1.01, estimate.Measured), onVM("fast", 3, 20, 3, estimate.Measured)}
	for name, c := range map[string]struct {
		of          []candidate.Candidate
		by          question.Sort
		take        string
		tied        int
		decided     bool
		least, most float64 // of Sure; 0 and 0 is unknown
		flip        bool
		probed      string
	}{
		"a tie is decided by the time": {of[1:], question.ByCost, "alike", 2, true, 0.99, 1, false, ""},
		"a prediction stands for all":  {of, question.ByCost, "guess", 0, false, 0.99, 1, true, "alike"},
		"the fastest":                  {of, question.ByTime, "fast", 0, false, 0.99, 1, false, ""},
		"one of two that are close":    {of[1:3], "strict-cost", "cheap", 0, false, 0.5, 0.9, true, ""},
		"a score is of no objective":   {of[1:], question.ByScore, "fast", 0, false, 0, 0, false, ""},
	} {
		r := rank.Evaluate(rank.NewSpace(candidate.ListOf(c.of...)), question.Query{Sort: c.by})
		got, ok := Choose(r, r.BestProbability, nil)
		if !ok || r.Space.At(got.Candidate).ID != c.take || got.Tied != c.tied || got.Decided != c.decided ||
			(got.Flip != nil) != c.flip {
			t.Errorf("%s: %+v", name, got)
		}
		unknown := c.most == 0
		if unknown != math.IsNaN(got.Sure) || !unknown && !(got.Sure >= c.least && got.Sure <= c.most) {
			t.Errorf("%s: sure %g", name, got.Sure)
		}
		if probed := got.Probed >= 0; probed != (c.probed != "") || probed && r.Space.At(got.Probed).ID != c.probed {
			t.Errorf("%s: the best probed is %d", name, got.Probed)
		}
	}
	none := rank.Evaluate(rank.NewSpace(candidate.ListOf(of...)),
		question.Query{Limits: question.Limits{objective.Cost: 0.1}})
	if c, ok := Choose(none, none.BestProbability, nil); ok {
		t.Errorf("of nothing: %+v", c)
	}
}

// Of several crossovers the nearest one tells, and only one of the choice itself.
func TestNearestCrossover(t *testing.T) {
	of := []candidate.Candidate{onVM("a", 0, 300, 1, estimate.Measured), onVM("b", 1, 20, 3, estimate.Measured)}
	r := rank.Evaluate(rank.NewSpace(candidate.ListOf(of...)), question.Query{Sort: question.ByCost,
		Workload: question.Workload{Mode: profile.Train, Epochs: new(10.0)}})
	all := []Crossover{{Epochs: 2, From: 1, To: 0, Objective: objective.Cost}, {Epochs: 12, From: 0, To: 1,
		Objective: objective.Time}, {Epochs: 30, From: 0, To: 1, Objective: objective.Cost}}
	if c, _ := Choose(r, r.BestProbability, all); c.Crossover == nil || c.Crossover.Epochs != 30 {
		t.Errorf("%+v", c.Crossover)
	}
}

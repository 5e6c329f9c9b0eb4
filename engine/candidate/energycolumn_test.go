package candidate_test

import (
	"math"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

func byEnergy(r profile.Run, w question.Workload, limits question.Limits) *rank.Result {
	w.Model, w.Purchase = "net", profile.OnDemand
	set := &profile.Set{Runs: []profile.Run{r}}
	q := question.Query{Workload: w, Limits: limits, Sort: question.Sort(objective.Energy)}
	return rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)), q)
}

// metered is a training of 100 iterations of 8 samples an epoch on a machine of
// one's own, at 0.5 J a sample and 200 W.
func metered() profile.Run {
	r := steadily(train(8, "box"), 10, 0.1, 100)
	r.ID, r.Cloud, r.Region = 1, "", ""
	r.EnergyJPerUnit, r.AveragePowerW, r.EnergyOf = new(0.5), new(200.0), profile.EnergyOfGPUs
	return r
}

func TestEnergyIsAnObjective(t *testing.T) {
	w := question.Workload{Mode: profile.Train, Epochs: new(10.0)}
	r := byEnergy(metered(), w, nil)
	c := r.Space.At(0)
	if !r.Space.Objectives.Has(objective.Energy) || r.Best(objective.Energy) != c.Energy.Value || !(c.Energy.Value > 0) {
		t.Errorf("objectives %s, best energy %g of %+v", r.Space.Objectives.Words(), r.Best(objective.Energy), c.Energy)
	}
	if line, ok := c.Line(objective.Energy); !ok || math.Abs(line.At(10)/c.Energy.Value-1) > 1e-9 {
		t.Errorf("%+v, %v at 10 epochs, want %g", line, ok, c.Energy.Value)
	}
	if len(r.Frontier(objective.Time, objective.Energy)) != 1 {
		t.Errorf("frontier %v", r.Frontier(objective.Time, objective.Energy))
	}
	tight := byEnergy(metered(), w, question.Limits{objective.Energy: c.Energy.Value / 2})
	if tight.Count() != 0 || tight.Because[objective.Energy] != 1 {
		t.Errorf("order %v because %v", tight.Order(), tight.Because)
	}
}

// What was not measured is unknown: it takes no column, and holds no limit.
func TestEnergyThatNobodyMeasured(t *testing.T) {
	r := metered()
	r.EnergyJPerUnit, r.AveragePowerW = nil, nil
	w := question.Workload{Mode: profile.Train, Epochs: new(10.0)}
	if got := byEnergy(r, w, nil); got.Space.Objectives.Has(objective.Energy) ||
		got.Frontier(objective.Time, objective.Energy) != nil {
		t.Errorf("objectives %s", got.Space.Objectives.Words())
	}
	got := byEnergy(r, w, question.Limits{objective.Energy: 1e9})
	if got.Count() != 0 || got.Because[objective.Energy] != 1 || len(got.Violations(0)) != 1 {
		t.Errorf("order %v because %v, %v", got.Order(), got.Because, got.Violations(0))
	}
}

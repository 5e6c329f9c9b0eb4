package tui

import (
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/state"
)

// reopen asks again what a pick was the answer to, and selects it if it is still
// one of the candidates.
func (a *App) reopen(p store.Pick) tea.Cmd {
	var q contract.Query
	var c contract.Candidate
	if json.Unmarshal(p.Query, &q) != nil || json.Unmarshal(p.Candidate, &c) != nil || q.Model == "" {
		return a.note(toast.Bad, "this pick cannot be read")
	}
	question := questionOfPick(q)
	if !question.IsSound() {
		return a.note(toast.Bad, "this pick's question cannot be asked: a limit, the mode or the order in it is none")
	}
	a.screen = keys.Explore
	a.explore.Reopen(question, candidateOfPick(c))
	return a.ask()
}

// questionOfPick is the question as Explore asks it: one value of each filter.
func questionOfPick(q contract.Query) state.Question {
	out := state.Question{
		Model: q.Model, Mode: profile.Mode(q.Mode), Epochs: q.Epochs, Purchase: profile.Purchase(q.Purchase),
		MinAccuracy: q.MinAccuracy, MaxTime: q.MaxTimeS, MaxCost: q.MaxCostUSD, CostWeight: 0.5, Sort: question.Sort(q.Sort),
		Predicted: q.Predicted, Combined: q.Combined, Bill: q.Bill.Told().String(),
	}
	if q.Units != nil {
		out.Units = *q.Units
	}
	if sum := q.Weights.Time + q.Weights.Cost; sum > 0 {
		out.CostWeight = q.Weights.Cost / sum
	}
	if len(q.BatchSizes) == 1 {
		out.BatchSize = q.BatchSizes[0]
	}
	for list, to := range map[*[]string]*string{&q.Variants: &out.Variant, &q.Clouds: &out.Cloud, &q.GPUs: &out.GPU} {
		if len(*list) == 1 {
			*to = (*list)[0]
		}
	}
	return out
}

// candidateOfPick is as much of a candidate as it takes to find it again.
func candidateOfPick(c contract.Candidate) *rank.Candidate {
	out := &rank.Candidate{ID: c.ID, Variant: profile.Variant{Name: profile.VariantOfTitle(c.Variant)}}
	if c.BatchSize != nil {
		out.BatchSize = *c.BatchSize
	}
	for _, p := range c.Configuration {
		out.Configuration = append(out.Configuration, rank.Part{VM: profile.VMType{InstanceType: p.Name()}, Count: p.Count})
	}
	return out
}

// questionOf is what Explore can ask of a run.
func questionOf(r *profile.Run) question.Question {
	return question.Question{Model: r.Model, Mode: r.Mode, Unit: r.Unit}
}

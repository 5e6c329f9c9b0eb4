package candidate_test

import (
	"math"
	"strings"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// evaluated is the set of [probed] whose run was evaluated after each 100 steps of 8,000 tokens.
func evaluated(t *testing.T, values ...float64) (*profile.Set, question.Workload) {
	t.Helper()
	set, way, _ := probed(t, 1)
	for i, v := range values {
		set.Runs[0].Validations = append(set.Runs[0].Validations, profile.Validation{Metric: "eval_loss", Value: &v,
			Iterations: new(100 * (i + 1))})
	}
	return set, question.Workload{Model: "llama", Mode: profile.Train, Unit: question.Token, Units: 1e6, Tuning: &way,
		BatchSizes: []int{4}, Purchase: profile.OnDemand, MaxCount: 1, Predicted: true}
}

func toLoss(set *profile.Set, w question.Workload, loss float64) map[string]*candidate.Candidate {
	w.TargetLoss = &loss
	out := map[string]*candidate.Candidate{}
	for _, c := range candidate.NewList(set, w, nil, nil).All() {
		c := *c
		out[c.Configuration[0].VM.InstanceType] = &c
	}
	return out
}

// A training to a loss takes the tokens that others took, with the uncertainty of these in its time and cost.
func TestFineTuneToALoss(t *testing.T) {
	set, w := evaluated(t, 2, 1.5, 1.2, 1.1)
	units := w
	units.Units = 300 * 8000
	plain := map[string]*candidate.Candidate{}
	for _, c := range candidate.NewList(set, units, nil, nil).All() {
		c := *c
		plain[c.Configuration[0].VM.InstanceType] = &c
	}
	found := toLoss(set, w, 1.25)
	if len(found) < 3 || len(found) != len(plain) {
		t.Fatalf("%d candidates, %d for as many tokens", len(found), len(plain))
	}
	for name, c := range found {
		p := plain[name]
		if c.ToLoss == nil || c.ToLoss.Tokens.Value != 300*8000 || *c.Units != 300*8000 ||
			c.ToLoss.Tokens.Basis != estimate.Measured || !strings.Contains(c.ToLoss.Why, "1 of 1 training") {
			t.Fatalf("%s: %+v", name, c.ToLoss)
		}
		if math.Abs(c.Time.Value/p.Time.Value-1) > 0.001 || !(c.Time.Low < p.Time.Low && c.Time.High > p.Time.High) ||
			!(c.Cost.LogSigma() > p.Cost.LogSigma()) || c.Time.Basis != p.Time.Basis {
			t.Errorf("%s: %+v to the loss, %+v for as many tokens", name, c.Time, p.Time)
		}
		if len(c.Errors) < 2 || !(c.Errors[1].Sigma > p.Errors[1].Sigma) || c.Errors[0].Sigma != p.Errors[0].Sigma {
			t.Errorf("%s: errors %+v, of tokens %+v", name, c.Errors, p.Errors)
		}
	}
}

// More trainings make it surer, a lower loss takes more, and another batch between as many tokens and as many steps.
func TestTokensToALoss(t *testing.T) {
	set, w := evaluated(t, 2, 1.5, 1.2, 1.1)
	one := toLoss(set, w, 1.25)["a1"].ToLoss.Tokens
	if lower := toLoss(set, w, 1.15)["a1"].ToLoss.Tokens; !(lower.Value > one.Value) {
		t.Errorf("%+v to 1.15, %+v to 1.25", lower, one)
	}
	for id := range 5 {
		r := set.Runs[0]
		r.ID, r.Tuning = int64(id+2), new(*r.Tuning)
		*r.Tuning.TokensPerStep += float64(id - 2) // as lengths happen to be
		set.Runs = append(set.Runs, r)
	}
	six := toLoss(set, w, 1.25)["a1"].ToLoss.Tokens
	if !(six.High/six.Low < one.High/one.Low) || !(six.Low < 2.4e6 && six.High > 2.4e6) || six.Basis != estimate.Measured {
		t.Errorf("%+v by six, %+v by one", six, one)
	}
	w.BatchSizes = []int{64}
	large := toLoss(set, w, 1.25)["l4"].ToLoss.Tokens
	if large.Basis != estimate.OtherBatch || !(large.Low <= six.Low*1.01 && large.High > 10*six.High) {
		t.Errorf("%+v at 16 times the batch, %+v", large, six)
	}
	w.BatchSizes = []int{1}
	small := toLoss(set, w, 1.25)["a1"].ToLoss.Tokens
	if !(small.Low < 0.3*six.Low && small.Value < 0.6*six.Value && small.High >= 0.99*six.High) ||
		small.Basis != estimate.OtherBatch {
		t.Errorf("%+v at a quarter of the batch, %+v", small, six)
	}
}

// What no training reached has no answer, and what others published answers for its loss alone.
func TestLossThatNobodyReached(t *testing.T) {
	set, w := evaluated(t, 2, 1.5)
	if got := toLoss(set, w, 1.4); len(got) != 0 {
		t.Errorf("%d candidates", len(got))
	}
	set.Reached = []profile.Reached{{Model: "lab/llama-hf", Method: "lora", Sequence: 2048, Loss: 1.4, Batch: 4,
		Samples: 1000, Runs: 30, Dataset: "reports"}}
	got := toLoss(set, w, 1.4)["a1"]
	if got == nil || got.ToLoss.Tokens.Value != 2048e3 || got.ToLoss.Tokens.Basis != estimate.Published ||
		!strings.Contains(got.ToLoss.Why, "30 published trainings on reports") {
		t.Fatalf("%+v", got)
	}
	if got := toLoss(set, w, 1.41); len(got) != 0 {
		t.Errorf("%d candidates to a loss that was passed by", len(got))
	}
	w.Tuning.Method = "qlora"
	if seen := candidate.Losses(set, w); len(seen) != 0 {
		t.Errorf("by another method: %v", seen)
	}
}

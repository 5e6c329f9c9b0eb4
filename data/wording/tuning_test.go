package wording

import (
	"slices"
	"testing"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/memory"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/transformer"
)

// A VM type is left out for memory once, however many batches it was tried at, and not where
// it holds one of them.
func TestUnfit(t *testing.T) {
	at := func(vm string, batch int, v memory.Verdict, gib float64) candidate.Candidate {
		fit := &candidate.Fit{Verdict: v, HasGiB: 24}
		fit.Need.Total = estimate.Estimate{Value: gib * memory.GiB, High: gib * memory.GiB}
		if v != memory.Fits {
			fit.WouldFit = []string{"QLoRA"}
		}
		return candidate.Candidate{Mode: profile.Train, BatchSize: batch, Fit: fit, Configuration: []candidate.Part{
			{VM: profile.VMType{Cloud: "c", InstanceType: vm}, Count: 1}}}
	}
	for _, c := range []struct {
		of   []candidate.Candidate
		want []string
	}{
		{[]candidate.Candidate{at("a", 1, memory.Fits, 20)}, nil},
		{[]candidate.Candidate{at("a", 1, memory.MayFit, 23), at("a", 2, memory.Fits, 22),
			at("a", 3, memory.TooMuch, 21)}, nil},
		{[]candidate.Candidate{at("a", 1, memory.TooMuch, 2400), at("a", 2, memory.MayFit, 23),
			at("b", 1, memory.TooMuch, 30)},
			[]string{"2 VM types left out for memory: 1 may fit, 1 do not; the nearest is 1× a, which may take 23 of each " +
				"GPU's 24 GiB, of which ECC and the driver keep some", "what would fit: QLoRA (2 of them)"}},
		{[]candidate.Candidate{at("a", 1, memory.TooMuch, 2400)},
			[]string{"1 VM type left out for memory: 0 may fit, 1 do not; the nearest is 1× a, which may take 2,400 of each " +
				"GPU's 24 GiB", "what would fit: QLoRA (1 of them)"}},
	} {
		q := question.Default()
		q.Tuning = &transformer.Tuning{}
		r := rank.Evaluate(rank.NewSpace(candidate.ListOf(c.of...)), q)
		if got := Unfit(r); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

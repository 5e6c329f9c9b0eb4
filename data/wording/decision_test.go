package wording

import (
	"strings"
	"testing"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// on is a candidate on one VM of a type, at batch 128.
func on(vm, gpu string, seconds, usd float64, basis estimate.Basis) candidate.Candidate {
	return candidate.Candidate{ID: vm, BatchSize: 128, Purchase: profile.OnDemand,
		Configuration: []candidate.Part{{Count: 1, USDPerHour: new(usd / seconds * 3600),
			VM: profile.VMType{Cloud: "aws", InstanceType: vm, GPU: gpu}}},
		Time: estimate.Spread(seconds, 0.08, basis), Cost: estimate.Spread(usd, 0.08, basis), Cell: len(vm) + int(seconds)}
}

func decide(q question.Query, of ...candidate.Candidate) Decision {
	r := rank.Evaluate(rank.NewSpace(candidate.ListOf(of...)), q)
	return Decide(r, r.BestProbability, nil, nil)
}

func TestDecision(t *testing.T) {
	l4 := on("g6.xlarge", "L4", 580, 0.13, estimate.Measured)
	slow := on("g6.slow", "L4", 700, 0.1301, estimate.Measured)
	dear := on("p4d", "A100", 100, 5, estimate.Published)
	own := on("box", "RTX4090", 500, 0.1, estimate.Measured)
	own.Configuration[0].VM.Cloud = ""
	spot := l4
	spot.Purchase = profile.Spot
	unpriced := l4
	unpriced.Cost = estimate.Estimate{}
	guessed := on("h100", "H100", 100, 0.05, estimate.Spec)
	by := func(s question.Sort, limit float64) question.Query {
		q := question.Query{Sort: s, Workload: question.Workload{Model: "vit_small", Mode: profile.Train}}
		if limit > 0 {
			q.Limits = question.Limits{objective.Cost: limit}
		}
		return q
	}
	for name, c := range map[string]struct {
		q    question.Query
		of   []candidate.Candidate
		want string
	}{
		"alone": {by(question.ByCost, 0), []candidate.Candidate{l4},
			"Rent 1× g6.xlarge (L4) for vit_small at batch 128: 9 m 40 s, $0.13 ±8 %."},
		"clear": {by(question.ByCost, 0), []candidate.Candidate{dear, l4},
			"Rent 1× g6.xlarge (L4) for vit_small at batch 128: 9 m 40 s, $0.13 ±8 %. P = over 99 % that it is the cheapest. " +
				"1× p4d becomes cheaper if g6.xlarge costs more than $31.03/h (now $0.81)."},
		"tied": {by(question.ByCost, 0), []candidate.Candidate{slow, dear, l4},
			"Rent 1× g6.xlarge (L4) for vit_small at batch 128: 9 m 40 s, $0.13 ±8 %. " +
				"2 configurations tie on cost; this is the fastest of them. P = over 99 % that the cheapest is among them."},
		"published": {by(question.ByTime, 0), []candidate.Candidate{dear, l4},
			"Rent 1× p4d (A100) for vit_small at batch 128: 1 m 40 s, $5.00 ±8 %. " +
				"P = over 99 % that it is the fastest (published)."},
		"own": {by(question.ByCost, 0), []candidate.Candidate{own},
			"Use 1× box (RTX4090) for vit_small at batch 128: 8 m 20 s, $0.10 ±8 %."},
		"spot": {by(question.ByCost, 0), []candidate.Candidate{spot},
			"Rent 1× g6.xlarge (L4) spot for vit_small at batch 128: 9 m 40 s, $0.13 ±8 %."},
		"unpriced": {by(question.ByTime, 0), []candidate.Candidate{unpriced},
			"Rent 1× g6.xlarge (L4) for vit_small at batch 128: 9 m 40 s ±8 %."},
		"alone with a price": {by(question.ByCost, 0), []candidate.Candidate{unpriced, slow},
			"Rent 1× g6.slow (L4) for vit_small at batch 128: 11 m 40 s, $0.13 ±8 %."},
		"some without a price": {by(question.ByCost, 0), []candidate.Candidate{dear, unpriced, slow},
			"Rent 1× g6.slow (L4) for vit_small at batch 128: 11 m 40 s, $0.13 ±8 %. " +
				"P = over 99 % that it is the cheapest of the 2 whose cost is known. " +
				"1× p4d becomes cheaper if g6.slow costs more than $25.71/h (now $0.67)."},
		"guess": {by(question.ByCost, 0), []candidate.Candidate{guessed},
			"Nothing is measured on these VM types. The best guess is 1× h100 (H100) for vit_small at batch 128, $0.046 to $0.054."},
		"guess beside": {by(question.ByCost, 0), []candidate.Candidate{guessed, l4},
			"The best guess is 1× h100 (H100) for vit_small at batch 128, $0.046 to $0.054; it was never measured. " +
				"The best of those that were is 1× g6.xlarge: 9 m 40 s, $0.13 ±8 %. P = over 99 % that it is the cheapest. " +
				"1× g6.xlarge becomes cheaper if h100 costs more than $4.68/h (now $1.80)."},
		"nothing": {by(question.ByCost, 0.01), []candidate.Candidate{l4},
			"Nothing is within these limits: cost rules out all 1 candidates (the cheapest costs $0.13)."},
		"empty": {by(question.ByCost, 0), nil, ""},
	} {
		if got := strings.Join(decide(c.q, c.of...).Sentences(), " "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// A tie of the first place only has its first by the other objective; a score has none.
func TestNoTieInAScore(t *testing.T) {
	d := decide(question.Query{Sort: question.ByScore}, on("a", "L4", 580, 0.13, estimate.Measured),
		on("b", "L4", 581, 0.13, estimate.Measured))
	if d.Ties != "" || d.Certainty != "" || d.By != "" {
		t.Errorf("%+v", d)
	}
}

// A VM type on which several batch sizes are to be probed is named once.
func TestProbesNameAVMTypeOnce(t *testing.T) {
	large, small := on("g6", "L4", 580, 0.13, estimate.Spec), on("g6", "L4", 700, 0.14, estimate.Spec)
	other := on("p4d", "A100", 100, 5, estimate.Spec)
	small.BatchSize, small.ID = 64, "small"
	r := rank.Evaluate(rank.NewSpace(candidate.ListOf(large, other, small)), question.Query{Sort: question.ByCost,
		Workload: question.Workload{Model: "m", Mode: profile.Train}})
	probe := func(i int, usd float64) advice.Probe {
		return advice.Probe{Candidate: i, Objective: objective.Cost, Seconds: 60, USD: &usd, Pays: true, Settles: 0.9}
	}
	got := Probes(r, []advice.Probe{probe(0, 0.01), probe(1, 0.05), probe(2, 0.02)})
	if want := "probe g6 at batch 128 and 64, then p4d at batch 128: $0.080 and 3 m 00 s together, with the " +
		"start-ups of the VMs; the cheapest is one of them with a probability of 90 %"; got != want {
		t.Errorf("it says %q", got)
	}
}

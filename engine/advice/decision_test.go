package advice

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// measured is a training run that takes about as many seconds a step as given.
func measured(id int64, vm string, step float64) profile.Run {
	return profile.Run{
		ID: id, Model: "net", Mode: profile.Train, Cloud: "aws", Region: "r", InstanceType: vm, GPU: "K80",
		GPUCount: 1, Count: 1,
		BatchSize: 64, Basis: estimate.Measured, Status: profile.Done, USDPerHour: new(3.6),
		StartupS: new(10.0), IterationsPerEpoch: new(100.0), Steady: estimate.Spread(step, 0.05, estimate.Measured),
	}
}

func priced(rs ...profile.Run) *profile.Set {
	set := &profile.Set{Runs: rs}
	for _, r := range rs {
		set.VMTypes = append(set.VMTypes, profile.VMType{
			Cloud: r.Cloud, Region: r.Region, InstanceType: r.InstanceType, GPU: r.GPU, GPUCount: 1,
			Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: *r.USDPerHour}},
		})
	}
	return set
}

func asks(by question.Sort) question.Query {
	return question.Query{Workload: question.Workload{Model: "net", Mode: profile.Train, Epochs: new(10.0),
		Purchase: profile.OnDemand}, Sort: by}
}

func TestDecisionPrecision(t *testing.T) {
	// 10 epochs of 100 steps: 10 s + 999 steps.
	own := measured(1, "g4dn", 0.1)
	share := 99.9 / 109.9
	slower := measured(2, "p2", 0.12)
	slower.USDPerHour = new(1.8) // slower and cheaper
	limited := func(q question.Query, seconds, usd float64) question.Query {
		if seconds > 0 {
			q.Limits = q.Limits.With(objective.Time, &seconds)
		}
		if usd > 0 {
			q.Limits = q.Limits.With(objective.Cost, &usd)
		}
		return q
	}
	strict := asks(question.ByTime)
	strict.Limits = question.Limits{objective.Accuracy: 0.9}
	for _, c := range []struct {
		name  string
		set   *profile.Set
		q     question.Query
		want  float64
		words string
	}{
		{"alone", priced(own), asks(question.ByTime), 0, ""},
		{"slower rival", priced(own, slower), asks(question.ByTime), (129.88/109.9 - 1) / share, "separates it from #2 p2"},
		{"cheaper rival", priced(own, slower), asks(question.ByCost), (1 - 129.88/2/109.9) / share,
			"separates it from #1 p2"},
		{"equal rival", priced(own, measured(2, "p2", 0.1001)), asks(question.ByTime), 0, ""},
		{"time limit", priced(own), limited(asks(question.ByTime), 120, 0), (120/109.9 - 1) / share,
			"separates it from the limit of 2 m 00 s"},
		{"time limit missed", priced(own), limited(asks(question.ByTime), 100, 0), (1 - 100/109.9) / share,
			"separates it from the limit of 1 m 40 s"},
		{"cost limit", priced(own), limited(asks(question.ByTime), 0, 0.11), (0.11/0.1099 - 1) / share,
			"separates it from the limit of $0.11"},
		{"too inaccurate whatever its time", priced(own, slower), limited(strict, 120, 0), 0, ""},
		{"another model", priced(own, slower),
			question.Query{Workload: question.Workload{Model: "other", Mode: profile.Train}}, 0, ""},
	} {
		got, words := DecisionPrecision(c.set, c.q, own)
		if math.Abs(got-c.want) > 1e-6 || words != c.words {
			t.Errorf("%s: ±%.4f %q, want ±%.4f %q", c.name, got, words, c.want, c.words)
		}
	}
	if got, _ := DecisionPrecision(priced(slower), asks(question.ByTime),
		own); math.Abs(got-(129.88/109.9-1)/share) > 1e-6 {
		t.Errorf("a run that is not in the set yet: %v", got)
	}
	unsteady := own
	unsteady.Steady = estimate.Estimate{}
	if got, _ := DecisionPrecision(priced(own, slower), asks(question.ByTime), unsteady); got != 0 {
		t.Errorf("a run without a mean: %v", got)
	}
}

// position is where the run stands: how many other feasible candidates are
// better by more than rounding, and whether it is feasible itself.
func position(set *profile.Set, q question.Query, run profile.Run) (better int, isFeasible bool) {
	d, ok := newDecision(set, q, run)
	if !ok || !d.Feasible.Has(d.own) {
		return 0, false
	}
	for _, j := range d.Order() {
		if !d.mine[j] && d.Key(j) < d.Key(d.own) {
			better++
		}
	}
	return better, true
}

// The definition, by asking again: within the precision found the rank stays,
// beyond it on one side it changes.
func TestDecisionPrecisionByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rs []profile.Run
		for i := range rapid.IntRange(1, 6).Draw(t, "runs") {
			r := measured(int64(i+1), string(rune('a'+rapid.IntRange(0, 5).Draw(t, "vm"))),
				0.05*math.Pow(1.03, float64(rapid.IntRange(0, 40).Draw(t, "step"))))
			r.BatchSize = rapid.SampledFrom([]int{32, 64}).Draw(t, "batch")
			r.USDPerHour = new(float64(r.InstanceType[0] - 'a' + 1))
			rs = append(rs, r)
		}
		set, run := priced(rs...), rs[0]
		q := asks(rapid.SampledFrom([]question.Sort{question.ByTime, question.ByCost, question.ByScore}).Draw(t, "sort"))
		if rapid.Bool().Draw(t, "limited") {
			q.Limits = question.Limits{objective.Time: rapid.Float64Range(40, 200).Draw(t, "max time")}
		}
		at := func(change float64) (int, bool) {
			moved := run
			moved.Steady = run.Steady.Times(1 + change)
			return position(set, q, moved)
		}
		p, words := DecisionPrecision(set, q, run)
		if p == 0 {
			return
		}
		rank, isFeasible := at(0)
		const less, more = 0.99, 1.01
		for _, side := range []float64{-1, 1} {
			if r, f := at(side * less * min(p, 0.45)); (r != rank || f != isFeasible) && !near(set, q, run) {
				t.Fatalf("rank %d, feasible %v within ±%.4f (%s), was %d and %v", r, f, p, words, rank, isFeasible)
			}
		}
		if p > 0.45 {
			return
		}
		down, fd := at(-more * p)
		up, fu := at(more * p)
		if down == rank && fd == isFeasible && up == rank && fu == isFeasible {
			t.Fatalf("beyond ±%.4f (%s) nothing changes", p, words)
		}
	})
}

// near reports whether a competitor is so close that it counts as equal.
func near(set *profile.Set, q question.Query, run profile.Run) bool {
	d, _ := newDecision(set, q, run)
	for _, j := range d.Order() {
		if !d.mine[j] && math.Abs(d.passes(j)) < rank.Material {
			return true
		}
	}
	return false
}

package candidate_test

import (
	"math"
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

// failing is a course that never comes above half.
func failing(batch int) profile.Run {
	r := course(batch, 1)
	for e := range r.Validations {
		r.Validations[e].Value = new(0.4)
	}
	r.Accuracy.Value = 0.4
	return r
}

// A batch size of whose trainings most fail counts the failed ones, and is not
// the cheapest for what a lucky one took.
func TestFailedTrainingsCount(t *testing.T) {
	set := runs(course(64, 1.6), failing(64), failing(64), failing(64), failing(64), course(128, 1), course(128, 1),
		course(128, 1), course(128, 1))
	w := question.Workload{Model: "net", Mode: profile.Train, TargetAccuracy: new(0.6)}
	r := rank.Evaluate(rank.NewSpace(candidate.NewList(set, w, nil, nil)),
		question.Query{Workload: w, Sort: question.ByTime})
	first := r.Space.At(r.First())
	if first.BatchSize != 128 || r.Space.At(r.Order()[1]).BatchSize != 64 {
		t.Fatalf("first is batch %d", first.BatchSize)
	}
	lucky := r.Space.At(r.Order()[1])
	if lucky.Never == nil || *lucky.Never < 0.5 || !strings.Contains(lucky.EpochsWhy, "the time counts") ||
		lucky.Time.Value < 2*8*100*0.1 {
		t.Errorf("never %v, time %v: %s", lucky.Never, lucky.Time.Value, lucky.EpochsWhy)
	}
	line, _ := lucky.Line(objective.Time)
	if math.Abs(line.At(*lucky.Epochs)-lucky.Time.Value) > 1e-6*lucky.Time.Value {
		t.Errorf("the line says %g, the time is %g", line.At(*lucky.Epochs), lucky.Time.Value)
	}
}

// What two VM types need of epochs with one batch size is one unknown: the
// cheaper one stays cheaper whatever it is.
func TestEpochsErrTogether(t *testing.T) {
	slow, fast := course(128, 1), course(128, 1)
	fast.InstanceType, fast.Steady = "p3", fast.Steady.Times(0.8)
	set := runs(slow, fast, course(64, 1))
	set.Runs[2].InstanceType = "other"
	w := question.Workload{Model: "net", Mode: profile.Train, TargetAccuracy: new(0.6), BatchSizes: []int{128}}
	s := rank.NewSpace(candidate.NewList(set, w, nil, nil))
	for i := range s.Len() {
		c := s.At(i)
		if len(c.Errors) != 2 || c.Errors[1].Cell != s.At(0).Errors[1].Cell ||
			c.Errors[0].Cell == s.At(0).Errors[0].Cell != (i == 0) {
			t.Errorf("%s errs by %+v, the first by %+v", c.ID, c.Errors, s.At(0).Errors)
		}
		if got := math.Hypot(c.Errors[0].Sigma, c.Errors[1].Sigma); math.Abs(got-c.Time.LogSigma()) > 1e-9 {
			t.Errorf("%s: parts of %g, sigma %g", c.ID, got, c.Time.LogSigma())
		}
	}
}

// A probe takes its start-up and at least as many iterations as the rule asks
// for, and tells nothing of epochs.
func TestWhatAProbeTakesAndTells(t *testing.T) {
	r := steadily(train(256, "p2"), 50, 60, 10)
	c := only(t, runs(r), question.Workload{Mode: profile.Train, Epochs: new(2.0)})
	if got := advice.ProbeSeconds(&c); got != 50+20*60 {
		t.Errorf("20 iterations of a minute take %g s", got)
	}
	quick := steadily(train(256, "p2"), 50, 0.1, 10)
	c = only(t, runs(quick), question.Workload{Mode: profile.Train, Epochs: new(2.0)})
	if got := advice.ProbeSeconds(&c); got != 50+30 {
		t.Errorf("quick iterations take %g s", got)
	}
	target := build(runs(course(64, 1), course(256, 1.3), course(256, 0.7)), question.Workload{Model: "net",
		Mode: profile.Train, TargetAccuracy: new(0.6)})
	for _, c := range target {
		if c.Probe.Sigma > c.Time.LogSigma() || c.EpochsRange.LogSigma() > 0.01 && c.Probe.Sigma >= c.Time.LogSigma() {
			t.Errorf("%s: a probe tells %g of %g", c.ID, c.Probe.Sigma, c.Time.LogSigma())
		}
	}
}

// A run that does not say its region is priced by the cheapest that has the
// instance type.
func TestARunWithoutARegionHasAPrice(t *testing.T) {
	price := func(usd float64) []profile.Price {
		return []profile.Price{{Purchase: profile.OnDemand, USDPerHour: usd}}
	}
	r := steadily(train(256, "p2"), 10, 0.1, 100)
	r.Cloud, r.Region = "aws", ""
	set := runs(r)
	set.VMTypes = []profile.VMType{
		{Cloud: "aws", Region: "eu", InstanceType: "p2", GPU: "K80", GPUCount: 1, Prices: price(1.1)},
		{Cloud: "aws", Region: "us", InstanceType: "p2", GPU: "K80", GPUCount: 1, Prices: price(0.9)},
	}
	c := only(t, set, question.Workload{Mode: profile.Train, Epochs: new(2.0)})
	if hourly := c.USDPerHour(); hourly == nil || *hourly != 0.9 || c.Configuration[0].VM.Region != "us" {
		t.Errorf("priced at %v in %q", hourly, c.Configuration[0].VM.Region)
	}
	set.Runs[0].USDPerHour = new(0.4)
	if c := only(t, set, question.Workload{Mode: profile.Train, Epochs: new(2.0)}); *c.USDPerHour() != 0.4 {
		t.Errorf("its own price gives way to %v", *c.USDPerHour())
	}
}

// A single time without an interval is never exact.
func TestNothingTimedOnceIsExact(t *testing.T) {
	r := steadily(train(256, "p2"), 0, 0.1, 100)
	r.Steady = estimate.Exact(0.1, estimate.Measured)
	if c := only(t, runs(r), question.Workload{Mode: profile.Train, Epochs: new(2.0)}); c.Time.HalfWidth() < 0.04 {
		t.Errorf("training ±%g", c.Time.HalfWidth())
	}
	r.Mode = profile.Infer
	if c := only(t, runs(r), question.Workload{Mode: profile.Infer, Units: 1e4}); c.Time.HalfWidth() < 0.04 {
		t.Errorf("inference ±%g", c.Time.HalfWidth())
	}
}

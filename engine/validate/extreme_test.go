package validate

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/estimate"
	"sweetspot/engine/fleet"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/serving"
	"sweetspot/engine/training"
	"sweetspot/engine/transfer"
)

// draws are amounts, most of them usual ones, the others of up to so many powers of
// ten.
type draws struct {
	*rapid.T
	powers float64
}

func (d draws) amount(name string) float64 {
	if rapid.IntRange(0, 2).Draw(d.T, name+": usual") > 0 {
		return rapid.Float64Range(0.01, 100).Draw(d.T, name)
	}
	return math.Pow(10, rapid.Float64Range(-d.powers, d.powers).Draw(d.T, name+": power of ten"))
}

func (d draws) maybe(name string) *float64 {
	if rapid.Bool().Draw(d.T, name+": known") {
		return new(d.amount(name))
	}
	return nil
}

func (d draws) run(id int64) profile.Run {
	r := profile.Run{
		ID: id, Model: rapid.SampledFrom([]string{"net", "net", "other"}).Draw(d.T, "model"), Dataset: "data",
		Mode: rapid.SampledFrom([]profile.Mode{profile.Train, profile.Infer}).Draw(d.T, "mode"), Unit: "image",
		Cloud: "aws", Region: "r", InstanceType: rapid.SampledFrom([]string{"small", "large"}).Draw(d.T, "VM"),
		GPU: "V100", GPUCount: rapid.IntRange(0, 4).Draw(d.T, "GPUs"), Count: 1, USDPerHour: d.maybe("price"),
		BatchSize: 8 << rapid.IntRange(0, 6).Draw(d.T, "batch"), Epochs: d.maybe("epochs"),
		IterationsPerEpoch: d.maybe("iterations"), TrainSize: d.maybe("size"), InitS: d.maybe("initialisation"),
		FirstIterationS: d.maybe("first"), SteadyStdDevS: d.maybe("deviation"),
		SteadyN: rapid.IntRange(0, 100).Draw(d.T, "n"), WarmupExtraS: d.maybe("warm-up"),
		FirstValidationS: d.maybe("first validation"), ValidationS: d.maybe("validation"), TotalS: d.maybe("total"),
		TotalStdDevS: d.maybe("deviation of totals"), TotalN: rapid.IntRange(0, 5).Draw(d.T, "totals"),
		EnergyJPerUnit: d.maybe("energy"), AveragePowerW: d.maybe("power"), PeakMemoryBytes: d.maybe("memory"),
		Basis:  rapid.SampledFrom([]estimate.Basis{estimate.Measured, estimate.Published}).Draw(d.T, "basis"),
		Status: profile.Done,
	}
	if v := d.maybe("steady"); v != nil {
		rel := rapid.SampledFrom([]float64{0, 0.1}).Draw(d.T, "interval")
		r.Steady = estimate.Spread(*v, rel, r.Basis)
	}
	if v := d.maybe("quality"); v != nil {
		r.Accuracy = &profile.Accuracy{Metric: "accuracy", Value: *v, HigherIsBetter: true, Basis: r.Basis}
	}
	at := 0.0
	for epoch := range rapid.IntRange(0, 12).Draw(d.T, "epochs begun") {
		at += d.amount("epoch")
		r.EpochStartsS = append(r.EpochStartsS, at)
		r.Validations = append(r.Validations, profile.Validation{Epoch: epoch, Seconds: d.amount("evaluation"), AtS: new(at),
			Metric: "accuracy", Value: d.maybe("accuracy"), HigherIsBetter: true})
		r.Pauses = append(r.Pauses, profile.Pause{AtS: at, Seconds: d.amount("pause"), Kind: "checkpoint"})
	}
	return r
}

func (d draws) set() *profile.Set {
	set := &profile.Set{GPUs: []profile.GPUSpec{{Name: "V100", FP32TFLOPS: new(15.0), BandwidthGBs: new(900.0)}}}
	for _, vm := range []string{"small", "large", "new"} {
		set.VMTypes = append(set.VMTypes, profile.VMType{Cloud: "aws", Region: "r", InstanceType: vm, GPU: "V100",
			GPUCount: 1,
			Prices:   []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 1}}})
	}
	for i := range rapid.IntRange(1, 12).Draw(d.T, "runs") {
		set.Runs = append(set.Runs, d.run(int64(i+1)))
	}
	return set
}

// answered asks everything of a set and passes on the estimates.
func (d draws) answered(set *profile.Set, check func(what string, e estimate.Estimate)) {
	for _, q := range Questions() {
		for _, c := range q.Cases(set) {
			check(q.Name+" "+c.Of, c.Predicted)
		}
	}
	totals := training.NewTotals(set.Runs)
	for _, r := range set.Runs {
		check("total", totals.Predict(r, 2, 20).Total)
	}
	fleet.MixOf(set)
	pool, _ := serving.Choose(serving.Offers(set, nil, 1), d.amount("limit"), d.amount("rate"))
	pool.Frontier()
	for _, mode := range []profile.Mode{profile.Train, profile.Infer} {
		p := transfer.New(set, mode)
		for _, batch := range []int{1, 8, 64, 4096} {
			e, _ := p.Iteration("net", profile.Variant{}, set.VMTypes[2], 1, batch)
			check(fmt.Sprint("iteration at ", batch), e)
		}
		q := question.Query{Sort: question.ByCost, Workload: question.Workload{Model: "net", Mode: mode,
			Epochs: d.maybe("asked"), Units: d.amount("units"), Purchase: profile.OnDemand, MaxCount: 2}}
		for _, predict := range []candidate.Predictor{nil, p} {
			r := rank.Answer(set, q, predict)
			for i := range r.Space.Len() {
				check("time", r.Space.At(i).Time)
				check("cost", r.Space.At(i).Cost)
			}
			r.BestProbability(objective.Time)
			advice.SweetSpots(r.Space)
			advice.Relaxations(r)
			advice.Recommended(r)
			advice.NextProbe(r, advice.ProbeSeconds, r.BestProbability)
			if mode == profile.Infer {
				_, _ = candidate.Combine(set, q.Workload, predict, candidate.Rental{Split: cluster.ByGPUs})
			}
		}
	}
}

// Whatever finite numbers runs hold, nothing panics.
func TestNoNumberIsTooMuch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draws{t, 300}
		d.answered(d.set(), func(string, estimate.Estimate) {})
	})
}

// Of plausible numbers every estimate lies in its interval, above 0.
func TestPlausibleNumbersHaveIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draws{t, math.Log10(estimate.Largest)}
		d.answered(d.set(), func(what string, e estimate.Estimate) {
			if e.Known() && !(e.Value >= 0 && e.Low <= e.Value*(1+1e-9) && e.Value <= e.High*(1+1e-9)) {
				t.Fatalf("%s: %+v", what, e)
			}
		})
	})
}

package candidate_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/training"
)

// only builds and expects exactly one candidate.
func only(t *testing.T, set *profile.Set, w question.Workload) candidate.Candidate {
	t.Helper()
	w.Model = "net"
	if w.Purchase == "" {
		w.Purchase = profile.OnDemand
	}
	got := build(set, w)
	if len(got) != 1 {
		t.Fatalf("%d candidates, want 1: %+v", len(got), got)
	}
	return got[0]
}

func runs(rs ...profile.Run) *profile.Set {
	for i := range rs {
		rs[i].ID = int64(i + 1)
	}
	return &profile.Set{Runs: rs}
}

func TestMethod2IsTheTime(t *testing.T) {
	c := only(t, runs(steadily(train(256, "p2"), 14, 0.5, 158.25)), question.Workload{Mode: profile.Train,
		Epochs: new(13.0)})
	if want := 14 + 0.5*(13*158.25-1); math.Abs(c.Time.Value-want) > 1e-9 || c.Time.Basis != estimate.Measured {
		t.Errorf("time %+v, want %g", c.Time, want)
	}
	if c.Epochs == nil || *c.Epochs != 13 || c.AsPrinted || !slices.Equal(c.Sources, []int64{1}) {
		t.Errorf("got %+v", c)
	}
	for _, n := range []float64{1, 13, 500} {
		at := only(t, runs(steadily(train(256, "p2"), 14, 0.5, 158.25)), question.Workload{Mode: profile.Train, Epochs: &n})
		if math.Abs(c.TimeByEpochs.At(n)-at.Time.Value) > 1e-6 {
			t.Errorf("the line says %g at %g epochs, the estimate %g", c.TimeByEpochs.At(n), n, at.Time.Value)
		}
	}
}

func TestStrongestBasisWins(t *testing.T) {
	bases := []estimate.Basis{estimate.Measured, estimate.Published, estimate.Reconstructed, estimate.Spec}
	rapid.Check(t, func(t *rapid.T) {
		var rs []profile.Run
		for i, b := range rapid.SliceOfN(rapid.SampledFrom(bases), 1, 6).Draw(t, "bases") {
			r := train(256, "p2")
			r.Basis = b
			rs = append(rs, steadily(r, 1, float64(i+1), 100))
		}
		got := build(runs(rs...), question.Workload{Model: "net", Mode: profile.Train, Epochs: new(2.0)})
		if len(got) != 1 {
			t.Fatalf("%d candidates of one cell", len(got))
		}
		best := slices.MinFunc(rs, func(a, b profile.Run) int { return int(a.Basis) - int(b.Basis) }).Basis
		var sources []int64
		var mean float64
		for _, r := range rs {
			if r.Basis == best {
				sources = append(sources, r.ID)
				mean += 1 + r.Steady.Value*199
			}
		}
		mean /= float64(len(sources))
		c := got[0]
		if c.Time.Basis != best || !slices.Equal(c.Sources, sources) || math.Abs(c.Time.Value-mean) > 1e-6 {
			t.Fatalf("%v from runs %v takes %g; want %v, %v, %g", c.Time.Basis, c.Sources, c.Time.Value, best, sources, mean)
		}
	})
}

func TestPublishedTotals(t *testing.T) {
	total := train(256, "p2")
	total.Basis, total.TotalS = estimate.Published, new(153.1)
	target := total
	target.Accuracy = &profile.Accuracy{Metric: "top-1", Value: 0.9, HigherIsBetter: true}

	if c := only(t, runs(total), question.Workload{Mode: profile.Train}); c.Time.Value != 153.1 || !c.AsPrinted ||
		c.Epochs != nil {
		t.Errorf("as published: %+v", c)
	}
	for name, w := range map[string]question.Workload{
		"epochs": {Model: "net", Mode: profile.Train, Epochs: new(13.0)},
		"target": {Model: "net", Mode: profile.Train, TargetAccuracy: new(0.5)},
	} {
		if got := build(runs(total, target), w); len(got) != 0 {
			t.Errorf("a total of unknown epochs answers a question of %s: %+v", name, got)
		}
	}
	weak := train(256, "p2")
	weak.Basis = estimate.Reconstructed
	weak = steadily(weak, 10, 0.1, 100)
	weak.Epochs = new(3.0)
	if c := only(t, runs(total, weak), question.Workload{Mode: profile.Train}); c.AsPrinted ||
		!slices.Equal(c.Sources, []int64{2}) || *c.Epochs != 3 {
		t.Errorf("a total must not stand in for iteration times of the same cell: %+v", c)
	}
}

// Iteration times whose number per epoch nobody knows predict no epochs. Their
// run still has a total, which is a printed one and grows along no line.
func TestIterationsOfUnknownEpochs(t *testing.T) {
	r := steadily(train(256, "p2"), 10, 0.1, 100)
	r.IterationsPerEpoch, r.TotalS = nil, new(500.0)
	if c := only(t, runs(r), question.Workload{Mode: profile.Train}); c.Time.Value != 500 || !c.AsPrinted ||
		c.TimeByEpochs != nil {
		t.Errorf("time %v, as printed %v, line %v", c.Time.Value, c.AsPrinted, c.TimeByEpochs)
	}
	if got := build(runs(r), question.Workload{Model: "net", Mode: profile.Train, Epochs: new(2.0)}); len(got) != 0 {
		t.Errorf("answers for 2 epochs: %+v", got)
	}
}

func TestTargetAccuracyDecidesTheEpochs(t *testing.T) {
	r := steadily(train(256, "p2"), 10, 1, 100)
	for i, v := range []float64{0.5, 0.7, 0.8} {
		r.Validations = append(r.Validations, profile.Validation{Epoch: i, Metric: "top-1", Value: new(v),
			HigherIsBetter: true})
	}
	c := only(t, runs(r), question.Workload{Mode: profile.Train, TargetAccuracy: new(0.7)})
	if c.Epochs == nil || *c.Epochs != 2 || c.Time.Value != 10+199 {
		t.Errorf("0.7 is reached after 2 epochs: %v epochs, %g s", c.Epochs, c.Time.Value)
	}
	if got := build(runs(r), question.Workload{Model: "net", Mode: profile.Train,
		TargetAccuracy: new(0.9)}); len(got) != 0 {
		t.Errorf("nobody reached 0.9: %+v", got)
	}
}

func TestInferenceWorksOffWholeBatches(t *testing.T) {
	for _, c := range []struct {
		units         float64
		batch, gpus   int
		count         int
		batches, each float64
	}{
		{50000, 300, 1, 1, 167, 2},
		{50000, 300, 8, 1, 21, 2},
		{50000, 300, 8, 3, 7, 2},
		{300, 300, 1, 1, 1, 2},
		{301, 300, 1, 1, 2, 2},
		{1, 300, 16, 4, 1, 2},
		{1e6, 64, 0, 1, 15625, 0.5}, // a CPU counts as one device
	} {
		set := runs(infer(c.batch, c.gpus, c.each))
		got := build(set, question.Workload{Model: "net", Mode: profile.Infer, Units: c.units, MaxCount: 4})
		if len(got) != 4 {
			t.Fatalf("%d candidates, want one for each of 1 … 4 VMs", len(got))
		}
		x := got[c.count-1]
		if x.Configuration[0].Count != c.count || math.Abs(x.Time.Value-c.batches*c.each) > 1e-9 {
			t.Errorf("%g units at %d on %d × %d GPUs: %g s, want %g batches of %g s", c.units, c.batch, c.count, c.gpus,
				x.Time.Value, c.batches, c.each)
		}
		if x.Units == nil || *x.Units != c.units || x.Epochs != nil {
			t.Errorf("units %v, epochs %v", x.Units, x.Epochs)
		}
	}
}

func TestInferenceOfUnknownBatchAnswersNothing(t *testing.T) {
	if got := build(runs(infer(0, 1, 2)), question.Workload{Model: "net", Mode: profile.Infer, Units: 100,
		MaxCount: 4}); len(got) != 0 {
		t.Errorf("an unknown batch size takes %g s", got[0].Time.Value)
	}
}

// A run on several VMs measured a batch on one GPU like any other.
func TestInferenceIdentitiesAreUnique(t *testing.T) {
	one, two := infer(300, 1, 2), infer(300, 1, 2)
	two.Count = 2
	seen := map[string]bool{}
	for _, c := range build(runs(one, two), question.Workload{Model: "net", Mode: profile.Infer, Units: 1e4,
		MaxCount: 3}) {
		if seen[c.ID] {
			t.Errorf("%s is listed twice", c.ID)
		}
		seen[c.ID] = true
	}
}

func TestOwnMachinesAreNotMultiplied(t *testing.T) {
	r := infer(300, 1, 2)
	r.Cloud, r.Region, r.InstanceType = "", "", "desk"
	if c := only(t, runs(r), question.Workload{Mode: profile.Infer, Units: 100,
		MaxCount: 4}); c.Configuration[0].Count != 1 {
		t.Errorf("%d of a machine that exists once", c.Configuration[0].Count)
	}
}

func TestPrices(t *testing.T) {
	quoted := profile.VMType{Cloud: "aws", Region: "r", InstanceType: "p2",
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 3.6, Source: "list", AsOf: "2021"}}}
	own := steadily(train(1, "desk"), 0, 1, 3601)
	own.Cloud, own.Region = "", ""
	priced := own
	priced.USDPerHour = new(7.2)
	listed := steadily(train(1, "p2"), 0, 1, 3601)
	overridden := listed
	overridden.USDPerHour = new(99.0)
	epoch := question.Workload{Mode: profile.Train, Epochs: new(1.0)}
	spot := epoch
	spot.Purchase = profile.Spot
	for name, c := range map[string]struct {
		run  profile.Run
		w    question.Workload
		want *float64 // US dollars of an hour
	}{
		"catalog":                        {listed, epoch, new(3.6)},
		"catalog before the run's own":   {overridden, epoch, new(3.6)},
		"option nobody quotes":           {listed, spot, nil},
		"own machine without a price":    {own, epoch, nil},
		"own machine with a price":       {priced, epoch, new(7.2)},
		"own machine bought on the spot": {priced, spot, nil},
	} {
		set := runs(c.run)
		set.VMTypes = []profile.VMType{quoted}
		got := only(t, set, c.w)
		if (c.want == nil) != !got.Cost.Known() || (got.CostByEpochs == nil) != (c.want == nil) ||
			(got.USDPerHour() == nil) != (c.want == nil) {
			t.Errorf("%s: cost %+v, line %v", name, got.Cost, got.CostByEpochs)
		} else if c.want != nil && math.Abs(got.Cost.Value-*c.want) > 1e-9 {
			t.Errorf("%s: $%g, want $%g", name, got.Cost.Value, *c.want)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	oom := train(2048, "p2")
	oom.Status = profile.OutOfMemory
	halfway := steadily(oom, 1, 1, 10) // ran out after iterations enough
	fits := steadily(train(2048, "p2"), 1, 1, 10)
	w := question.Workload{Model: "net", Mode: profile.Train, Epochs: new(1.0), Purchase: profile.OnDemand}
	for name, r := range map[string]profile.Run{"at once": oom, "half-way": halfway} {
		c := only(t, runs(r), w)
		result := rank.Evaluate(rank.NewSpace(candidate.ListOf(c)), question.Query{})
		if c.OverMemory == nil || result.Feasible.Has(0) || result.Because[question.GPUMemory] != 1 {
			t.Errorf("ran out of memory %s: %+v", name, c)
		}
		if v := result.Violations(0); len(v) != 1 || v[0].Constraint != question.GPUMemory || v[0].Value != nil ||
			!math.IsNaN(v[0].Limit) {
			t.Errorf("ran out of memory %s on a GPU of unknown memory: %+v", name, v)
		}
	}
	if c := only(t, runs(oom, fits), w); c.OverMemory != nil || !slices.Equal(c.Sources, []int64{2}) {
		t.Errorf("it fitted the second time: %+v", c)
	}
}

func TestMemoryFloor(t *testing.T) {
	set := runs(steadily(train(1, "p2"), 1, 1, 10))
	set.Runs[0].GPUMemGiB = new(8.0)
	w := question.Workload{Mode: profile.Train, Epochs: new(1.0)}
	for name, c := range map[string]struct {
		params, peak *float64
		over         bool
	}{
		"nothing known":                {nil, nil, false},
		"weights and gradients fit":    {new(1.0 * (1 << 30)), nil, false},
		"weights and gradients do not": {new(1.1 * (1 << 30)), nil, true},
		"a measured peak decides":      {new(1.1 * (1 << 30)), new(7.5 * (1 << 30)), false},
		"a measured peak is too big":   {nil, new(8.5 * (1 << 30)), true},
	} {
		set.Models = []profile.Model{{Name: "net", Params: c.params}}
		set.Runs[0].PeakMemoryBytes = c.peak
		if got := only(t, set, w); (got.OverMemory != nil) != c.over {
			t.Errorf("%s: %+v", name, got.OverMemory)
		}
	}
}

func TestAccuracyBelongsToTheVariant(t *testing.T) {
	acc := func(v float64, b estimate.Basis) *profile.Accuracy {
		return &profile.Accuracy{Metric: "top-5", Value: v, HigherIsBetter: true, Basis: b}
	}
	told, silent, other := infer(300, 1, 2), infer(300, 1, 2), infer(300, 1, 2)
	told.InstanceType, told.Accuracy = "g3", acc(0.8, estimate.Published)
	other.Variant.Name = "pruned"
	byName := func(set *profile.Set, mode profile.Mode) map[string]*candidate.Quality {
		out := map[string]*candidate.Quality{}
		for _, c := range build(set, question.Workload{Model: "net", Mode: mode, Units: 1, Epochs: new(1.0)}) {
			out[c.Variant.Name+"/"+c.Configuration[0].VM.InstanceType] = c.Quality
		}
		return out
	}
	got := byName(runs(told, silent, other), profile.Infer)
	if q := got["/p2"]; q == nil || q.Estimate.Value != 0.8 {
		t.Errorf("the same variant on another VM: %+v", q)
	}
	if q := got["pruned/p2"]; q != nil {
		t.Errorf("another variant borrowed an accuracy: %+v", q)
	}
	better := told
	better.Accuracy = acc(0.79, estimate.Measured)
	if q := byName(runs(told, better, silent), profile.Infer)["/p2"]; q == nil || q.Estimate.Value != 0.79 {
		t.Errorf("the more trusted accuracy must win: %+v", q)
	}
	// In training another batch size ends at another accuracy.
	small, large := steadily(train(32, "p2"), 1, 1, 1), steadily(train(512, "g3"), 1, 1, 1)
	small.Accuracy = acc(0.9, estimate.Measured)
	if q := byName(runs(small, large), profile.Train)["/g3"]; q != nil {
		t.Errorf("batch 512 borrowed the accuracy of batch 32: %+v", q)
	}
}

func TestFilters(t *testing.T) {
	a, b := infer(32, 1, 1), infer(64, 1, 1)
	a.InstanceType, a.GPU, a.Variant.Name = "g3", "M60", "pruned"
	b.Cloud, b.GPU = "azure", "K80"
	for name, w := range map[string]question.Workload{
		"batch":   {BatchSizes: []int{32}},
		"variant": {Variants: []string{"PRUNED"}},
		"cloud":   {Clouds: []string{"AWS", "gcp"}},
		"GPU":     {GPUs: []string{"tesla m60"}},
	} {
		w.Mode, w.Units = profile.Infer, 1
		if c := only(t, runs(a, b), w); c.Configuration[0].VM.InstanceType != "g3" {
			t.Errorf("by %s: %+v", name, c)
		}
	}
}

// Runs of one script that were asked for different numbers of epochs tell of
// the newest one's number, not of a mean over all.
func TestEpochsOfTheNewestRun(t *testing.T) {
	var rs []profile.Run
	for _, epochs := range []float64{1, 100000, 3} {
		r := steadily(train(256, "p2"), 10, 0.1, 100)
		r.Epochs = new(epochs)
		rs = append(rs, r)
	}
	c := only(t, runs(rs...), question.Workload{Mode: profile.Train})
	if want := 10 + 0.1*299; math.Abs(c.Time.Value-want) > 1e-9 || *c.Epochs != 3 || len(c.Sources) != 3 {
		t.Errorf("time %+v at %g epochs from %v, want %g", c.Time, *c.Epochs, c.Sources, want)
	}
}

// Of a run of which only epochs are known, the total of another number of epochs
// is estimated from these; of its own number it is what it took.
func TestTotalsFromEpochs(t *testing.T) {
	r := train(256, "p2")
	r.Epochs, r.TotalS = new(8.0), new(5+8*60.0)
	for e := range 8 {
		r.EpochStartsS = append(r.EpochStartsS, 5+60*float64(e))
	}
	c := only(t, runs(r), question.Workload{Mode: profile.Train, Epochs: new(20.0)})
	if want := 5 + 20*60.0; math.Abs(c.Time.Value/want-1) > 0.01 || c.Time.HalfWidth() <= 0 || c.AsPrinted ||
		c.TimeByEpochs == nil {
		t.Errorf("20 epochs: %+v, want %g", c.Time, want)
	}
	for _, w := range []question.Workload{{Mode: profile.Train}, {Mode: profile.Train, Epochs: new(8.0)}} {
		if c := only(t, runs(r), w); c.Time.Value != 485 {
			t.Errorf("its own epochs: %+v", c.Time)
		}
	}
}

// A training of which only the initialisation and the beginnings of epochs are
// known answers, with an interval of what was timed once.
func TestTotalsFromEpochsAlone(t *testing.T) {
	r := train(256, "p2")
	r.InitS, r.Epochs = new(5.0), new(4.0)
	r.EpochStartsS = []float64{5, 105, 205, 305, 405}
	stepped := r // the time of an iteration says nothing where nobody knows how many there are
	stepped.Steady, stepped.SteadyN = estimate.Around(0.1, 0.001, estimate.Measured), 100
	for _, r := range []profile.Run{r, stepped} {
		set := runs(r)
		if len(question.Questions(set)) != 1 {
			t.Fatal("nothing can be asked of it")
		}
		for epochs, want := range map[float64]float64{4: 405, 10: 1005} {
			c := only(t, set, question.Workload{Mode: profile.Train, Epochs: &epochs})
			if math.Abs(c.Time.Value/want-1) > 1e-9 || c.Time.HalfWidth() < 0.95*training.OneTotalRel {
				t.Errorf("%g epochs take %+v, want %g", epochs, c.Time, want)
			}
		}
	}
}

// What was timed once is not known within a few per cent.
func TestOneIterationIsNotSure(t *testing.T) {
	of := func(vm string, seconds float64) profile.Run {
		r := train(256, vm)
		r.Mode, r.Steady, r.SteadyN = profile.Infer, estimate.Exact(seconds, estimate.Measured), 1
		return r
	}
	c := only(t, runs(of("p2", 1e20)), question.Workload{Mode: profile.Infer, Units: 1000})
	if c.Time.HalfWidth() < 0.4 {
		t.Errorf("from one iteration %+v", c.Time)
	}
}

// A run that is evaluated every fourth epoch reaches its target between two
// evaluations, counted in epochs.
func TestTargetOfSparseEvaluations(t *testing.T) {
	r := steadily(train(256, "p2"), 10, 0.1, 100)
	for i, v := range []float64{0.5, 0.7, 0.9} {
		r.Validations = append(r.Validations, profile.Validation{Epoch: 4*i + 3, Value: &v, HigherIsBetter: true})
	}
	if c := only(t, runs(r), question.Workload{Mode: profile.Train, TargetAccuracy: new(0.65)}); *c.Epochs <= 4 ||
		*c.Epochs > 8 {
		t.Errorf("%g epochs, want more than 4 and at most 8", *c.Epochs)
	}
}

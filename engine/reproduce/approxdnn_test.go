package reproduce

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
)

var testMix = fleet.Mix{
	{Model: "quick", Weight: 1, Ratio: 0.75, Accuracy: 0.9, ReducedAccuracy: 0.89, Basis: "ratio printed"},
	{Model: "slow", Weight: 1, Ratio: 0.9, Accuracy: 0.8, ReducedAccuracy: 0.801, Basis: "ratio chosen to agree"},
	{Model: "same", Weight: 1, Ratio: 1, Accuracy: 0.6, ReducedAccuracy: 0.6, Basis: "ratio chosen to agree"},
}

// offerCells are what a study of so many candidates says of itself, without results.
func offerCells(candidates float64) []Cell {
	exact := func(k Key, v float64) Cell { return Cell{k, &Number{Value: v}} }
	cells := []Cell{
		exact(textNumber("candidates"), candidates), exact(reservedPrice, 0.985), exact(onDemandPrice, 3.06),
		exact(sweepKey("lowest_on_demand"), 1.06), exact(sweepKey("highest_on_demand"), 5.06),
		exact(sweepKey("on_demand_step"), 1),
	}
	for _, reduction := range []float64{0, 10, 40} {
		cells = append(cells, exact(reductionOf(Key{Application: reducedBy(reduction)}), reduction))
	}
	return cells
}

func reducedBy(percent float64) string {
	if percent == 0 {
		return original
	}
	return fmt.Sprintf("int8 -%g%%", percent)
}

// printedOffers is a study that prints what a workload really comes to, in
// dollars of on-demand VMs that cost 200,000 in all.
func printedOffers(w *Workload, candidates float64) []Cell {
	cells := offerCells(candidates)
	put := func(k Key, v float64, decimals int) {
		printed := strconv.FormatFloat(v, 'f', decimals, 64)
		n, err := ParseNumber(printed)
		if err != nil {
			panic(err)
		}
		if decimals == 0 {
			n.Half = 0.5
		}
		cells = append(cells, Cell{k, &n})
	}
	full := w.outcome(approx.OnDemand, setting{reservedUSD: 0.985, onDemandUSD: 3.06})[accuracyColumn].drawn
	put(Key{Table: conclusions, Variant: string(approx.OnDemand), Column: accuracyColumn}, 100*full, 2)
	for _, reduction := range []float64{0, 10, 40} {
		for _, p := range approx.Policies[1:] {
			of := w.outcome(p, setting{reservedUSD: 0.985, onDemandUSD: 3.06, reduction: reduction / 100})
			k := Key{Table: resultsTable, Application: reducedBy(reduction), Variant: string(p)}
			put(k.in(offerColumn), of[offerColumn].drawn, 3)
			for _, column := range []string{reservedColumn, onDemandColumn, usageColumn, penaltyColumn, totalColumn} {
				put(k.in(column), 200_000*of[column].drawn, 0)
			}
			put(k.in(lostColumn), 100*of[lostColumn].drawn, 4)
			text := Key{Table: conclusions, Variant: string(p)}
			if reduction == 0 {
				put(text.in(accuracyColumn), 100*of[accuracyColumn].drawn, 2)
				put(Key{Table: "figure 8", Application: "quick", Variant: string(p), Column: "accepted_jobs"},
					candidates*w.accepted("quick", p, setting{reservedUSD: 0.985, onDemandUSD: 3.06}).drawn, 0)
			}
			if reduction == 0 && p == approx.ApproxDNN {
				put(text.in(savesOver+string(approx.OnDemand)+perCent), 100*(1-of[totalColumn].drawn), 4)
			}
		}
	}
	return cells
}

const fewCandidates = 1500

func fewJobs() *Workload { return NewWorkload(offerCells(fewCandidates), testMix) }

// The synthetic jobs are as many as wanted, each once, equal on every call, and of
// networks that reduced precision helps.
func TestWorkload(t *testing.T) {
	w, again := fewJobs(), fewJobs()
	if len(w.asked) != fewCandidates || !slices.Equal(w.asked, again.asked) || w.roomy >= len(w.asked) || w.roomy == 0 {
		t.Errorf("%d candidates, %d with room", len(w.asked), w.roomy)
	}
	for _, job := range w.asked {
		if ratio := job.ReducedS / job.FullS; job.kind == int32(w.terms.Mix.Find("same")) ||
			math.Abs(ratio-testMix[job.kind].Ratio) > 1e-12 {
			t.Fatalf("a %s takes %g of its time", testMix[job.kind].Model, ratio)
		}
	}
	// A longer list begins like a shorter one, over the seams of blocks.
	if longer := NewWorkload(offerCells(2*fewCandidates), testMix); longer.blocks <= w.blocks ||
		!slices.Equal(longer.asked[:fewCandidates], w.asked) {
		t.Errorf("%d and %d blocks", w.blocks, longer.blocks)
	}
	words := w.assumptions()
	for _, want := range []string{fmt.Sprintf("%d blocks (seeds 1 to %d,", w.blocks, w.blocks),
		"0.75 for quick, 0.90 for slow", "only that of quick is printed", "20 reserved VMs", "the first 1,500",
		"equally frequent"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is missing in: %s", want, words)
		}
	}
	if none := NewWorkload(offerCells(fewCandidates), testMix[2:]); len(none.asked) != 0 || none.blocks != 1 {
		t.Errorf("%d candidates in %d blocks of jobs that reduced precision does not help", len(none.asked), none.blocks)
	}
	if NewWorkload(nil, testMix) != nil || NewWorkload(offerCells(0), testMix) != nil {
		t.Error("jobs for a study that does not say how many")
	}
}

func anyJobs(t *rapid.T) *Workload {
	w := &Workload{terms: fleet.Terms{Mix: testMix}}
	for range rapid.IntRange(1, 40).Draw(t, "jobs") {
		full := rapid.Float64Range(1, 1e5).Draw(t, "runtime")
		accuracy := rapid.Float64Range(0.5, 1).Draw(t, "accuracy")
		w.asked = append(w.asked, askedJob{approx.Candidate{
			FullS: full, ReducedS: full * rapid.Float64Range(0.5, 1).Draw(t, "ratio"),
			Draw:     rapid.Float64Range(0, 0.999).Draw(t, "mind"),
			Accuracy: accuracy, ReducedAccuracy: accuracy - rapid.Float64Range(-0.01, 0.05).Draw(t, "lost"),
		}, int32(rapid.IntRange(0, 2).Draw(t, "kind"))})
	}
	return w
}

// The columns are those of approx.Evaluate, which sums up in another way.
func TestOutcomeAgainstEvaluate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, at := anyJobs(t), setting{reservedUSD: 0.985, onDemandUSD: rapid.Float64Range(1, 6).Draw(t, "price"),
			reduction: rapid.Float64Range(0, 0.5).Draw(t, "reduction")}
		var candidates []approx.Candidate
		for _, job := range w.asked {
			job.ReducedS *= 1 - at.reduction
			candidates = append(candidates, job.Candidate)
		}
		prices := approx.Prices{Reserved: at.reservedUSD, OnDemand: at.onDemandUSD}
		full := approx.Evaluate(approx.OnDemand, candidates, prices, approx.Acceptance{})
		for _, p := range approx.Policies {
			of, want := w.outcome(p, at), approx.Evaluate(p, candidates, prices, approx.Acceptance{})
			meanOffer := 0.0
			if want.Offered > 0 {
				meanOffer = want.MeanOffer * float64(want.Offered) / float64(len(candidates))
			}
			for column, v := range map[string]float64{
				reservedColumn: want.Drawn.ReservedUSD / want.AllUSD, onDemandColumn: want.Drawn.OnDemandUSD / want.AllUSD,
				usageColumn:   (want.Drawn.ReservedUSD + want.Drawn.OnDemandUSD) / want.AllUSD,
				penaltyColumn: want.Drawn.PenaltyUSD / want.AllUSD, totalColumn: want.Drawn.USD() / want.AllUSD,
				accuracyColumn: want.Drawn.Accuracy, lostColumn: 1 - want.Drawn.Accuracy/full.Drawn.Accuracy,
				offerColumn: meanOffer,
			} {
				if got := of[column].drawn; math.Abs(got-v) > 1e-9 || !(of[column].deviation >= 0) {
					t.Fatalf("%s %s: %g, want %g (deviation %g)", p, column, got, v, of[column].deviation)
				}
			}
			accepted := 0.0
			for k := range testMix {
				accepted += w.accepted(testMix[k].Model, p, setting{reservedUSD: at.reservedUSD, onDemandUSD: at.onDemandUSD}).drawn
			}
			if p == approx.OnDemand && math.Abs(accepted-1) > 1e-9 {
				t.Fatalf("%g of the jobs are of some network", accepted)
			}
		}
	})
}

// The deviation is that of workloads drawn again and again.
func TestDeviationIsThatOfDraws(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const workloads, jobs = 400, 300
	at := setting{reservedUSD: 0.985, onDemandUSD: 3.06}
	values, told := map[string][]float64{}, map[string]float64{}
	for range workloads {
		w := &Workload{terms: fleet.Terms{Mix: testMix}}
		for range jobs {
			kind := random.IntN(len(testMix))
			full := math.Exp(random.NormFloat64())
			w.asked = append(w.asked, askedJob{approx.Candidate{
				FullS: full, ReducedS: full * testMix[kind].Ratio, Accuracy: testMix[kind].Accuracy,
				ReducedAccuracy: testMix[kind].ReducedAccuracy, Draw: random.Float64(),
			}, int32(kind)})
		}
		tallies := w.outcome(approx.ApproxDNN, at)
		tallies["accepted_jobs"] = w.accepted("quick", approx.ApproxDNN, at)
		for column, tally := range tallies {
			values[column] = append(values[column], tally.drawn)
			told[column] += tally.deviation / workloads
		}
	}
	for column, x := range values {
		mean, squares := 0.0, 0.0
		for _, v := range x {
			mean += v / workloads
		}
		for _, v := range x {
			squares += (v - mean) * (v - mean) / workloads
		}
		// Of 400 draws the deviation is known within 4 %; this is four times that.
		if seen := math.Sqrt(squares); math.Abs(told[column]/seen-1) > 0.15 {
			t.Errorf("%s: deviation %g, over %d draws it is %g", column, told[column], workloads, seen)
		}
	}
}

// E/B = k(1 + k·s_max)/(1 + s_max) + 1 − k, and policies offer fixed shares.
func TestClosedForm(t *testing.T) {
	for policy, want := range map[string]float64{"on-demand": 0, "approxdnn": 0.5, "acceptance-centric": 0.9,
		"penalty-centric": 0.1} {
		if got := offered(policy); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s offers %g of s_max", policy, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k, most := rapid.Float64Range(0, 1).Draw(t, "share"), rapid.Float64Range(0.01, 20).Draw(t, "s_max")
		if got, want := relativeCost(k, most), k*(1+k*most)/(1+most)+1-k; math.Abs(got-want) > 1e-12 {
			t.Fatalf("%g of s_max %g: %g, want %g", k, most, got, want)
		}
	})
}

// A study that prints what its jobs come to is given back, and a wrong number
// in it is found.
func TestPrintedOffersAreGivenBack(t *testing.T) {
	in := Inputs{Paper: ApproxDNN, Workload: fewJobs()}
	in.Cells = printedOffers(in.Workload, fewCandidates)
	rows := Reproduce(in)
	judged := 0
	for i, r := range rows {
		if slices.Contains(r.Inputs, r.Key) {
			t.Errorf("%s %s rests on itself", r.Table, r.Cell)
		}
		if r.OK == nil || r.Table == priceFigures {
			continue
		}
		judged++
		// The closed form has one s_max for all, and users by chance: no draw of
		// these jobs is nine in ten.
		if !*r.OK && !strings.HasSuffix(r.Table, sameMostSuffix) && r.Table != "figure 8" && r.Table != conclusions {
			t.Errorf("%s %s: published %g, ours %s, tolerance %s", r.Table, r.Cell, *r.Published, show(r.Ours),
				show(r.Tolerance))
		}
		if !*r.OK || judged%5 > 0 || strings.HasPrefix(r.Cell, "int8 approxdnn total") {
			continue // the total that all shares rest on cannot be wrong by itself
		}
		wrong := in
		wrong.Cells = slices.Clone(in.Cells)
		j := slices.IndexFunc(in.Cells, func(c Cell) bool { return c.Key == r.Key })
		n := *in.Cells[j].Number
		n.Value *= 1.01 + 2.5**r.Tolerance
		wrong.Cells[j].Number = &n
		if after := Reproduce(wrong)[i]; *after.OK || *after.Ours != *r.Ours {
			t.Errorf("%s %s printed as %g: ours %g, ok %v", r.Table, r.Cell, n.Value, *after.Ours, *after.OK)
		}
	}
	if judged < 100 {
		t.Errorf("only %d numbers are judged", judged)
	}
}

// Without jobs only what other printed cells give is computed, and what rests on
// chance is not judged.
func TestOffersWithoutJobs(t *testing.T) {
	in := Inputs{Paper: ApproxDNN, Cells: printedOffers(fewJobs(), fewCandidates)}
	tables := map[string]int{}
	for _, r := range Reproduce(in) {
		tables[r.Table]++
		if strings.HasSuffix(r.Table, sameMostSuffix) && (r.Ours == nil || r.OK != nil) {
			t.Errorf("%s %s is judged without knowing what chance does", r.Table, r.Cell)
		}
		if r.Table == resultsTable && (r.OK == nil || !*r.OK) {
			t.Errorf("%s %s: published %s, ours %s", r.Table, r.Cell, show(r.Published), show(r.Ours))
		}
	}
	if len(tables) != 4 || tables[resultsTable] != 9*3+3 || tables[resultsTable+sameMostSuffix] != 9 {
		t.Errorf("rows %v", tables)
	}
	for _, words := range Findings(in) {
		if strings.Contains(words, "synthetic") {
			t.Errorf("a finding on jobs that are not there: %s", words)
		}
	}
	ofWhat := func(in Inputs) bool {
		return slices.ContainsFunc(Findings(in), func(w string) bool { return strings.Contains(w, "are a percentage") })
	}
	if !ofWhat(in) {
		t.Error("no finding of what the losses are a percentage")
	}
	for _, k := range []Key{resultKey(approx.AcceptanceCentric, lostColumn),
		{Table: conclusions, Variant: string(approx.AcceptanceCentric), Column: accuracyColumn}} {
		lost := in
		lost.Cells = slices.DeleteFunc(slices.Clone(in.Cells), func(c Cell) bool { return c.Key == k })
		if ofWhat(lost) {
			t.Errorf("a finding on losses without %s %s", k.Table, k)
		}
	}
}

// Networks without accuracies leave the losses unknown and judge nothing on them.
func TestOffersWithoutAccuracies(t *testing.T) {
	mix := slices.Clone(testMix)
	mix[0].Accuracy = math.NaN()
	in := Inputs{Paper: ApproxDNN, Cells: offerCells(fewCandidates)}
	in.Workload = NewWorkload(in.Cells, mix)
	unknown := 0
	for _, r := range Reproduce(in) {
		if strings.Contains(r.Cell, "accurac") {
			unknown++
			if r.Ours != nil || r.OK != nil {
				t.Errorf("%s %s: ours %s", r.Table, r.Cell, show(r.Ours))
			}
		}
	}
	if unknown != 5*3+1 {
		t.Errorf("%d unknown losses", unknown)
	}
	in.Workload = NewWorkload(in.Cells, nil)
	if rows := Reproduce(in); len(in.Workload.asked) == 0 && len(rows) > 0 {
		t.Errorf("rows of no jobs: %+v", rows)
	}
	Findings(in)
}

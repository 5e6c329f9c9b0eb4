package contract

import (
	"slices"
	"testing"

	"sweetspot/engine/serving"
)

// exampleTraffic is an hour of a crowd with the advice on it.
func exampleTraffic(t *testing.T, schemes ...serving.Scheme) TrafficInput {
	t.Helper()
	memory := serving.MemoryOf(serving.Defaults().Function.Seconds, serving.Defaults().Function.MemoryGiB)
	q := serving.Question{Trace: serving.CrowdLoad.Generate(3600, 50, 1), Settings: serving.Defaults(),
		MaxViolations: 0.01, Memory: &memory, Chosen: -1}
	advice, err := serving.Advise(q)
	if err != nil {
		t.Fatal(err)
	}
	return TrafficInput{Procured: serving.Procured{Question: q}, Advice: advice, Schemes: schemes, Source: "made up"}
}

// What is listed changes nothing of the advice, whose first sentence names the
// pick though no row may be marked.
func TestTrafficListsSchemes(t *testing.T) {
	all := NewTraffic(exampleTraffic(t, serving.Schemes()...))
	if len(all.Schemes) != len(serving.Schemes()) || all.Pick != string(serving.Paragon) {
		t.Fatalf("%d schemes, of which %s is picked", len(all.Schemes), all.Pick)
	}
	few := NewTraffic(exampleTraffic(t, serving.Mixed, serving.Reactive))
	if len(few.Schemes) != 2 || few.Schemes[0].Scheme != "reactive" || few.Schemes[1].Scheme != "mixed" {
		t.Errorf("listed are %+v", few.Schemes)
	}
	if few.Pick != all.Pick || few.Keeps != all.Keeps || few.Monthly != all.Monthly ||
		!slices.Equal(few.Advice, all.Advice) {
		t.Errorf("of two schemes: %q\nof all: %q", few.Advice, all.Advice)
	}
}

// Where only prices and rates are given there is no VM type, and a limit on the latency
// leaves the variant as it is. Names have their unit; the older ones say the same.
func TestUnknownOfTrafficIsNull(t *testing.T) {
	in := exampleTraffic(t, serving.Schemes()...)
	in.Advice.Savings = []serving.Saving{{Slack: serving.Latency, From: 1, To: 2}}
	f := NewTraffic(in)
	nulls(t, f.Query, "vm", "min_accuracy", "max_usd_per_million", "seed")
	nulls(t, f.Savings[0], "variant")
	for _, m := range f.Function {
		if m.MemoryGiB != m.MemoryGB || m.MemoryGiB == 0 {
			t.Errorf("%+v", m)
		}
	}
	if q := f.Query; q.FunctionGiB != 1.5 || q.FunctionGB != 1.5 || q.VMRate != 10 || q.VMQueries != 10 ||
		f.Trace.PeriodS != 3600 || f.Trace.Seconds != 3600 || f.Schemes[0].Requests != f.Schemes[0].Queries {
		t.Errorf("%+v of %+v", q, f.Trace)
	}
}

package reproduce

import (
	"strings"
	"testing"

	"sweetspot/engine/serving"
)

// Kinds of request ask only for what a variant keeps, and their shares add up.
func TestKindsOfRequest(t *testing.T) {
	v := serving.Variants{List: []serving.Variant{{Name: "small", Accuracy: 0.6, LatencyS: 0.1, USDPerMillion: 1},
		{Name: "large", Accuracy: 0.8, LatencyS: 0.4, USDPerMillion: 4}}}
	all := kinds(v, []string{"small", "large"}, nil)
	if len(all) != 3 { // the accuracy of the large one within the latency of the small one is kept by none
		t.Fatalf("%d kinds: %+v", len(all), all)
	}
	sum := 0.0
	for _, w := range all {
		sum += w.Share
	}
	if sum < 1-1e-9 || sum > 1+1e-9 {
		t.Errorf("shares add up to %g", sum)
	}
	m := serving.Mix{Trace: serving.Constant(600, 20), Kinds: all, Settings: serving.Defaults(), MaxViolations: 0.05}
	a, err := m.Answer(trained(v, serving.Defaults().VM))
	if err != nil {
		t.Fatal(err)
	}
	for k, w := range all {
		g := &a.Groups[a.Of[k]]
		if of := g.Offer(); of.Accuracy < *w.MinAccuracy || g.Settings.VM.LatencyS > w.LimitS {
			t.Errorf("%s gets %s", w.Name, of.Model)
		}
	}
	if a.Naive == nil || !(a.Outcomes[a.Pick].USD < *a.Naive) {
		t.Errorf("%v, %+v", a.Naive, a.Outcomes[a.Pick])
	}
}

// The second workload is set beside what the study prints, and judged only by its sign.
func TestWorkload2(t *testing.T) {
	in := Inputs{Paper: Paragon, Cells: paragonCells()}
	in.Traffic = fewLoads(t, in.Cells)
	for _, r := range Reproduce(in) {
		if r.Table == "section 4, workload-2" {
			if r.Published != nil || r.Ours == nil || !(*r.Ours > 0) || r.OK == nil || !*r.OK ||
				!strings.Contains(r.Note, "not plotted") || len(r.Inputs) != 8 {
				t.Errorf("%+v", r)
			}
			return
		}
	}
	t.Error("there is no row of the second workload")
}

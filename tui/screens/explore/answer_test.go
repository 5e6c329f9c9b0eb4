package explore

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
)

// Totals whose epochs nobody published answer as they are, whatever is asked: the
// ranking is not empty, and says why. A limit on it is tested all the same.
func TestPublishedTotalsAnswerAsPublished(t *testing.T) {
	s := asked(t, "CaffeNet", profile.Infer, 160, 46)
	set := *s.stored
	set.Runs = append([]profile.Run(nil), set.Runs...)
	for _, vm := range []string{"a", "b"} {
		set.Runs = append(set.Runs, profile.Run{ID: -50_000, Model: "totals", Mode: profile.Train, InstanceType: vm,
			Cloud: "aws", GPU: "V100", GPUCount: 1, Count: 1, BatchSize: 64, USDPerHour: new(3.0), Unit: "image",
			TotalS: new(3600.0), Basis: estimate.Published, Status: profile.Done})
	}
	s.stored = &set
	do(s, s.askSet())
	q := s.Question()
	q.Model, q.Mode, q.Epochs = "totals", profile.Train, new(20.0)
	do(s, s.Change("model", q))
	if a := s.answer; !a.AsPublished || a.Result.Count() == 0 || a.Result.Query.Epochs != nil {
		t.Fatalf("20 epochs of totals: %d candidates, %+v", a.Result.Space.Len(), a.Result.Query.Workload)
	}
	view := ansi.Strip(s.View())
	for _, want := range []string{"As published: no source gives the number of epochs", "as published"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not said:\n%s", want, view)
		}
	}
	q.Limits = q.Limits.With(objective.Time, new(60.0))
	do(s, s.Change("limit", q))
	if a := s.answer; !a.AsPublished || a.Result.Count() != 0 {
		t.Errorf("within a minute %d are feasible", a.Result.Count())
	}
}

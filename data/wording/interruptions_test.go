package wording

import (
	"strings"
	"testing"

	"sweetspot/engine/bill"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

func TestInterruptions(t *testing.T) {
	for _, c := range []struct {
		bill     bill.Bill
		purchase profile.Purchase
		mode     profile.Mode
		want     string // "" is no text at all
	}{
		{bill.Bill{}, profile.OnDemand, profile.Train, ""},
		{bill.Bill{}, profile.Spot, profile.Train,
			"assumed to be interrupted 0.01 times an hour each, within a factor of 40"},
		{bill.Bill{Interruptions: new(0.5)}, profile.Spot, profile.Train, "interrupted 0.5 times an hour each; each " +
			"costs the work since the last epoch"},
		{bill.Bill{Interruptions: new(0.5)}, profile.Spot, profile.Infer, "each costs the batch at work"},
		{bill.Bill{Interruptions: new(0.5), CheckpointS: new(60.0)}, profile.Spot, profile.Infer,
			"since the last checkpoint, every 1 m 00 s"},
		{bill.Bill{Interruptions: new(0.0), CheckpointS: new(60.0)}, profile.Spot, profile.Train,
			"assumed never to be interrupted"},
	} {
		got := Interruptions(question.Workload{Bill: c.bill, Purchase: c.purchase, Mode: c.mode})
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v, %s: %q", c.bill, c.purchase, got)
		}
	}
}

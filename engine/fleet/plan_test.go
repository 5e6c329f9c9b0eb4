package fleet

import (
	"context"
	"math"
	"testing"

	"sweetspot/engine/approx"
)

// No plan costs more than the sizes of its scheduler, and each bill is the one that
// its number of VMs comes to.
func TestPlansAreTheLeastBillsOfTheirSchedulers(t *testing.T) {
	q := Defaults()
	load := Usual(300)
	load.GPUs = []Share{{1, 3}, {4, 1}}
	q.Jobs, q.Fleet.VMs = load.Generate(1), 5
	tasks := Prepare(nil, q.Jobs, NewDraws(len(q.Jobs), 1), q.Terms)
	plans := q.Plans(t.Context(), tasks)
	if len(plans) != len(Schedulers) {
		t.Fatalf("%d plans", len(plans))
	}
	for i, p := range plans {
		as := q
		as.Fleet.Scheduler = Schedulers[i]
		if p.Scheduler != Schedulers[i] {
			t.Errorf("plan %d is of %s", i, p.Scheduler)
		}
		for _, s := range as.Sizes(t.Context(), tasks, math.MaxInt) {
			if s.Bills[0].USD() < p.Bill.USD() {
				t.Errorf("%s: %d VMs cost %g, the plan of %d costs %g", p.Scheduler, s.VMs, s.Bills[0].USD(), p.VMs, p.Bill.USD())
			}
		}
		as.Fleet.VMs = p.VMs
		placed := Place(tasks, as.Fleet)
		none := approx.Evaluate(approx.OnDemand, placed.Asked(tasks), q.Prices, q.Acceptance)
		rest := placed.Rest(tasks)
		whole := rest.Bill(as.Fleet, q.Prices, none.Drawn)
		if got := rest.Monthly(whole).USD(); math.Abs(got/p.Bill.USD()-1) > 1e-9 ||
			math.Abs(got*rest.PeriodS/(730*3600)/whole.USD()-1) > 1e-9 {
			t.Errorf("%s: the plan costs %g, its VMs %g", p.Scheduler, p.Bill.USD(), got)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := q.Plans(ended, tasks); got != nil {
		t.Errorf("cancelled there are %+v", got)
	}
}

func TestWideJobsTakeSeveralVMs(t *testing.T) {
	tasks := []Task{{GPUs: 1}, {GPUs: 4}, {GPUs: 5}, {GPUs: 8}}
	for _, c := range []struct{ gpus, wide, most int }{{1, 3, 8}, {4, 2, 2}, {8, 0, 0}} {
		f := Fleet{GPUsPerVM: c.gpus}
		if wide, most := f.Wide(tasks); wide != c.wide || most != c.most {
			t.Errorf("%d GPUs a VM: %d jobs take up to %d VMs", c.gpus, wide, most)
		}
	}
}

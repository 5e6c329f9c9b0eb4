package fleet

import (
	"context"
	"math"
	"runtime"

	"sweetspot/engine/approx"
	"sweetspot/engine/parallel"
)

// Plan is a number of reserved VMs and the scheduler of their jobs. The bill is in US
// dollars per month, without offers.
type Plan struct {
	Scheduler Scheduler
	VMs       int
	Bill      Bill
}

// Plans are the plans of the least bill under each of [Schedulers], among the numbers
// of VMs that [Question.Sizes] tries. When ctx is cancelled there are none. It takes seconds,
// for which it leaves a processor to others.
func (q *Question) Plans(ctx context.Context, tasks []Task) []Plan {
	plans := make([]Plan, len(Schedulers))
	parallel.Each(len(Schedulers), runtime.GOMAXPROCS(0)-1, func(i int) {
		alone := *q
		alone.Policies, alone.Fleet.Scheduler = []approx.Policy{approx.OnDemand}, Schedulers[i]
		if sizes := alone.Sizes(ctx, tasks, math.MaxInt); len(sizes) > 0 {
			least := sizes[Least(sizes, 0)]
			plans[i] = Plan{Schedulers[i], least.VMs, least.Bills[0]}
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	return plans
}

// Wide are the tasks that need more GPUs than a VM has, and so several VMs at once.
func (f *Fleet) Wide(tasks []Task) (wide int, most int) {
	for i := range tasks {
		if n := f.vmsOf(&tasks[i]); n > 1 {
			wide, most = wide+1, max(most, n)
		}
	}
	return wide, most
}

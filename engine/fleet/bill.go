package fleet

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/approx"
	"sweetspot/engine/estimate"
	"sweetspot/engine/quantity"
)

// Asked are the candidates of a schedule as package approx prices them, in the
// schedule's order.
func (s *Schedule) Asked(tasks []Task) []approx.Candidate {
	asked := make([]approx.Candidate, len(s.Candidates))
	for k, i := range s.Candidates {
		asked[k] = candidate(&tasks[i], &s.Fleet)
	}
	return asked
}

func candidate(t *Task, f *Fleet) approx.Candidate {
	vms := float64(f.vmsOf(t))
	return approx.Candidate{FullS: t.FullS * vms, ReducedS: t.ReducedS * vms, Draw: t.Draw, Accuracy: t.Accuracy,
		ReducedAccuracy: t.ReducedAccuracy}
}

// Rest sums up the jobs that no policy decides on.
type Rest struct {
	Reserved, Rented         int     // jobs
	ReservedVMS, OnDemandVMS float64 // VM-seconds
	// mean and 95th percentile of the wait of jobs on reserved VMs, in seconds;
	// NaN without any
	WaitS, WaitP95S float64
	Late            int     // jobs that miss their deadlines even on an immediate on-demand VM
	PeriodS         float64 // from the first submission to the last, and at least a mean runtime
	// What reserved VMs still do after the period: VM-seconds of the jobs that nobody
	// asks, and the share of the candidates' reduced VM-seconds; of those asked as they
	// come, whose users accepted.
	OvertimeVMS, AskedOvertime float64
	// share of the GPUs of rented and reserved VMs, while jobs run on them,
	// that their job does not use
	IdleGPUs float64
}

// Rest sums the jobs up that no policy decides on.
func (s *Schedule) Rest(tasks []Task) Rest {
	var r Rest
	if len(tasks) == 0 {
		return r
	}
	var waits []float64
	runtimes, gpus, taken := 0.0, 0.0, 0.0
	for i := range tasks {
		t, p := &tasks[i], &s.Placements[i]
		vms := float64(s.Fleet.vmsOf(t))
		runtimes += t.FullS
		gpus += t.FullS * float64(t.GPUs)
		taken += t.FullS * vms * float64(s.Fleet.GPUsPerVM)
		switch p.Where {
		case Reserved:
			r.Reserved++
			r.ReservedVMS += t.FullS * vms
			waits = append(waits, p.StartS-t.SubmitS)
		case Rented:
			r.Rented++
			r.OnDemandVMS += t.FullS * vms
			if p.StartS+t.FullS > t.DeadlineS*(1+rounding) {
				r.Late++
			}
		case Candidate: // is asked
		}
	}
	slices.Sort(waits)
	r.WaitS, r.WaitP95S = math.NaN(), math.NaN()
	if len(waits) > 0 {
		r.WaitS, r.WaitP95S = stat.Mean(waits, nil), estimate.Quantile(waits, 0.95)
	}
	r.IdleGPUs = 1 - gpus/taken
	r.PeriodS = math.Max(tasks[len(tasks)-1].SubmitS-tasks[0].SubmitS, runtimes/float64(len(tasks)))
	r.overtime(s, tasks)
	return r
}

// overtime sums up what reserved VMs do when the period has ended.
func (r *Rest) overtime(s *Schedule, tasks []Task) {
	end := tasks[0].SubmitS + r.PeriodS
	asked, after := 0.0, 0.0
	for i := range tasks {
		t, p := &tasks[i], &s.Placements[i]
		vms := float64(s.Fleet.vmsOf(t))
		switch p.Where {
		case Reserved:
			r.OvertimeVMS += vms * beyond(end, p.StartS, t.FullS)
		case Candidate:
			if p.count == 0 {
				continue // declined as it came
			}
			asked += vms * t.ReducedS
			after += vms * beyond(end, p.StartS, t.ReducedS)
		case Rented:
		}
	}
	if asked > 0 {
		r.AskedOvertime = after / asked
	}
}

// beyond is how much of a stretch of seconds lies after an end.
func beyond(end, start, seconds float64) float64 {
	return math.Min(math.Max(start+seconds-end, 0), seconds)
}

// rounding is the relative tolerance for a start computed from a deadline.
const rounding = 1e-12

// Bill is what a fleet costs in US dollars over the period of its trace.
type Bill struct {
	ReservedUSD float64 // all reserved VMs, busy or not
	OnDemandUSD float64
	PenaltyUSD  float64
	Utilisation float64 // of the reserved VMs, in [0,1]; NaN without any
}

// USD is the whole bill.
func (b Bill) USD() float64 { return b.ReservedUSD + b.OnDemandUSD + b.PenaltyUSD }

// Bill adds a policy's candidates to the rest. Reserved VMs are paid for the
// whole period, busy or not, and for what they still do when it has ended, as
// on-demand VMs are.
func (r Rest) Bill(f Fleet, prices approx.Prices, t approx.Total) Bill {
	asked := t.ReducedHours(prices)
	hours := r.PeriodS/3600*float64(f.VMs) + r.OvertimeVMS/3600 + asked*r.AskedOvertime
	return Bill{
		ReservedUSD: hours * prices.Reserved,
		OnDemandUSD: r.OnDemandVMS/3600*prices.OnDemand + t.OnDemandUSD,
		PenaltyUSD:  t.PenaltyUSD,
		Utilisation: (r.ReservedVMS/3600 + asked) / hours,
	}
}

// Outlasts is the fraction of the reserved VMs' work that comes after the period:
// where it is large, the trace is too short to show a steady state.
func (r Rest) Outlasts() float64 {
	if r.ReservedVMS == 0 {
		return 0
	}
	return r.OvertimeVMS / r.ReservedVMS
}

// Monthly is a bill over the period as one over a month of 730 hours.
func (r Rest) Monthly(b Bill) Bill {
	monthly := quantity.HoursPerMonth * 3600 / r.PeriodS
	b.ReservedUSD *= monthly
	b.OnDemandUSD *= monthly
	b.PenaltyUSD *= monthly
	return b
}

// Size is what a number of reserved VMs would cost, in US dollars per month of 730
// hours, if the load of the trace went on.
type Size struct {
	VMs   int
	Bills []Bill // of the policies asked for, in their order, expected over the users' decisions
}

// Sizes are the bills of fleets from no VM to as many as the trace would keep busy at
// once, but no more than most. About every twentieth size of a large fleet is tried,
// and all around the least bills of each policy. Where jobs take several VMs at once
// the bill is not smooth, and a size in between may still be cheaper. When ctx is
// cancelled it ends early with an incomplete list.
func (q *Question) Sizes(ctx context.Context, tasks []Task, most int) []Size {
	last := min(most, peak(tasks, &q.Fleet))
	sized := map[int]Size{}
	at := func(n int) {
		if _, done := sized[n]; !done && ctx.Err() == nil {
			sized[n] = q.sizeAt(tasks, n)
		}
	}
	for n := 0; n < last; n += max(1, n/20) {
		at(n)
	}
	at(last)
	if ctx.Err() != nil {
		return nil
	}
	coarse := inOrder(sized)
	for k := range q.Policies {
		for _, i := range leastOf(coarse, k) {
			for n := coarse[max(i-1, 0)].VMs; n < coarse[min(i+1, len(coarse)-1)].VMs; n++ {
				at(n)
			}
		}
	}
	return inOrder(sized)
}

// closely is the number of least bills around which all sizes are tried.
const closely = 4

// leastOf are the places of so many sizes with the smallest bills of a policy.
func leastOf(sizes []Size, policy int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(sizes[x].Bills[policy].USD(), sizes[y].Bills[policy].USD())
	})
	return order[:min(closely, len(order))]
}

func inOrder(sized map[int]Size) []Size {
	return slices.SortedFunc(maps.Values(sized), func(a, b Size) int { return a.VMs - b.VMs })
}

func (q *Question) sizeAt(tasks []Task, vms int) Size {
	f := q.Fleet
	f.VMs = vms
	s := Place(tasks, f)
	asked, rest := s.Asked(tasks), s.Rest(tasks)
	size := Size{VMs: vms}
	for _, p := range q.Policies {
		bill := rest.Bill(f, q.Prices, approx.Evaluate(p, asked, q.Prices, q.Acceptance).Expected)
		size.Bills = append(size.Bills, rest.Monthly(bill))
	}
	return size
}

// peak is the largest number of VMs that all tasks would keep busy at once if
// each ran as it came.
func peak(tasks []Task, f *Fleet) int {
	ends := make([]end, 0, len(tasks))
	for i := range tasks {
		n := f.vmsOf(&tasks[i])
		ends = append(ends, end{tasks[i].SubmitS, n}, end{tasks[i].SubmitS + tasks[i].FullS, -n})
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.vms, b.vms)) })
	busy, most := 0, 0
	for _, e := range ends {
		busy += e.vms
		most = max(most, busy)
	}
	return most
}

// end is where a number of VMs begins to be busy, or, negative, ends: at equal
// times, what ends comes first.
type end struct {
	at  float64 // seconds
	vms int
}

// Least is the place of the size whose bill of a policy is the smallest, the
// first of equal ones.
func Least(sizes []Size, policy int) int { return leastOf(sizes, policy)[0] }

// PaysAfter is after how many months of the load a reservation is cheaper than
// renting everything on demand, given that the whole term is paid. It is infinite
// where the reservation never pays, and greater than the term where it does not
// within it.
func PaysAfter(reserved, without Bill, termMonths float64) float64 {
	saved := without.USD() - (reserved.USD() - reserved.ReservedUSD)
	if !(saved > 0) {
		return math.Inf(1)
	}
	return reserved.ReservedUSD * termMonths / saved
}

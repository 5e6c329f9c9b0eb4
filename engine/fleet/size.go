package fleet

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"sweetspot/engine/approx"
)

// hoursPerMonth is a twelfth of a year of 365 days.
const hoursPerMonth = 730

// Size is what a number of reserved VMs would cost, in US dollars per month of 730
// hours, if the load of the trace went on.
type Size struct {
	VMs        int
	Candidates int
	Bills      []Bill // of the policies asked for, in their order, expected over the users' decisions
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
	size := Size{VMs: f.VMs, Candidates: len(asked)}
	monthly := hoursPerMonth * 3600 / rest.PeriodS
	for _, p := range q.Policies {
		bill := rest.Bill(f, q.Prices, approx.Evaluate(p, asked, q.Prices, q.Acceptance).Expected)
		bill.ReservedUSD *= monthly
		bill.OnDemandUSD *= monthly
		bill.PenaltyUSD *= monthly
		size.Bills = append(size.Bills, bill)
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
func Least(sizes []Size, policy int) int {
	best := 0
	for i := range sizes {
		if sizes[i].Bills[policy].USD() < sizes[best].Bills[policy].USD() {
			best = i
		}
	}
	return best
}

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

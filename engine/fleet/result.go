package fleet

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/approx"
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
	return approx.Candidate{FullS: t.FullS * vms, ReducedS: t.ReducedS * vms, Draw: t.Draw, Accuracy: t.Accuracy, ReducedAccuracy: t.ReducedAccuracy}
}

// Rest is what becomes of the jobs that nobody asks, whatever the policy.
type Rest struct {
	Reserved, Rented         int     // jobs
	ReservedVMS, OnDemandVMS float64 // VM-seconds
	WaitS, WaitP95S          float64 // mean and 95th percentile of the wait of jobs on reserved VMs, in seconds; NaN without any
	Late                     int     // jobs that not even an on-demand VM at once finishes by their deadlines
	PeriodS                  float64 // from the first submission to the last
}

// Rest sums the jobs up that no policy decides on.
func (s *Schedule) Rest(tasks []Task) Rest {
	var r Rest
	if len(tasks) == 0 {
		return r
	}
	var waits []float64
	longest := 0.0
	for i := range tasks {
		t, p := &tasks[i], &s.Placements[i]
		vms := float64(s.Fleet.vmsOf(t))
		longest = math.Max(longest, t.FullS)
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
		r.WaitS, r.WaitP95S = stat.Mean(waits, nil), stat.Quantile(0.95, stat.LinInterp, waits, nil)
	}
	if r.PeriodS = tasks[len(tasks)-1].SubmitS - tasks[0].SubmitS; r.PeriodS == 0 { // all at once
		r.PeriodS = longest
	}
	return r
}

// rounding forgives what a start is off that was computed from a deadline.
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
// whole period, and for what they still do when it has ended.
func (r Rest) Bill(f Fleet, prices approx.Prices, t approx.Total) Bill {
	used := r.ReservedVMS/3600 + t.ReservedUSD/prices.Reserved
	hours := math.Max(r.PeriodS/3600*float64(f.VMs), used)
	return Bill{
		ReservedUSD: hours * prices.Reserved,
		OnDemandUSD: r.OnDemandVMS/3600*prices.OnDemand + t.OnDemandUSD,
		PenaltyUSD:  t.PenaltyUSD,
		Utilisation: used / hours,
	}
}

package jobtrace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
)

// fleetSizes are too few VMs, about enough, and more than are ever busy.
var fleetSizes = []int{20, 200, 600, 2000}

// On Philly's jobs every schedule is sound whoever accepts, and no policy's bill
// is larger than that without offers.
func TestPhillyOnReservedVMs(t *testing.T) {
	jobs := philly(t).Jobs
	terms := fleet.Terms{Deadline: fleet.Range{Low: 1.5, High: 3}, Tightness: 1,
		Ratio: fleet.Range{Low: 0.75, High: 1}, Speed: 1}
	tasks := fleet.Prepare(nil, jobs, fleet.NewDraws(len(jobs), 1), terms)
	prices := approx.Prices{Reserved: 0.985, OnDemand: 3.06}
	asked := 0
	for _, scheduler := range fleet.Schedulers {
		for _, vms := range fleetSizes {
			for _, gpus := range []int{1, 8} {
				f := fleet.Fleet{VMs: vms, GPUsPerVM: gpus, Scheduler: scheduler}
				s := fleet.Place(tasks, f)
				t.Run(fmt.Sprintf("%s/%d×%d", scheduler, vms, gpus), func(t *testing.T) { sound(t, tasks, s) })
				candidates, rest := s.Asked(tasks), s.Rest(tasks)
				asked += len(candidates)
				none := rest.Bill(f, prices, approx.Evaluate(approx.OnDemand, candidates, prices,
					approx.Acceptance{}).Expected).USD()
				for _, p := range approx.Policies {
					if usd := rest.Bill(f, prices, approx.Evaluate(p, candidates, prices,
						approx.Acceptance{}).Expected).USD(); usd > none*(1+1e-9) {
						t.Errorf("%s, %d VMs: %s costs $%.2f, no offers $%.2f", scheduler, vms, p, usd, none)
					}
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no job of the trace could ever be asked, so nothing was tested")
	}
}

// philly reads the real trace.
func philly(t *testing.T) *Trace {
	t.Helper()
	file, err := os.Open(set)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the trace of Philly's jobs is not at %s", set)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// sound fails where a job is lost, starts before its submission, ends late on
// reserved VMs, or shares a VM with another.
func sound(t *testing.T, tasks []fleet.Task, s *fleet.Schedule) {
	t.Helper()
	type span struct{ from, to float64 }
	busy := map[int32][]span{}
	count := map[fleet.Where]int{}
	for i := range tasks {
		task, p := &tasks[i], s.Placements[i]
		count[p.Where]++
		if p.StartS < task.SubmitS {
			t.Fatalf("job %d submitted at %g starts at %g", i, task.SubmitS, p.StartS)
		}
		if p.Where == fleet.Rented {
			continue
		}
		end := p.StartS + task.FullS
		if p.Where == fleet.Candidate {
			end = p.StartS + task.ReducedS
		}
		if end > task.DeadlineS {
			t.Fatalf("job %d ends at %g, after its deadline %g", i, end, task.DeadlineS)
		}
		for _, v := range s.VMs(p) {
			busy[v] = append(busy[v], span{p.StartS, end})
		}
	}
	if count[fleet.Reserved]+count[fleet.Rented]+count[fleet.Candidate] != len(tasks) ||
		count[fleet.Candidate] != len(s.Candidates) {
		t.Fatalf("%v of %d jobs", count, len(tasks))
	}
	for v, spans := range busy {
		slices.SortFunc(spans, func(a, b span) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
		})
		for k := 1; k < len(spans); k++ {
			if spans[k].from < spans[k-1].to-1e-9*math.Abs(spans[k].from) {
				t.Fatalf("VM %d runs two jobs at %g", v, spans[k].from)
			}
		}
	}
}

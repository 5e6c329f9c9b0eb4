package fleet

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/approx"
)

var studyPrices = approx.Prices{Reserved: 0.985, OnDemand: 3.06}

// studyTerms are the study's ranges.
var studyTerms = Terms{Deadline: Range{1.5, 3}, Tightness: 1, Ratio: Range{0.75, 1}, Speed: 1}

// anyTasks are few jobs on a busy clock, some of several GPUs, some with
// deadlines that nothing meets.
func anyTasks(t *rapid.T) []Task {
	n := rapid.IntRange(1, 60).Draw(t, "jobs")
	jobs := make([]Job, n)
	now := 0.0
	for i := range jobs {
		if rapid.Bool().Draw(t, "later") { // else at the same moment
			now += rapid.Float64Range(0, 30).Draw(t, "gap")
		}
		jobs[i] = Job{SubmitS: now, RuntimeS: rapid.Float64Range(0.5, 100).Draw(t, "runtime"), DeadlineS: math.NaN(),
			GPUs: rapid.IntRange(1, 6).Draw(t, "GPUs")}
		if rapid.IntRange(0, 3).Draw(t, "stated") == 0 {
			jobs[i].DeadlineS = now + rapid.Float64Range(0, 200).Draw(t, "deadline")
		}
	}
	terms := studyTerms
	terms.Ratio = Range{0.3, 1.1}
	terms.Tightness = rapid.Float64Range(0.3, 2).Draw(t, "tightness")
	return Prepare(nil, jobs, NewDraws(n, rapid.Uint64().Draw(t, "seed")), terms)
}

func anyFleet(t *rapid.T) Fleet {
	return Fleet{VMs: rapid.IntRange(0, 8).Draw(t, "VMs"), GPUsPerVM: rapid.IntRange(1, 4).Draw(t, "GPUs a VM"),
		Scheduler: rapid.SampledFrom(Schedulers).Draw(t, "scheduler")}
}

// Where an answer has no candidate the share of their cost has no interval either,
// though other seeds have candidates.
func TestNoSpreadOfNothing(t *testing.T) {
	q := Defaults()
	load := Usual(3)
	q.Load, q.Fleet.VMs = &load, 1
	for q.Seed = 1; ; q.Seed++ {
		q.Jobs = load.Generate(q.Seed)
		if a := q.Answer(NewDraws(3, q.Seed)); len(a.Asked) == 0 {
			if !q.Spreads(100)[1].Known {
				t.Fatal("no seed has a candidate")
			}
			for _, s := range q.Context(a, 100).Spreads {
				if s.Known {
					t.Errorf("nothing lies between %g and %g", s.Low, s.High)
				}
			}
			return
		}
	}
}

// Whatever users decide, every job runs once, none before its submission, none
// late on a reserved VM, and no two at once on one VM.
func TestSchedulesAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks, f := anyTasks(t), anyFleet(t)
		s := Place(tasks, f)
		accepted := func(int) bool { return true } // of those that have room, all hold it
		if rapid.Bool().Draw(t, "as they come") {
			accepted = func(task int) bool { return tasks[task].Draw < 0.5 }
			s = placeAsking(tasks, f, accepted)
		}
		if len(s.Placements) != len(tasks) {
			t.Fatalf("%d placements of %d tasks", len(s.Placements), len(tasks))
		}
		busy := make([][]span, f.VMs)
		var asked []int
		for i := range tasks {
			task, p := &tasks[i], s.Placements[i]
			if (p.Where != Candidate || accepted(i)) && p.StartS < task.SubmitS || p.Where != Reserved &&
				p.RentedS < task.SubmitS {
				t.Fatalf("task %d submitted at %g starts at %g or %g", i, task.SubmitS, p.StartS, p.RentedS)
			}
			end := p.StartS + task.FullS
			if p.Where == Candidate {
				asked = append(asked, i)
				end = p.StartS + task.ReducedS
			}
			if p.Where == Reserved || p.Where == Candidate && accepted(i) {
				if end > task.DeadlineS {
					t.Fatalf("task %d ends at %g on reserved VMs, after its deadline %g", i, end, task.DeadlineS)
				}
				if got, want := len(s.VMs(p)), f.vmsOf(task); got != want {
					t.Fatalf("task %d of %d GPUs has %d VMs of %d", i, task.GPUs, got, f.GPUsPerVM)
				}
				for _, v := range s.VMs(p) {
					busy[v] = append(busy[v], span{p.StartS, end})
				}
			}
			if late := p.RentedS + task.FullS; p.Where != Reserved && late > task.DeadlineS*(1+rounding) &&
				task.SubmitS+task.FullS <= task.DeadlineS {
				t.Fatalf("task %d would be late at %g on demand, though its deadline %g could be met", i, late, task.DeadlineS)
			}
		}
		if !slices.Equal(asked, s.Candidates) {
			t.Fatalf("candidates %v, placed as such %v", s.Candidates, asked)
		}
		for v, spans := range busy {
			slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
			for k := 1; k < len(spans); k++ {
				if spans[k].from < spans[k-1].to {
					t.Fatalf("VM %d runs two tasks at %g: %v and %v", v, spans[k].from, spans[k-1], spans[k])
				}
			}
		}
	})
}

// Candidates only ever add choices: every job counts once in rest and
// candidates, the reserved VMs are never used for longer than they are paid,
// and no policy's bill is larger than that without offers.
func TestBillsAreConservedAndNeverLarger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks, f := anyTasks(t), anyFleet(t)
		s := Place(tasks, f)
		rest, asked := s.Rest(tasks), s.Asked(tasks)
		if rest.Reserved+rest.Rented+len(asked) != len(tasks) {
			t.Fatalf("%d reserved, %d rented and %d asked are not %d", rest.Reserved, rest.Rented, len(asked), len(tasks))
		}
		work, split := 0.0, rest.ReservedVMS+rest.OnDemandVMS
		for i := range tasks {
			work += tasks[i].FullS * float64(f.vmsOf(&tasks[i]))
		}
		for i := range asked {
			split += asked[i].FullS
		}
		if math.Abs(work-split) > 1e-9*work {
			t.Fatalf("%g VM-seconds of work, %g placed", work, split)
		}
		none := rest.Bill(f, studyPrices, approx.Evaluate(approx.OnDemand, asked, studyPrices, approx.Acceptance{}).Expected)
		for _, p := range approx.Policies {
			o := approx.Evaluate(p, asked, studyPrices, approx.Acceptance{})
			for _, total := range []approx.Total{o.Drawn, o.Expected} {
				b := rest.Bill(f, studyPrices, total)
				if b.USD() > none.USD()*(1+1e-9) {
					t.Fatalf("%s: $%g, without offers $%g", p, b.USD(), none.USD())
				}
				if f.VMs > 0 && !(b.Utilisation >= 0 && b.Utilisation <= 1+1e-9) {
					t.Fatalf("%s: utilisation %g", p, b.Utilisation)
				}
			}
		}
	})
}

// Asked as they come, the overtime of reduced jobs is that of the users who
// accepted: who declined is on no reserved VM.
func TestOvertimeOfJobsAskedAsTheyCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks, f := anyTasks(t), anyFleet(t)
		accepted := func(task int) bool { return tasks[task].Draw < 0.5 }
		s := placeAsking(tasks, f, accepted)
		rest := s.Rest(tasks)
		end := tasks[0].SubmitS + rest.PeriodS
		taken, after := 0.0, 0.0 // VM-seconds
		for _, i := range s.Candidates {
			if accepted(i) {
				vms := float64(f.vmsOf(&tasks[i]))
				taken += vms * tasks[i].ReducedS
				after += vms * beyond(end, s.Placements[i].StartS, tasks[i].ReducedS)
			}
		}
		if got := taken * rest.AskedOvertime; math.Abs(got-after) > 1e-9*taken {
			t.Fatalf("%g VM-seconds of overtime are paid, %g worked", got, after)
		}
	})
}

// With one VM and no gangs, least-loaded is first come, first served; a slow
// simulation of that line places alike.
func TestOneVMAgainstItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := anyTasks(t)
		s := Place(tasks, Fleet{VMs: 1, GPUsPerVM: 8,
			Scheduler: rapid.SampledFrom([]Scheduler{RoundRobin, LeastLoaded}).Draw(t, "scheduler"), AsStudied: true})
		free := 0.0
		for i := range tasks {
			start := math.Max(free, tasks[i].SubmitS)
			want := Rented
			switch {
			case start+tasks[i].FullS <= tasks[i].DeadlineS:
				want, free = Reserved, start+tasks[i].FullS
			case start+tasks[i].ReducedS <= tasks[i].DeadlineS:
				want = Candidate
			}
			if got := s.Placements[i]; got.Where != want || want != Rented && got.StartS != start {
				t.Fatalf("task %d: %+v, want %d at %g", i, got, want, start)
			}
		}
	})
}

func job(submit, runtime, deadline float64) Job {
	return Job{SubmitS: submit, RuntimeS: runtime, DeadlineS: deadline, GPUs: 1}
}

// The study's figure 3: three jobs for one VM, the third in time at reduced
// precision only.
func TestIllustrativeExample(t *testing.T) {
	jobs := []Job{job(0, 10, 20), job(0, 10, 30), job(0, 10, 28)}
	terms := studyTerms
	terms.Ratio = Range{0.75, 0.75}
	tasks := Prepare(nil, jobs, NewDraws(3, 1), terms)
	s := Place(tasks, Fleet{VMs: 1, GPUsPerVM: 1, Scheduler: RoundRobin})
	if !slices.Equal(s.Candidates, []int{2}) || s.Placements[2].StartS != 20 || s.Placements[2].RentedS != 0 {
		t.Fatalf("candidates %v, the third job %+v", s.Candidates, s.Placements[2])
	}
	// A fourth job that needs the VM at 27 s leaves no room; it does from 27.5 s on.
	for submit, room := range map[float64]bool{27: false, 27.5: true} {
		tasks := Prepare(nil, append(slices.Clone(jobs), job(submit, 10, 60)), NewDraws(4, 1), terms)
		f := Fleet{VMs: 1, GPUsPerVM: 1, Scheduler: RoundRobin}
		if got := len(Place(tasks, f).Candidates) == 1; got != room {
			t.Errorf("next job at %g s: candidate %v, want %v", submit, got, room)
		}
		f.AsStudied = true
		if len(Place(tasks, f).Candidates) != 1 {
			t.Error("the study asks whether there is room or not")
		}
	}
}

// The earliest deadline goes first, and a wide job lets narrow ones pass.
func TestEarliestFirst(t *testing.T) {
	jobs := []Job{job(0, 10, 20), job(1, 10, 60), job(2, 10, 30)}
	place := func(jobs []Job, vms int) *Schedule {
		return Place(Prepare(nil, jobs, NewDraws(len(jobs), 1), studyTerms),
			Fleet{VMs: vms, GPUsPerVM: 1, Scheduler: EarliestFirst})
	}
	s := place(jobs, 1)
	for i, want := range []float64{0, 20, 10} {
		if p := s.Placements[i]; p.Where != Reserved || p.StartS != want {
			t.Errorf("task %d: %+v, want reserved at %g", i, p, want)
		}
	}
	wide := Job{SubmitS: 1, RuntimeS: 10, DeadlineS: 25, GPUs: 2}
	s = place([]Job{job(0, 10, 20), wide, job(2, 3, 60)}, 2)
	for i, want := range []float64{0, 10, 2} {
		if p := s.Placements[i]; p.Where != Reserved || p.StartS != want {
			t.Errorf("task %d beside a wide one: %+v, want reserved at %g", i, p, want)
		}
	}
	// What can wait no longer is rented a VM in time.
	s = place([]Job{job(0, 100, 200), job(1, 10, 30)}, 1)
	if p := s.Placements[1]; p.Where != Rented || p.StartS != 20 {
		t.Errorf("the waiting task: %+v, want rented at 20", p)
	}
}

func TestSizesHaveALeastBill(t *testing.T) {
	jobs := Usual(3000).Generate(1)
	tasks := Prepare(nil, jobs, NewDraws(len(jobs), 1), studyTerms)
	q := Question{Fleet: Fleet{GPUsPerVM: 1, Scheduler: LeastLoaded}, Prices: studyPrices, Policies: approx.Policies}
	sizes := q.Sizes(t.Context(), tasks, 1000)
	least := Least(sizes, 0)
	if least == 0 || least == len(sizes)-1 || sizes[0].VMs != 0 {
		t.Fatalf("the least bill is at %d of %d sizes", least, len(sizes))
	}
	for i := range sizes {
		for k, b := range sizes[i].Bills {
			if b.USD() > sizes[i].Bills[0].USD()*(1+1e-9) {
				t.Errorf("%d VMs: %s costs more than no offers", sizes[i].VMs, approx.Policies[k])
			}
		}
	}
	without, with := sizes[0].Bills[0], sizes[least].Bills[0]
	months := PaysAfter(with, without, 36)
	// At that length both cost the same.
	if a, b := with.ReservedUSD*36+(with.USD()-with.ReservedUSD)*months, without.USD()*months; math.Abs(a-b) > 1e-6*b {
		t.Errorf("after %g months reserved costs %g, on demand %g", months, a, b)
	}
	if last := sizes[len(sizes)-1]; last.Bills[0].OnDemandUSD > 0 {
		t.Errorf("as many VMs as are ever busy still leave $%g of $%g on demand", last.Bills[0].OnDemandUSD,
			without.OnDemandUSD)
	}
}

func TestDrawsAndLoadsAreRepeatable(t *testing.T) {
	if a, b := NewDraws(100, 5), NewDraws(50, 5); !slices.Equal(a[:50], b) {
		t.Error("a longer trace changes the draws of a shorter one")
	}
	l := Usual(2000)
	l.GPUs = []Share{{1, 3}, {8, 1}}
	jobs := l.Generate(9)
	if again := l.Generate(9); !slices.EqualFunc(jobs, again, func(a, b Job) bool {
		return a.SubmitS == b.SubmitS &&
			a.RuntimeS == b.RuntimeS && a.GPUs == b.GPUs
	}) {
		t.Error("equal seeds give other jobs")
	}
	wide, logs := 0, 0.0
	for i, j := range jobs {
		if i > 0 && j.SubmitS < jobs[i-1].SubmitS || !(j.RuntimeS > 0) {
			t.Fatalf("job %d: %+v", i, j)
		}
		if j.GPUs == 8 {
			wide++
		}
		logs += math.Log(j.RuntimeS / l.MedianS)
	}
	n := float64(len(jobs))
	if share := float64(wide) / n; math.Abs(share-0.25) > 0.04 {
		t.Errorf("%.3f of the jobs are wide, a quarter was asked for", share)
	}
	if mean := logs / n; math.Abs(mean) > 4*l.Sigma/math.Sqrt(n) {
		t.Errorf("the runtimes' median is off by a factor of %.3f", math.Exp(mean))
	}
	if rate := n / (jobs[len(jobs)-1].SubmitS / 3600); math.Abs(rate/l.PerHour-1) > 0.1 {
		t.Errorf("%.2f jobs an hour, want %g", rate, l.PerHour)
	}
	l.GPUs = []Share{{2, 0}, {1, 3}, {8, 1}, {4, 0}} // a weight of 0 is none of the jobs
	for u, want := range map[float64]int{0: 1, 0.74: 1, 0.76: 8, 0.99: 8} {
		if got := l.gpus(u); got != want {
			t.Errorf("a draw of %g is a job on %d GPUs, want %d", u, got, want)
		}
	}
}

func TestMixOfATask(t *testing.T) {
	mix := Mix{{Model: "a", Weight: 1, Ratio: 0.5, Accuracy: 0.9, ReducedAccuracy: 0.8},
		{Model: "b", Weight: 0, Ratio: math.NaN(), Accuracy: math.NaN(), ReducedAccuracy: math.NaN()}}
	terms := studyTerms
	terms.Mix, terms.Speed = mix, 0.9
	jobs := []Job{{RuntimeS: 10, DeadlineS: math.NaN(), GPUs: 1}, {RuntimeS: 10, DeadlineS: math.NaN(), GPUs: 1,
		Model: "b"}, {RuntimeS: 10, DeadlineS: 40, GPUs: 1, Model: "c"}}
	tasks := Prepare(nil, jobs, NewDraws(3, 2), terms)
	if tasks[0].Kind != 0 || tasks[0].ReducedS != 10*0.5*0.9 || tasks[0].ReducedAccuracy != 0.8 {
		t.Errorf("a drawn model: %+v", tasks[0])
	}
	for i, k := range map[int]int32{1: 1, 2: -1} {
		if r := tasks[i].ReducedS / 0.9; tasks[i].Kind != k || r < 7.5 || r > 10 || !math.IsNaN(tasks[i].Accuracy) {
			t.Errorf("a model without numbers: %+v", tasks[i])
		}
	}
	if tasks[2].DeadlineS != 40 {
		t.Errorf("a stated deadline became %g", tasks[2].DeadlineS)
	}
	terms.EveryRatio, terms.Ratio, terms.Tightness = true, Range{0.6, 0.6}, 0.5
	tasks = Prepare(tasks, jobs, NewDraws(3, 2), terms)
	if tasks[0].ReducedS != 10*0.6*0.9 || tasks[2].DeadlineS != 20 {
		t.Errorf("with every ratio given and half the time: %+v, %+v", tasks[0], tasks[2])
	}
}

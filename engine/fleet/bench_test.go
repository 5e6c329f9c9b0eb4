package fleet

import (
	"testing"

	"sweetspot/engine/approx"
)

// studyJobs is the number of jobs that the study's policies decide on.
const studyJobs = 18187

// BenchmarkFleet places a trace and has every policy decide, as each step of a
// slider does.
func BenchmarkFleet(b *testing.B) {
	jobs := Usual(studyJobs).Generate(1)
	draws := NewDraws(len(jobs), 1)
	for _, scheduler := range Schedulers {
		b.Run(string(scheduler), func(b *testing.B) {
			var tasks []Task
			for b.Loop() {
				tasks = Prepare(tasks, jobs, draws, studyTerms)
				s := Place(tasks, Fleet{VMs: 20, GPUsPerVM: 1, Scheduler: scheduler, AsStudied: true})
				asked := s.Asked(tasks)
				for _, p := range approx.Policies {
					approx.Evaluate(p, asked, studyPrices, approx.Acceptance{})
				}
				s.Rest(tasks)
			}
		})
	}
	b.Run("all-candidates", func(b *testing.B) {
		tasks := Prepare(nil, jobs, draws, studyTerms)
		asked := make([]approx.Candidate, len(tasks))
		for i := range tasks {
			asked[i] = approx.Candidate{FullS: tasks[i].FullS, ReducedS: tasks[i].ReducedS, Draw: tasks[i].Draw}
		}
		for b.Loop() {
			for _, p := range approx.Policies {
				approx.Evaluate(p, asked, studyPrices, approx.Acceptance{})
			}
		}
	})
}

package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/approx"
	"sweetspot/engine/fleet"
	"sweetspot/engine/quantity"
)

// Workload is a set of synthetic jobs like those that ApproxDNN describes as
// candidates. The trace it took them from does not say what they ran, and the paper
// prints neither their runtimes nor the number of reserved VMs.
type Workload struct {
	load   fleet.Load // of one block
	terms  fleet.Terms
	fleet  fleet.Fleet
	blocks int // made with the seeds 1, 2, …
	asked  []askedJob
	roomy  int // of the asked, those that have their VM to themselves
}

// askedJob is a candidate and its place in the mix.
type askedJob struct {
	approx.Candidate
	kind int32
}

const (
	jobsOfBlock  = 50_000
	mostBlocks   = 200 // three times as many as the study's candidates take
	mostAsked    = 1_000_000
	reservedVMs  = 20 // keeps the queues of [fleet.Usual] as long as candidates need
	assumedRatio = "assumed"
)

// NewWorkload makes up jobs of the models in the mix until as many of them are
// candidates as the cells say, nil where they do not. Ratios of the mix are those
// that table III calls original.
func NewWorkload(cells []Cell, mix fleet.Mix) *Workload {
	n, printed := sheetOf(cells)[textNumber("candidates")]
	if !printed || !(n.Value >= 1 && n.Value <= mostAsked) {
		return nil
	}
	w := &Workload{
		load: fleet.Usual(jobsOfBlock),
		terms: fleet.Terms{Deadline: fleet.Range{Low: 1.5, High: 3}, Tightness: 1, Ratio: fleet.Range{Low: 0.75, High: 1},
			Speed: 1, Mix: mix},
		fleet: fleet.Fleet{VMs: reservedVMs, GPUsPerVM: 1, Scheduler: fleet.RoundRobin, AsStudied: true},
	}
	var tasks []fleet.Task
	for w.blocks < mostBlocks && len(w.asked) < int(n.Value) {
		before := len(w.asked)
		if tasks = w.addBlock(tasks, int(n.Value)); len(w.asked) == before {
			break // reduced precision helps no job of this mix
		}
	}
	return w
}

// addBlock makes up one more block of jobs and keeps its candidates while there
// are fewer than wanted. It gives back the block's tasks to be written over.
func (w *Workload) addBlock(tasks []fleet.Task, wanted int) []fleet.Task {
	w.blocks++
	seed := uint64(w.blocks)
	jobs := w.load.Generate(seed)
	tasks = fleet.Prepare(tasks, jobs, fleet.NewDraws(len(jobs), seed), w.terms)
	s := fleet.Place(tasks, w.fleet)
	of := s.Candidates[:min(len(s.Candidates), wanted-len(w.asked))]
	for k, c := range s.Asked(tasks)[:len(of)] {
		w.asked = append(w.asked, askedJob{c, tasks[of[k]].Kind})
	}
	alone := w.fleet
	alone.AsStudied = false
	for _, task := range fleet.Place(tasks, alone).Candidates {
		if _, kept := slices.BinarySearch(of, task); kept {
			w.roomy++
		}
	}
	return tasks
}

// ofModel is the place of a model in the mix, -1 where it is not in it.
func (w *Workload) ofModel(name string) int32 {
	return int32(slices.IndexFunc(w.terms.Mix, func(k fleet.Kind) bool { return k.Model == name }))
}

// assumptions says in one sentence what was made up, and how.
func (w *Workload) assumptions() string {
	var ratios, printed []string
	weights := map[float64]bool{}
	for _, k := range w.terms.Mix {
		weights[k.Weight] = true
		ratios = append(ratios, fmt.Sprintf("%.2f for %s", k.Ratio, k.Model))
		if !strings.HasSuffix(k.Basis, assumedRatio) {
			printed = append(printed, k.Model)
		}
	}
	frequent := "as frequent as the mix weighs them"
	if len(weights) == 1 {
		frequent = "equally frequent"
	}
	assumed := "all of them assumed"
	if len(printed) > 0 {
		assumed = "of which only that of " + strings.Join(printed, " and ") + " is printed and the others are assumed"
	}
	return fmt.Sprintf("the jobs of ApproxDNN are made up, not its own: its trace does not say what ran, and it "+
		"prints neither runtimes nor the number of reserved VMs. They are %s (seeds 1 to %d, of the jobs and of all "+
		"that is drawn for them) of %s; deadlines %g to %g runtimes after submission, round-robin over %d reserved "+
		"VMs, a number assumed; the first %s that are in time there in INT8 only are asked, as the study does. "+
		"Networks are %s among all jobs; INT8 takes of the full runtime %s, %s",
		quantity.Several(w.blocks, "block"), w.blocks, w.load, w.terms.Deadline.Low, w.terms.Deadline.High, w.fleet.VMs,
		quantity.Count(float64(len(w.asked))),
		frequent, strings.Join(ratios, ", "), assumed)
}

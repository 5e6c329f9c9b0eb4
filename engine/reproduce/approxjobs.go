package reproduce

import (
	"fmt"
	"math"
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
	jobsOfBlock = 50_000
	mostBlocks  = 200 // three times as many as the study's candidates take
	mostAsked   = 1_000_000
	reservedVMs = 20                // keeps the queues of [fleet.Usual] as long as candidates need
	chosenRatio = "chosen to agree" // how the basis of a ratio ends that nobody measured
)

// NewWorkload generates jobs of the models in the mix until as many of them are
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

// addBlock generates one more block of jobs and keeps its candidates while there
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

// assumptions says in one sentence what is synthetic, and how.
func (w *Workload) assumptions() string {
	var ratios, printed []string
	weights := map[float64]bool{}
	for _, k := range w.terms.Mix {
		weights[k.Weight] = true
		ratios = append(ratios, fmt.Sprintf("%.2f for %s", k.Ratio, k.Model))
		if !strings.HasSuffix(k.Basis, chosenRatio) {
			printed = append(printed, k.Model)
		}
	}
	frequent := "as frequent as the mix weighs them"
	if len(weights) == 1 {
		frequent = "equally frequent"
	}
	chosen := "all of them chosen to agree with the means that it prints"
	if len(printed) > 0 {
		chosen = fmt.Sprintf("of which only that of %s is printed: the other %d are chosen to agree with the means that it "+
			"prints, so that agreement with those shows no more than that such jobs exist", strings.Join(printed, " and "),
			len(ratios)-len(printed))
	}
	return fmt.Sprintf("the jobs of ApproxDNN are synthetic, not its own: its trace does not say what ran, and it "+
		"prints neither runtimes nor the number of reserved VMs. They are %s (seeds 1 to %d, of the jobs and of all "+
		"that is drawn for them) of %s; deadlines %g to %g runtimes after submission, round-robin over %d reserved "+
		"VMs, a number assumed; the first %s that are in time there in INT8 only are asked, as the study does. "+
		"Networks are %s among all jobs; INT8 takes of the full runtime %s, %s",
		quantity.Several(w.blocks, "block"), w.blocks, w.load, w.terms.Deadline.Low, w.terms.Deadline.High, w.fleet.VMs,
		quantity.Count(float64(len(w.asked))),
		frequent, strings.Join(ratios, ", "), chosen)
}

// setting is what table III and figures 10 to 12 vary.
type setting struct {
	reservedUSD, onDemandUSD float64 // per hour
	reduction                float64 // of all INT8 runtimes, in [0,1)
	ratioOff                 float64 // added to all ratios of the mix
}

// deal is a job with what a policy offers for it; costs in US dollars.
type deal struct {
	s                         float64
	reduced, full             float64 // on reserved and on on-demand VMs
	reducedAccuracy, accuracy float64
}

// Columns of table III, and what is summed up besides.
const (
	offerColumn    = "s"
	reservedColumn = "ri_cost_usd"
	onDemandColumn = "on_demand_cost_usd"
	usageColumn    = "usage_cost_usd"
	penaltyColumn  = "penalty_cost_usd"
	totalColumn    = "total_cost_usd"
	lostColumn     = "accuracy_loss_percent"
	accuracyColumn = "accuracy_percent"
)

// amount is what a job adds to a sum if its user accepts, what if not, and what
// it adds to the sum that is divided by.
type amount struct{ accepted, declined, base float64 }

// summed are the columns of [deal.amounts], in its order.
var summed = [...]string{offerColumn, reservedColumn, onDemandColumn, usageColumn, penaltyColumn, totalColumn,
	accuracyColumn, lostColumn}

func (d deal) amounts() [len(summed)]amount {
	return [...]amount{
		{d.s, d.s, 1},
		{d.reduced, 0, d.full},
		{0, d.full, d.full},
		{d.reduced, d.full, d.full},
		{d.s * d.reduced, 0, d.full},
		{(1 + d.s) * d.reduced, d.full, d.full},
		{d.reducedAccuracy, d.accuracy, 1},
		{d.accuracy - d.reducedAccuracy, 0, d.accuracy},
	}
}

// tally is a sum over the jobs divided by another: costs by those of on-demand
// VMs alone, accuracies lost by those there are, all else by the jobs.
type tally struct {
	drawn     float64 // the users deciding as drawn
	deviation float64 // standard, over jobs and users drawn again
}

// outcome is what a policy comes to, by column.
func (w *Workload) outcome(p approx.Policy, at setting) map[string]tally {
	prices := approx.Prices{Reserved: at.reservedUSD, OnDemand: at.onDemandUSD}
	offer := approx.Offer(p, prices, approx.Acceptance{})
	var sums [len(summed)]sum
	for i := range w.asked {
		c := w.asked[i].Candidate
		c.ReducedS = (c.ReducedS + at.ratioOff*c.FullS) * (1 - at.reduction)
		d := deal{offer(&c), prices.ReducedUSD(&c), prices.OnDemandUSD(&c), c.ReducedAccuracy, c.Accuracy}
		probability := approx.Acceptance{}.Probability(d.s, prices.Most(&c))
		for k, a := range d.amounts() {
			sums[k].add(a, probability, c.Draw < probability)
		}
	}
	tallies := map[string]tally{}
	for k, column := range summed {
		tallies[column] = sums[k].tally()
	}
	return tallies
}

// sum is a column over the jobs so far.
type sum struct{ drawn, expected, base, squares, products, bases float64 }

func (u *sum) add(a amount, probability float64, accepts bool) {
	if accepts {
		u.drawn += a.accepted
	} else {
		u.drawn += a.declined
	}
	mean := probability*a.accepted + (1-probability)*a.declined
	u.expected += mean
	u.base += a.base
	u.squares += probability*a.accepted*a.accepted + (1-probability)*a.declined*a.declined
	u.products += a.base * mean
	u.bases += a.base * a.base
}

// tally has the standard deviation of a ratio of two sums, the jobs being drawn
// independently: Σ E[(amount − ratio·base)²], to first order.
func (u *sum) tally() tally {
	ratio := u.expected / u.base
	variance := u.squares - 2*ratio*u.products + ratio*ratio*u.bases
	return tally{u.drawn / u.base, math.Sqrt(math.Max(variance, 0)) / u.base}
}

// accepted is the share of the jobs that run a model and whose users accept; of
// all that run it under a policy that offers nothing.
func (w *Workload) accepted(model string, p approx.Policy, at setting) tally {
	prices := approx.Prices{Reserved: at.reservedUSD, OnDemand: at.onDemandUSD}
	offer := approx.Offer(p, prices, approx.Acceptance{})
	kind := int32(w.terms.Mix.Find(model))
	if kind < 0 {
		return tally{math.NaN(), math.NaN()}
	}
	var u sum
	for i := range w.asked {
		job := &w.asked[i]
		probability := 1.0
		if p != approx.OnDemand {
			probability = approx.Acceptance{}.Probability(offer(&job.Candidate), prices.Most(&job.Candidate))
		}
		if job.kind != kind {
			probability = 0
		}
		u.add(amount{1, 0, 1}, probability, job.Draw < probability)
	}
	return u.tally()
}

// nineInTen is within how many standard deviations nine in ten numbers lie: the
// 95 % quantile of the normal distribution.
const nineInTen = 1.6448536269514722

// twoDraws is by how much, in nine of ten cases, a number of the study and ours
// differ for having been drawn twice.
func (t tally) twoDraws() float64 { return nineInTen * math.Sqrt2 * t.deviation }

// oneDraw is by how much a number that the study drew is off what was to be
// expected.
func (t tally) oneDraw() float64 { return nineInTen * t.deviation }

package advice

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/pareto"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// DecisionPrecision is how well the steady mean of a run must be known, as a
// relative half-width, for the rank of its candidate under the query to be
// settled: the gap to the nearest other feasible candidate in the sort's key,
// or to a limit in time or cost, through the share that steady iterations have
// in the total. Words go on after "±1.2 % ": "separates it from #2 g4dn.xlarge".
// It is 0 where nothing is near enough to be told apart: no competitor, no
// limit, or no steady mean yet.
//
// The set need not hold the run. The competitors are taken at their values,
// since this run is all that is being measured, and one closer than [rank.Material]
// counts as equal: no measurement should choose between them.
func DecisionPrecision(set *profile.Set, q question.Query, run profile.Run) (relative float64, words string) {
	if !run.Steady.Known() || run.Model != q.Model || run.Mode != q.Mode {
		return 0, ""
	}
	d, ok := newDecision(set, q, run)
	if !ok {
		return 0, ""
	}
	share := d.share(set, run)
	if !(share > 0) {
		return 0, ""
	}
	gap, words := d.nearest()
	if math.IsInf(gap, 1) {
		return 0, ""
	}
	return gap / share, words
}

// decision is a ranking with the candidate that a run answers for.
type decision struct {
	*rank.Result
	own   int          // the run's best-ranked candidate
	mine  []bool       // by index: rests on the run
	bests [2][]float64 // as [rank.Space.Bests], of the run's own candidates, and of the others
}

func newDecision(set *profile.Set, q question.Query, run profile.Run) (decision, bool) {
	d := decision{Result: rank.Answer(withRun(set, run), q, nil), own: -1}
	d.mine = make([]bool, d.Space.Len())
	seconds := d.Space.Values(objective.Time)
	for i := range d.Space.Len() {
		c := d.Space.At(i)
		d.mine[i] = slices.Contains(c.Sources, run.ID)
		// Where none is feasible it is the one nearest to being so.
		if d.mine[i] && c.Time.Known() && c.OverMemory == nil && (d.own < 0 || seconds[i] < seconds[d.own]) {
			d.own = i
		}
	}
	for _, i := range d.Ordered() {
		if d.mine[i] {
			d.own = i
			break
		}
	}
	for k, mine := range []bool{true, false} {
		d.bests[k] = d.Space.Bests(func(yield func(int) bool) {
			for i := range d.Feasible.All() {
				if d.mine[i] == mine && !yield(i) {
					return
				}
			}
		})
	}
	return d, d.own >= 0
}

// withRun is the part of the set that the run's ranking needs, with the run as
// it is now.
func withRun(set *profile.Set, run profile.Run) *profile.Set {
	out := *set
	out.Runs = nil
	for _, r := range set.Runs {
		if r.Model == run.Model && r.ID != run.ID {
			out.Runs = append(out.Runs, r)
		}
	}
	out.Runs = append(out.Runs, run)
	return &out
}

// share is by how much of a relative change of the run's steady mean the time
// of its candidate changes: less than 1 for the start-up, and for other runs
// that the time is the mean of.
func (d decision) share(set *profile.Set, run profile.Run) float64 {
	const change = 1.0 / 128 // small, and exact in binary
	run.Steady = run.Steady.Times(1 + change)
	own := d.Space.At(d.own)
	alike := *set // the runs of the same cell are among these
	alike.Runs = slices.DeleteFunc(slices.Clone(set.Runs), func(r profile.Run) bool {
		return r.VM() != run.VM() || r.BatchSize != run.BatchSize
	})
	again := candidate.NewList(withRun(&alike, run), d.Query.Workload, nil, nil)
	for i := range again.Len() {
		c := again.At(i)
		if c.ID == own.ID && slices.Contains(c.Sources, run.ID) {
			return (c.Time.Value/own.Time.Value - 1) / change
		}
	}
	return 0
}

// nearest is the least relative change of the candidate's time that moves it
// past another candidate or a limit, and what that is.
func (d decision) nearest() (gap float64, words string) {
	gap = math.Inf(1)
	try := func(change float64, what string) {
		if math.Abs(change) < gap {
			gap, words = math.Abs(change), what
		}
	}
	s, l := d.Space, d.Query.Limits
	if len(s.Breaks(l.Only(objective.Accuracy), d.own)) > 0 {
		return gap, "" // no time lets it in
	}
	for _, o := range s.Objectives.Minimized() {
		if limit, v := l.Get(o.Name), s.Values(o.Name)[d.own]; limit != nil && v > 0 {
			try(*limit/v-1, "separates it from the limit of "+o.Write(*limit))
		}
	}
	if !d.Feasible.Has(d.own) {
		return gap, words
	}
	for place, j := range d.Ordered() {
		if change := d.passes(j); !d.mine[j] && math.Abs(change) >= rank.Material && math.Abs(change) < gap {
			try(change, fmt.Sprintf("separates it from #%d %s", place+1, d.tell(j)))
		}
	}
	return gap, words
}

// passes is the relative change of the candidate's time at which it ranks with
// candidate j; NaN where no change does.
func (d decision) passes(j int) float64 {
	if d.Query.Sort == question.ByScore {
		return d.passesByScore(j)
	}
	// All other keys are a multiple of the time.
	return d.Key(j)/d.Key(d.own) - 1
}

// passesByScore finds it by halving: a candidate's score rises with its time,
// and that of others falls where it is the best they are measured against.
func (d decision) passesByScore(j int) float64 {
	best := make([]float64, len(d.bests[0]))
	lead := func(change float64) float64 {
		for k := range best {
			best[k] = rank.Least((1+change)*d.bests[0][k], d.bests[1][k])
		}
		other := d.ScoreAgainst(best)(j)
		for k := range best {
			best[k] /= 1 + change
		}
		return d.ScoreAgainst(best)(d.own) - other
	}
	low, high := -widest, widest
	if !(lead(low) < 0 && lead(high) > 0) {
		return math.NaN()
	}
	for range 30 {
		if mid := (low + high) / 2; lead(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// widest bounds the search: nobody stops at so rough a mean.
const widest = 0.5

// tell names candidate j by what sets it apart from the run's own.
func (d decision) tell(j int) string {
	own, other := d.Space.At(d.own), d.Space.At(j)
	mine, theirs := own.Configuration[0], other.Configuration[0]
	switch {
	case theirs.VM.Key() != mine.VM.Key() && theirs.Count > 1:
		return fmt.Sprintf("%d × %s", theirs.Count, theirs.VM.InstanceType)
	case theirs.VM.Key() != mine.VM.Key():
		return theirs.VM.InstanceType
	case other.Variant.Name != own.Variant.Name && other.Variant.Name != "":
		return other.Variant.Name
	case other.Variant.Precision != own.Variant.Precision && other.Variant.Precision != "":
		return other.Variant.Precision
	case other.BatchSize != own.BatchSize:
		return fmt.Sprintf("batch %d", other.BatchSize)
	}
	return fmt.Sprintf("%d × %s", theirs.Count, theirs.VM.InstanceType)
}

// Bought is how well a plan does with one way of buying VMs.
type Bought struct {
	Purchase profile.Purchase `json:"purchase"`
	// Hypervolume is the share of a rectangle in time and cost that the frontier
	// dominates: larger is better. The rectangle is the same for all ways, from
	// nothing to the slowest and the dearest point of any of their frontiers.
	Hypervolume float64 `json:"hypervolume"`
	Seconds     float64 `json:"fastest_s"`    // of the fastest within the limits
	USD         float64 `json:"cheapest_usd"` // of the cheapest within them
	VMTypes     int     `json:"vm_types"`
	Unpriced    int     `json:"unpriced"` // VM types without such a price
}

// Purchases compares the ways of buying VMs by their time–cost frontiers within
// limits. A way for which there are no prices, or nothing within the limits, is
// left out.
func Purchases(set *profile.Set, w question.Workload, p candidate.Predictor, rental candidate.Rental,
	l question.Limits) []Bought {
	var out []Bought
	var fronts [][]cluster.Configuration
	var slowest, dearest float64
	for _, way := range profile.Purchases {
		w.Purchase = way
		c, err := candidate.Combine(set, w, p, rental)
		if err != nil {
			continue
		}
		front := c.Within(l).TimeCost
		if len(front) == 0 {
			continue
		}
		last := front[len(front)-1] // by rising time and falling cost
		slowest, dearest = math.Max(slowest, last.Seconds), math.Max(dearest, front[0].USD)
		out = append(out, Bought{Purchase: way, Seconds: front[0].Seconds, USD: last.USD + w.Bill.EgressUSD(),
			VMTypes: len(c.Parts), Unpriced: len(c.Unpriced)})
		fronts = append(fronts, front)
	}
	for k, front := range fronts {
		seconds, usd := make([]float64, len(front)), make([]float64, len(front))
		for i, at := range front {
			seconds[i], usd[i] = at.Seconds, at.USD
		}
		out[k].Hypervolume = pareto.Hypervolume2D(seconds, usd, slowest, dearest) / (slowest * dearest)
	}
	return out
}

// Recommended is the candidate to take: the first, but for a training to a target
// accuracy, on the configuration of the first one, the batch size that costs (or,
// ranked by time, takes) least on average. That need not be the first, which is so by
// its prediction: batch sizes that were never trained with usually take more epochs
// than predicted, and the best of a few seeds is flattered. ok is false where nothing
// is feasible.
func Recommended(r *rank.Result) (candidate int, ok bool) {
	if r.Count() == 0 {
		return 0, false
	}
	if r.Query.TargetAccuracy == nil {
		return r.First(), true
	}
	by, _ := r.Query.Sort.Objective()
	if math.IsNaN(r.Best(by)) {
		by = objective.Time
	}
	values := r.Space.Values(by)
	first := r.Space.At(r.First())
	var options []curve.Option
	var of []int
	for _, i := range r.Ordered() {
		c := r.Space.At(i)
		if c.Prediction == nil || !c.Alongside(first) || !(c.EpochsRange.Value > 0) {
			continue
		}
		o := curve.Option{
			Batch: float64(c.BatchSize), Epochs: c.EpochsRange.Value, PerEpoch: values[i] / c.EpochsRange.Value,
			// trainings that fail are in the values
			Tried: c.Prediction.Epochs.Basis < estimate.OtherBatch, Error: c.Prediction.Error,
		}
		options, of = append(options, o), append(of, i)
	}
	if k := curve.Choose(options); k >= 0 {
		return of[k], true
	}
	return r.First(), true
}

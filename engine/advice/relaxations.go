// Package advice says what a ranking suggests: what to give way on, what to probe
// next, which price or number of epochs would change the choice, and where pruning
// pays. Each answer is a function of a result.
package advice

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/training"
)

// Relaxation is what giving way on one constraint would buy: the least step
// that lets a candidate in which beats the best feasible one in Gain's terms.
type Relaxation struct {
	Constraint question.Constraint
	Limit      float64 // the limit now
	Need       float64 // the limit that lets Candidate in
	Candidate  int
	In         question.Sort // what is gained: time for money, money for time, the sort key for accuracy
	// how much less than the best feasible candidate, a material share of it;
	// +Inf where none is feasible
	Gain float64
}

// Relaxations lists, for each constraint that binds, the least relaxation that
// buys something; without a feasible candidate, the least that lets any in. A
// constraint binds exactly when it is listed.
func Relaxations(r *rank.Result) []Relaxation {
	var out []Relaxation
	for _, o := range r.Space.Objectives {
		limit, limited := r.Query.Limits[o.Name]
		if !limited {
			continue
		}
		in := gainOf(r, o.Name)
		if i, gain := relax(r, o.Name, in); i >= 0 {
			out = append(out, Relaxation{o.Name, limit, r.Space.Values(o.Name)[i], i, in, gain})
		}
	}
	return out
}

// gainOf is what giving way on a limit shall buy: money for time, time for
// everything else that is minimized, and for accuracy what the ranking is by.
func gainOf(r *rank.Result, o objective.Name) question.Sort {
	minimized := r.Space.Objectives.Minimized()
	if !minimized.Has(o) {
		return r.Query.Sort.Loose()
	}
	other := slices.IndexFunc(minimized, func(p objective.Objective) bool { return p.Name != o })
	return question.Sort(minimized[other].Name)
}

// relax finds, among the candidates that break only the given constraint, the
// one with the least of its objective which gains in the sort key.
func relax(r *rank.Result, o objective.Name, in question.Sort) (candidate int, gain float64) {
	least := leastKey(r, in)
	worth := 0.0 // any gain on an unknown best is one
	if !math.IsInf(least, 1) {
		worth = rank.Material * math.Abs(least)
	}
	column, key := r.Space.Turned(o), r.KeyOf(in)
	candidate = -1
	for i := range relaxed(r, o, in) { // of a million: what takes longest is asked last
		if r.Feasible.Has(i) || math.IsNaN(column[i]) || candidate >= 0 && column[i] > column[candidate] {
			continue
		}
		g := math.Inf(1) // anything beats nothing, also with an unknown key
		if r.Count() > 0 {
			g = least - key(i)
		}
		if !(g > worth) || candidate >= 0 && column[i] == column[candidate] && g <= gain {
			continue
		}
		if broken := r.Space.Breaks(r.Query.Limits, i); len(broken) == 1 && broken[0] == o {
			candidate, gain = i, g
		}
	}
	return candidate, gain
}

// leastKey is the least sort key of the feasible candidates, by an objective or by what the
// ranking is by; +Inf without any.
func leastKey(r *rank.Result, by question.Sort) float64 {
	best := math.NaN()
	if o := objective.Name(by); r.Space.Values(o) != nil {
		best = r.Best(o)
	} else if r.Count() > 0 {
		best = r.Key(r.First())
	}
	if math.IsNaN(best) {
		return math.Inf(1)
	}
	return best
}

// relaxed are the candidates that may come in first when the limit on an
// objective is given way on: of two that gain as much the one that needs less, so
// that the frontier without the limit has them all. Where the key is no objective
// of its own it is the frontier in all objectives, none of which makes it worse by being
// better. Where nothing is feasible they are all candidates.
func relaxed(r *rank.Result, o objective.Name, in question.Sort) iter.Seq[int] {
	s := r.Space
	if r.Count() == 0 {
		return func(yield func(int) bool) {
			for i := 0; i < s.Len() && yield(i); i++ {
			}
		}
	}
	without := r.Query.Limits.With(o, nil)
	if s.Values(objective.Name(in)) == nil {
		return slices.Values(s.Unbeaten(without))
	}
	return slices.Values(s.Frontier(o, objective.Name(in), without))
}

// Neighbours are, among the feasible candidates at least as accurate as i, the
// next cheaper and the next faster one on the time–cost frontier: what a little
// more time would save, and what a little more money would buy. −1 is none.
// Steps of less than [rank.Material] are passed over.
func Neighbours(r *rank.Result, i int) (cheaper, faster int) {
	s := r.Space
	cheaper, faster = -1, -1
	time, cost := s.Values(objective.Time), s.Values(objective.Cost)
	within := asAccurate(r, i)
	for _, j := range s.Frontier(objective.Time, objective.Cost, within) { // by rising time and falling cost
		if time[j] < time[i]*(1-rank.Material) {
			faster = j
		}
		if cheaper < 0 && cost[j] < cost[i]*(1-rank.Material) {
			cheaper = j
		}
	}
	return cheaper, faster
}

// asAccurate are the limits of the query, with an accuracy of no less than that
// of candidate i where it is known.
func asAccurate(r *rank.Result, i int) question.Limits {
	o, _ := r.Space.Objective(objective.Accuracy)
	own, least := r.Space.Values(o.Name)[i], r.Query.Limits.Get(o.Name)
	if math.IsNaN(own) || least != nil && !(o.Turned(own) < o.Turned(*least)) {
		return r.Query.Limits
	}
	return r.Query.Limits.With(o.Name, &own)
}

// Crossover is where the best candidate changes as epochs grow.
type Crossover struct {
	Epochs    float64 // or steps, where as many are asked of all
	From, To  int
	Objective objective.Name
}

// maxEpochs bounds the search for crossovers.
const maxEpochs = 1000

// lengthRange is where crossovers are looked for. Where epochs or steps are as long as the script
// makes them it is about what is asked: a tenth to ten times.
func lengthRange(w question.Workload) (lo, hi float64) {
	asked := w.Steps
	if asked == nil && w.Counted.InSteps() {
		asked = w.Epochs
	}
	if asked == nil {
		return 1, maxEpochs
	}
	return *asked / 10, *asked * 10
}

// Crossovers finds, for a training workload, the numbers of epochs at which the
// fastest and the cheapest candidate change, among those that hold the limits
// which do not depend on epochs.
func Crossovers(r *rank.Result) []Crossover {
	if r.Query.Mode != profile.Train {
		return nil
	}
	var out []Crossover
	lo, hi := lengthRange(r.Query.Workload)
	for _, o := range r.Space.Objectives.Minimized() {
		var lines []training.Line
		var index []int
		fixed := r.Query.Limits.Only(objective.Accuracy)
		for i := range r.Space.Len() {
			line := r.Space.At(i).ByEpochs(o.Name)
			if line == nil || len(r.Space.Breaks(fixed, i)) > 0 {
				continue
			}
			lines, index = append(lines, *line), append(index, i)
		}
		for _, x := range training.Crossovers(lines, lo, hi) {
			out = append(out, Crossover{x.At, index[x.From], index[x.To], o.Name})
		}
	}
	slices.SortStableFunc(out, func(a, b Crossover) int { return cmp.Compare(a.Epochs, b.Epochs) })
	return out
}

// Flip is the price at which a candidate stops being the cheapest.
type Flip struct {
	To         int     // candidate that becomes the cheapest, of another VM type
	USDPerHour float64 // price of one VM of the first candidate at which it does
	Now        float64 // its price now
}

// PriceFlip finds at which price of its VM the feasible candidate i would cost
// as much as the cheapest feasible candidate of another VM type. ok is false
// where i is not the cheaper of the two, or a price is unknown.
func PriceFlip(r *rank.Result, i int) (Flip, bool) {
	s := r.Space
	own, cost := s.At(i).Configuration, s.Values(objective.Cost)
	if len(own) != 1 || own[0].USDPerHour == nil || *own[0].USDPerHour == 0 || math.IsNaN(cost[i]) {
		return Flip{}, false
	}
	rival := -1
	for _, j := range s.Rising(objective.Cost) {
		if math.IsNaN(cost[j]) {
			break
		}
		if !r.Feasible.Has(int(j)) {
			continue
		}
		if other := s.At(int(j)).Configuration; len(other) != 1 || other[0].VM.Key() != own[0].VM.Key() {
			rival = int(j)
			break
		}
	}
	if rival < 0 || cost[rival] < cost[i] {
		return Flip{}, false
	}
	now, fixed := *own[0].USDPerHour, s.At(i).Parts.Fixed()
	return Flip{To: rival, USDPerHour: now * (cost[rival] - fixed) / (cost[i] - fixed), Now: now}, true
}

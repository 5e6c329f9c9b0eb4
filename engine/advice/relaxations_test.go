package advice

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/training"
)

// least is the smallest known key among the candidates.
func least(index []int, key func(int) float64) float64 {
	best := math.Inf(1)
	for _, i := range index {
		if k := key(i); k < best {
			best = k
		}
	}
	return best
}

// loosened returns the limits with one of them put to v, and whether v gives way.
func loosened(s *rank.Space, l question.Limits, c question.Constraint, v float64) (question.Limits, bool) {
	o, _ := s.Objective(c)
	gives := !o.Within(v, l[c])
	return l.With(c, &v), gives
}

// buys says by how much a relaxation to v improves on now, by the definition:
// ask again with the other limit and look what comes in.
func buys(r *rank.Result, c question.Constraint, in question.Sort, v float64) (gain float64, ok bool) {
	l, gives := loosened(r.Space, r.Query.Limits, c, v)
	if !gives {
		return 0, false
	}
	came := slices.DeleteFunc(feasible(r.Space, l), func(i int) bool { return r.Feasible.Has(i) })
	if r.Count() == 0 {
		return math.Inf(1), len(came) > 0
	}
	key := func(i int) float64 { return r.KeyOf(in)(i) }
	best := least(r.Order(), key)
	gain = best - least(came, key)
	if math.IsInf(best, 1) {
		return gain, gain > 0
	}
	return gain, gain > rank.Material*math.Abs(best)
}

func TestRelaxationsAgainstAskingAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := spaces().Draw(t, "space"), queries().Draw(t, "query")
		r := rank.Evaluate(s, q)
		listed := map[question.Constraint]Relaxation{}
		for _, x := range Relaxations(r) {
			listed[x.Constraint] = x
			l, gives := loosened(s, q.Limits, x.Constraint, x.Need)
			if !gives || !meets(s.At(x.Candidate), l) || r.Feasible.Has(x.Candidate) {
				t.Fatalf("%+v does not let its candidate in", x)
			}
			gain, ok := buys(r, x.Constraint, x.In, x.Need)
			if !ok || math.Abs(gain-x.Gain) > 1e-9 {
				t.Fatalf("%+v buys %g", x, gain)
			}
		}
		for c := range q.Limits {
			column, in := s.Values(c), question.ByTime
			switch c {
			case objective.Accuracy:
				in = q.Sort
			case objective.Time:
				in = question.ByCost
			}
			x, isListed := listed[c]
			for i, v := range column {
				if math.IsNaN(v) {
					continue
				}
				smaller, _ := loosened(s, q.Limits, c, x.Need)
				if isListed && !lessOf(s, c, v, smaller) {
					continue
				}
				if gain, ok := buys(r, c, in, v); ok {
					t.Fatalf("%s: relaxing to %g of candidate %d buys %g, but the answer is %+v (listed %v)", c, v, i, gain,
						x, isListed)
				}
			}
		}
	})
}

// lessOf reports whether relaxing the constraint to v gives less way than l does.
func lessOf(s *rank.Space, c question.Constraint, v float64, l question.Limits) bool {
	o, _ := s.Objective(c)
	return o.Turned(v) < o.Turned(l[c])
}

// lines draws training candidates by their lines over epochs.
func lined() *rapid.Generator[*rank.Space] {
	return rapid.Custom(func(t *rapid.T) *rank.Space {
		candidates := make([]candidate.Candidate, rapid.IntRange(0, 8).Draw(t, "candidates"))
		for i := range candidates {
			c := drawn(t, i, true)
			c.TimeByEpochs = &training.Line{At0: float64(rapid.IntRange(0, 400).Draw(t, "start-up")),
				Slope: float64(rapid.IntRange(1, 20).Draw(t, "an epoch"))}
			if c.Cost.Known() {
				price := float64(rapid.IntRange(1, 5).Draw(t, "price of a second"))
				c.CostByEpochs = &training.Line{At0: c.TimeByEpochs.At0 * price, Slope: c.TimeByEpochs.Slope * price}
			}
			candidates[i] = c
		}
		return rank.NewSpace(candidate.ListOf(candidates...))
	})
}

func TestCrossoversAgainstEvaluatingBothSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := lined().Draw(t, "space"), queries().Draw(t, "query")
		q.Mode = profile.Train
		r := rank.Evaluate(s, q)
		for _, o := range []objective.Name{objective.Time, objective.Cost} {
			line := func(i int) *training.Line {
				if o == objective.Cost {
					return s.At(i).CostByEpochs
				}
				return s.At(i).TimeByEpochs
			}
			var rivals []int
			for _, i := range feasible(s, q.Limits.Only(objective.Accuracy)) {
				if line(i) != nil {
					rivals = append(rivals, i)
				}
			}
			lowest := func(epochs float64) float64 {
				return least(rivals, func(i int) float64 { return line(i).At(epochs) })
			}
			// Between two crossovers the same candidate must be best throughout.
			at, best := 1.0, -1
			check := func(until float64) {
				for _, x := range []float64{at, (at + until) / 2, until} {
					if want := lowest(x); best >= 0 && math.Abs(line(best).At(x)-want) > 1e-6*(1+want) {
						t.Fatalf("by %s at %g epochs candidate %d has %g, the best has %g", o, x, best, line(best).At(x), want)
					}
				}
			}
			for _, x := range Crossovers(r) {
				if x.Objective != o {
					continue
				}
				if x.Epochs < at || x.Epochs > maxEpochs || x.From == x.To || best >= 0 && x.From != best {
					t.Fatalf("%+v does not follow on candidate %d at %g epochs", x, best, at)
				}
				best = x.From
				check(x.Epochs)
				at, best = x.Epochs, x.To
			}
			if best < 0 { // no crossover: one candidate must be best from end to end
				stays := slices.ContainsFunc(rivals, func(i int) bool {
					return line(i).At(1) == lowest(1) && line(i).At(maxEpochs) == lowest(maxEpochs)
				})
				if len(rivals) > 0 && !stays {
					t.Fatalf("by %s the best changes between 1 and %d epochs, but no crossover says so", o, maxEpochs)
				}
				continue
			}
			check(maxEpochs)
		}
	})
}

func TestCrossoversBelongToTraining(t *testing.T) {
	a, b := timed(1, 1, 0.1), timed(2, 2, 0.1)
	a.TimeByEpochs, b.TimeByEpochs = &training.Line{At0: 0, Slope: 2}, &training.Line{At0: 10, Slope: 1}
	s := rank.NewSpace(candidate.ListOf(a, b))
	q := question.Query{Workload: question.Workload{Mode: profile.Train}}
	got := Crossovers(rank.Evaluate(s, q))
	if want := []Crossover{{10, 0, 1, objective.Time}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	q.Mode = profile.Infer
	if got := Crossovers(rank.Evaluate(s, q)); got != nil {
		t.Errorf("inference has no epochs to cross over: %v", got)
	}
}

func TestPriceFlip(t *testing.T) {
	vm := func(name string, seconds, hourly float64) candidate.Candidate {
		c := candidate.Candidate{ID: name, Time: estimate.Exact(seconds, estimate.Measured)}
		c.Configuration = []candidate.Part{{VM: profile.VMType{InstanceType: name}, Count: 2, USDPerHour: &hourly}}
		c.Cost = c.Time.Times(*c.USDPerHour() / 3600)
		return c
	}
	r := ask(vm("cheap", 3600, 1), vm("cheap", 1800, 2.2), vm("rival", 3600, 1.5), vm("dear", 3600, 9))
	flip, ok := PriceFlip(r, 0)
	if !ok || flip.To != 2 || flip.Now != 1 || math.Abs(flip.USDPerHour-1.5) > 1e-12 {
		t.Errorf("got %+v, %v: at $1.50 an hour the rival is as cheap", flip, ok)
	}
	if flip, ok := PriceFlip(r, 3); ok {
		t.Errorf("the dearest is not the cheaper of anything: %+v", flip)
	}
	if flip, ok := PriceFlip(ask(vm("alone", 1, 1)), 0); ok {
		t.Errorf("nobody to flip to: %+v", flip)
	}
}

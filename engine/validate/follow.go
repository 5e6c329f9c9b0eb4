package validate

import (
	"math"
	"slices"

	"sweetspot/engine/advice"
	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/transfer"
)

// Followed is what following the advice on the next probe came to on one table:
// a model's trainings at one batch size on several VM types, all hidden at
// first.
type Followed struct {
	Model  string
	Batch  int
	Probed []string // instance types, in the order of their probes
	Fastest,
	Cheapest Named
}

// Named is the VM type named best, and the one that was.
type Named struct {
	Named, Best string
	P           float64 // probability of being best, of the one named
}

// Right reports whether the best one was named.
func (n Named) Right() bool { return n.Named == n.Best }

// Spending is in US dollars over all tables.
type Spending struct {
	Following float64 // the probes that were advised
	All       float64 // a probe of every cell: start-up and one more iteration
	Running   float64 // every training in full
}

// probeIterations is how many steady iterations a replayed probe measures, and
// probeError how well it then knows their mean.
const (
	probeIterations = 20
	probeError      = 0.02
)

// Follow replays probing on the set's trainings that have a start-up, a steady
// iteration and a measured total. Totals stay hidden: they only tell what was
// best. Tables of one model share what was probed before. A table that nothing
// is known of begins with the VM type that costs least an hour.
func Follow(set *profile.Set) ([]Followed, Spending) {
	f := follower{known: &profile.Set{Models: set.Models, GPUs: set.GPUs, Kinds: set.Kinds},
		prices: map[profile.VMKey]float64{}}
	var out []Followed
	for _, t := range tables(set) {
		f.offer(set, t)
		out = append(out, f.follow(t))
	}
	return out, f.spent
}

// tables are the cells that can be replayed, by model and batch size.
func tables(set *profile.Set) [][]profile.Run {
	var out [][]profile.Run
	for _, r := range set.Runs {
		if _, ok := r.Startup(); r.Mode != profile.Train || !ok || !r.Steady.Known() || r.TotalS == nil || r.Epochs == nil ||
			r.IterationsPerEpoch == nil {
			continue
		}
		i := slices.IndexFunc(out, func(t []profile.Run) bool {
			return t[0].Model == r.Model && t[0].BatchSize == r.BatchSize && sizeOf(t[0]) == sizeOf(r)
		})
		if i < 0 {
			i, out = len(out), append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return slices.DeleteFunc(out, func(t []profile.Run) bool { return len(t) < 2 })
}

// sizeOf is how many units one's own training has in its set; 0 is unknown, or another's.
func sizeOf(r profile.Run) float64 {
	return curve.KeyOf(r, "").Size
}

type follower struct {
	known  *profile.Set // what was probed so far
	prices map[profile.VMKey]float64
	spent  Spending
}

// offer takes the VM types of a table into the catalog.
func (f *follower) offer(set *profile.Set, table []profile.Run) {
	for _, r := range table {
		if _, ok := f.prices[r.VM()]; ok {
			continue
		}
		for _, vm := range set.VMTypes {
			if p, ok := vm.PriceOf(profile.OnDemand); ok && vm.Key() == r.VM() {
				f.prices[vm.Key()] = p.USDPerHour
				f.known.VMTypes = append(f.known.VMTypes, vm)
			}
		}
	}
}

func (f *follower) usd(r profile.Run, seconds float64) float64 {
	return seconds / 3600 * f.prices[r.VM()]
}

// probe pays for a cell and takes it into what is known.
func (f *follower) probe(r profile.Run) {
	startup, _ := r.Startup()
	f.spent.Following += f.usd(r, startup+probeIterations*r.Steady.Value)
	r.TotalS, r.Basis = nil, estimate.Measured
	r.Steady = estimate.Around(r.Steady.Value, probeError*r.Steady.Value, estimate.Measured)
	runs := append(slices.Clone(f.known.Runs), r)
	known := *f.known
	known.Runs = runs
	f.known = &known
}

func (f *follower) follow(table []profile.Run) Followed {
	for _, r := range table {
		startup, _ := r.Startup()
		f.spent.All += f.usd(r, startup+r.Steady.Value)
		f.spent.Running += f.usd(r, *r.TotalS)
	}
	out := Followed{Model: table[0].Model, Batch: table[0].BatchSize}
	for {
		i := f.next(table)
		if i < 0 || slices.Contains(out.Probed, table[i].InstanceType) {
			break
		}
		out.Probed = append(out.Probed, table[i].InstanceType)
		f.probe(table[i])
	}
	out.Fastest = f.name(table, question.ByTime, objective.Time, func(r profile.Run) float64 { return *r.TotalS })
	out.Cheapest = f.name(table, question.ByCost, objective.Cost,
		func(r profile.Run) float64 { return f.usd(r, *r.TotalS) })
	return out
}

// ask ranks a table with what is known, and takes nothing as tied: the best is known.
func (f *follower) ask(table []profile.Run, sort question.Sort) *rank.Result {
	q := question.Query{Sort: sort.Strict(), Workload: question.Workload{
		Model: table[0].Model, Mode: profile.Train, Epochs: table[0].Epochs, BatchSizes: []int{table[0].BatchSize},
		Purchase: profile.OnDemand,
	}}
	if size := sizeOf(table[0]); size > 0 {
		q.TrainSize = &size
	}
	return rank.Answer(f.known, q, transfer.New(f.known, profile.Train))
}

// next is the cell that the advice names, for cost or else for time; -1 for
// none.
func (f *follower) next(table []profile.Run) int {
	for _, sort := range []question.Sort{question.ByCost, question.ByTime} {
		r := f.ask(table, sort)
		if r.Count() == 0 {
			return f.cheapest(table)
		}
		if p, ok := advice.NextProbe(r, advice.ProbeSeconds, r.BestProbability); ok {
			vm := r.Space.At(p.Candidate).Configuration[0].VM.Key()
			return slices.IndexFunc(table, func(c profile.Run) bool { return c.VM() == vm })
		}
	}
	return -1
}

func (f *follower) cheapest(table []profile.Run) int {
	best := 0
	for i, r := range table {
		if f.prices[r.VM()] < f.prices[table[best].VM()] {
			best = i
		}
	}
	return best
}

func (f *follower) name(table []profile.Run, sort question.Sort, o objective.Name, of func(profile.Run) float64) Named {
	n, least := Named{}, math.Inf(1)
	for _, r := range table {
		if v := of(r); v < least {
			n.Best, least = r.InstanceType, v
		}
	}
	if r := f.ask(table, sort); r.Count() > 0 {
		n.Named, n.P = r.Space.At(r.First()).Configuration[0].VM.InstanceType, r.BestProbability(o)[r.First()]
	}
	return n
}

package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Unsteadiness is how trainings turned out that went on otherwise than their first
// two epochs: images, batches or windows grew on a schedule, or the second epoch was
// no steady state. Such a training's time left was off by at least the factor of
// unsteadyFrom. Most of them begin slowly: see slowStart.
type Unsteadiness struct {
	Slower, Faster Excess
	// SlowStarts and Others are the shares of the trainings that begin slowly, and of all
	// others, that may at most be so, nine times in ten.
	SlowStarts, Others float64
}

// Excess is how much further off than the factor of unsteadyFrom the time left was:
// |ln(real/predicted)| beyond it is exponentially distributed with a mean that is
// known from so many trainings.
type Excess struct {
	Mean float64
	Of   int
}

// PublishedUnsteadiness is that of the unsteady trainings among 32 entries of DAWNBench
// (2017–2020: progressive resizing makes slower, TPUs and just-in-time compilers faster)
// and 108 speedruns of modded-nanogpt (2024–2025, of which none is), fitted by
// [FitUnsteadiness] on 2026-11-27. `make accuracy` fits it again without those asked.
var PublishedUnsteadiness = Unsteadiness{
	Slower: Excess{0.43, 4}, Faster: Excess{0.26, 2}, SlowStarts: 0.561, Others: 0.057,
}

// unsteadyFrom is the |ln(real/predicted)| from which a training was unsteady.
var unsteadyFrom = math.Log(1.15)

// slowStart is the ln(first epoch / second) from which a training begins slowly: its
// start-up, such as compilation and files not yet cached, counts beside an epoch. It may not be
// over in the second, and epochs that are short by it grow more often.
var slowStart = math.Log(1.2)

// FitUnsteadiness fits it to the complete runs of a set, of which repeats count once.
func FitUnsteadiness(runs []profile.Run) Unsteadiness {
	type kind struct {
		model  string
		series Series
	}
	type seen struct{ ratios, startups []float64 } // ln(real/predicted) of the time after two epochs
	kinds := map[kind]*seen{}
	var order []kind
	for _, r := range runs {
		if h, ok := runHistoryOf(r, 2); ok {
			k := kind{r.Model, SeriesOf(r)}
			if kinds[k] == nil {
				kinds[k], order = &seen{}, append(order, k)
			}
			kinds[k].ratios = append(kinds[k].ratios, math.Log(h.rest/(h.pace.perEpoch*(h.epochs-2))))
			kinds[k].startups = append(kinds[k].startups, h.startup)
		}
	}
	var slower, faster []float64
	var all, turned [2]float64 // of those that begin otherwise and slowly: all, and the unsteady ones
	for _, k := range order {
		begun := 0
		if estimate.Median(kinds[k].startups) > slowStart {
			begun = 1
		}
		all[begun]++
		switch y := estimate.Median(kinds[k].ratios); {
		case y > unsteadyFrom:
			slower, turned[begun] = append(slower, y-unsteadyFrom), turned[begun]+1
		case y < -unsteadyFrom:
			faster, turned[begun] = append(faster, -y-unsteadyFrom), turned[begun]+1
		}
	}
	return Unsteadiness{
		Slower: Excess{meanOrZero(slower), len(slower)}, Faster: Excess{meanOrZero(faster), len(faster)},
		SlowStarts: atMost(turned[1], all[1]), Others: atMost(turned[0], all[0]),
	}
}

// share is the share of trainings that begin as this one that may be unsteady.
func (u Unsteadiness) share(p pace) float64 {
	if p.startup > slowStart {
		return u.SlowStarts
	}
	return u.Others
}

// atMost is the share that k of n show at most, nine times in ten: the upper end of
// Wilson's interval (1927). It is 0 where none was.
func atMost(k, n float64) float64 {
	if k == 0 {
		return 0
	}
	const z = 1.2816 // the normal distribution's 90 % quantile
	p, s := k/n, z*z/n
	return (p + s/2 + z*math.Sqrt(p*(1-p)/n+s/(4*n))) / (1 + s)
}

func meanOrZero(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return stat.Mean(x, nil)
}

// unknownKind is the weight of the possibility that a training is unsteady, in
// complete runs of its model that were comparable: a schedule is a property of the
// script, so that one of these tells of it.
const unknownKind = 0.05

// chance is how likely it is that a training of an unsteady kind is still to become so:
// less with every complete run of the model, however fast, and
// with every epoch done.
func (e *evidence) chance(q question) float64 {
	seen := 0.0
	if q.model >= 0 {
		for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
			if c := &e.histories[i]; c.series.Variant == q.series.Variant {
				seen++
			} else {
				seen += otherVariant
			}
		}
	}
	return unknownKind / (unknownKind + seen) * q.left / q.epochs
}

// beyond is the share of trainings that an interval may miss on one side: of all, and
// of the unsteady ones where the first epochs show that this is one of them.
const beyond = 0.1

// minStartup is the least ln(first epoch / second) of which a part can be told.
var minStartup = math.Log(1.1)

// reach is the |ln(real/predicted)| that so few exceed, where unsteady trainings are
// further off by so much and this one is one of them with a chance; at least off. That a
// mean of few is known roughly makes the tail that of a Lomax distribution.
func (x Excess) reach(off, chance float64) float64 {
	if x.Of == 0 {
		return off
	}
	further := math.Log(math.Max(chance, 1e-9) / beyond)
	if n := float64(x.Of); further > 0 {
		further = n * math.Expm1(further/n)
	}
	return math.Max(off, unsteadyFrom+x.Mean*further)
}

// spill is how far the second epoch may still be above the later ones, as |ln ratio|:
// as large a part of the first epoch's excess over it as in three runs of four of the
// model. Files that are cached in the first epoch may not all be.
func (e *evidence) spill(q question, weights []float64) float64 {
	if q.model < 0 || q.pace.startup <= 0 {
		return 0
	}
	var order []int
	sum := 0.0
	for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
		if e.histories[i].startup > minStartup {
			order, sum = append(order, i), sum+weights[i]
		}
	}
	if sum == 0 {
		return 0
	}
	share := func(i int) float64 {
		c := &e.histories[i]
		return math.Min(1, math.Max(0, -c.body/c.startup))
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(share(i), share(j)) })
	return q.pace.startup * weightedQuantile(order, weights, 0.75*sum, share)
}

// earlier is how much earlier a run may end whose evaluations are concurrent with its
// training, as |ln ratio| of the time after the known epochs: epochs begin while the
// evaluation is on that it ends with. Runs of the model tell how many.
func (e *evidence) earlier(q question, weights []float64, rest float64) float64 {
	if !q.pace.concurrent || !(rest > 0) {
		return 0
	}
	seen := 0.0
	if q.model >= 0 {
		for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
			if e.histories[i].concurrent {
				seen += weights[i]
			}
		}
	}
	off := estimate.Z90 * concurrentSpread * q.pace.perEpoch * shrinkage / (shrinkage + seen)
	return -math.Log(math.Max(0.01, 1-off/rest))
}

// sameScript reports whether a complete run of the model is of the run's own variant,
// whose schedule is then known.
func (e *evidence) sameScript(q question) bool {
	return slices.ContainsFunc(e.histories[e.first[q.model]:e.first[q.model+1]], func(c history) bool {
		return c.series.Variant == q.series.Variant
	})
}

// evenness says in a forecast whether the epochs are equal work, how far off it is at
// least where they are not, as |ln ratio|, and the chance that they are still to become
// unequal.
func (e *evidence) evenness(q question, weights []float64, p Progress, f *Forecast) (least, chance float64) {
	if q.pace.apart > maxEqualDifference {
		f.Uneven, f.Words = true, fmt.Sprintf("its epochs differ by %.0f %% so far", 100*math.Expm1(q.pace.apart))
		return q.pace.apart, 1
	}
	chance = e.chance(q)
	if q.model >= 0 && e.uneven[q.model] {
		f.Uneven, f.Scheduled, f.Words = true, true, "the epochs of other runs of this model are not equal work"
		if !e.sameScript(q) {
			f.Words += ", and none of them is of this variant"
			return 0, 1
		}
		return 0, chance
	}
	if d := p.durations(); len(d) == 2 {
		apart := q.pace.startup
		if (apart > maxStartupRatio && !e.startsLike(q, weights, apart)) || apart < -maxSlowerSecond {
			f.Uneven = true
			f.Words = fmt.Sprintf("its second epoch took %.2g times as long as the first", d[1]/d[0])
			return math.Abs(apart), 1
		}
	}
	n := 0
	if q.model >= 0 {
		n = e.first[q.model+1] - e.first[q.model]
	}
	f.Alone = chance > beyond
	switch {
	case f.Alone && q.pace.startup > slowStart:
		f.Words = fmt.Sprintf("its first epoch took %.2g times as long as the second, and no comparable training was seen "+
			"to its end: the start-up may not be over, or later epochs be longer", math.Exp(q.pace.startup))
	case f.Alone:
		f.Words = "no comparable training was seen to its end, and images, batches or windows may still grow"
	case n == 0:
		f.Words = fmt.Sprintf("first %d epochs, no complete run of this model elsewhere", p.Known())
	default:
		f.Words = fmt.Sprintf("first %d epochs, and how %d other series of this model went on", p.Known(), n)
	}
	return 0, chance
}

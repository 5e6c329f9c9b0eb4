package training

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
)

// How far off predictions are, as the 90th percentile of |ln(real/predicted)|.
// priorError and priorWeight decide where few histories are known; a greater weight
// keeps the interval near the prior for longer.
const (
	priorError      = 0.1   // without histories: most of the thesis' totals from epochs are closer, its worst is 29 % off
	priorWeight     = 0.15  // of priorError, in histories of the same model
	minError        = 0.002 // however well others were predicted: clocks and logs round
	maxOthersWeight = 1.5   // of all histories of other models together, in histories of the same model
)

// off is how far off the prediction may be, by the errors of predictions for other
// complete runs with their own series left out.
func (e *evidence) off(q question, weights []float64) float64 {
	own, others := 0.0, 0.0
	for i := range e.histories {
		if e.histories[i].model == q.model {
			own += weights[i]
		} else {
			others += weights[i]
		}
	}
	share := 1.0
	if others > maxOthersWeight {
		share = maxOthersWeight / others
	}
	sum := own + others*share
	prior := priorError
	if e.known <= 1 {
		prior = math.Log(1 + OneOffRel) // the only known epoch includes the start-up
	}
	if sum < 1e-6 {
		return prior
	}
	// The 90th percentile is extrapolated from the 75th as in a normal distribution:
	// above it there are too few runs, and a single outlying series weighs too much.
	const read, beyond = 0.75, estimate.Z90 / 1.1503
	below, before, size := 0.0, 0.0, 0.0
	for _, r := range e.residuals {
		w := weights[r.history] * r.weight
		if e.histories[r.history].model != q.model {
			w *= share
		}
		if w == 0 {
			continue
		}
		if here := below + w/2; here < read*sum {
			below, before, size = below+w, here, r.size
		} else {
			size += (r.size - size) * (read*sum - before) / (here - before)
			break
		}
	}
	return (sum*math.Max(minError, beyond*size) + priorWeight*prior) / (sum + priorWeight)
}

// minSimilarity is the weight from which a history is comparable with the run.
const minSimilarity = 0.1

// startsLike reports whether a comparable run of the model had a first epoch that
// exceeded its second by at least half as much.
func (e *evidence) startsLike(q question, weights []float64, apart float64) bool {
	if q.model < 0 {
		return false
	}
	for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
		if weights[i] >= minSimilarity && e.histories[i].startup > apart/2 {
			return true
		}
	}
	return false
}

// evenness widens the interval where epochs are not, or seem not to be, equal work.
func (e *evidence) evenness(
	q question, weights []float64, p Progress, off float64,
) (wider float64, uneven bool, words string) {
	if q.pace.apart > maxEqualDifference {
		words = fmt.Sprintf("its epochs differ by %.0f %% so far", 100*math.Expm1(q.pace.apart))
		return math.Max(off, q.pace.apart), true, words
	}
	if q.model >= 0 && e.uneven[q.model] {
		return off, true, "the epochs of other runs of this model are not equal work"
	}
	if d := p.durations(); len(d) == 2 {
		apart := math.Log(d[0] / d[1])
		if (apart > maxStartupRatio && !e.startsLike(q, weights, apart)) || apart < -maxEqualDifference {
			words = fmt.Sprintf("its second epoch took %.2g times as long as the first", d[1]/d[0])
			return math.Max(off, math.Abs(apart)), true, words
		}
	}
	n := 0
	if q.model >= 0 {
		n = e.first[q.model+1] - e.first[q.model]
	}
	if n == 0 {
		return off, false, fmt.Sprintf("first %d epochs, no complete run of this model elsewhere", p.Known())
	}
	return off, false, fmt.Sprintf("first %d epochs, and how %d other series of this model went on", p.Known(), n)
}

// maxEqualDifference is the greatest |ln ratio| of the times of epochs of equal
// work; maxStartupRatio is how much longer, likewise, start-up makes the first.
var (
	maxEqualDifference = math.Log(1.1)
	maxStartupRatio    = math.Log(2)
)

package training

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
)

// How far off predictions are, as |ln(real/predicted)| that 90 % stay below.
const (
	unseenOff  = 0.1   // nothing to judge by: most totals that the thesis tells from epochs are closer, its worst is 29 % off
	unseen     = 0.15  // what that counts for beside courses, in courses of the same model
	leastOff   = 0.002 // however well others were predicted
	othersMost = 1.5   // what all courses of other models count for, in courses of the same
)

// off is how far off the prediction may be: as predictions of other complete
// runs were that did not know their series.
func (e *evidence) off(q question, weights []float64) float64 {
	own, others := 0.0, 0.0
	for i := range e.courses {
		if e.courses[i].model == q.model {
			own += weights[i]
		} else {
			others += weights[i]
		}
	}
	share := 1.0
	if others > othersMost {
		share = othersMost / others
	}
	sum := own + others*share
	prior := unseenOff
	if e.known <= 1 {
		prior = math.Log(1 + OneOffRel) // start-up is in all that is known
	}
	if sum < 1e-6 {
		return prior
	}
	// The last quarter is too few runs, and a single odd series among them too
	// much, to be read off; it is taken to lie as in a normal distribution.
	const read, beyond = 0.75, estimate.Z90 / 1.1503
	below, before, size := 0.0, 0.0, 0.0
	for _, r := range e.residuals {
		w := weights[r.course] * r.weight
		if e.courses[r.course].model != q.model {
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
	return (sum*math.Max(leastOff, beyond*size) + unseen*prior) / (sum + unseen)
}

// comparable is the weight from which a course is like the run.
const comparable = 0.1

// startsLike reports whether a comparable run of the model had a first epoch
// that was longer than its second by something like as much.
func (e *evidence) startsLike(q question, weights []float64, apart float64) bool {
	if q.model < 0 {
		return false
	}
	for i := e.first[q.model]; i < e.first[q.model+1]; i++ {
		if weights[i] >= comparable && e.courses[i].startup > apart/2 {
			return true
		}
	}
	return false
}

// evenness widens the interval where epochs are not, or do not seem to be,
// equal work.
func (e *evidence) evenness(q question, weights []float64, p Progress, off float64) (wider float64, uneven bool, words string) {
	if q.pace.apart > evenWithin {
		return math.Max(off, q.pace.apart), true, fmt.Sprintf("its epochs differ by %.0f %% so far", 100*math.Expm1(q.pace.apart))
	}
	if q.model >= 0 && e.uneven[q.model] {
		return off, true, "the epochs of other runs of this model are not equal work"
	}
	if d := p.durations(); len(d) == 2 {
		if apart := math.Log(d[0] / d[1]); (apart > doubled && !e.startsLike(q, weights, apart)) || apart < -evenWithin {
			return math.Max(off, math.Abs(apart)), true, fmt.Sprintf("its second epoch took %.2g times as long as the first", d[1]/d[0])
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

// evenWithin is the most by which epochs of equal work differ, as a logarithm;
// doubled is how many times longer the first may be for its start-up.
var (
	evenWithin = math.Log(1.1)
	doubled    = math.Log(2)
)

package training

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
)

// occurrence is a pause: after how many iterations it came, and its seconds.
type occurrence struct {
	at, seconds float64
	counted     bool // the iterations were counted, not converted from times
}

// recurrence is how often pauses of one kind come. Those at one position are one:
// a model and its optimizer may be saved to two files.
type recurrence struct {
	kind       string
	byEpoch    bool              // positions are epochs, else iterations
	counted    bool              // iterations were counted, not converted from times
	at         []float64         // positions, rising
	seen       int               // pauses
	together   int               // of them at each position, if all have equally many; else 1
	each       estimate.Estimate // of all pauses at a position
	known      float64           // up to this position all were seen
	gap        float64           // between two
	regularity regularity
}

// regularity is what is known of the gaps.
type regularity uint8

const (
	once   regularity = iota // one was seen: the gap is a lower bound
	twice                    // two were seen, whose gap differs from the time to the first
	even                     // at least two equal gaps
	uneven                   // the gaps differ, and gap is their mean
)

func newRecurrence(kind string, occurrences []occurrence, known, perEpoch float64) recurrence {
	k := recurrence{kind: kind, known: known, counted: true, seen: len(occurrences)}
	slices.SortFunc(occurrences, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	if k.byEpoch = endEpochs(occurrences, perEpoch); k.byEpoch {
		k.known = math.Floor(known/perEpoch + 1e-9)
	}
	var seconds []float64
	var together []int
	for _, m := range occurrences {
		k.counted = k.counted && m.counted
		position := m.at
		if k.byEpoch {
			position = math.Round(m.at / perEpoch)
		}
		if n := len(k.at); n > 0 && position-k.at[n-1] < 0.5 {
			seconds[n-1] += m.seconds
			together[n-1]++
			continue
		}
		k.at, seconds, together = append(k.at, position), append(seconds, m.seconds), append(together, 1)
	}
	if k.together = 1; slices.Min(together) == slices.Max(together) {
		k.together = together[0]
	}
	k.each = eachOf(seconds)
	k.gap, k.regularity = k.gaps(perEpoch)
	return k
}

// endEpochs reports whether all occurrences are at ends of epochs, as far as these
// are known: an epoch may have 158.25 iterations.
func endEpochs(occurrences []occurrence, perEpoch float64) bool {
	return !slices.ContainsFunc(occurrences, func(m occurrence) bool {
		position, off := m.at/perEpoch, 0.5/perEpoch
		if perEpoch != math.Trunc(perEpoch) {
			off *= 2
		}
		if !m.counted {
			off = math.Max(off, boundary)
		}
		return math.Round(position) < 1 || math.Abs(position-math.Round(position)) > off
	})
}

// eachOf is the mean seconds of a pause. A prior of oneOffRel counts as one more
// in its interval.
func eachOf(seconds []float64) estimate.Estimate {
	n := float64(len(seconds))
	mean := stat.Mean(seconds, nil)
	prior := mean * oneOffRel / estimate.Z90
	sum := prior * prior
	for _, s := range seconds {
		sum += (s - mean) * (s - mean)
	}
	return estimate.Around(mean, estimate.Z90*math.Sqrt(sum)/n, estimate.Measured)
}

// gaps is the gap and its regularity, by the pauses seen and by how long none was.
func (k recurrence) gaps(perEpoch float64) (gap float64, r regularity) {
	first, last, n := k.at[0], k.at[len(k.at)-1], float64(len(k.at))
	if n == 1 {
		// It recurs no earlier than after the time it took to come, or was not seen to.
		return math.Max(1, math.Max(first, k.known+1-last)), once
	}
	gap = (last - first) / (n - 1)
	off := 0.5
	if !k.byEpoch {
		off = math.Max(off, gap*boundary)
	}
	if !k.counted { // times near the end of an epoch were taken to be at its end
		off = math.Max(off, math.Min(2*boundary*perEpoch, gap/3))
	}
	for i := 1; i < len(k.at); i++ {
		if math.Abs(k.at[i]-k.at[i-1]-gap) > off {
			return math.Max(k.known, last) / n, uneven
		}
	}
	switch {
	case k.known-last > gap+off:
		return k.known / n, uneven // they have stopped
	case n > 2 || math.Abs(first-gap) <= off:
		return gap, even
	}
	return gap, twice
}

// compilation is the kind of a pause in which the network was compiled. It does not
// recur: what comes later has the shapes that were compiled for.
const compilation = "compilation"

// ofBest is the kind of a checkpoint that is written only where a result is better than
// those before: as many as the gaps tell may follow, or none.
const ofBest = "best checkpoint"

// count is how many come in n epochs, with its 90 % interval. One more may come at
// the end, where a training saves its result.
func (k recurrence) count(n, perEpoch float64) (count, low, high float64) {
	seen := float64(len(k.at))
	if k.kind == compilation {
		return seen, seen, seen
	}
	count, low, high = k.regular(n, perEpoch)
	if k.kind == ofBest && count > seen {
		return (seen + count) / 2, seen, high
	}
	return count, low, high
}

// regular is the count of what comes as regularly as it did.
func (k recurrence) regular(n, perEpoch float64) (count, low, high float64) {
	end, off := n, boundary
	if !k.byEpoch {
		end, off = n*perEpoch, 0.5
	}
	if !k.byEpoch && !k.counted {
		off = math.Max(off, k.gap*boundary)
	}
	last := k.at[len(k.at)-1]
	if end <= math.Max(k.known, last) {
		for _, at := range k.at {
			if at <= end+off {
				count++
			}
		}
		return count, count, count + 1
	}
	seen := float64(len(k.at))
	more := math.Floor((end - last + off) / k.gap)
	switch k.regularity {
	case once:
		return seen + more, seen, seen + 2*more + 1
	case twice:
		return seen + more, seen + more/2, seen + 1.5*more + 1
	case uneven:
		more = (end - math.Max(k.known, last)) / k.gap
		half := estimate.Z90 * math.Sqrt(more+more*more/seen)
		return seen + more, seen + math.Max(0, more-half), seen + more + half + 1
	}
	// Where positions were converted from times, one of an epoch's last pauses may
	// have been taken to be at its end.
	blur := 0.0
	if !k.byEpoch && !k.counted {
		blur = more * math.Min(1, boundary*perEpoch/(last-k.at[0]))
	}
	return seen + more, seen + more - blur, seen + more + blur + 1
}

// over is the seconds of the pauses of n epochs.
func (k recurrence) over(n, perEpoch float64, basis estimate.Basis) estimate.Estimate {
	count, low, high := k.count(n, perEpoch)
	each := k.each
	v := count * each.Value
	return estimate.Estimate{
		Value: v,
		Low:   math.Max(0, v-math.Hypot(count*(each.Value-each.Low), (count-low)*each.Value)),
		High:  v + math.Hypot(count*(each.High-each.Value), (high-count)*each.Value),
		Basis: basis,
	}
}

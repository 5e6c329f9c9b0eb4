package training

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
)

// mark is a pause: after how many iterations, and its seconds.
type mark struct {
	at, seconds float64
	counted     bool // the iterations, else their time told
}

// recurrence is how pauses of one kind come. Those at one place are one: a
// model and its optimizer may go into two files.
type recurrence struct {
	kind    string
	byEpoch bool      // places are epochs, else iterations
	counted bool      // these were counted, else told by times
	at      []float64 // places, rising
	each    estimate.Estimate
	watched float64 // up to this place all are known
	gap     float64 // to the next one
	rhythm  rhythm
}

// rhythm is what is known of the gaps.
type rhythm uint8

const (
	once   rhythm = iota // one was seen: the gap is the least that it can be
	twice                // two were seen, or two of a series that began otherwise
	even                 // at least two equal gaps
	uneven               // no two alike: the gap is a mean
)

func newRecurrence(kind string, marks []mark, watched, perEpoch float64) recurrence {
	k := recurrence{kind: kind, watched: watched, counted: true}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	if k.byEpoch = endEpochs(marks, perEpoch); k.byEpoch {
		k.watched = math.Floor(watched/perEpoch + 1e-9)
	}
	var seconds []float64
	for _, m := range marks {
		k.counted = k.counted && m.counted
		place := m.at
		if k.byEpoch {
			place = math.Round(m.at / perEpoch)
		}
		if n := len(k.at); n > 0 && place-k.at[n-1] < 0.5 {
			seconds[n-1] += m.seconds
			continue
		}
		k.at, seconds = append(k.at, place), append(seconds, m.seconds)
	}
	k.each = eachOf(seconds)
	k.gap, k.rhythm = k.gaps(perEpoch)
	return k
}

// endEpochs reports whether all marks are at ends of epochs, as good as these
// are known: an epoch may have 158.25 iterations.
func endEpochs(marks []mark, perEpoch float64) bool {
	return !slices.ContainsFunc(marks, func(m mark) bool {
		place, off := m.at/perEpoch, 0.5/perEpoch
		if perEpoch != math.Trunc(perEpoch) {
			off *= 2
		}
		if !m.counted {
			off = math.Max(off, boundary)
		}
		return math.Round(place) < 1 || math.Abs(place-math.Round(place)) > off
	})
}

// eachOf is the seconds of one pause: the mean, its interval as if one more
// had been seen that was as far off as a single one may be.
func eachOf(seconds []float64) estimate.Estimate {
	n := float64(len(seconds))
	mean := stat.Mean(seconds, nil)
	prior := mean * OneOffRel / estimate.Z90
	sum := prior * prior
	for _, s := range seconds {
		sum += (s - mean) * (s - mean)
	}
	return estimate.Around(mean, estimate.Z90*math.Sqrt(sum)/n, estimate.Measured)
}

// gaps tells the rhythm by what was seen, and by how long nothing was.
func (k recurrence) gaps(perEpoch float64) (gap float64, r rhythm) {
	first, last, n := k.at[0], k.at[len(k.at)-1], float64(len(k.at))
	if n == 1 {
		// It comes again after as long as it took to come, and was not seen to.
		return math.Max(1, math.Max(first, k.watched+1-last)), once
	}
	gap = (last - first) / (n - 1)
	off := 0.5
	if !k.byEpoch {
		off = math.Max(off, gap*boundary)
	}
	if !k.counted { // times near the end of an epoch were taken for its end
		off = math.Max(off, math.Min(2*boundary*perEpoch, gap/3))
	}
	for i := 1; i < len(k.at); i++ {
		if math.Abs(k.at[i]-k.at[i-1]-gap) > off {
			return math.Max(k.watched, last) / n, uneven
		}
	}
	switch {
	case k.watched-last > gap+off:
		return k.watched / n, uneven // they have ceased
	case n > 2 || math.Abs(first-gap) <= off:
		return gap, even
	}
	return gap, twice
}

// count is how many come in n epochs, and between how many. One more may come
// at the end, where a training saves its result.
func (k recurrence) count(n, perEpoch float64) (count, low, high float64) {
	end, off := n, boundary
	if !k.byEpoch {
		end, off = n*perEpoch, 0.5
	}
	if !k.byEpoch && !k.counted {
		off = math.Max(off, k.gap*boundary)
	}
	last := k.at[len(k.at)-1]
	if end <= math.Max(k.watched, last) {
		for _, at := range k.at {
			if at <= end+off {
				count++
			}
		}
		return count, count, count + 1
	}
	seen := float64(len(k.at))
	more := math.Floor((end - last + off) / k.gap)
	switch k.rhythm {
	case once:
		return seen + more, seen, seen + 2*more + 1
	case twice:
		return seen + more, seen + more/2, seen + 1.5*more + 1
	case uneven:
		more = (end - math.Max(k.watched, last)) / k.gap
		half := estimate.Z90 * math.Sqrt(more+more*more/seen)
		return seen + more, seen + math.Max(0, more-half), seen + more + half + 1
	}
	// Where times tell the places, an end of an epoch may hide one of its last.
	blur := 0.0
	if !k.byEpoch && !k.counted {
		blur = more * math.Min(1, boundary*perEpoch/(last-k.at[0]))
	}
	return seen + more, seen + more - blur, seen + more + blur + 1
}

// over is what those of n epochs take, in seconds.
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

package training

import (
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// Progress is the beginning of a training run: its first epochs and the
// evaluations among them. Times are in seconds from the run's start.
type Progress struct {
	StartsS    []float64 // when each known epoch began and, last, when the last of them ended
	EvaluatedS []float64 // when evaluations ended, up to then
}

// boundary is the fraction of an epoch by which a time may be off its ends: logs
// round, and record an evaluation a moment before or after the epoch.
const boundary = 1.0 / 20

// FirstEpochs is the progress of a run after a number of its epochs; ok is false
// where the run has no more than them.
func FirstEpochs(r profile.Run, known int) (p Progress, ok bool) {
	if known < 1 || len(r.EpochStartsS) <= known || !rising(r.EpochStartsS) {
		return Progress{}, false
	}
	p.StartsS = slices.Clone(r.EpochStartsS[:known+1])
	last := p.StartsS[known] - p.StartsS[known-1]
	for _, v := range r.Validations {
		if v.AtS != nil && *v.AtS <= p.StartsS[known]+boundary*last {
			p.EvaluatedS = append(p.EvaluatedS, *v.AtS)
		}
	}
	return p, true
}

func rising(x []float64) bool {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || (i > 0 && v <= x[i-1]) {
			return false
		}
	}
	return true
}

// Known is the number of known epochs.
func (p Progress) Known() int { return max(0, len(p.StartsS)-1) }

// durations are the seconds of each known epoch.
func (p Progress) durations() []float64 {
	d := make([]float64, p.Known())
	for i := range d {
		d[i] = p.StartsS[i+1] - p.StartsS[i]
	}
	return d
}

// evaluations says which known epochs ended with an evaluation, and whether
// evaluations end in the middle of epochs: they then run concurrently with the
// training, and the run ends with one after later epochs have begun.
func (p Progress) evaluations() (at []bool, concurrent bool) {
	at = make([]bool, p.Known())
	for _, t := range p.EvaluatedS {
		i, exact := slices.BinarySearch(p.StartsS, t)
		if !exact {
			i--
		}
		if i >= p.Known() {
			at[i-1] = true
			continue
		}
		if i < 0 {
			continue // before the training, to see that it works
		}
		switch position := (t - p.StartsS[i]) / (p.StartsS[i+1] - p.StartsS[i]); {
		case position > 1-boundary:
			at[i] = true
		case position >= boundary:
			concurrent = true
		case i > 0:
			at[i-1] = true
		}
	}
	return at, concurrent
}

// complete is the total seconds and the epochs of a run that was measured to its
// end; ok is false for others.
func complete(r profile.Run) (total float64, epochs int, ok bool) {
	n := len(r.EpochStartsS)
	if r.Mode != profile.Train || r.Status != profile.Done || r.TotalS == nil || n == 0 || !rising(r.EpochStartsS) {
		return 0, 0, false
	}
	if r.Epochs != nil && *r.Epochs != float64(n) {
		return 0, 0, false
	}
	return *r.TotalS, n, *r.TotalS > r.EpochStartsS[0] && !math.IsInf(*r.TotalS, 0)
}

// Series identifies a run and its repeats: the VM type and the variant.
type Series struct {
	VM      profile.VMKey
	Variant string
}

// SeriesOf is the series of a run.
func SeriesOf(r profile.Run) Series {
	return Series{VM: r.VM(), Variant: r.Variant.Name + "\x00" + r.Variant.Precision}
}

// IsComplete reports whether a run was measured to its end, epoch by epoch.
func IsComplete(r profile.Run) bool {
	_, _, ok := complete(r)
	return ok
}

package transfer

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Spreads of peak memory around its line, as standard deviations of the
// logarithm: allocators round up and libraries choose their workspace by batch
// size, so that a peak is a few per cent off the line, the more the further it
// is from those measured.
const (
	memorySpread       = 0.03
	memoryOctaveSpread = 0.02
)

// Memory is the peak memory of a GPU over its batch size: what the model needs
// at any, and what each unit of the batch adds.
type Memory struct {
	curve *Curve // its points hold bytes for seconds
	a, b  float64
}

// MemoryLine fits the line to peaks, in bytes by batch size on the GPU. It is
// nil with fewer than two batch sizes: one says nothing of the other part.
func MemoryLine(peaks []Point) *Memory {
	m := &Memory{curve: &Curve{points: merged(peaks), p: 1}}
	if len(m.curve.points) < 2 {
		return nil
	}
	m.a, m.b = m.curve.fit(1)
	return m
}

// Peaks lists the peak memory of a GPU by batch size on it, of the runs of a
// variant; where they ran matters little. It is what [MemoryLine] asks for.
func Peaks(set *profile.Set, mode profile.Mode, model string, v profile.Variant) []Point {
	var out []Point
	s := SubjectOf(model, v)
	for _, r := range set.Runs {
		if r.Mode != mode || r.PeakMemoryBytes == nil || r.Status == profile.OutOfMemory || SubjectOf(r.Model, r.Variant) != s {
			continue
		}
		batch := float64(r.BatchSize)
		if mode == profile.Train {
			batch /= float64(max(r.GPUCount, 1) * max(r.Count, 1))
		}
		out = append(out, Point{batch, *r.PeakMemoryBytes})
	}
	return out
}

// At is the peak in bytes at a batch size.
func (m *Memory) At(batch float64) estimate.Estimate {
	sd := math.Hypot(memorySpread, memoryOctaveSpread*m.curve.distance(batch))
	return logNormal(math.Log(m.a+m.b*batch), sd, estimate.Z90, estimate.OtherBatch)
}

package transfer

import (
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Standard deviations of ln(peak memory) around its line: allocators round up and
// libraries choose their workspace by batch size, so that a peak is a few per
// cent off the line, and more for each octave away from those measured. Greater
// ones make more candidates "may not fit". They are judgements, not measured.
const (
	memorySpread       = 0.03
	memoryOctaveSpread = 0.02
)

// Memory is the peak memory of a GPU over its batch size, as a line: a fixed part
// and one in proportion to the batch.
type Memory struct {
	curve *Curve  // its points hold bytes instead of seconds
	a, b  float64 // bytes, and bytes per unit of the batch
}

// MemoryLine fits the line to peaks in bytes, at batch sizes per GPU. It is nil
// for fewer than two batch sizes, which cannot tell the two parts apart.
func MemoryLine(peaks []Point) *Memory {
	m := &Memory{curve: &Curve{points: merged(peaks), p: 1}}
	if len(m.curve.points) < 2 {
		return nil
	}
	m.a, m.b = m.curve.fit(1)
	return m
}

// Peaks lists the peak memory in bytes by batch size per GPU of all runs of a
// variant, as [MemoryLine] takes them; the platform matters little.
func Peaks(set *profile.Set, mode profile.Mode, model string, v profile.Variant) []Point {
	var out []Point
	s := SubjectOf(model, v)
	for _, r := range set.Runs {
		if r.Mode != mode || r.PeakMemoryBytes == nil || r.Status == profile.OutOfMemory ||
			SubjectOf(r.Model, r.Variant) != s {
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

// At is the peak in bytes at a batch size per GPU.
func (m *Memory) At(batch float64) estimate.Estimate {
	sd := math.Hypot(memorySpread, memoryOctaveSpread*m.curve.distance(batch))
	return logNormal(math.Log(m.a+m.b*batch), sd, estimate.Z90, estimate.OtherBatch)
}

package serving

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// BatchPoint is a measurement of one VM at a batch size.
type BatchPoint struct {
	Batch float64 // queries served at once
	P50S  float64 // median time of one batch, seconds
	P99S  float64 // 99th percentile, seconds
}

// Capacity is the load that one VM can serve within a latency limit.
type Capacity struct {
	Batch            int     // queries at once
	P50S, P99S       float64 // latency there, seconds
	QueriesPerSecond float64 // Batch / P50S
	Interpolated     bool    // Batch was not measured itself
}

// CapacityWithin returns the batch of most throughput whose p99 stays within the
// limit (section 2.2: the number of queries each VM can handle in parallel without
// violating response latencies); of equal ones the smaller. Between measured
// batches both percentiles are interpolated linearly; beyond the largest nothing
// is known, so nothing beyond it is given. Where p99 exceeds the limit in between,
// what lies above that counts no more. ok is false where even the smallest batch is
// too slow.
func CapacityWithin(points []BatchPoint, limitS float64) (c Capacity, ok bool, err error) {
	sorted := slices.SortedFunc(slices.Values(points), func(a, b BatchPoint) int { return cmp.Compare(a.Batch, b.Batch) })
	if err := checkPoints(sorted); err != nil {
		return c, false, err
	}
	take := func(found Capacity) {
		if !ok || found.QueriesPerSecond > c.QueriesPerSecond {
			c, ok = found, true
		}
	}
	for i, p := range sorted {
		if p.P99S <= limitS {
			take(capacityAt(p, p.Batch))
			continue
		}
		if i > 0 {
			if between, any := lastWithin(sorted[i-1], p, limitS); any {
				take(between)
			}
		}
		break
	}
	return c, ok, nil
}

// lastWithin is the largest batch between two measured ones that is within the
// limit, which lies between them.
func lastWithin(below, above BatchPoint, limitS float64) (c Capacity, ok bool) {
	const grain = 1e-9 // of rounding
	share := (limitS - below.P99S) / (above.P99S - below.P99S)
	batch := math.Floor(below.Batch + share*(above.Batch-below.Batch) + grain)
	if batch <= below.Batch {
		return c, false
	}
	c = capacityAt(between(below, above, batch), batch)
	c.P99S, c.Interpolated = min(c.P99S, limitS), true
	return c, true
}

func checkPoints(sorted []BatchPoint) error {
	for i, p := range sorted {
		if !(p.Batch >= 1 && p.P50S > 0 && p.P99S >= p.P50S) || math.IsInf(p.Batch, 0) || math.IsInf(p.P99S, 0) {
			return fmt.Errorf("batch %g with p50 %g s and p99 %g s is no measurement: a batch is at least 1 and 0 < p50 ≤ p99",
				p.Batch, p.P50S, p.P99S)
		}
		if i > 0 && p.Batch == sorted[i-1].Batch {
			return fmt.Errorf("batch %g is measured twice; keep one", p.Batch)
		}
	}
	return nil
}

func capacityAt(p BatchPoint, batch float64) Capacity {
	return Capacity{Batch: int(batch), P50S: p.P50S, P99S: p.P99S, QueriesPerSecond: batch / p.P50S}
}

func between(a, b BatchPoint, batch float64) BatchPoint {
	share := (batch - a.Batch) / (b.Batch - a.Batch)
	return BatchPoint{Batch: batch, P50S: a.P50S + share*(b.P50S-a.P50S), P99S: a.P99S + share*(b.P99S-a.P99S)}
}

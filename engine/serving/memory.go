package serving

import "math"

// Memory says how the time of a function falls with its memory: CPU is given in
// proportion to it, and from the knee on a query uses no more (section 2.5,
// figure 7; the footnote's SqueezeNet has its knee at 2 GB).
//
//	time(m) = FixedS + ScalingS · KneeGB / min(m, KneeGB)
type Memory struct {
	FixedS   float64 // what no CPU shortens, seconds
	ScalingS float64 // the rest, at the knee, seconds
	KneeGB   float64
	MinGB    float64 // the least the model fits in
	MaxGB    float64 // the most the platform gives: 3 in the study, 10 today
}

// Seconds returns the time of a query on a warm instance of so much memory.
func (m Memory) Seconds(gb float64) float64 {
	return m.FixedS + m.ScalingS*m.KneeGB/min(gb, m.KneeGB)
}

// Choice is a size of memory with what follows from it.
type Choice struct {
	MemoryGB      float64
	Seconds       float64 // of a query on a warm instance
	USDPerMillion float64 // dollars of a million queries on warm instances
}

// memoryStepGB is the step in which sizes are tried, 64 MB.
const memoryStepGB = 0.0625

// Choices returns every size from the least to the largest, in steps of 64 MB:
// figure 7's two curves.
func (m Memory) Choices(p Prices) []Choice {
	var all []Choice
	for i := 0; ; i++ {
		gb := min(m.MinGB+float64(i)*memoryStepGB, m.MaxGB)
		f := Function{MemoryGB: gb, Seconds: m.Seconds(gb), Prices: p}
		all = append(all, Choice{MemoryGB: gb, Seconds: f.Seconds, USDPerMillion: f.USDPerQuery() * 1e6})
		if !(gb < m.MaxGB) || math.IsNaN(gb) {
			return all
		}
	}
}

// Cheapest returns the cheapest size whose warm time is within the limit, of
// equal ones the fastest (Observation 5). ok is false where none is fast enough.
func (m Memory) Cheapest(limitS float64, p Prices) (best Choice, ok bool) {
	for _, c := range m.Choices(p) {
		if c.Seconds > limitS {
			continue
		}
		if !ok || c.USDPerMillion < best.USDPerMillion || c.USDPerMillion == best.USDPerMillion && c.Seconds < best.Seconds {
			best, ok = c, true
		}
	}
	return best, ok
}

// Suits returns the cheapest size whose warm time is within the limit, and
// where none is in time the knee: the least that is as fast as a function gets.
func (m Memory) Suits(limitS float64, p Prices) (gb float64, inTime bool) {
	if c, ok := m.Cheapest(limitS, p); ok {
		return c.MemoryGB, true
	}
	return min(max(m.KneeGB, m.MinGB), m.MaxGB), false
}

// What [MemoryOf] takes for granted.
const (
	usualKneeGB = 2     // the footnote's SqueezeNet
	usualMinGB  = 0.5   // the first of the three kinds of cores (section 3.2.4)
	usualMaxGB  = 10.24 // the most that AWS Lambda gives today
	usualFixed  = 0.1   // of the time, that no CPU shortens
)

// MemoryOf is a function of which only the time at one size is known: a tenth of
// it is taken to be fixed, and the knee to be at 2 GB.
func MemoryOf(seconds, gb float64) Memory {
	return Memory{
		FixedS: usualFixed * seconds, ScalingS: (1 - usualFixed) * seconds * min(gb, usualKneeGB) / usualKneeGB,
		KneeGB: usualKneeGB, MinGB: usualMinGB, MaxGB: usualMaxGB,
	}
}

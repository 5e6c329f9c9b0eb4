package training

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// pace is how a run goes on by its own first epochs alone.
type pace struct {
	perEpoch float64 // seconds of an epoch to come, its share of evaluations included
	beside   bool    // evaluations run beside the training
	scatter  float64 // standard error of ln(perEpoch) by the scatter of like epochs; 0 where there is one only
	apart    float64 // ln of how much epochs that should be alike differ
}

// negligible is the most by which a second epoch is likelier slower than the
// first by chance than by its work: start-up can only lengthen the first.
const negligible = 0.03

// pace separates the terms of the known epochs: start-up stays in the first
// one, evaluations are taken out of the epochs that end with one and put back
// as often as they will come.
func (p Progress) pace(epochs float64) pace {
	d := p.durations()
	evaluated, beside := p.evaluations()
	if len(d) == 1 {
		return pace{perEpoch: d[0], beside: beside}
	}
	alike, others := alikeEpochs(d, evaluated)
	g := pace{perEpoch: middle(alike), beside: beside, apart: math.Log(slices.Max(alike) / slices.Min(alike))}
	if first := d[0] / d[1]; len(d) == 2 && first < 1 && first > math.Exp(-negligible) && evaluated[0] == evaluated[1] {
		g.perEpoch = math.Sqrt(d[0] * d[1])
	}
	if len(alike) > 1 {
		logs := make([]float64, len(alike))
		for i, x := range alike {
			logs[i] = math.Log(x)
		}
		g.scatter = stat.StdDev(logs, nil) / math.Sqrt(float64(len(alike)))
	}
	if len(others) > 0 {
		extra := math.Max(0, stat.Mean(others, nil)-g.perEpoch)
		g.perEpoch += extra * evaluationsPerEpoch(evaluated, epochs)
	}
	return g
}

// alikeEpochs are those after the first that tell the time of an epoch, and
// those that have an evaluation beyond it. Where each has one they are alike.
func alikeEpochs(d []float64, evaluated []bool) (alike, others []float64) {
	for i := 1; i < len(d); i++ {
		if evaluated[i] {
			others = append(others, d[i])
		} else {
			alike = append(alike, d[i])
		}
	}
	if len(alike) == 0 {
		return others, nil
	}
	return alike, others
}

// evaluationsPerEpoch is the share of the epochs to come that end with an
// evaluation: as they followed each other so far; after a single one, as long
// as it took to come. A run ends with one.
func evaluationsPerEpoch(evaluated []bool, epochs float64) float64 {
	first, last, n := -1, -1, 0
	for i, at := range evaluated {
		if at {
			if first < 0 {
				first = i
			}
			last, n = i, n+1
		}
	}
	left := epochs - float64(len(evaluated))
	if n == 0 || left < 1 {
		return 0
	}
	gap := float64(first + 1)
	if n > 1 {
		gap = float64(last-first) / float64(n-1)
	}
	return math.Max(1, math.Round(left/gap)) / left
}

// middle is the mean of two, the median of more.
func middle(x []float64) float64 {
	if len(x) <= 2 {
		return stat.Mean(x, nil)
	}
	sorted := slices.Sorted(slices.Values(x))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}

package training

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// pace is how a run goes on, judged by its own first epochs alone.
type pace struct {
	perEpoch   float64 // seconds of a later epoch, with its share of evaluations
	concurrent bool    // evaluations run concurrently with the training
	scatter    float64 // standard error of ln(perEpoch), 0 where it is from one epoch
	apart      float64 // ln(longest / shortest) of the epochs that should be equal
}

// maxChanceRatio is the greatest ln(second epoch / first epoch) that is put down
// to chance, and averaged out: start-up can only lengthen the first.
const maxChanceRatio = 0.03

// pace separates the terms of the known epochs: start-up stays in the first one,
// evaluations are taken out of the epochs that end with one and added again at the
// rate at which they will come.
func (p Progress) pace(epochs float64) pace {
	d := p.durations()
	evaluated, concurrent := p.evaluations()
	if len(d) == 1 {
		return pace{perEpoch: d[0], concurrent: concurrent}
	}
	alike, others := alikeEpochs(d, evaluated)
	g := pace{perEpoch: middle(alike), concurrent: concurrent, apart: math.Log(slices.Max(alike) / slices.Min(alike))}
	first := d[0] / d[1]
	if len(d) == 2 && first < 1 && first > math.Exp(-maxChanceRatio) && evaluated[0] == evaluated[1] {
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

// alikeEpochs splits the epochs after the first into those without and those with
// an evaluation. Where each has one they are all alike.
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

// evaluationsPerEpoch is the fraction of the later epochs that end with an
// evaluation, by the mean gap so far; after a single one, by its position. The
// last epoch ends with one.
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

package reproduce

import (
	"fmt"
	"slices"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/rank"
)

// Curve is how the accuracy of a network falls as one of its layers is pruned,
// in equal steps from nothing on, all other layers whole and nothing trained
// again.
type Curve struct {
	Network, Dataset, Layer string
	Removed                 string // weights or filters
	Metric                  string
	StepPercent             float64
	Percent                 []float64 // accuracies; the first is the unpruned network's
	Source                  string
}

// sweetSpots is the table of what the study's definition gives on other data.
const sweetSpots = "sweet spots"

// twin is the network that CaffeNet is a copy of, within a point of accuracy.
const twin = "AlexNet"

// stepOfSweep is how far apart the ratios are that the study tries, in percent.
const stepOfSweep = 10

// curveRows are the sweet spots along the curves. Those of CaffeNet's twin are
// held against the study's.
func curveRows(s sheet, curves []Curve) (rows []Row) {
	for _, c := range curves {
		ratio := c.sweetSpot()
		row := Row{
			Paper: TARCAR, Table: sweetSpots, Cell: fmt.Sprintf("%s/%s %s sweet_spot_percent", c.Network, c.Dataset, c.Layer), Ours: &ratio,
			Note: fmt.Sprintf("the last of the steps of %g %% of its %s that keeps %s within a point of the unpruned %g %%, time being taken to fall with every step, since none is published (%s)",
				c.StepPercent, c.Removed, c.Metric, c.Percent[0], c.Source),
		}
		if last := c.StepPercent * float64(len(c.Percent)-1); ratio > last-c.StepPercent/2 {
			row.Note += "; measured no further"
		}
		k := Key{Table: "section 4.3.2", Application: caffeNet, Variant: c.Layer, VM: oneK80, Column: "sweet_spot_percent"}
		if printed, ok := s[k]; ok && c.Network == twin && printed.Value > 0 {
			row.Key, row.Published = k, &printed.Value
			// The accuracy ends to hold somewhere within a step beyond the last that
			// keeps it: both sweeps can have met the same end.
			row.compare(&Number{Value: printed.Value, Half: max(stepOfSweep-c.StepPercent, 0)}, 0)
			row.Note += fmt.Sprintf("; held against the study's for CaffeNet, the same network within a point, whose steps are %d %%", stepOfSweep)
		}
		rows = append(rows, row)
	}
	return rows
}

// sweetSpot is the engine's sweet spot along the curve in percent, 0 where there
// is none. What is left of the layer stands for the time.
func (c Curve) sweetSpot() float64 {
	candidates := make([]candidate.Candidate, len(c.Percent))
	for i, percent := range c.Percent {
		ratio := float64(i) * c.StepPercent / 100
		candidates[i] = choice(1-ratio, 0, percent/100, part(oneK80, 1))
		candidates[i].Model = c.Network
		if i > 0 {
			candidates[i].Variant.Pruning = &profile.Pruning{Kind: c.Removed, Layers: map[string]float64{c.Layer: ratio}}
		}
	}
	return spotPercent(advice.SweetSpots(rank.NewSpace(candidate.ListOf(candidates...))), func(advice.SweetSpot) bool { return true })
}

// spotPercent is the ratio of the first sweet spot that is asked for, 0 without
// any.
func spotPercent(spots []advice.SweetSpot, of func(advice.SweetSpot) bool) float64 {
	if i := slices.IndexFunc(spots, of); i >= 0 {
		return 100 * spots[i].Ratio
	}
	return 0 // no ratio but that of the unpruned model
}

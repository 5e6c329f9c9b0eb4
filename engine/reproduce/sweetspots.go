package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

const prunedSuffix = "_pruned_percent"

// singleLayers are the versions with one layer pruned, and which.
func (b costBook) singleLayers() map[string]string {
	layers := map[string][]string{}
	for k := range b.printed {
		if layer, ok := strings.CutSuffix(k.Column, prunedSuffix); ok && k.Table == versionsTable {
			layers[k.Variant] = append(layers[k.Variant], layer)
		}
	}
	single := map[string]string{}
	for version, of := range layers {
		if len(of) == 1 {
			single[version] = of[0]
		}
	}
	return single
}

// axes are the unpruned model and the versions with one layer pruned, on one
// K80.
func (b costBook) axes(r *reading) []candidate.Candidate {
	single := b.singleLayers()
	var out []candidate.Candidate
	for _, version := range b.versions {
		layer, pruned := single[version]
		if !pruned && version != unpruned {
			continue
		}
		made := choice(b.seconds(r, version), b.usd(r, version), accuracyOf(r, version), part(oneK80, 1))
		made.Model, made.Mode = caffeNet, profile.Infer
		if pruned {
			ratio := r.at(versionKey(version, layer+prunedSuffix)) / 100
			made.Variant.Pruning = &profile.Pruning{Kind: "filters by L1 norm", Layers: map[string]float64{layer: ratio}}
		}
		out = append(out, made)
	}
	return out
}

// sweetSpot finds the last ratio of a layer at which accuracy holds.
func (b costBook) sweetSpot(k Key) computation {
	return computation{
		note: "the engine's sweet spot among the ratios of this layer whose time and accuracy the text gives",
		formula: func(r *reading) float64 {
			candidates := b.axes(r)
			if r.missing {
				return math.NaN()
			}
			return spotPercent(advice.SweetSpots(rank.NewSpace(candidate.ListOf(candidates...))),
				func(s advice.SweetSpot) bool { return s.Layer == k.Variant })
		},
	}
}

// largestSaving is the most that pruning a single layer saves.
func (b costBook) largestSaving(k Key) computation {
	single := b.singleLayers()
	return computation{
		note: "the most that a version with one layer pruned saves",
		formula: func(r *reading) (most float64) {
			for _, version := range b.versions {
				if _, pruned := single[version]; pruned {
					most = math.Max(most, 100*saving(b.seconds(r, version), b.seconds(r, unpruned)))
				}
			}
			return most
		},
	}
}

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
		row := Row{Paper: TARCAR, Table: sweetSpots, Ours: &ratio,
			Cell: fmt.Sprintf("%s/%s %s sweet_spot_percent", c.Network, c.Dataset, c.Layer),
			Note: fmt.Sprintf("the last of the steps of %g %% of its %s that keeps %s within a point of the unpruned %g %%, "+
				"time being taken to fall with every step, since none is published (%s)",
				c.StepPercent, c.Removed, c.Metric, c.Percent[0], c.Source)}
		if last := c.StepPercent * float64(len(c.Percent)-1); ratio > last-c.StepPercent/2 {
			row.Note += "; measured no further"
		}
		k := Key{Table: "section 4.3.2", Application: caffeNet, Variant: c.Layer, VM: oneK80, Column: "sweet_spot_percent"}
		if printed, ok := s[k]; ok && c.Network == twin && printed.Value > 0 {
			row.Key, row.Published = k, &printed.Value
			// The accuracy ends to hold somewhere within a step beyond the last that
			// keeps it: both sweeps can have met the same end.
			row.compare(&Number{Value: printed.Value, Half: max(stepOfSweep-c.StepPercent, 0)}, 0)
			row.Note += fmt.Sprintf(
				"; held against the study's for CaffeNet, the same network within a point, whose steps are %d %%", stepOfSweep)
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
	return spotPercent(advice.SweetSpots(rank.NewSpace(candidate.ListOf(candidates...))),
		func(advice.SweetSpot) bool { return true })
}

// spotPercent is the ratio of the first sweet spot that is asked for, 0 without
// any.
func spotPercent(spots []advice.SweetSpot, of func(advice.SweetSpot) bool) float64 {
	if i := slices.IndexFunc(spots, of); i >= 0 {
		return 100 * spots[i].Ratio
	}
	return 0 // no ratio but that of the unpruned model
}

// pruningAxis is what has a sweet spot of its own in runs of our own.
type pruningAxis struct {
	model, precision string
	batch            int
}

// lasting is so much work that start-ups are nothing to it, in units.
const lasting = 1e9

// ownRows are the sweet spots in measured inference, time and accuracy both.
func ownRows(set *profile.Set) (rows []Row) {
	if set == nil {
		return nil
	}
	for _, model := range prunedModels(set) {
		w := question.Workload{Model: model, Mode: profile.Infer, Units: lasting, MaxCount: 1}
		space := rank.NewSpace(candidate.NewList(set, w, nil, func(c *candidate.Candidate) bool {
			return c.Time.Basis == estimate.Measured
		}))
		spots := advice.SweetSpots(space)
		for _, a := range axesOf(space) {
			on := func(s advice.SweetSpot) bool { return axisAt(space, s.Candidate) == a }
			row := Row{
				Paper: TARCAR, Table: sweetSpots, Cell: fmt.Sprintf("%s %s b%d sweet_spot_percent", a.model, a.precision, a.batch),
				Ours: new(spotPercent(spots, on)), Note: "already the least pruned variant takes longer or loses accuracy",
			}
			which := "all layers at the same ratio"
			if i := slices.IndexFunc(spots, on); i >= 0 {
				row.Note = spots[i].Words()
				if spots[i].Layer != "" {
					which = "the other layers whole"
				}
			}
			row.Note += "; " + which + ", measured with this program; the study has no such number"
			rows = append(rows, row)
		}
	}
	return rows
}

// prunedModels are those of which pruned variants were run, in order.
func prunedModels(set *profile.Set) (models []string) {
	for _, r := range set.Runs {
		if r.Variant.Pruning != nil {
			models = append(models, r.Model)
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

func axesOf(s *rank.Space) (axes []pruningAxis) {
	for i := range s.Len() {
		if s.At(i).Variant.Pruning != nil {
			axes = append(axes, axisAt(s, i))
		}
	}
	slices.SortFunc(axes, func(a, b pruningAxis) int {
		return cmp.Or(cmp.Compare(a.precision, b.precision), cmp.Compare(a.batch, b.batch))
	})
	return slices.Compact(axes)
}

func axisAt(s *rank.Space, i int) pruningAxis {
	c := s.At(i)
	return pruningAxis{c.Model, c.Variant.Precision, c.BatchSize}
}

// choice is a candidate of the ranking whose time, cost and accuracy are
// printed or follow from printed ones, so without an interval.
func choice(seconds, usd, accuracy float64, configuration ...candidate.Part) candidate.Candidate {
	return candidate.Candidate{
		Configuration: configuration,
		Time:          estimate.Exact(seconds, estimate.Published),
		Cost:          estimate.Exact(usd, estimate.Published),
		Quality: &candidate.Quality{
			Metric: "accuracy", HigherIsBetter: true, Estimate: estimate.Exact(accuracy, estimate.Published),
		},
	}
}

// part is a number of VMs of a type named as a study does.
func part(vm string, count int) candidate.Part {
	return candidate.Part{VM: profile.VMType{Cloud: "aws", InstanceType: vm}, Count: count}
}

// ranked puts candidates in order, within the limits. The studies know no ties.
func ranked(candidates []candidate.Candidate, by question.Sort, limits question.Limits) *rank.Result {
	return rank.Evaluate(rank.NewSpace(candidate.ListOf(candidates...)), question.Query{Sort: by.Strict(), Limits: limits})
}

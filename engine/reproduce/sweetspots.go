package reproduce

import (
	"math"
	"strings"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
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
			return spotPercent(advice.SweetSpots(rank.NewSpace(candidate.ListOf(candidates...))), func(s advice.SweetSpot) bool { return s.Layer == k.Variant })
		},
	}
}

// largestSaving is the most that pruning a single layer saves.
func (b costBook) largestSaving(k Key) computation {
	single := b.singleLayers()
	return computation{note: "the most that a version with one layer pruned saves", formula: func(r *reading) (most float64) {
		for _, version := range b.versions {
			if _, pruned := single[version]; pruned {
				most = math.Max(most, 100*saving(b.seconds(r, version), b.seconds(r, unpruned)))
			}
		}
		return most
	}}
}

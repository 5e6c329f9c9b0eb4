package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

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
		space := rank.NewSpace(candidate.NewList(set, w, func(c *candidate.Candidate) bool {
			return c.Time.Basis == estimate.Measured
		}))
		spots := advice.SweetSpots(space)
		for _, a := range axesOf(space) {
			on := func(s advice.SweetSpot) bool { return axisAt(space, s.Candidate) == a }
			row := Row{
				Paper: TARCAR, Table: sweetSpots, Cell: fmt.Sprintf("%s %s b%d sweet_spot_percent", a.model, a.precision, a.batch),
				Ours: new(spotPercent(spots, on)), Note: "already the least pruned variant takes longer or loses accuracy",
			}
			if i := slices.IndexFunc(spots, on); i >= 0 {
				row.Note = strings.TrimPrefix(spots[i].Words(), "sweet spot: ")
			}
			row.Note += "; all layers at the same ratio, measured with this program; the study has no such number"
			rows = append(rows, row)
		}
	}
	return rows
}

// prunedModels are those with measured inference of pruned variants, in order.
func prunedModels(set *profile.Set) (models []string) {
	for _, r := range set.Runs {
		if r.Basis == estimate.Measured && r.Mode == profile.Infer && r.Variant.Pruning != nil {
			models = append(models, r.Model)
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// axesOf are the axes that have a pruned variant.
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

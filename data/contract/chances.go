package contract

import (
	"sweetspot/engine/objective"
	"sweetspot/engine/parallel"
	"sweetspot/engine/rank"
)

// Chances are, by objective, the probabilities of [rank.Result.BestProbability].
type Chances map[objective.Name]map[int]float64

// Of are those of an objective; nil where nothing can be said.
func (p Chances) Of(o objective.Name) map[int]float64 { return p[o] }

// NewChances are those of a result.
func NewChances(r *rank.Result) Chances {
	of := r.Space.Objectives.Minimized()
	found := make([]map[int]float64, len(of))
	var drawing parallel.Group
	for k, o := range of {
		drawing.Go(func() { found[k] = r.BestProbability(o.Name) })
	}
	drawing.Wait()
	p := Chances{}
	for k, o := range of {
		p[o.Name] = found[k]
	}
	return p
}

// mostTied is how many ids of a tie are listed: there may be thousands of them.
const mostTied = 100

func (w *writer) ties(i, place int) (others *int, tied []string) {
	tied = []string{}
	t, looked := w.result.TieAt(place - 1)
	if !looked {
		return nil, tied
	}
	for _, k := range t {
		if k != i && len(tied) < mostTied {
			tied = append(tied, w.id(k))
		}
	}
	return new(max(len(t)-1, 0)), tied
}

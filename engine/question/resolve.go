package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/profile"
)

// Resolve finds the model and mode meant by what a user typed; both may be
// left open. Without a model it is CaffeNet's inference where there is one,
// the study's own example, else the question with the most runs.
func Resolve(set *profile.Set, model string, mode profile.Mode) (Question, error) {
	if mode != "" && mode != profile.Train && mode != profile.Infer {
		return Question{}, fmt.Errorf("mode %q is neither train nor infer", mode)
	}
	questions := Questions(set)
	var best *Question
	var names []string
	for i := range questions {
		q := &questions[i]
		if len(names) == 0 || names[len(names)-1] != q.Model {
			names = append(names, q.Model)
		}
		fits := (model == "" || strings.EqualFold(q.Model, model)) && (mode == "" || q.Mode == mode)
		if fits && (best == nil || q.Runs > best.Runs || q.Model == "CaffeNet") && (best == nil || best.Model != "CaffeNet") {
			best = q
		}
	}
	switch {
	case best != nil:
		return *best, nil
	case len(questions) == 0:
		return Question{}, fmt.Errorf("there are no runs to rank: measure one with sweetspot probe")
	case model == "":
		return Question{}, fmt.Errorf("no model has %s runs", mode.Noun())
	}
	for _, q := range questions {
		if strings.EqualFold(q.Model, model) {
			return Question{}, fmt.Errorf("%s has no %s runs, only %s runs", q.Model, mode.Noun(), q.Mode.Noun())
		}
	}
	return Question{}, fmt.Errorf("no model %q: the database has %s", model, strings.Join(names, ", "))
}

// Question is a model with what can be done with it.
type Question struct {
	Model string
	Mode  profile.Mode
	Unit  string
	Runs  int
}

// Questions lists the model and mode pairs that the set has times for, by
// name.
func Questions(set *profile.Set) []Question {
	type pair struct {
		model string
		mode  profile.Mode
	}
	found := map[pair]*Question{}
	for _, r := range set.Runs {
		if !r.IsTimed() {
			continue
		}
		k := pair{r.Model, r.Mode}
		if found[k] == nil {
			found[k] = &Question{Model: r.Model, Mode: r.Mode, Unit: r.Unit}
		}
		found[k].Runs++
	}
	out := make([]Question, 0, len(found))
	for _, q := range found {
		out = append(out, *q)
	}
	slices.SortFunc(out, func(a, c Question) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Model), strings.ToLower(c.Model)), cmp.Compare(a.Model, c.Model),
			cmp.Compare(a.Mode, c.Mode))
	})
	return out
}

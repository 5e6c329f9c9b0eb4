package question

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/transformer"
)

// Opening is the model of the built-in library that is asked about where a user
// names none and has run none.
const Opening = "ImageNet-1k"

// Start is what is asked about a model where a user says nothing else. Variants that
// are of little use are left out by a limit on the accuracy, which the user sees and
// can take away ([Floor]). Of the opening question the predictions are asked for too:
// its figures are of ten GPUs, and the catalog has more.
func Start(set *profile.Set, of Question) Query {
	q := Default()
	q.Model, q.Mode, q.Unit = of.Model, of.Mode, of.Unit
	q.Predicted = of.Model == Opening || PredictsUnasked(set, of.Model, of.Mode)
	q.Limits = q.Limits.With(objective.Accuracy, Floor(set, of))
	switch {
	case of.Untried && of.Mode == profile.Infer:
		q.Lengths, q.Predicted, q.Units = new(transformer.DefaultLengths()), true, DefaultTokens
	case of.Untried:
		q.Tuning, q.Predicted = new(transformer.DefaultTuning(transformer.LoRA)), true
	}
	if r := Tuned(set, of.Model); of.Tuned && r != nil {
		tuning, _ := TuningOf(r)
		q.Tuning, q.Predicted, q.Unit, q.Limits = &tuning, true, Token, nil
		if tokens := TokensOf(r); tokens > 0 {
			q.Units = tokens
		}
		if r.BatchSize > 0 {
			q.BatchSizes = []int{r.BatchSize}
		}
	}
	return q
}

// Floor is the accuracy below which no variant is recommended unasked: that of one
// that errs twice as often as the most accurate one, in whole percent. It is nil where
// it leaves out nothing, where the accuracy of a variant is unknown or where the
// metric is no fraction, and in training, where the accuracy is that of a run.
func Floor(set *profile.Set, of Question) *float64 {
	if of.Mode != profile.Infer {
		return nil
	}
	known := map[string]*profile.Accuracy{} // by variant
	for i := range set.Runs {
		if r := &set.Runs[i]; r.Model == of.Model && r.Mode == of.Mode && (r.Accuracy != nil || r.IsTimed()) {
			known[r.Variant.Key()] = cmp.Or(r.Accuracy, known[r.Variant.Key()])
		}
	}
	metric, least, most := "", math.Inf(1), math.Inf(-1)
	for _, a := range known {
		if a == nil || !a.HigherIsBetter || a.Value > 1 || metric != "" && a.Metric != metric {
			return nil
		}
		metric, least, most = a.Metric, min(least, a.Value), max(most, a.Value)
	}
	floor := math.Floor(100*(2*most-1)+1e-9) / 100 // 2·0.95 − 1 is a little below 0.9
	if !(floor > least) {
		return nil
	}
	return &floor
}

// DefaultTokens is how many tokens a language model reads and writes where nobody says.
const DefaultTokens = 10e6

// Token is the unit of a language model's work.
const Token = "token"

// Resolve finds the model and mode meant by what a user typed; both may be
// left open. Without a model it is that of the newest run of the user's own, else
// [Opening], else the question with the most runs.
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
		if fits && (best == nil || q.before(best, model == "")) {
			best = q
		}
	}
	a, language := set.Architecture(model)
	switch {
	case best != nil:
		return *best, nil
	case language:
		return Question{Model: a.Name, Mode: cmp.Or(mode, profile.Train), Unit: Token, Untried: true}, nil
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
	// Untried is work of a language model of which nothing is known but its architecture.
	Untried bool
	// Tuned is a training of a language model that was probed, and is asked about as it was seen to be.
	Tuned bool

	Newest int64 // number of the newest run of the user's own; 0 where there is none
}

// before reports whether q is the likelier to be meant; open is whether no model is
// named.
func (q *Question) before(other *Question, open bool) bool {
	if open && q.Newest != other.Newest {
		return q.Newest > other.Newest
	}
	if opens := q.Model == Opening; open && opens != (other.Model == Opening) {
		return opens
	}
	return q.Runs > other.Runs
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
		if !r.IsTimed() && !r.IsLook() {
			continue
		}
		k := pair{r.Model, r.Mode}
		if found[k] == nil {
			found[k] = &Question{Model: r.Model, Mode: r.Mode, Unit: r.Unit}
		}
		found[k].Runs++
		found[k].Newest = max(found[k].Newest, r.ID)
		if r.Tuning != nil && r.Mode == profile.Train && r.ID > 0 {
			_, ok := TuningOf(&r)
			found[k].Tuned = found[k].Tuned || ok
		}
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

package mix

import (
	"fmt"
	"slices"

	"sweetspot/data/arrivals"
	"sweetspot/data/workload"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/serving"
	"sweetspot/tui/screens/traffic/sliders"
)

// Question is what is asked of a load of several kinds of request. Its kinds are never changed in place: undo
// returns to them.
type Question struct {
	sliders.Shared
	Kinds     []serving.Kind
	FromTrace bool    // the shares are those of the trace, which names the kinds
	RelaxedS  float64 // limit of requests that are not strict, seconds
	MostLate  float64 // share of the requests that may miss their limit
}

func firstQuestion() Question {
	return Question{Shared: sliders.Defaults(), RelaxedS: serving.Defaults().RelaxedLimitS,
		MostLate: serving.DefaultViolations}
}

// newKind is a kind of request of these models, with the limit that is usual.
func newKind(name string, models ...string) serving.Kind {
	return serving.Kind{Name: name, Share: 1, LimitS: serving.Defaults().StrictLimitS,
		Wanted: serving.Wanted{Models: models, Best: serving.Cost}}
}

// with is the question with a kind changed.
func (q Question) with(k int, change func(w *serving.Kind)) Question {
	q.Kinds = slices.Clone(q.Kinds)
	change(&q.Kinds[k])
	return q
}

// reshare sets the share of a kind; those of the others follow.
func (q Question) reshare(k int, to float64) Question {
	q.Kinds, q.FromTrace = slices.Clone(q.Kinds), false
	for i, s := range serving.Reshare(q.shares(), k, to) {
		q.Kinds[i].Share = s
	}
	return q
}

func (q Question) shares() []float64 {
	out := make([]float64, len(q.Kinds))
	for i, w := range q.Kinds {
		out[i] = w.Share
	}
	return out
}

// add adds a kind with the share that it names, or an equal part.
func (q Question) add(w serving.Kind) Question {
	share := w.Share
	if !(share > 0 && share < 1) {
		share = 1 / float64(len(q.Kinds)+1)
	}
	w.Share = 0
	q.Kinds = append(slices.Clone(q.Kinds), w)
	return q.reshare(len(q.Kinds)-1, share)
}

// remove takes a kind away; the others keep the proportions of their shares.
func (q Question) remove(k int) Question {
	left := 1 - q.Kinds[k].Share
	q.Kinds, q.FromTrace = slices.Delete(slices.Clone(q.Kinds), k, k+1), false
	return q.reshare(0, q.Kinds[0].Share/left)
}

// mostKinds bounds how many are asked about.
const mostKinds = 20

// named are the kinds that a trace names, each with what was asked of it before. A trace that names
// none leaves them.
func (q Question) named(t workload.Requests, isModel func(name string) bool) (_ Question, note string) {
	switch isUnnamed := func(k arrivals.Kind) bool { return k.Model == "" }; {
	case len(t.Kinds) < 2:
		note = ""
	case slices.ContainsFunc(t.Kinds, isUnnamed):
		note = "some requests of the trace name no model: the shares are those of the sliders"
	case len(t.Kinds) > mostKinds:
		note = fmt.Sprintf("the trace names %d models, more than %d: the shares are those of the sliders", len(t.Kinds),
			mostKinds)
	default:
		return q.asNamed(t, isModel), ""
	}
	q.FromTrace = false
	return q, note
}

// asNamed are the kinds that a trace names.
func (q Question) asNamed(t workload.Requests, isModel func(name string) bool) Question {
	before, all := q.Kinds, float64(t.Arrivals.Requests())
	q.Kinds, q.FromTrace = nil, true
	for _, k := range t.Kinds {
		w := newKind(plaintext.Line(k.Model, 200))
		if isModel(k.Model) {
			w.Models = []string{k.Model}
		}
		if at := slices.IndexFunc(before, func(w serving.Kind) bool { return w.Name == k.Model }); at >= 0 {
			w = before[at]
		}
		w.Share = float64(k.Trace.Requests()) / max(all, 1)
		q.Kinds = append(q.Kinds, w)
	}
	return q
}

// freeName is a name that no kind has.
func (q Question) freeName() string {
	for n := len(q.Kinds) + 1; ; n++ {
		if name := fmt.Sprint("kind ", n); !q.has(name, -1) {
			return name
		}
	}
}

// has reports whether a kind other than one is called so.
func (q Question) has(name string, but int) bool {
	for i, w := range q.Kinds {
		if i != but && w.Name == name {
			return true
		}
	}
	return false
}

// Package objective says what a user minimises or maximises. A new objective is
// an entry of its list and a value on the candidate: columns, limits, sort orders,
// frontiers, sliders, plots, JSON and CSV follow from the list.
package objective

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/pareto"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Name names an objective in flags, JSON, CSV and on screen.
type Name string

// The objectives.
const (
	Accuracy Name = "accuracy"
	Time     Name = "time"
	Cost     Name = "cost"
	Energy   Name = "energy"
)

// Objective is what a user minimises or maximises.
type Objective struct {
	Name Name
	// Unit names a value in JSON and ends the names of its CSV columns.
	Unit string
	// Symbol is the unit on an axis.
	Symbol string
	// Label names the limit on a slider.
	Label string
	// HigherIsBetter is the direction. That of the accuracy is its metric's.
	HigherIsBetter bool
	// Optional objectives take no room where no candidate has a value.
	Optional bool
	// Log says that values range over orders of magnitude.
	Log bool
	// Weight is the weight in the score where the user gives none.
	Weight float64
	// Flag and Limit name the limit on the command line and in JSON; Help is the
	// flag's.
	Flag, Limit, Help string
	// AtLimit says that something is within the limit: within 2 h.
	AtLimit string
	// Best and Verb say what the best candidate does: the fastest takes.
	Best, Verb string
	// PerAccuracy is the sort order by the value for each unit of accuracy, and
	// PerAccuracyWords how that is called; "" where there is none.
	PerAccuracy, PerAccuracyWords string
	// Write writes a value for people, Read reads a typed limit.
	Write func(float64) string
	Read  func(string) (float64, error)
}

// List is a number of objectives in the order of [All].
type List []Objective

// All lists the objectives.
func All() List {
	return List{
		accuracy("", true),
		{
			Name: Time, Unit: "s", Symbol: "s", Label: "deadline", Log: true, Weight: 1,
			Flag: "max-time", Limit: "max_time_s", Help: "deadline (90s, 2h30m)", AtLimit: "within %s",
			Best: "fastest", Verb: "takes", PerAccuracy: "tar", PerAccuracyWords: "least time per accuracy",
			Write: quantity.Duration, Read: quantity.ParseDuration,
		},
		{
			Name: Cost, Unit: "usd", Symbol: "$", Label: "cost", Log: true, Weight: 1,
			Flag: "max-cost", Limit: "max_cost_usd", Help: "budget in dollars", AtLimit: "under %s",
			Best: "cheapest", Verb: "costs", PerAccuracy: "car", PerAccuracyWords: "least cost per accuracy",
			Write: quantity.Money, Read: quantity.ParseMoney,
		},
		{
			Name: Energy, Unit: "kwh", Symbol: "kWh", Label: "energy", Log: true, Optional: true,
			Flag: "max-energy", Limit: "max_energy_kwh", Help: "energy limit of the whole job (0.5kWh, 300Wh)",
			AtLimit: "with at most %s",
			Best:    "most efficient", Verb: "uses",
			Write: quantity.Energy, Read: quantity.ParseEnergy,
		},
	}
}

// accuracy is the accuracy in the direction of its metric.
func accuracy(metric string, higherIsBetter bool) Objective {
	o := Objective{
		Name: Accuracy, Unit: "value", Label: "accuracy", HigherIsBetter: higherIsBetter,
		Flag: "min-accuracy", Limit: "min_accuracy", Help: "minimum accuracy (0.7 or 70%)",
		AtLimit: "at %s or better",
		Best:    "best", Verb: "reaches", Read: quantity.ParseFraction,
		Write: func(v float64) string { return WriteAccuracy(v, higherIsBetter) },
	}
	if metric != "" {
		o.Label = metric
	}
	return o
}

// WriteAccuracy writes a metric: in % where it is a fraction, plainly where
// lower is better and it may exceed 1.
func WriteAccuracy(v float64, higherIsBetter bool) string {
	if !higherIsBetter && v > 1 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return quantity.Percent(v)
}

// InMetric is the list with the accuracy in the direction of a metric.
func (l List) InMetric(metric string, higherIsBetter bool) List {
	out := slices.Clone(l)
	if k := l.Index(Accuracy); k >= 0 {
		out[k] = accuracy(metric, higherIsBetter)
	}
	return out
}

// Of is the objective of a name, as [All] has it.
func Of(name Name) (Objective, bool) {
	all := All()
	if k := all.Index(name); k >= 0 {
		return all[k], true
	}
	return Objective{}, false
}

// Index is the place of an objective; −1 where it is not in the list.
func (l List) Index(name Name) int {
	return slices.IndexFunc(l, func(o Objective) bool { return o.Name == name })
}

// Has reports whether an objective is in the list.
func (l List) Has(name Name) bool { return l.Index(name) >= 0 }

// Minimized is the list without the accuracy, whose direction is its metric's:
// what a score, a relative value and a probability of being best are of.
func (l List) Minimized() List {
	return slices.DeleteFunc(slices.Clone(l), func(o Objective) bool { return o.Name == Accuracy })
}

// Words joins the names: time, cost, energy.
func (l List) Words() string {
	return plaintext.Join(l, ", ", func(o Objective) string { return string(o.Name) })
}

// Pair is two objectives of a frontier.
type Pair struct{ A, B Name }

// Key names the pair in JSON.
func (p Pair) Key() string { return string(p.A) + "_" + string(p.B) }

// Pairs lists the pairs that have a frontier: everything against the accuracy,
// then the others against one another.
func (l List) Pairs() (pairs []Pair) {
	others := l.Minimized()
	for _, o := range others {
		pairs = append(pairs, Pair{o.Name, Accuracy})
	}
	for a := range others {
		for _, b := range others[a+1:] {
			pairs = append(pairs, Pair{others[a].Name, b.Name})
		}
	}
	return pairs
}

// Turned is a value turned so that smaller is better.
func (o Objective) Turned(v float64) float64 {
	if o.HigherIsBetter {
		return -v
	}
	return v
}

// Most is the largest turned value within a limit, which differs from it in the last
// bits: a limit may be reached.
func (o Objective) Most(limit float64) float64 {
	v := o.Turned(limit)
	return v + pareto.Equal*math.Abs(v)
}

// Within reports whether a value is within a limit; an unknown one never is.
func (o Objective) Within(v, limit float64) bool { return o.Turned(v) <= o.Most(limit) }

// Sign is how the limit is written between name and value.
func (o Objective) Sign() string {
	if o.HigherIsBetter {
		return "≥"
	}
	return "≤"
}

// PBest titles the probability of being the best in the objective.
func (o Objective) PBest() string { return "P(" + o.Best + ")" }

// Value is a named value of an object.
type Value[T any] struct {
	Name  string
	Value T
}

// Each is a JSON (or YAML) object with its fields in order, such as a value for
// each objective.
type Each[T any] []Value[T]

// ForEach makes the object of a value for each objective of a list.
func ForEach[T any](l List, value func(o Objective) T) Each[T] {
	out := make(Each[T], len(l))
	for k, o := range l {
		out[k] = Value[T]{string(o.Name), value(o)}
	}
	return out
}

// Of is the value of an objective, or another name; the zero value where there is
// none.
func (e Each[T]) Of(name Name) (value T) {
	if k := slices.IndexFunc(e, func(v Value[T]) bool { return v.Name == string(name) }); k >= 0 {
		return e[k].Value
	}
	return value
}

// object is a struct of the fields, which encoders write in order.
func (e Each[T]) object() any {
	fields := make([]reflect.StructField, len(e))
	for k, v := range e {
		fields[k] = reflect.StructField{
			Name: fmt.Sprintf("F%d", k), Type: reflect.TypeFor[T](),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q yaml:%q", v.Name, v.Name)),
		}
	}
	object := reflect.New(reflect.StructOf(fields)).Elem()
	for k := range e {
		object.Field(k).Set(reflect.ValueOf(&e[k].Value).Elem())
	}
	return object.Interface()
}

// MarshalJSON writes the object, which is written too often for [Each.object].
func (e Each[T]) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for k := range e {
		name, _ := json.Marshal(e[k].Name) // a text always has a JSON
		value, err := json.Marshal(e[k].Value)
		if err != nil {
			return nil, err
		}
		if k > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}

// MarshalYAML writes the object.
func (e Each[T]) MarshalYAML() (any, error) { return e.object(), nil }

// UnmarshalJSON reads an object: the fields that are there in the order of the
// objectives, others after them by name.
func (e *Each[T]) UnmarshalJSON(text []byte) error {
	values := map[string]T{}
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*e = make(Each[T], 0, len(values))
	for name, v := range values {
		*e = append(*e, Value[T]{name, v})
	}
	all := All()
	place := func(name string) int {
		for k, p := range all.Pairs() {
			if p.Key() == name {
				return k
			}
		}
		if k := all.Index(Name(name)); k >= 0 {
			return k
		}
		return len(all) * len(all)
	}
	slices.SortFunc(*e, func(a, b Value[T]) int {
		return cmp.Or(place(a.Name)-place(b.Name), strings.Compare(a.Name, b.Name))
	})
	return nil
}

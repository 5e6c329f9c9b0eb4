package objective

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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

// MarshalJSON writes the object.
func (e Each[T]) MarshalJSON() ([]byte, error) { return json.Marshal(e.object()) }

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

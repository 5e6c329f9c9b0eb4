package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
)

// Amount is an estimate of an optional objective. Its unit names the value in JSON.
type Amount struct {
	Of    objective.Objective
	Value *float64
	Range
}

// amounts are the fields of the optional objectives.
func (c *Candidate) amounts() map[objective.Name]**Amount {
	return map[objective.Name]**Amount{objective.Energy: &c.Energy}
}

// Amounts are the estimates of the optional objectives that any candidate beside
// this one has.
func (c Candidate) Amounts() (all []*Amount) {
	for _, o := range objective.All() {
		if a := c.amount(o.Name); a != nil {
			all = append(all, a)
		}
	}
	return all
}

// amount is the estimate of an optional objective; nil where it is not there.
func (c Candidate) amount(o objective.Name) *Amount {
	if field := c.amounts()[o]; field != nil {
		return *field
	}
	return nil
}

func newAmount(o objective.Objective, e estimate.Estimate) *Amount {
	a := &Amount{Of: o}
	a.Value, a.Range = interval(e)
	return a
}

// Words says an amount with its 90 % interval and basis, or that it is unknown.
func (a Amount) Words() string { return a.words(a.Value, a.Of.Write) }

func (a Amount) object() objective.Each[any] {
	return objective.Each[any]{{Name: a.Of.Unit, Value: a.Value}, {Name: "low", Value: a.Low},
		{Name: "high", Value: a.High}, {Name: "basis", Value: a.Basis}}
}

// MarshalJSON writes the amount.
func (a Amount) MarshalJSON() ([]byte, error) { return a.object().MarshalJSON() }

// MarshalYAML writes the amount.
func (a Amount) MarshalYAML() (any, error) { return a.object().MarshalYAML() }

// UnmarshalJSON reads an amount; its unit tells of which objective.
func (a *Amount) UnmarshalJSON(text []byte) error {
	values := map[string]any{}
	if err := errors.Join(json.Unmarshal(text, &a.Range), json.Unmarshal(text, &values)); err != nil {
		return err
	}
	all := objective.All()
	for unit, v := range values {
		if k := slices.IndexFunc(all, func(o objective.Objective) bool { return o.Unit == unit }); k >= 0 {
			a.Of = all[k]
			if n, err := strconv.ParseFloat(fmt.Sprint(v), 64); err == nil {
				a.Value = &n
			}
		}
	}
	return nil
}

package contract

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
)

// Known is what v points to, the zero value where it is unknown.
func Known[T any](v *T) (out T) {
	if v != nil {
		out = *v
	}
	return out
}

// OrNull points to v; an empty text or a count of 0 means unknown, which is null.
func OrNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// VMs names the parts of the configuration: 2× g3.4xlarge.
func (c Candidate) VMs() []string {
	parts := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		parts[i] = fmt.Sprintf("%d× %s", p.Count, plaintext.Name(p.Name()))
	}
	return parts
}

// Name is the instance type, or the host of a machine of one's own.
func (v Part) Name() string { return cmp.Or(Known(v.InstanceType), Known(v.Host), "VM") }

// Words names a part: 1× p2.xlarge (1× K80), aws us-east-1.
func (v Part) Words() string {
	gpu := "GPU unknown"
	switch name := Known(v.GPU); {
	case name != "" && v.GPUCount != nil:
		gpu = fmt.Sprintf("%d× %s", *v.GPUCount, name)
	case name != "":
		gpu = name
	case v.GPUCount != nil && *v.GPUCount > 0:
		gpu = fmt.Sprintf("%d GPUs", *v.GPUCount)
	case v.GPUCount != nil:
		gpu = "no GPU"
	case v.Host != nil:
		gpu = "no GPU known"
	}
	out := fmt.Sprintf("%d× %s (%s)", v.Count, v.Name(), gpu)
	if where := strings.TrimSpace(Known(v.Cloud) + " " + Known(v.Region)); where != "" {
		out += ", " + where
	}
	return out
}

// PriceWords says what one VM of the part costs, bought so, and who says it
// when.
func (v Part) PriceWords(purchase string) string {
	if v.USDPerHour == nil {
		return "unknown"
	}
	out := fmt.Sprintf("%s/h each, %s", quantity.Money(*v.USDPerHour), purchase)
	if from := Known(v.PriceFrom); from != "" {
		out += " (" + from + ")"
	}
	return out
}

// Words says a time with its 90 % interval and basis, or that it is unknown.
func (s Seconds) Words() string {
	return s.words(s.S, quantity.Duration)
}

// Words says a cost with its 90 % interval and basis, or that it is unknown.
func (d Dollars) Words() string {
	words := d.words(d.USD, quantity.Money)
	if items := d.ItemsWords(); items != "" {
		words += ": " + items
	}
	return words
}

// words holds also for a pick that was read from a file, which may lack
// what belongs together.
func (r Range) words(v *float64, format func(float64) string) string {
	if v == nil || r.Low == nil || r.High == nil || r.Basis == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s, 90 %% between %s and %s (%s)", format(*v), format(*r.Low), format(*r.High), *r.Basis)
}

// newItems is empty where the cost is unknown. On a machine without a price, what its
// work costs is unknown.
func newItems(c *candidate.Candidate) []bill.Item {
	if !c.Cost.Known() || !finite(c.Cost) {
		return []bill.Item{}
	}
	items := c.Parts.Items()
	if c.USDPerHour() == nil {
		return items[1:]
	}
	return items
}

// ItemsWords says what a cost is made of; "" where that is the work alone.
func (d Dollars) ItemsWords() string {
	if len(d.Items) == 1 && d.Items[0].Name == "work" {
		return ""
	}
	return plaintext.Join(d.Items, " + ", func(i bill.Item) string { return clean(i.Name) + " " + quantity.Money(i.USD) })
}

// CostItems says what a candidate's cost is made of; "" where that is the work
// alone.
func CostItems(c *candidate.Candidate) string { return Dollars{Items: newItems(c)}.ItemsWords() }

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

package contract

import (
	"cmp"
	"fmt"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/quantity"
)

// Known is what v points to, the zero value where it is unknown.
func Known[T any](v *T) (out T) {
	if v != nil {
		out = *v
	}
	return out
}

// VMs names the parts of the configuration: 2× g3.4xlarge.
func (c Candidate) VMs() []string {
	parts := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		parts[i] = fmt.Sprintf("%d× %s", p.Count, p.Name())
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

// Item is a part of a cost: work, startup, interruptions, disk, egress or electricity.
type Item struct {
	Item string  `json:"item" yaml:"item"`
	USD  float64 `json:"usd" yaml:"usd"`
}

// newItems is empty where the cost is unknown.
func newItems(c *candidate.Candidate) []Item {
	items := []Item{}
	if !c.Cost.Known() || !finite(c.Cost) {
		return items
	}
	for _, i := range c.Parts.Items() {
		items = append(items, Item{i.Name, i.USD})
	}
	return items
}

// ItemsWords says what a cost is made of; "" where that is the work alone.
func (d Dollars) ItemsWords() string {
	if len(d.Items) < 2 {
		return ""
	}
	words := make([]string, len(d.Items))
	for k, i := range d.Items {
		words[k] = clean(i.Item) + " " + quantity.Money(i.USD)
	}
	return strings.Join(words, " + ")
}

// CostItems says what a candidate's cost is made of; "" where that is the work
// alone.
func CostItems(c *candidate.Candidate) string { return Dollars{Items: newItems(c)}.ItemsWords() }

package contract

import (
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/quantity"
)

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

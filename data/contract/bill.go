package contract

import (
	"strings"

	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/quantity"
)

// Bill is what a query was told of a job's costs beside the work; null is not
// told.
type Bill struct {
	StartupS             *float64 `json:"startup_s" yaml:"startup_s"`
	DiskGiB              *float64 `json:"disk_gib" yaml:"disk_gib"` // of each VM
	DiskUSDPerGiBMonth   *float64 `json:"disk_usd_per_gib_month" yaml:"disk_usd_per_gib_month"`
	EgressGiB            *float64 `json:"egress_gib" yaml:"egress_gib"`
	EgressUSDPerGiB      *float64 `json:"egress_usd_per_gib" yaml:"egress_usd_per_gib"`
	InterruptionsPerHour *float64 `json:"interruptions_per_hour" yaml:"interruptions_per_hour"` // of one spot VM
	// work between two checkpoints
	CheckpointS          *float64 `json:"checkpoint_s" yaml:"checkpoint_s"`
	ElectricityUSDPerKWh *float64 `json:"electricity_usd_per_kwh" yaml:"electricity_usd_per_kwh"`
	PUE                  *float64 `json:"pue" yaml:"pue"`
}

// NewBill describes a bill; nil where nothing was told.
func NewBill(b bill.Bill) *Bill {
	if b.IsZero() {
		return nil
	}
	told := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	return &Bill{told(b.StartupS), told(b.DiskGiB), told(b.DiskUSDPerGiBMonth), told(b.EgressGiB), told(b.EgressUSDPerGiB),
		b.Interruptions, b.CheckpointS,
		told(b.ElectricityUSDPerKWh), told(b.PUE)}
}

// Told is the bill as the engine has it. One that was read from a file may be
// senseless: its words, read back, say so.
func (b *Bill) Told() bill.Bill {
	if b == nil {
		return bill.Bill{}
	}
	of := func(v *float64) float64 {
		if v == nil {
			return 0
		}
		return *v
	}
	return bill.Bill{
		StartupS: of(b.StartupS), DiskGiB: of(b.DiskGiB), DiskUSDPerGiBMonth: of(b.DiskUSDPerGiBMonth),
		EgressGiB: of(b.EgressGiB), EgressUSDPerGiB: of(b.EgressUSDPerGiB), Interruptions: b.InterruptionsPerHour,
		CheckpointS:          b.CheckpointS,
		ElectricityUSDPerKWh: of(b.ElectricityUSDPerKWh), PUE: of(b.PUE),
	}
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

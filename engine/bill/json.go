package bill

import "encoding/json"

// written is the JSON of a bill; null is not stated.
type written struct {
	StartupS             *float64 `json:"startup_s"               yaml:"startup_s"`
	DiskGiB              *float64 `json:"disk_gib"                yaml:"disk_gib"` // of each VM
	DiskUSDPerGiBMonth   *float64 `json:"disk_usd_per_gib_month"  yaml:"disk_usd_per_gib_month"`
	EgressGiB            *float64 `json:"egress_gib"              yaml:"egress_gib"`
	EgressUSDPerGiB      *float64 `json:"egress_usd_per_gib"      yaml:"egress_usd_per_gib"`
	InterruptionsPerHour *float64 `json:"interruptions_per_hour"  yaml:"interruptions_per_hour"` // of one spot VM
	// work between two checkpoints
	CheckpointS          *float64 `json:"checkpoint_s"            yaml:"checkpoint_s"`
	ElectricityUSDPerKWh *float64 `json:"electricity_usd_per_kwh" yaml:"electricity_usd_per_kwh"`
	PUE                  *float64 `json:"pue"                     yaml:"pue"`
}

func (b Bill) written() written {
	stated := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	return written{
		stated(b.StartupS), stated(b.DiskGiB), stated(b.DiskUSDPerGiBMonth), stated(b.EgressGiB), stated(b.EgressUSDPerGiB),
		b.Interruptions, b.CheckpointS, stated(b.ElectricityUSDPerKWh), stated(b.PUE),
	}
}

// MarshalJSON writes the bill.
func (b Bill) MarshalJSON() ([]byte, error) { return json.Marshal(b.written()) }

// MarshalYAML writes the bill.
func (b Bill) MarshalYAML() (any, error) { return b.written(), nil }

// UnmarshalJSON reads a bill. One from a file may be senseless: its words, read
// back by [Parse], say so.
func (b *Bill) UnmarshalJSON(text []byte) error {
	return b.read(func(into any) error { return json.Unmarshal(text, into) })
}

// UnmarshalYAML reads a bill, as UnmarshalJSON.
func (b *Bill) UnmarshalYAML(unmarshal func(any) error) error { return b.read(unmarshal) }

func (b *Bill) read(unmarshal func(any) error) error {
	var f written
	if err := unmarshal(&f); err != nil {
		return err
	}
	of := func(v *float64) float64 {
		if v == nil {
			return 0
		}
		return *v
	}
	*b = Bill{
		StartupS: of(f.StartupS), DiskGiB: of(f.DiskGiB), DiskUSDPerGiBMonth: of(f.DiskUSDPerGiBMonth),
		EgressGiB: of(f.EgressGiB), EgressUSDPerGiB: of(f.EgressUSDPerGiB), Interruptions: f.InterruptionsPerHour,
		CheckpointS: f.CheckpointS, ElectricityUSDPerKWh: of(f.ElectricityUSDPerKWh), PUE: of(f.PUE),
	}
	return nil
}

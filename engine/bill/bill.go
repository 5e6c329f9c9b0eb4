// Package bill adds to the work of a job the other items of a cloud bill: start-up
// of the VMs, disks, egress, interruptions of spot VMs, and the electricity of
// machines of one's own. All of them are off until the user states them, except
// interruptions: a spot price alone is not a cost.
package bill

import (
	"sweetspot/engine/estimate"
	"sweetspot/engine/quantity"
)

// Bill is what the user states about a job's cost beside its work. The zero value
// adds nothing on VMs that are not interrupted.
type Bill struct {
	StartupS float64 // seconds from renting a VM until the job begins on it: boot, image, drivers

	DiskGiB            float64 // of each VM, for as long as it is rented
	DiskUSDPerGiBMonth float64

	EgressGiB       float64 // of the whole job
	EgressUSDPerGiB float64

	// Interruptions is the rate at which one spot VM is taken away, per hour; nil
	// is unknown, and assumed to be anywhere in a wide range.
	Interruptions *float64
	// CheckpointS is the work in seconds between two checkpoints; nil is unknown:
	// a training saves after each epoch, an inference after each batch.
	CheckpointS *float64

	// ElectricityUSDPerKWh is paid for machines of one's own; the price of a rented
	// VM contains it. PUE (power usage effectiveness) is the energy of the whole
	// building over that of its computers, at least 1; 0 is 1.
	ElectricityUSDPerKWh, PUE float64
}

// IsZero reports whether the bill states nothing.
func (b Bill) IsZero() bool { return b == Bill{} }

// DiskUSDPerHour is the price of the disk of one VM in US dollars per hour.
func (b Bill) DiskUSDPerHour() float64 {
	return b.DiskGiB * b.DiskUSDPerGiBMonth / quantity.HoursPerMonth
}

// EgressUSD is the cost of the job's egress in US dollars.
func (b Bill) EgressUSD() float64 { return b.EgressGiB * b.EgressUSDPerGiB }

// Electricity is the cost of an energy in kilowatt hours, in US dollars.
func (b Bill) Electricity(kwh estimate.Estimate) estimate.Estimate {
	return kwh.Times(b.ElectricityUSDPerKWh * max(b.PUE, 1))
}

// Job is what is charged for.
type Job struct {
	Seconds    estimate.Estimate // of the work, uninterrupted
	VMs        int               // rented at once
	USDPerHour *float64          // of one VM; nil is unknown
	Spot       bool              // the VMs may be taken away
	// Together says that the loss of one VM stops all, as in distributed training.
	Together bool
	// SavedEveryS is the seconds of work after which results are saved in any case;
	// 0 is not before the end. RestartS is the seconds the program itself takes to
	// start again on a new VM.
	SavedEveryS, RestartS float64
	// Own says that the VMs are machines of one's own, whose electricity no price
	// contains. KWh is the energy of the job, which only then is looked at.
	Own bool
	KWh estimate.Estimate
}

// Total is the time and cost of a job with all items of the bill.
type Total struct {
	Seconds estimate.Estimate // until it is done, start-up and interruptions included
	USD     estimate.Estimate // unknown without a price
	// Slowdown is the factor by which interruptions lengthen the work, at least 1.
	Slowdown estimate.Estimate
	Parts    Parts
}

// Parts are the items of an expected cost, in US dollars, which sum to it.
type Parts struct{ Work, Startup, Interruptions, Disk, Egress, Electricity float64 }

// Fixed is the part that does not depend on the price of the VM.
func (p Parts) Fixed() float64 { return p.Disk + p.Egress + p.Electricity }

// Sum of the parts.
func (p Parts) Sum() float64 { return p.Work + p.Startup + p.Interruptions + p.Fixed() }

// Total charges a job. Where the bill has a price of electricity, the cost on a
// machine of one's own is unknown if its energy is; without a price of the machine
// itself, the electricity is all it costs.
func (b Bill) Total(j Job) Total {
	t := Total{Slowdown: estimate.Exact(1, j.Seconds.Basis), Seconds: j.Seconds}
	if !j.Seconds.Known() {
		return t
	}
	if j.Spot {
		t.Slowdown = b.slowdown(j)
		t.Seconds = j.Seconds.By(t.Slowdown)
	}
	t.Seconds = t.Seconds.Shifted(b.StartupS)
	electricity, own := estimate.Exact(0, j.Seconds.Basis), j.Own && b.ElectricityUSDPerKWh > 0
	if own {
		electricity = b.Electricity(j.KWh)
	}
	if !electricity.Known() || j.USDPerHour == nil && !own {
		return t
	}
	vms, perSecond := float64(j.VMs), 0.0
	if j.USDPerHour != nil {
		perSecond = vms * *j.USDPerHour / 3600
	}
	disk := vms * b.DiskUSDPerHour() / 3600
	t.Parts = Parts{
		Work:          j.Seconds.Value * perSecond,
		Startup:       b.StartupS * perSecond,
		Interruptions: (t.Slowdown.Value - 1) * j.Seconds.Value * perSecond,
		Disk:          t.Seconds.Value * disk,
		Egress:        b.EgressUSD(),
		Electricity:   electricity.Value,
	}
	t.USD = t.Seconds.Times(perSecond + disk).Shifted(b.EgressUSD())
	// The longer a job takes, the more energy: the errors of both add up.
	t.USD = estimate.Estimate{
		Value: t.USD.Value + electricity.Value, Low: t.USD.Low + electricity.Low, High: t.USD.High + electricity.High,
		Basis: estimate.Weakest(t.USD.Basis, electricity.Basis),
	}
	return t
}

// Item is a part of a cost by its name.
type Item struct {
	Name string  `json:"item" yaml:"item"` // work, startup, interruptions, disk, egress, electricity
	USD  float64 `json:"usd" yaml:"usd"`
}

// Items lists the parts that there are, the work first.
func (p Parts) Items() []Item {
	items := []Item{{"work", p.Work}}
	for _, i := range [...]Item{{"startup", p.Startup}, {"interruptions", p.Interruptions}, {"disk", p.Disk},
		{"egress", p.Egress}, {"electricity", p.Electricity}} {
		if i.USD > 0 {
			items = append(items, i)
		}
	}
	return items
}

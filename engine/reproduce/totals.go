package reproduce

import "math"

const secondsPerHour = 3600

// vmsOfTotals are the VM types that tables 4.1 to 5.14 sum over.
var vmsOfTotals = []string{"p2.xlarge", "p2.8xlarge", "p2.16xlarge", "p3.2xlarge", "p3.8xlarge", "p3.16xlarge"}

// batchSizes are those the thesis runs everything at.
var batchSizes = []int{256, 512, 1024, 2048}

// repeats is how often chapter 4 ran each seismic experiment.
const repeats = 5

// totals computes tables 4.1 and 4.2: cost is time times price, speed-up is
// against p2.xlarge's best batch size.
func (b book) totals(k Key) computation {
	switch k.Column {
	case "cost_usd":
		how := computation{note: "price × time", formula: func(r *reading) float64 {
			return b.prices[k.VM] * r.at(k.in("time_s")) / secondsPerHour
		}}
		if k.Table == "4.2" {
			how.other = func(r *reading) float64 {
				return b.prices[k.VM] * math.Round(100*r.at(k.in("time_s"))/secondsPerHour) / 100
			}
			how.otherway = "with hours rounded to two decimals, as this table seems to have them, it is %s"
		}
		return how
	case "speedup":
		base := k.in("time_s")
		base.VM, base.Batch = "p2.xlarge", 512
		return computation{note: "time of p2.xlarge at 512 ÷ time", formula: func(r *reading) float64 {
			return r.at(base) / r.at(k.in("time_s"))
		}}
	}
	return computation{note: measuredNote}
}

// findingOut computes tables 4.4, 4.5 and 5.14, what it cost to find the best
// VM, as far as the runs they are about are published.
func (b book) findingOut(k Key) computation {
	vm := func(name string) Key { c := k; c.VM = name; return c }
	switch {
	case k.VM == "total":
		return computation{note: "sum over the VMs", formula: func(r *reading) float64 {
			var sum float64
			for _, name := range vmsOfTotals {
				sum += r.at(vm(name))
			}
			return sum
		}}
	case k.Table == "4.4" && k.Column == "everything_usd":
		return computation{note: "price × times of table 4.1, five runs at each batch size", formula: func(r *reading) float64 {
			return b.everything(r, k.Application, k.VM)
		}}
	case k.VM == "p2.xlarge" && k.Column == "method_1_usd":
		return computation{note: "method 1 runs everything on the cheapest VM", formula: func(r *reading) float64 {
			return r.at(k.in("everything_usd"))
		}}
	}
	return computation{note: "the times these costs sum up are not published"}
}

// everything is the cost of all of a VM's runs of table 4.1.
func (b book) everything(r *reading, application, vm string) float64 {
	var seconds float64
	for _, batch := range batchSizes {
		seconds += r.at(Key{Table: "4.1", Application: application, Batch: batch, VM: vm, Column: "time_s"})
	}
	return repeats * b.prices[vm] * seconds / secondsPerHour
}

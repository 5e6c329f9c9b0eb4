package reproduce

import (
	"math"
	"strings"

	"sweetspot/engine/cluster"
)

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
			return cluster.Cost(r.at(k.in("time_s")), b.prices[k.VM])
		}}
		if k.Table == "4.2" {
			how.other = func(r *reading) float64 {
				hours := math.Round(100*r.at(k.in("time_s"))/secondsPerHour) / 100
				return cluster.Cost(hours*secondsPerHour, b.prices[k.VM])
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
		return computation{note: "price × times of table 4.1, five runs at each batch size",
			formula: func(r *reading) float64 {
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
	return repeats * cluster.Cost(seconds, b.prices[vm])
}

// iterationsPerEpoch are the whole batches of one epoch.
func iterationsPerEpoch(r *reading, k Key) float64 {
	images := r.at(Key{Table: "text", Application: k.Application, Column: "train_images"})
	return cluster.Batches(cluster.Member{Count: 1, BatchSize: float64(k.Batch)}, images)
}

// epochsAndIterations computes tables 4.3, whose iterations are those of all
// epochs, and 5.1, whose heading says they are those of one.
func epochsAndIterations(k Key) computation {
	seismic := k.Application == "seismic/FCN"
	switch {
	case k.Table == "4.3" && k.Column == "epochs":
		return computation{note: "the table's iterations ÷ those of one epoch", formula: func(r *reading) float64 {
			return r.at(k.in("iterations")) / iterationsPerEpoch(r, k)
		}}
	case k.Table == "4.3" && seismic:
		epochs := Key{Table: "5.2", Application: k.Application, Batch: k.Batch, Validation: "yes", VM: "p2.xlarge",
			Column: "epochs"}
		return computation{note: "the epochs of table 5.2 × iterations of one epoch", formula: func(r *reading) float64 {
			return r.at(epochs) * iterationsPerEpoch(r, k)
		}}
	case k.Table == "5.1" && k.Column == "iterations":
		return computation{note: "whole batches in one epoch",
			formula: func(r *reading) float64 { return iterationsPerEpoch(r, k) }}
	case k.Table == "5.1" && seismic:
		return sameRuns(k.of("4.3", ""))
	}
	return computation{note: measuredNote}
}

// claims computes what the running text concludes from the tables.
func (b book) claims(k Key) computation {
	total := func(r *reading, table, column string) float64 {
		return r.at(Key{Table: table, Application: k.Application, VM: "total", Column: column})
	}
	percent := func(table, less, more string) computation {
		return computation{note: "the totals of table " + table, formula: func(r *reading) float64 {
			return 100 * saving(total(r, table, less), total(r, table, more))
		}}
	}
	table := map[string]string{"seismic/FCN": "4.4", "MNIST/Simple-CNN": "4.5"}[k.Application]
	switch {
	case strings.HasPrefix(k.Column, "price_over_"):
		return computation{note: "prices of table 3.1", formula: func(*reading) float64 {
			return b.prices[k.VM] / b.prices[strings.TrimPrefix(k.Column, "price_over_")]
		}}
	case strings.HasPrefix(k.Column, "speedup_over_"):
		return fasterThan(k, strings.TrimPrefix(k.Column, "speedup_over_"))
	case k.Column == "method_1_saves_percent":
		return percent(table, "method_1_usd", "everything_usd")
	case k.Column == "method_2_saves_percent":
		return percent("5.14", "method_2_usd", "everything_usd")
	case k.Column == "method_2_saves_over_method_1_percent":
		return percent("5.14", "method_2_usd", "method_1_usd")
	}
	return computation{note: "no method of ours computes this cell"}
}

// saving is the fraction that less is below more.
func saving(less, more float64) float64 { return 1 - less/more }

// fasterThan compares two VMs of table 4.2, each at its best batch size.
func fasterThan(k Key, vm string) computation {
	best := func(r *reading, name, column string, better func(x, y float64) float64) float64 {
		at := Key{Table: "4.2", Application: k.Application, VM: name, Column: column}
		at.Batch = batchSizes[0]
		v := r.at(at)
		for _, at.Batch = range batchSizes[1:] {
			v = better(v, r.at(at))
		}
		return v
	}
	return computation{
		note: "the speed-ups of table 4.2, each VM at its best batch size",
		formula: func(r *reading) float64 {
			return best(r, k.VM, "speedup", math.Max) / best(r, vm, "speedup", math.Max)
		},
		other:    func(r *reading) float64 { return best(r, vm, "time_s", math.Min) / best(r, k.VM, "time_s", math.Min) },
		otherway: "from the times it is %s",
	}
}

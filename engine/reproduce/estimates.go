package reproduce

import (
	"math"
	"strings"

	"sweetspot/engine/cluster"
	"sweetspot/engine/training"
)

// byEpochs computes table 5.2: method 1 from the first and the average epoch.
func byEpochs(k Key) computation {
	terms := func(r *reading) training.Epochs {
		return training.Epochs{Init: r.at(k.in("init_s")), First: r.at(k.in("first_epoch_s"))}
	}
	epochs, estimated, average := k.in("epochs"), k.in("estimated_s"), k.in("average_epoch_s")
	const solved = "method 1 solved for it from the printed estimate"
	switch k.Column {
	case "estimated_s":
		return by("method 1 (equation 5.1)", func(r *reading) float64 {
			t := terms(r)
			t.Second = r.at(average)
			return training.Method1(t, r.at(epochs))
		})
	case "average_epoch_s":
		return by(solved, func(r *reading) float64 {
			return (r.at(estimated) - training.Method1(terms(r), 1)) / (r.at(epochs) - 1)
		})
	case "epochs":
		return by(solved, func(r *reading) float64 {
			return 1 + (r.at(estimated)-training.Method1(terms(r), 1))/r.at(average)
		})
	case "error_percent":
		return errorColumn(k, "estimated_s", "estimate")
	}
	return ofThesis
}

// errorColumn is the printed error of an estimate; what it is divided by
// differs from table to table.
func errorColumn(k Key, divisor, words string) computation {
	return by("|real − estimate| of the printed times, divided by the "+words,
		errorOf(k.in("real_s"), k.in("estimated_s"), k.in(divisor)))
}

// errorOf is how far two times are apart, in percent of one.
func errorOf(real, estimated, divisor Key) formula {
	return func(r *reading) float64 { return 100 * math.Abs(r.at(real)-r.at(estimated)) / r.at(divisor) }
}

// byIterations computes tables 5.3, 5.4, 5.5 and 5.9: method 2 from the first
// iteration and a later one.
func byIterations(k Key) computation {
	later := "second_iteration_s"
	if k.Table == "5.5" {
		later = "average_iteration_s"
	}
	switch k.Column {
	case "estimated_s", later:
		return method2Column(k, later)
	case "error_percent":
		if k.Table == "5.4" {
			truth := k.in("real_s").of("5.3", "yes")
			return errorColumn(k, "real_s", "real time").or("with the real time of table 5.3 it is %s",
				errorOf(truth, k.in("estimated_s"), truth))
		}
		return errorColumn(k, "estimated_s", "estimate")
	}
	twin, ok := map[string]Key{
		"5.3": k.of("5.5", "no"), "5.4": k.of("5.3", "yes"), "5.5": k.of("5.3", "yes"),
		"5.9": k.of("5.9", map[string]string{"yes": "no", "no": "yes"}[k.Validation]),
	}[k.Table]
	if !ok {
		return ofThesis
	}
	return sameRuns(twin)
}

// sameRuns is a measurement that is printed once more elsewhere.
func sameRuns(twin Key) computation {
	note := "a measurement: held against the same runs in table " + twin.Table
	if twin.Table == "5.9" {
		note = "a measurement: held against the same runs in the other half of the table"
	}
	return printedAgain(note, twin)
}

func method2Column(k Key, later string) computation {
	if k.Table == "5.9" && k.Validation == "yes" {
		if k.Column == later {
			return sameRuns(k.of("5.9", "no"))
		}
		return computation{note: "the times of MNIST's validations are not published"}
	}
	compute := func(perEpoch func(*reading) float64) formula {
		return func(r *reading) float64 {
			t := iterationTerms(r, k)
			t.PerEpoch = perEpoch(r)
			n := r.at(epochsKey(k))
			if k.Column == later {
				return steadyOf(t, n, r.at(k.in("estimated_s")))
			}
			t.Steady = r.at(k.in(later))
			return training.Method2(t, n)
		}
	}
	how := by("method 2 (equation 5.4, the first iteration counted once)",
		compute(func(r *reading) float64 { return perEpoch(r, k) }))
	if k.Validation == "yes" {
		how.note = "method 2 (equation 5.3) with the validation times of the text"
	}
	if k.Column == later {
		how.note += " solved for it from the printed estimate"
	}
	if k.Table == "5.9" {
		// The stated 50,000 training images make 195 iterations of 256; the
		// printed iteration times and estimates fit together with 60,000.
		how = how.or("with 60,000 training images, as MNIST has, instead of the stated 50,000 it is %s",
			compute(func(*reading) float64 { return math.Ceil(60000 / float64(k.Batch)) }))
	}
	return how
}

// iterationTerms are the terms of method 2 in a line of a table, without the
// steady iteration.
func iterationTerms(r *reading, k Key) training.Iterations {
	t := training.Iterations{Startup: r.at(k.in("init_s")) + r.at(k.in("first_iteration_s"))}
	if k.Validation == "yes" {
		text := Key{Table: "text", Application: k.Application, Batch: k.Batch}
		t.FirstValidation, t.Validation = r.at(text.in("first_validation_s")), r.at(text.in("validation_s"))
	}
	return t
}

func epochsKey(k Key) Key {
	return Key{Table: "5.1", Application: k.Application, Batch: k.Batch, Column: "epochs"}
}

// perEpoch is the number of iterations per epoch as the thesis' estimates have
// it: a fraction for the seismic images, table 5.1's whole number for MNIST
// (whose seismic lines hold the iterations of all epochs).
func perEpoch(r *reading, k Key) float64 {
	if k.Application == "MNIST/Simple-CNN" {
		return r.at(Key{Table: "5.1", Application: k.Application, Batch: k.Batch, Column: "iterations"})
	}
	return r.at(Key{Table: "text", Application: k.Application, Column: "train_images"}) / float64(k.Batch)
}

// steadyOf solves method 2, which is linear in the steady iteration, for it.
func steadyOf(t training.Iterations, epochs, total float64) float64 {
	t.Steady = 0
	without := training.Method2(t, epochs)
	t.Steady = 1
	return (total - without) / (training.Method2(t, epochs) - without)
}

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
	time := k.in("time_s")
	switch k.Column {
	case "cost_usd":
		how := by("price × time", func(r *reading) float64 { return cluster.Cost(r.at(time), b.prices[k.VM]) })
		if k.Table != "4.2" {
			return how
		}
		return how.or("with hours rounded to two decimals, as this table seems to have them, it is %s",
			func(r *reading) float64 {
				hours := math.Round(100*r.at(time)/secondsPerHour) / 100
				return cluster.Cost(hours*secondsPerHour, b.prices[k.VM])
			})
	case "speedup":
		base := time.on("p2.xlarge")
		base.Batch = 512
		return by("time of p2.xlarge at 512 ÷ time", quotient(base, time))
	}
	return ofThesis
}

// findingOut computes tables 4.4, 4.5 and 5.14, what it cost to find the best
// VM, as far as the runs they are about are published.
func (b book) findingOut(k Key) computation {
	switch {
	case k.VM == "total":
		var all []Key
		for _, vm := range vmsOfTotals {
			all = append(all, k.on(vm))
		}
		return by("sum over the VMs", total(all...))
	case k.Table == "4.4" && k.Column == "everything_usd":
		return by("price × times of table 4.1, five runs at each batch size", b.everything(k.Application, k.VM))
	case k.VM == "p2.xlarge" && k.Column == "method_1_usd":
		return by("method 1 runs everything on the cheapest VM", cell(k.in("everything_usd")))
	}
	return computation{note: "the times these costs sum up are not published"}
}

// everything is the cost of all of a VM's runs of table 4.1.
func (b book) everything(application, vm string) formula {
	var all []Key
	for _, batch := range batchSizes {
		all = append(all, Key{Table: "4.1", Application: application, Batch: batch, VM: vm, Column: "time_s"})
	}
	seconds := total(all...)
	return func(r *reading) float64 { return repeats * cluster.Cost(seconds(r), b.prices[vm]) }
}

func iterationsPerEpoch(k Key) formula {
	return func(r *reading) float64 {
		images := r.at(Key{Table: "text", Application: k.Application, Column: "train_images"})
		return cluster.Batches(cluster.Member{Count: 1, BatchSize: float64(k.Batch)}, images)
	}
}

// epochsAndIterations computes tables 4.3, whose iterations are those of all
// epochs, and 5.1, whose heading says they are those of one.
func epochsAndIterations(k Key) computation {
	seismic, perEpoch := k.Application == "seismic/FCN", iterationsPerEpoch(k)
	switch {
	case k.Table == "4.3" && k.Column == "epochs":
		return by("the table's iterations ÷ those of one epoch", func(r *reading) float64 {
			return r.at(k.in("iterations")) / perEpoch(r)
		})
	case k.Table == "4.3" && seismic:
		epochs := Key{Table: "5.2", Application: k.Application, Batch: k.Batch, Validation: "yes", VM: "p2.xlarge",
			Column: "epochs"}
		return by("the epochs of table 5.2 × iterations of one epoch", func(r *reading) float64 {
			return r.at(epochs) * perEpoch(r)
		})
	case k.Table == "5.1" && k.Column == "iterations":
		return by("whole batches in one epoch", perEpoch)
	case k.Table == "5.1" && seismic:
		return sameRuns(k.of("4.3", ""))
	}
	return ofThesis
}

// claims computes what the running text concludes from the tables.
func (b book) claims(k Key) computation {
	percent := func(table, less, more string) computation {
		total := Key{Table: table, Application: k.Application, VM: "total"}
		return by("the totals of table "+table, reduction(total.in(less), total.in(more)).times(100))
	}
	table := map[string]string{"seismic/FCN": "4.4", "MNIST/Simple-CNN": "4.5"}[k.Application]
	over, isPrice := strings.CutPrefix(k.Column, "price_over_")
	faster, isSpeedup := strings.CutPrefix(k.Column, "speedup_over_")
	switch {
	case isPrice:
		return by("prices of table 3.1", func(*reading) float64 { return b.prices[k.VM] / b.prices[over] })
	case isSpeedup:
		return fasterThan(k, faster)
	case k.Column == "method_1_saves_percent":
		return percent(table, "method_1_usd", "everything_usd")
	case k.Column == "method_2_saves_percent":
		return percent("5.14", "method_2_usd", "everything_usd")
	case k.Column == "method_2_saves_over_method_1_percent":
		return percent("5.14", "method_2_usd", "method_1_usd")
	}
	return notOurs
}

// fasterThan compares two VMs of table 4.2, each at its best batch size.
func fasterThan(k Key, vm string) computation {
	best := func(r *reading, name, column string, better func(x, y float64) float64) float64 {
		at := Key{Table: "4.2", Application: k.Application, VM: name, Column: column, Batch: batchSizes[0]}
		v := r.at(at)
		for _, at.Batch = range batchSizes[1:] {
			v = better(v, r.at(at))
		}
		return v
	}
	return by("the speed-ups of table 4.2, each VM at its best batch size", func(r *reading) float64 {
		return best(r, k.VM, "speedup", math.Max) / best(r, vm, "speedup", math.Max)
	}).or("from the times it is %s", func(r *reading) float64 {
		return best(r, vm, "time_s", math.Min) / best(r, k.VM, "time_s", math.Min)
	})
}

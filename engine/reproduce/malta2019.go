package reproduce

import (
	"math"
	"slices"

	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/objective"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// Malta2019 is the name of the paper: the cost-benefit analysis of p2 and p3 by
// Malta et al. (2019).
const Malta2019 = "malta2019"

// Tables of the thesis of 2021 that print some of the same runs: their times,
// in seconds, and their iterations.
const (
	thesisTimes      = "thesis 4.2"
	thesisIterations = "thesis 4.3"
)

const hourlyPrice = "usd_per_hour"

// comparison is everything the formulas need to know of the paper: which runs
// its table 2 holds.
type comparison struct {
	batches []int
	vms     []string
	twins   map[Key]bool // runs that the thesis prints as well
}

// costBenefit computes table 2 of the paper, each column from the others, and
// what its text concludes from them.
func costBenefit(in Inputs) study {
	c := comparison{twins: map[Key]bool{}}
	for _, cell := range in.Cells {
		switch {
		case fromThesis(cell.Key):
			c.twins[cell.Key] = true
		case cell.Table == "2" && cell.Column == "time_h":
			if !slices.Contains(c.batches, cell.Batch) {
				c.batches = append(c.batches, cell.Batch)
			}
			if !slices.Contains(c.vms, cell.VM) {
				c.vms = append(c.vms, cell.VM)
			}
		}
	}
	return study{
		how:      c.how,
		isInput:  fromThesis,
		findings: func(sheet) []string { return nil },
	}
}

func fromThesis(k Key) bool { return k.Table == thesisTimes || k.Table == thesisIterations }

func (c comparison) how(k Key) computation {
	if len(c.vms) != 2 {
		return computation{note: "table 2 does not compare two VM types"}
	}
	switch k.Table {
	case "2":
		return c.tableTwo(k)
	case "figure 2":
		return c.relative(k)
	case "text":
		return c.conclusion(k)
	}
	return computation{note: "a description: an input"}
}

// timeOf is the cell of table 2 with a VM's mean time, in hours.
func timeOf(application string, batch int, vm string) Key {
	return Key{Table: "2", Application: application, Batch: batch, VM: vm, Column: "time_h"}
}

func priceOf(vm string) Key { return Key{Table: "1", VM: vm, Column: hourlyPrice} }

// hoursFor are the hours that an amount of money buys.
func hoursFor(usd, usdPerHour float64) float64 { return usd / cluster.Cost(secondsPerHour, usdPerHour) }

func (c comparison) tableTwo(k Key) computation {
	slow := timeOf(k.Application, k.Batch, c.vms[0])
	switch k.Column {
	case "cost_usd":
		return computation{note: "time × price", formula: func(r *reading) float64 {
			return cluster.Cost(r.at(timeOf(k.Application, k.Batch, k.VM))*secondsPerHour, r.at(priceOf(k.VM)))
		}}
	case "speedup":
		return computation{note: "time of " + c.vms[0] + " ÷ time", formula: func(r *reading) float64 {
			return r.at(slow) / r.at(timeOf(k.Application, k.Batch, k.VM))
		}}
	case "time_h":
		return c.time(k, slow)
	}
	again := k.of(thesisIterations, "")
	again.VM = ""
	if k.Column == "iterations" && c.twins[again] {
		return computation{note: "a measurement: held against the thesis' table 4.3",
			formula: func(r *reading) float64 { return r.at(again) }}
	}
	return computation{note: measuredByStudy}
}

// time computes a mean time from the column that says most about it: from the
// thesis where that prints the same runs, else the slower VM's from what it
// cost, the faster one's from its speed-up.
func (c comparison) time(k, slow Key) computation {
	fromCost := func(r *reading) float64 { return hoursFor(r.at(k.in("cost_usd")), r.at(priceOf(k.VM))) }
	inSeconds := func(r *reading) float64 { return r.at(k.of(thesisTimes, "").in("time_s")) / secondsPerHour }
	printedTwice := c.twins[k.of(thesisTimes, "").in("time_s")]
	switch {
	case k.VM != c.vms[0] && printedTwice:
		return computation{
			note:    "time of " + c.vms[0] + " ÷ speed-up",
			formula: func(r *reading) float64 { return r.at(slow) / r.at(k.in("speedup")) },
			other:   inSeconds, otherway: "the thesis' table 4.2 prints %s h for this VM and batch size, of other runs",
		}
	case k.VM != c.vms[0]:
		return computation{
			note:    "time of " + c.vms[0] + " ÷ speed-up",
			formula: func(r *reading) float64 { return r.at(slow) / r.at(k.in("speedup")) },
			other:   fromCost, otherway: "from cost ÷ price it is %s",
		}
	case printedTwice:
		return computation{
			note: "the same runs in seconds, in the thesis' table 4.2", formula: inSeconds,
			other: fromCost, otherway: "from cost ÷ price it is %s",
		}
	}
	return computation{note: "cost ÷ price", formula: fromCost}
}

// choices are the runs of table 2 at one batch size, or at all.
func (c comparison) choices(r *reading, application string, batches []int, vms []string) []candidate.Candidate {
	var out []candidate.Candidate
	for _, batch := range batches {
		accuracy := r.at(Key{Table: "2", Application: application, Batch: batch, VM: c.vms[0], Column: "accuracy_percent"})
		for _, vm := range vms {
			seconds := r.at(timeOf(application, batch, vm)) * secondsPerHour
			made := choice(seconds, cluster.Cost(seconds, r.at(priceOf(vm))), accuracy/100, part(vm, 1))
			made.BatchSize = batch
			out = append(out, made)
		}
	}
	return out
}

// asked ranks runs of table 2. ok is false where one of them is not printed.
func (c comparison) asked(r *reading, application string, batches []int, vms []string,
	by question.Sort) (result *rank.Result, ok bool) {
	candidates := c.choices(r, application, batches, vms)
	if r.missing || len(candidates) == 0 {
		return nil, false
	}
	return ranked(candidates, by, question.Limits{}), true
}

// relative computes what figure 2 draws: how much longer a VM type takes and
// how much more it costs than the better of the two at the batch size.
func (c comparison) relative(k Key) computation {
	return computation{
		note: map[string]string{"relative_time": "time ÷ that of the faster VM",
			"relative_cost": "time × price ÷ that of the cheaper VM"}[k.Column],
		formula: func(r *reading) float64 {
			result, ok := c.asked(r, k.Application, []int{k.Batch}, c.vms, question.ByTime)
			at := slices.Index(c.vms, k.VM)
			switch {
			case !ok || at < 0:
				return math.NaN()
			case k.Column == "relative_cost":
				return result.Space.Values(objective.Cost)[at] / result.Best(objective.Cost)
			}
			return result.Space.Values(objective.Time)[at] / result.Best(objective.Time)
		},
	}
}

// conclusion computes what the text concludes from table 2.
func (c comparison) conclusion(k Key) computation {
	switch k.Column {
	case "price_ratio":
		return computation{note: "prices of table 1", formula: func(r *reading) float64 {
			return r.at(priceOf(k.VM)) / r.at(priceOf(c.vms[0]))
		}}
	case "times_faster":
		return computation{note: "mean over the batch sizes of " + c.vms[0] + "'s time ÷ its own",
			formula: func(r *reading) (mean float64) {
				for _, batch := range c.batches {
					ratio := r.at(timeOf(k.Application, batch, c.vms[0])) / r.at(timeOf(k.Application, batch, k.VM))
					mean += ratio / float64(len(c.batches))
				}
				return mean
			}}
	case "fastest_percent":
		return c.share(k, question.ByTime, "share of the batch sizes at which it is ranked first by time")
	case "cheapest_percent":
		return c.share(k, question.ByCost, "share of the batch sizes at which it is ranked first by cost")
	case "fastest_batch_size", "slowest_batch_size":
		return c.batchSize(k)
	case "least_accurate_batch_size":
		return computation{note: "the least accuracy of table 2", formula: func(r *reading) float64 {
			result, ok := c.asked(r, k.Application, c.batches, c.vms, question.ByTime)
			if !ok {
				return math.NaN()
			}
			accuracy := result.Space.Values(objective.Accuracy)
			return float64(result.Space.At(slices.Index(accuracy, slices.Min(accuracy))).BatchSize)
		}}
	}
	return computation{note: "no method of ours computes this cell"}
}

// share is the percentage of batch sizes at which the VM is recommended.
func (c comparison) share(k Key, by question.Sort, note string) computation {
	return computation{note: note, formula: func(r *reading) (percent float64) {
		for _, batch := range c.batches {
			result, ok := c.asked(r, k.Application, []int{batch}, c.vms, by)
			if !ok {
				return math.NaN()
			}
			if c.vms[result.Order[0]] == k.VM {
				percent += 100 / float64(len(c.batches))
			}
		}
		return percent
	}}
}

// batchSize is the one at which the VM reaches its stable accuracy first or
// last.
func (c comparison) batchSize(k Key) computation {
	return computation{note: "the VM's runs of table 2 ranked by time", formula: func(r *reading) float64 {
		result, ok := c.asked(r, k.Application, c.batches, []string{k.VM}, question.ByTime)
		if !ok {
			return math.NaN()
		}
		at := result.Order[0]
		if k.Column == "slowest_batch_size" {
			at = result.Order[len(result.Order)-1]
		}
		return float64(result.Space.At(at).BatchSize)
	}}
}

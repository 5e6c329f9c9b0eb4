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
	return described
}

// timeOf is the cell of table 2 with a VM's mean time, in hours.
func timeOf(application string, batch int, vm string) Key {
	return Key{Table: "2", Application: application, Batch: batch, VM: vm, Column: "time_h"}
}

func priceOf(vm string) Key { return Key{Table: "1", VM: vm, Column: hourlyPrice} }

// hoursFor are the hours that an amount of money buys.
func hoursFor(usd, usdPerHour float64) float64 { return usd / cluster.Cost(secondsPerHour, usdPerHour) }

func (c comparison) tableTwo(k Key) computation {
	time := k.in("time_h")
	slow := time.on(c.vms[0])
	switch k.Column {
	case "cost_usd":
		return by("time × price", func(r *reading) float64 {
			return cluster.Cost(r.at(time)*secondsPerHour, r.at(priceOf(k.VM)))
		})
	case "speedup":
		return by("time of "+c.vms[0]+" ÷ time", quotient(slow, time))
	case "time_h":
		return c.time(k, slow)
	}
	again := k.of(thesisIterations, "").on("")
	if k.Column == "iterations" && c.twins[again] {
		return printedAgain("a measurement: held against the thesis' table 4.3", again)
	}
	return measured
}

// time computes a mean time from the column that says most about it: from the
// thesis where that prints the same runs, else the slower VM's from what it
// cost, the faster one's from its speed-up.
func (c comparison) time(k, slow Key) computation {
	again := k.of(thesisTimes, "").in("time_s")
	inSeconds := func(r *reading) float64 { return r.at(again) / secondsPerHour }
	fromCost := func(r *reading) float64 { return hoursFor(r.at(k.in("cost_usd")), r.at(priceOf(k.VM))) }
	fromSpeedup := by("time of "+c.vms[0]+" ÷ speed-up", quotient(slow, k.in("speedup")))
	switch {
	case k.VM != c.vms[0] && c.twins[again]:
		return fromSpeedup.or("the thesis' table 4.2 prints %s h for this VM and batch size, of other runs", inSeconds)
	case k.VM != c.vms[0]:
		return fromSpeedup.or("from cost ÷ price it is %s", fromCost)
	case c.twins[again]:
		how := by("the same runs in seconds, in the thesis' table 4.2", inSeconds).or("from cost ÷ price it is %s", fromCost)
		how.again = true
		return how
	}
	return by("cost ÷ price", fromCost)
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

// ranked reads a ranking of runs of table 2; it has no value where one of them is
// not printed.
func (c comparison) ranked(k Key, batches []int, vms []string, by question.Sort,
	read func(*rank.Result) float64) formula {
	return func(r *reading) float64 {
		candidates := c.choices(r, k.Application, batches, vms)
		if r.missing || len(candidates) == 0 {
			return math.NaN()
		}
		return read(ranked(candidates, by, question.Limits{}))
	}
}

// relative computes what figure 2 draws: how much longer a VM type takes and
// how much more it costs than the better of the two at the batch size.
func (c comparison) relative(k Key) computation {
	of, note := objective.Time, "time ÷ that of the faster VM"
	if k.Column == "relative_cost" {
		of, note = objective.Cost, "time × price ÷ that of the cheaper VM"
	}
	at := slices.Index(c.vms, k.VM)
	return by(note, c.ranked(k, []int{k.Batch}, c.vms, question.ByTime, func(q *rank.Result) float64 {
		if at < 0 {
			return math.NaN()
		}
		return q.Space.Values(of)[at] / q.Best(of)
	}))
}

// conclusion computes what the text concludes from table 2.
func (c comparison) conclusion(k Key) computation {
	switch k.Column {
	case "price_ratio":
		return by("prices of table 1", quotient(priceOf(k.VM), priceOf(c.vms[0])))
	case "times_faster":
		return by("mean over the batch sizes of "+c.vms[0]+"'s time ÷ its own", func(r *reading) (mean float64) {
			for _, batch := range c.batches {
				ratio := r.at(timeOf(k.Application, batch, c.vms[0])) / r.at(timeOf(k.Application, batch, k.VM))
				mean += ratio / float64(len(c.batches))
			}
			return mean
		})
	case "fastest_percent":
		return by("share of the batch sizes at which it is ranked first by time", c.share(k, question.ByTime))
	case "cheapest_percent":
		return by("share of the batch sizes at which it is ranked first by cost", c.share(k, question.ByCost))
	case "fastest_batch_size", "slowest_batch_size":
		return by("the VM's runs of table 2 ranked by time",
			c.ranked(k, c.batches, []string{k.VM}, question.ByTime, func(q *rank.Result) float64 {
				at := q.First()
				if k.Column == "slowest_batch_size" {
					at = q.Order()[q.Count()-1]
				}
				return float64(q.Space.At(at).BatchSize)
			}))
	case "least_accurate_batch_size":
		return by("the least accuracy of table 2",
			c.ranked(k, c.batches, c.vms, question.ByTime, func(q *rank.Result) float64 {
				accuracy := q.Space.Values(objective.Accuracy)
				return float64(q.Space.At(slices.Index(accuracy, slices.Min(accuracy))).BatchSize)
			}))
	}
	return notOurs
}

// share is the percentage of batch sizes at which the VM is recommended.
func (c comparison) share(k Key, by question.Sort) formula {
	return func(r *reading) (percent float64) {
		for _, batch := range c.batches {
			percent += c.ranked(k, []int{batch}, c.vms, by, func(q *rank.Result) float64 {
				if c.vms[q.First()] != k.VM {
					return 0
				}
				return 100 / float64(len(c.batches))
			})(r)
		}
		return percent
	}
}

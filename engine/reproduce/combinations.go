package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/cluster"
)

// oneM60 is the VM type with one GPU of the study's other kind.
const oneM60 = "g3.4xlarge"

// All combinations are counted through below: bounds for sheets that are not the
// study's.
const (
	mostTypes    = 6
	mostVersions = 10
)

// combined is the study's question put to the exact frontier: the versions whose
// time and accuracy the text gives on up to three of each VM type of table 3,
// the work split by GPUs.
func (b costBook) combined(r *reading) cluster.Space {
	s := cluster.Space{Units: r.at(textNumber("images_of_figures_9_and_10")), Split: cluster.ByGPUs}
	// Of an M60 only figure 12 tells the speed, by its CAR against a K80's.
	car := func(vm string) float64 {
		return r.at(Key{Table: "figure 12", Application: caffeNet, Variant: "conv1-2 at 20 %", VM: vm,
			Column: "car_usd"}) / r.at(priceIn3(vm))
	}
	m60 := car(oneM60) / car(oneK80)
	for _, vm := range b.vms {
		s.VMs = append(s.VMs, cluster.VMType{
			GPUs: int(r.at(Key{Table: vmTable, VM: vm, Column: "gpus"})), Limit: ofEach, USDPerHour: r.at(priceIn3(vm)),
		})
	}
	for _, version := range b.versions {
		perImage, accuracy := b.seconds(r, version)/r.at(textNumber("images")), accuracyOf(r, version)
		v := cluster.Variant{Accuracy: &accuracy}
		for _, vm := range b.vms {
			slower := 1.0
			if b.smallest(vm) != oneK80 {
				slower = m60
			}
			v.Batches = append(v.Batches, cluster.Batch{Size: 1, Seconds: perImage * slower})
		}
		s.Variants = append(s.Variants, v)
	}
	return s
}

// studyLimits are the deadline of figure 9 and the budget of figure 10.
func studyLimits(r *reading) cluster.Limits {
	return cluster.Limits{MaxSeconds: new(secondsPerHour * r.at(textNumber("deadline_h"))),
		MaxUSD: new(r.at(textNumber("budget_usd")))}
}

// exactTable is where the study's question is answered by the exact frontier.
const exactTable = "exact frontier"

// exactRows say what the exact frontier saves, and how far Algorithm 1 is from
// it. They are our own figures and judge nothing: the times of the study's 60
// versions are not published.
func (b costBook) exactRows(s sheet) []Row {
	r := &reading{sheet: s}
	space, limits := b.combined(r), studyLimits(r)
	if r.missing || len(b.vms) > mostTypes || len(b.versions) > mostVersions {
		return nil
	}
	f, err := space.Frontiers()
	if err != nil {
		return nil
	}
	rows := b.savings(s, f, space, limits)
	if c, ok := space.Greedy(limits); ok {
		rows = append(rows, b.besideGreedy(space, c, f.Gap(c))...)
	}
	for i := range rows {
		rows[i].Paper, rows[i].Table, rows[i].Inputs = TARCAR, exactTable, r.used
	}
	return rows
}

// savings are the largest of what the frontier saves against the configurations
// within the limits that have the highest accuracy.
func (b costBook) savings(s sheet, f *cluster.Frontiers, space cluster.Space, limits cluster.Limits) (rows []Row) {
	best, ok := f.Within(limits).MostAccurate()
	if !ok {
		return nil
	}
	accuracy := *space.Variants[best.Variant].Accuracy
	configurations, time, cost := savedAtAccuracy(f, space, limits, accuracy)
	for _, saved := range []struct {
		figure, what, at string
		value            float64
	}{{"figure 9", "time", "cost", time}, {"figure 10", "cost", "time", cost}} {
		k := Key{Table: saved.figure, Application: caffeNet, VM: "p2", Column: "saved_at_highest_accuracy_percent"}
		row := Row{
			Key: k, Cell: caffeNet + " saved_" + saved.what + "_percent", Ours: new(100 * saved.value),
			Note: fmt.Sprintf("at no more %s, the most against any of the %d configurations within the deadline and the "+
				"budget that have the highest accuracy, %g %%, on up to %d of each VM type of table 3; over the %d versions "+
				"whose times the text gives, not the study's 60 on p2 (%s)",
				saved.at, configurations, 100*accuracy, ofEach, len(space.Variants), saved.figure),
		}
		if printed, ok := s[k]; ok {
			row.Published = &printed.Value
		}
		rows = append(rows, row)
	}
	return rows
}

// besideGreedy sets Algorithm 1's answer beside what beats it.
func (b costBook) besideGreedy(space cluster.Space, c cluster.Configuration, g cluster.Gap) (rows []Row) {
	list := func(cell string, value float64, note string) {
		rows = append(rows, Row{Cell: caffeNet + " " + cell, Ours: &value, Note: note + "; the study prints no number"})
	}
	picked := "Algorithm 1 within the deadline and the budget: " + b.vmsOf(c) + " with " + b.versions[c.Variant]
	faster := "the exact frontier at the same accuracy and no more cost: " + b.vmsOf(g.Faster) + " with " +
		b.versions[g.Faster.Variant]
	cheaper := "the exact frontier at the same accuracy and no more time: " + b.vmsOf(g.Cheaper) + " with " +
		b.versions[g.Cheaper.Variant]
	list("algorithm_1_time_h", c.Seconds/secondsPerHour, picked)
	list("algorithm_1_cost_usd", c.USD, picked)
	list("algorithm_1_top5_percent", 100**space.Variants[c.Variant].Accuracy, picked)
	list("exact_time_h", g.Faster.Seconds/secondsPerHour, faster)
	list("exact_cost_usd", g.Cheaper.USD, cheaper)
	list("time_saved_over_algorithm_1_percent", 100*g.Time, "of Algorithm 1's time, by "+faster)
	list("cost_saved_over_algorithm_1_percent", 100*g.Cost, "of Algorithm 1's cost, by "+cheaper)
	return rows
}

// savedAtAccuracy counts the configurations of an accuracy within the limits,
// and gives the largest fractions of time, at no more cost, and of cost, at no
// more time, that the frontier saves against one of them.
func savedAtAccuracy(f *cluster.Frontiers, s cluster.Space, l cluster.Limits, accuracy float64) (n int, time,
	cost float64) {
	least := l
	least.WorstAccuracy = &accuracy
	front := f.Within(least).TimeCost // by rising time and falling cost
	const same = 1 + 1e-9
	for variant, v := range s.Variants {
		if *v.Accuracy != accuracy {
			continue
		}
		counts := make([]int, len(s.VMs))
		for next(counts, s.VMs) {
			c, ok := s.Evaluate(variant, counts)
			if !ok || c.Seconds > *l.MaxSeconds || c.USD > *l.MaxUSD {
				continue
			}
			n++
			if i := slices.IndexFunc(front, func(o cluster.Configuration) bool { return o.USD <= c.USD*same }); i >= 0 {
				time = max(time, saving(front[i].Seconds, c.Seconds))
			}
			for _, o := range front {
				if c.USD > 0 && o.Seconds <= c.Seconds*same {
					cost = max(cost, saving(o.USD, c.USD))
				}
			}
		}
	}
	return n, time, cost
}

// next counts through all multisets of VMs; false when it is round.
func next(counts []int, vms []cluster.VMType) bool {
	for i := range counts {
		if counts[i] < vms[i].Limit {
			counts[i]++
			return true
		}
		counts[i] = 0
	}
	return false
}

func (b costBook) vmsOf(c cluster.Configuration) string {
	var words []string
	for i, n := range c.Counts {
		if n > 0 {
			words = append(words, fmt.Sprintf("%d × %s", n, b.vms[i]))
		}
	}
	return strings.Join(words, " + ")
}

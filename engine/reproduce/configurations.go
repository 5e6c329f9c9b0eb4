package reproduce

import (
	"math"
	"slices"
	"strings"

	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// The VMs of figures 9 and 10: so many of each type, told apart one by one.
var figureVMs = []string{"p2.xlarge", "p2.8xlarge", "p2.16xlarge"}

const ofEach = 3

// member is a number of VMs of a type in table 3, with a GPU that takes
// perImage seconds an image. Work is divided image by image, as the paper's
// equations 3 and 4 have it, not into whole batches.
func (b costBook) member(r *reading, vm string, count int, perImage float64) cluster.Member {
	k := Key{Table: vmTable, VM: vm}
	return cluster.Member{
		Count: count, GPUs: int(r.at(k.in("gpus"))), BatchSize: 1, BatchTime: perImage, USDPerHour: r.at(k.in(hourlyPrice)),
	}
}

func textNumber(column string) Key { return Key{Table: "text", Column: column} }

// acrossTypes computes figure 12: the CAR of one version on the sizes of a
// family, all GPUs used.
func (b costBook) acrossTypes(k Key) computation {
	small := k.in("car_usd").on(b.smallest(k.VM))
	if k.Column != "car_usd" {
		ratio := func(batch float64) formula {
			return func(r *reading) float64 { return b.carPerTime(r, k.VM, batch) / b.carPerTime(r, small.VM, batch) }
		}
		note := "equations 1 to 4: CAR on this type ÷ CAR on " + small.VM + ", which any time of one GPU leaves the same"
		return by(note, ratio(1)).or("in whole batches of 300 images it is %s", ratio(saturating))
	}
	how := computation{note: "the time of the version with both layers pruned by 20 % is not published"}
	if small.VM == oneK80 {
		return how.or("of the unpruned model, which cannot be faster, it is %s in top-5",
			b.ratio(k.as(unpruned)).formula)
	}
	return how.or("with the CAR of p2 it makes this GPU as fast as %s K80", func(r *reading) float64 {
		return hoursFor(r.at(small.on(oneK80)), r.at(priceIn3(oneK80))) / hoursFor(r.at(small), r.at(priceIn3(small.VM)))
	})
}

func priceIn3(vm string) Key { return Key{Table: vmTable, VM: vm, Column: hourlyPrice} }

// saturating is the batch size at which the study's K80 is busy.
const saturating = 300

// carPerTime is the CAR at accuracy 1 of a GPU that takes a second an image.
func (b costBook) carPerTime(r *reading, vm string, batch float64) float64 {
	m := b.member(r, vm, 1, 1)
	m.BatchSize, m.BatchTime = batch, batch
	members := []cluster.Member{m}
	seconds := cluster.Makespan(members, r.at(textNumber("images")), cluster.ByGPUs)
	car, _ := cluster.CAR(cluster.Cost(seconds, cluster.USDPerHour(members)), 1, true)
	return car
}

// million is the time of the images of figures 9 and 10 for the unpruned model
// on one K80.
func (b costBook) million(r *reading) float64 {
	perImage := b.seconds(r, unpruned) / r.at(textNumber("images"))
	return cluster.Makespan([]cluster.Member{b.member(r, oneK80, 1, perImage)},
		r.at(textNumber("images_of_figures_9_and_10")), cluster.ByGPUs)
}

// space lists versions on all combinations of the VMs of figures 9 and 10, and
// in how many ways the numbered VMs make up each.
func (b costBook) space(r *reading, versions []string) (candidates []candidate.Candidate, ways []float64) {
	units := r.at(textNumber("images_of_figures_9_and_10"))
	for _, version := range versions {
		perImage := b.seconds(r, version) / r.at(textNumber("images"))
		accuracy := accuracyOf(r, version)
		for code := 1; code < (ofEach+1)*(ofEach+1)*(ofEach+1); code++ {
			var members []cluster.Member
			var parts []candidate.Part
			n, way := code, 1.0
			for _, vm := range figureVMs {
				count := n % (ofEach + 1)
				n /= ofEach + 1
				if count == 0 {
					continue
				}
				way *= choose[count]
				members = append(members, b.member(r, vm, count, perImage))
				parts = append(parts, part(vm, count))
			}
			seconds := cluster.Makespan(members, units, cluster.ByGPUs)
			made := choice(seconds, cluster.Cost(seconds, cluster.USDPerHour(members)), accuracy, parts...)
			made.Variant = profile.Variant{Name: version}
			candidates, ways = append(candidates, made), append(ways, way)
		}
	}
	return candidates, ways
}

// choose is in how many ways 0 to 3 of three numbered VMs are taken.
var choose = [ofEach + 1]float64{1, 3, 3, 1}

// extremes are the ends of a frontier by column, in units of times / per.
var extremes = map[string]struct {
	objective  objective.Name
	of         func([]float64) float64
	times, per float64
}{
	"top5_frontier_lowest_percent":  {objective.Accuracy, slices.Min[[]float64], 100, 1},
	"top5_frontier_highest_percent": {objective.Accuracy, slices.Max[[]float64], 100, 1},
	"frontier_shortest_h":           {objective.Time, slices.Min[[]float64], 1, secondsPerHour},
	"frontier_longest_h":            {objective.Time, slices.Max[[]float64], 1, secondsPerHour},
	"frontier_cheapest_usd":         {objective.Cost, slices.Min[[]float64], 1, 1},
	"frontier_dearest_usd":          {objective.Cost, slices.Max[[]float64], 1, 1},
}

// frontiers computes figures 9 and 10 as far as the text tells.
func (b costBook) frontiers(k Key) computation {
	of := objective.Time
	if k.Table == "figure 10" {
		of = objective.Cost
	}
	switch {
	case k.Column == "feasible_configurations":
		return b.feasible(of)
	case strings.HasPrefix(k.Column, "top1_"):
		return computation{note: "no version's top-1 accuracy is published"}
	}
	read := map[string]func(*rank.Result, []int) float64{
		"top5_frontier_configurations": func(q *rank.Result, front []int) float64 {
			return float64(len(versionsOf(q, front)))
		},
		"versions_shared_with_figure_9_percent": func(q *rank.Result, front []int) float64 {
			return sharedPercent(versionsOf(q, front), versionsOf(q, q.Frontier(objective.Time, objective.Accuracy)))
		},
		"saved_at_highest_accuracy_percent": func(q *rank.Result, _ []int) float64 { return savedAtBest(q, of) },
	}[k.Column]
	if e, ok := extremes[k.Column]; ok {
		read = func(q *rank.Result, front []int) float64 {
			return e.of(pick(q.Space.Values(e.objective), front)) * e.times / e.per
		}
	}
	if read == nil {
		return notOurs
	}
	return computation{
		note:    "frontier of the versions on the 511 combinations of three VMs of each p2 type",
		partial: "over the versions whose times the text gives, not the study's 60",
		formula: func(r *reading) float64 {
			result, _ := b.ranked(r, b.versions, of)
			if result == nil {
				return math.NaN()
			}
			front := result.Frontier(of, objective.Accuracy)
			if len(front) == 0 {
				return math.NaN()
			}
			return read(result, front)
		},
	}
}

// ranked ranks versions within the deadline of figure 9 or the budget of figure 10, with
// the ways to make up each candidate; nil where a cell is missing.
func (b costBook) ranked(r *reading, versions []string, of objective.Name) (result *rank.Result, ways []float64) {
	candidates, ways := b.space(r, versions)
	limits := question.Limits{}
	if of == objective.Cost {
		limits[of] = r.at(textNumber("budget_usd"))
	} else {
		limits[of] = secondsPerHour * r.at(textNumber("deadline_h"))
	}
	if r.missing {
		return nil, nil
	}
	return ranked(candidates, question.Sort(of), limits), ways
}

// feasible counts the configurations that hold the limit. The study finds no
// version slower than the unpruned one: where already that one holds the limit
// everywhere, no time of another version is needed.
func (b costBook) feasible(of objective.Name) computation {
	return computation{
		note: "equations 1 to 4 at the unpruned model's time, which no pruned version exceeds",
		formula: func(r *reading) float64 {
			result, ways := b.ranked(r, []string{unpruned}, of)
			if result == nil {
				return math.NaN()
			}
			var count float64
			for i := range result.Space.Len() {
				if !result.Feasible.Has(i) {
					return math.NaN() // then the other versions' times decide
				}
				count += ways[i]
			}
			return count * r.at(textNumber("versions"))
		},
	}
}

func pick(values []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, j := range at {
		out[i] = values[j]
	}
	return out
}

func versionsOf(q *rank.Result, at []int) []string {
	var names []string
	for _, i := range at {
		names = append(names, q.Space.At(i).Variant.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func sharedPercent(a, b []string) float64 {
	both := 0
	for _, name := range a {
		if slices.Contains(b, name) {
			both++
		}
	}
	return 100 * float64(both) / float64(len(a)+len(b)-both)
}

// savedAtBest is what the best version of the highest accuracy saves against
// the worst of the same accuracy on the same VMs.
func savedAtBest(q *rank.Result, of objective.Name) float64 {
	value := q.Space.Values(of)
	highest := slices.Max(pick(q.Space.Values(objective.Accuracy), q.Order()))
	last := q.Space.At(len(value) - 1).Configuration
	same := func(a, b candidate.Part) bool { return a.VM.InstanceType == b.VM.InstanceType && a.Count == b.Count }
	least, most := math.Inf(1), 0.0
	for i := range q.Space.Len() {
		c := q.Space.At(i)
		if q.Space.Values(objective.Accuracy)[i] == highest && slices.EqualFunc(c.Configuration, last, same) {
			least, most = math.Min(least, value[i]), math.Max(most, value[i])
		}
	}
	return 100 * saving(least, most)
}

package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/cluster"
)

// TARCAR is the name of the paper: cost and accuracy of cloud applications by
// Rathnayake et al. (2020), which defines TAR and CAR.
const TARCAR = "tarcar"

// Where the paper prints what everything else is computed from: times and
// accuracies of CaffeNet's versions on one K80, and the VM types.
const (
	versionsTable = "figures 6 and 8"
	vmTable       = "3"
	caffeNet      = "CaffeNet"
	unpruned      = "unpruned"
	oneK80        = "p2.xlarge"
	savedFraction = "saved_fraction"
)

// costBook is everything the formulas need to know of the paper.
type costBook struct {
	vms      []string     // of table 3
	versions []string     // of CaffeNet, whose time the text gives
	printed  map[Key]bool // cells with a number
	useless  map[string]bool
}

// costAccuracy computes what the paper concludes from its measurements, by
// equations 1 to 4 with their slips corrected (package cluster).
func costAccuracy(in Inputs) study {
	b := costBook{printed: map[Key]bool{}, useless: map[string]bool{}}
	for _, c := range in.Cells {
		b.printed[c.Key] = c.Number != nil
		switch {
		case c.Table == vmTable && c.Column == "gpus":
			b.vms = append(b.vms, c.VM)
		case c.Table == versionsTable && c.Column == "time_min":
			b.versions = append(b.versions, c.Variant)
		case c.Column == "top5_percent" && c.Number != nil && c.Number.Value == 0:
			b.useless[c.Variant] = true
		}
	}
	return study{
		how: b.how, isInput: func(k Key) bool { return k.Table == "text" }, findings: b.findings,
		further: func(s sheet) []Row { return slices.Concat(curveRows(s, in.Curves), ownRows(in.Own), b.exactRows(s)) },
	}
}

func (b costBook) how(k Key) computation {
	switch k.Table {
	case vmTable:
		return b.vmType(k)
	case "figure 4", versionsTable, "figure 7", "abstract":
		return b.pruned(k)
	case "section 4.3.1":
		if k.Column == "time_min" {
			return printedAgain("a measurement: held against "+versionsTable, k.of(versionsTable, ""))
		}
		return b.largestSaving(k)
	case "section 4.3.2":
		return b.sweetSpot(k)
	case "section 3.5", "figure 11":
		return b.ratio(k)
	case "figure 12":
		return b.acrossTypes(k)
	case "figure 9", "figure 10":
		return b.frontiers(k)
	}
	return measured
}

// smallest is the first VM type of the same family (p2, g3) in table 3.
func (b costBook) smallest(vm string) string {
	family, _, _ := strings.Cut(vm, ".")
	i := slices.IndexFunc(b.vms, func(name string) bool { return strings.HasPrefix(name, family+".") })
	if i < 0 {
		return vm
	}
	return b.vms[i]
}

// vmType computes table 3: within a family everything grows with the GPUs.
func (b costBook) vmType(k Key) computation {
	small := k.on(b.smallest(k.VM))
	if k.VM == small.VM || k.Column == "gpus" {
		return described
	}
	what := "memory"
	if k.Column == hourlyPrice {
		what = "price"
	}
	gpus := quotient(k.in("gpus"), small.in("gpus"))
	return by(small.VM+"'s "+what+" per GPU × GPUs", func(r *reading) float64 { return gpus(r) * r.at(small) })
}

// pruned computes what pruning saves from the times, and the times from what
// it saves in the text's words.
func (b costBook) pruned(k Key) computation {
	at := k
	if k.Table == "abstract" {
		at.Table = versionsTable
	}
	time := at.in("time_min")
	switch k.Column {
	case "time_min", "one_image_s":
		return b.timeFromWords(k)
	case savedFraction:
		return saved(at)
	case "saved_over_conv2-50_fraction":
		return by("times of this version and of conv2 pruned alone", reduction(time, time.as("conv2-50")))
	case "cost_saved_fraction":
		return by("equation 1 for both versions", func(r *reading) float64 {
			return saving(b.usd(r, at.Variant), b.usd(r, unpruned))
		})
	case "top5_lost_points", "top5_lost_fraction":
		return lost(k, at.in("top5_percent"))
	case "top5_percent":
		return b.accuracyFromWords(k)
	}
	return measured
}

// lost is the accuracy given up, in points or as a fraction of one.
func lost(k, at Key) computation {
	base := at.as(unpruned)
	points := difference(base, at)
	how := by("accuracies of both versions", points)
	if k.Column == "top5_lost_points" {
		return how
	}
	how.formula = func(r *reading) float64 { return points(r) / 100 }
	return how.or("relative to the unpruned accuracy it is %s",
		func(r *reading) float64 { return points(r) / r.at(base) })
}

// saved is the fraction of the unpruned time that a version saves.
func saved(at Key) computation {
	time := at.in("time_min")
	if at.Table == "figure 4" {
		time = at.in("one_image_s")
	}
	how := by("times of both versions", reduction(time, time.as(unpruned)))
	switch at.Variant {
	case "all-conv":
		return how.or("against conv2 pruned alone it is %s", reduction(time, time.as("conv2-50")))
	case "conv1-2":
		return how.or("all five convolutions at their sweet spots save %s, for 18 points of accuracy",
			reduction(time.as("all-conv"), time.as(unpruned)))
	}
	return how
}

// timeFromWords turns round what the text says a version saves: its time from
// the unpruned one, and the unpruned one from the first version that has such
// words.
func (b costBook) timeFromWords(k Key) computation {
	if k.Variant != unpruned {
		base, words := k.as(unpruned), k.in(savedFraction)
		if over := k.in("saved_over_conv2-50_fraction"); b.printed[over] {
			base, words = k.as("conv2-50"), over
		}
		if !b.printed[words] {
			return measured
		}
		return by("the text's words for what it saves, taken off the time of "+base.Variant,
			func(r *reading) float64 { return r.at(base) * (1 - r.at(words)) })
	}
	for _, version := range append(slices.Clone(b.versions), "all layers 90 %", "conv2-3x3") {
		other := k.as(version)
		if words := other.in(savedFraction); b.printed[words] {
			return by("the time of "+version+", and the text's words for what it saves",
				func(r *reading) float64 { return r.at(other) / (1 - r.at(words)) })
		}
	}
	return measured
}

// accuracyFromWords turns round what the text says a version loses.
func (b costBook) accuracyFromWords(k Key) computation {
	from, words, sign := k.as(unpruned), k.in("top5_lost_points"), -1.0
	if k.Variant == unpruned {
		from, words, sign = k.as("conv1-2"), words.as("conv1-2"), 1
	}
	if !b.printed[words] {
		return measured
	}
	return by("the accuracy of "+from.Variant+" and the points the text says are lost",
		func(r *reading) float64 { return r.at(from) + sign*r.at(words) })
}

// seconds is the time of a version for the study's 50,000 images on one K80.
func (b costBook) seconds(r *reading, version string) float64 {
	return 60 * r.at(versionKey(version, "time_min"))
}

func versionKey(version, column string) Key {
	return Key{Table: versionsTable, Application: caffeNet, Variant: version, VM: oneK80, Column: column}
}

// usd is equation 1 for a version on one K80.
func (b costBook) usd(r *reading, version string) float64 {
	return cluster.Cost(b.seconds(r, version), r.at(priceIn3(oneK80)))
}

func accuracyOf(r *reading, version string) float64 {
	return r.at(versionKey(version, "top5_percent")) / 100
}

// ratio computes TAR and CAR of a version on one K80.
func (b costBook) ratio(k Key) computation {
	if b.useless[k.Variant] {
		return computation{note: "at accuracy 0 the ratio has no meaning"}
	}
	of, note, amount := cluster.TAR, "time for 50,000 images ÷ top-5 accuracy", b.seconds
	if k.Column == "car_usd" {
		of, note, amount = cluster.CAR, "cost of 50,000 images (equation 1) ÷ top-5 accuracy", b.usd
	}
	return by(note, func(r *reading) float64 {
		ratio, ok := of(amount(r, k.Variant), accuracyOf(r, k.Variant), true)
		if !ok {
			return math.NaN()
		}
		return ratio
	})
}

// findings are the two places where the paper's figures contradict its text.
func (b costBook) findings(s sheet) []string {
	var found []string
	car := Key{Table: "figure 12", Application: caffeNet, Variant: "conv1-2 at 20 %", VM: oneK80, Column: "car_usd"}
	price := priceIn3(oneK80)
	minutes, ok := s.evaluate(func(r *reading) float64 {
		return 60 * hoursFor(r.at(car)*accuracyOf(r, unpruned), r.at(price))
	})
	accuracy, known := s.evaluate(func(r *reading) float64 { return b.usd(r, unpruned) / r.at(car) })
	if ok && known {
		found = append(found, fmt.Sprintf("figure 12's CAR of $%.2f on p2 would take %.1f min at the unpruned top-5 "+
			"accuracy, longer than the unpruned model's %g min; in those it means an accuracy of %.2f, which lies in the "+
			"range of its top-1 accuracies",
			s[car].Value, minutes.value, s[versionKey(unpruned, "time_min")].Value, accuracy.value))
	}
	hours, ok := s.evaluate(func(r *reading) float64 { return b.million(r) / secondsPerHour })
	usd, known := s.evaluate(func(r *reading) float64 { return cluster.Cost(b.million(r), r.at(price)) })
	if ok && known {
		found = append(found, fmt.Sprintf("figures 9 and 10 contradict the text's times: a million images take the "+
			"unpruned model %.2f hours of one K80, $%.2f on any combination of p2 types; the figures show 3 to 5 h and "+
			"$69 to $119",
			hours.value, usd.value))
	}
	return found
}

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
			twin := k.of(versionsTable, "")
			return computation{note: "a measurement: held against " + twin.Table,
				formula: func(r *reading) float64 { return r.at(twin) }}
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
	return computation{note: measuredByStudy}
}

const measuredByStudy = "a measurement of the study: an input"

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
	small := k
	small.VM = b.smallest(k.VM)
	gpus := func(r *reading) float64 { return r.at(k.in("gpus")) / r.at(small.in("gpus")) }
	switch {
	case k.VM == small.VM || k.Column == "gpus":
		return computation{note: "a description: an input"}
	case k.Column == hourlyPrice:
		return computation{note: small.VM + "'s price per GPU × GPUs", formula: func(r *reading) float64 {
			return cluster.USDPerHour([]cluster.Member{{Count: int(gpus(r)), USDPerHour: r.at(small)}})
		}}
	}
	return computation{note: small.VM + "'s memory per GPU × GPUs",
		formula: func(r *reading) float64 { return gpus(r) * r.at(small) }}
}

// pruned computes what pruning saves from the times, and the times from what
// it saves in the text's words.
func (b costBook) pruned(k Key) computation {
	at := k
	if k.Table == "abstract" {
		at.Table = versionsTable
	}
	base := at
	base.Variant = unpruned
	switch k.Column {
	case "time_min", "one_image_s":
		return b.timeFromWords(k)
	case savedFraction:
		return b.saved(at, base)
	case "saved_over_conv2-50_fraction":
		alone := at.in("time_min")
		alone.Variant = "conv2-50"
		return computation{note: "times of this version and of conv2 pruned alone", formula: func(r *reading) float64 {
			return saving(r.at(at.in("time_min")), r.at(alone))
		}}
	case "cost_saved_fraction":
		return computation{note: "equation 1 for both versions", formula: func(r *reading) float64 {
			return saving(b.usd(r, at.Variant), b.usd(r, unpruned))
		}}
	case "top5_lost_points", "top5_lost_fraction":
		return lost(k, at.in("top5_percent"), base.in("top5_percent"))
	case "top5_percent":
		return b.accuracyFromWords(k)
	}
	return computation{note: measuredByStudy}
}

// lost is the accuracy given up, in points or as a fraction of one.
func lost(k, at, base Key) computation {
	points := func(r *reading) float64 { return r.at(base) - r.at(at) }
	if k.Column == "top5_lost_points" {
		return computation{note: "accuracies of both versions", formula: points}
	}
	return computation{
		note:     "accuracies of both versions",
		formula:  func(r *reading) float64 { return points(r) / 100 },
		other:    func(r *reading) float64 { return points(r) / r.at(base) },
		otherway: "relative to the unpruned accuracy it is %s",
	}
}

// saved is the fraction of the unpruned time that a version saves.
func (b costBook) saved(at, base Key) computation {
	column := "time_min"
	if at.Table == "figure 4" {
		column = "one_image_s"
	}
	of := func(r *reading, version, against string) float64 {
		less, more := at.in(column), at.in(column)
		less.Variant, more.Variant = version, against
		return saving(r.at(less), r.at(more))
	}
	how := computation{note: "times of both versions",
		formula: func(r *reading) float64 { return of(r, at.Variant, base.Variant) }}
	switch at.Variant {
	case "all-conv":
		how.other = func(r *reading) float64 { return of(r, at.Variant, "conv2-50") }
		how.otherway = "against conv2 pruned alone it is %s"
	case "conv1-2":
		how.other = func(r *reading) float64 { return of(r, "all-conv", base.Variant) }
		how.otherway = "all five convolutions at their sweet spots save %s, for 18 points of accuracy"
	}
	return how
}

// timeFromWords turns round what the text says a version saves: its time from
// the unpruned one, and the unpruned one from the first version that has such
// words.
func (b costBook) timeFromWords(k Key) computation {
	if k.Variant != unpruned {
		base, words := k, k.in(savedFraction)
		base.Variant = unpruned
		if over := k.in("saved_over_conv2-50_fraction"); b.printed[over] {
			base.Variant, words = "conv2-50", over
		}
		if !b.printed[words] {
			return computation{note: measuredByStudy}
		}
		return computation{note: "the text's words for what it saves, taken off the time of " + base.Variant,
			formula: func(r *reading) float64 {
				return r.at(base) * (1 - r.at(words))
			}}
	}
	for _, version := range append(slices.Clone(b.versions), "all layers 90 %", "conv2-3x3") {
		other := k
		other.Variant = version
		if words := other.in(savedFraction); b.printed[words] {
			return computation{note: "the time of " + version + ", and the text's words for what it saves",
				formula: func(r *reading) float64 {
					return r.at(other) / (1 - r.at(words))
				}}
		}
	}
	return computation{note: measuredByStudy}
}

// accuracyFromWords turns round what the text says a version loses.
func (b costBook) accuracyFromWords(k Key) computation {
	from := k
	from.Variant = unpruned
	sign := -1.0
	words := k.in("top5_lost_points")
	if k.Variant == unpruned {
		from.Variant, sign = "conv1-2", 1
		words.Variant = from.Variant
	}
	if !b.printed[words] {
		return computation{note: measuredByStudy}
	}
	return computation{note: "the accuracy of " + from.Variant + " and the points the text says are lost",
		formula: func(r *reading) float64 {
			return r.at(from) + sign*r.at(words)
		}}
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
	return cluster.Cost(b.seconds(r, version), r.at(Key{Table: vmTable, VM: oneK80, Column: hourlyPrice}))
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
	return computation{note: note, formula: func(r *reading) float64 {
		ratio, ok := of(amount(r, k.Variant), accuracyOf(r, k.Variant), true)
		if !ok {
			return math.NaN()
		}
		return ratio
	}}
}

// findings are the two places where the paper's figures contradict its text.
func (b costBook) findings(s sheet) []string {
	var found []string
	car := Key{Table: "figure 12", Application: caffeNet, Variant: "conv1-2 at 20 %", VM: oneK80, Column: "car_usd"}
	price := Key{Table: vmTable, VM: oneK80, Column: hourlyPrice}
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
	hours, ok := s.evaluate(func(r *reading) float64 { return b.million(r, 1) / secondsPerHour })
	usd, known := s.evaluate(func(r *reading) float64 { return cluster.Cost(b.million(r, 1), r.at(price)) })
	if ok && known {
		found = append(found, fmt.Sprintf("figures 9 and 10 contradict the text's times: a million images take the "+
			"unpruned model %.2f hours of one K80, $%.2f on any combination of p2 types; the figures show 3 to 5 h and "+
			"$69 to $119",
			hours.value, usd.value))
	}
	return found
}

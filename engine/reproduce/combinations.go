package reproduce

import (
	"fmt"
	"math"
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
		return r.at(Key{Table: "figure 12", Application: caffeNet, Variant: "conv1-2 at 20 %", VM: vm, Column: "car_usd"}) / r.at(priceIn3(vm))
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
	return cluster.Limits{MaxSeconds: new(secondsPerHour * r.at(textNumber("deadline_h"))), MaxUSD: new(r.at(textNumber("budget_usd")))}
}

// combinations says what the exact frontier saves, and how far Algorithm 1 is
// from it: our own figures, since the times of the study's 60 versions are not
// published.
func (b costBook) combinations(s sheet) []string {
	r := &reading{sheet: s}
	space, limits := b.combined(r), studyLimits(r)
	if r.missing || len(b.vms) > mostTypes || len(b.versions) > mostVersions {
		return nil
	}
	f, err := space.Frontiers()
	if err != nil {
		return nil
	}
	best, ok := f.Within(limits).Best(cluster.ByAccuracy)
	if !ok {
		return nil
	}
	accuracy := *space.Variants[best.Variant].Accuracy
	configurations, time, cost := savedAtAccuracy(f, space, limits, accuracy)
	found := []string{fmt.Sprintf("on up to %d of each VM type of table 3, and over the %d versions whose times the text gives, the exact frontier saves up to %.0f %% of the time at no more cost, and up to %.0f %% of the cost at no more time, against the %d configurations of the highest accuracy, %g %%, within the deadline and the budget (the study, over its 60 versions: 50 %% and 55 %%)",
		ofEach, len(space.Variants), 100*time, 100*cost, configurations, 100*accuracy)}
	if c, ok := space.Greedy(limits); ok {
		g := f.Gap(c)
		found = append(found, fmt.Sprintf("Algorithm 1 within the deadline and the budget stops at %s with %s: %s; at the same accuracy and no more cost the exact frontier has %s with %s: %s",
			b.vmsOf(c), b.versions[c.Variant], amounts(c), b.vmsOf(g.Faster), b.versions[g.Faster.Variant], amounts(g.Faster)))
	}
	return found
}

// savedAtAccuracy counts the configurations of an accuracy within the limits,
// and gives the largest fractions of time and cost that the frontier saves
// against one of them.
func savedAtAccuracy(f *cluster.Frontiers, s cluster.Space, l cluster.Limits, accuracy float64) (n int, time, cost float64) {
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
			g := f.Gap(c)
			n, time, cost = n+1, math.Max(time, g.Time), math.Max(cost, g.Cost)
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

func amounts(c cluster.Configuration) string {
	return fmt.Sprintf("%.2f h, $%.2f", c.Seconds/secondsPerHour, c.USD)
}

package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/roofline"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// workPoint is the median of a network's times at a batch size on a GPU.
type workPoint struct {
	roofline.Point
	set, network, family, chip string
}

// workPoints are those of all runs of a set on one GPU whose work is known.
func workPoints(name string, set *profile.Set) []workPoint {
	type key struct {
		model, variant, gpu string
		batch               int
	}
	var order []key
	seconds, first := map[key][]float64{}, map[key]profile.Run{}
	for _, r := range set.Runs {
		s := iterationS(r)
		if s <= 0 || r.GPU == "" || r.GPUCount > 1 || r.Count > 1 || convert.WorkOf(r).FLOPs == nil {
			continue
		}
		k := key{r.Model, r.Variant.Key(), r.GPU, r.BatchSize}
		if seconds[k] == nil {
			order, first[k] = append(order, k), r
		}
		seconds[k] = append(seconds[k], s)
	}
	var out []workPoint
	for _, k := range order {
		r := first[k]
		g, known := set.GPUSpec(r.GPU)
		if !known {
			continue
		}
		network := convert.Network(r)
		job := roofline.Job{Work: convert.WorkOf(r), Mode: r.Mode, Precision: r.Variant.Precision,
			Batch: float64(r.BatchSize)}
		out = append(out, workPoint{roofline.Point{Job: job, GPU: g, Seconds: estimate.Median(seconds[k])},
			name, network, lettersOf(network), profile.ParseGPUName(r.GPU).Chip})
	}
	return out
}

// fitted are the points to fit constants to. Each network counts alike on each GPU, and
// tensor cores as much as the other lanes.
func fitted(points []workPoint) []roofline.Point {
	type pair struct{ network, chip string }
	n, pairs := map[pair]float64{}, map[bool]float64{}
	for _, x := range points {
		p := pair{x.network, x.chip}
		if n[p]++; n[p] == 1 {
			pairs[tensor(x)]++
		}
	}
	out := make([]roofline.Point, len(points))
	for i, x := range points {
		out[i] = x.Point
		out[i].Weight = 1 / n[pair{x.network, x.chip}] / pairs[tensor(x)]
	}
	return out
}

// iterationS is a run's steady iteration, or that of its mean epoch; 0 where neither is
// known.
func iterationS(r profile.Run) float64 {
	size := convert.TrainSize(r)
	switch {
	case r.Steady.Known():
		return r.Steady.Value
	case r.TotalS != nil && r.Epochs != nil && size != nil && r.BatchSize > 0:
		return *r.TotalS / *r.Epochs / math.Ceil(*size/float64(r.BatchSize))
	}
	return 0
}

// lettersOf is what the name of a network begins with: resnet.
func lettersOf(network string) string {
	end := strings.IndexFunc(network, func(c rune) bool { return !unicode.IsLetter(c) })
	if end < 0 {
		end = len(network)
	}
	return strings.ToLower(network[:end])
}

// fromWork asks for all times of the points from the work alone, by constants that are
// fitted without any network of the family and without anything on the GPU.
func fromWork(points []workPoint) map[string][]validate.Case {
	type group struct{ family, chip string }
	groups := map[group][]int{}
	for i, x := range points {
		g := group{x.family, x.chip}
		groups[g] = append(groups[g], i)
	}
	cases := make([]validate.Case, len(points))
	var fitting sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for g, asked := range groups {
		fitting.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			rest := slices.DeleteFunc(slices.Clone(points),
				func(x workPoint) bool { return x.family == g.family || x.chip == g.chip })
			k, share := roofline.Fit(fitted(rest), roofline.Fitted()), medianShare(rest)
			for _, i := range asked {
				x := points[i]
				var e estimate.Estimate
				if !math.IsNaN(share[tensor(x)]) { // the constants are fitted to such points
					e, _ = k.Estimate(x.Job, x.GPU)
				}
				cases[i] = validate.Case{
					Of:    fmt.Sprintf("%s on %s at batch %g", x.network, x.GPU.Name, x.Batch),
					Group: x.network, Truth: x.Seconds, Predicted: e, Plain: atPeak(x) / share[tensor(x)],
				}
			}
		})
	}
	fitting.Wait()
	out := map[string][]validate.Case{}
	for i, x := range points {
		out[x.set] = append(out[x.set], cases[i])
	}
	return out
}

// medianShare is, of the points in tensor cores and of the others, the median share of the
// peak at which they compute: all that the baseline knows. It is NaN where there are none.
func medianShare(points []workPoint) map[bool]float64 {
	all := map[bool][]float64{}
	for _, x := range points {
		all[tensor(x)] = append(all[tensor(x)], atPeak(x)/x.Seconds)
	}
	out := map[bool]float64{true: math.NaN(), false: math.NaN()}
	for lanes, shares := range all {
		out[lanes] = estimate.Median(shares)
	}
	return out
}

func tensor(x workPoint) bool {
	_, is := roofline.Peak(x.GPU, x.Precision)
	return is
}

// atPeak is what an iteration would take at the GPU's peak.
func atPeak(x workPoint) float64 {
	passes := 1.0
	if x.Mode == profile.Train {
		passes = 3
	}
	peak, _ := roofline.Peak(x.GPU, x.Precision)
	return passes * *x.FLOPs * x.Batch / (*peak * 1e12)
}

// askWork adds the answers from the work alone, which all sets together tell.
func (r *report) askWork(points []workPoint) {
	found := fromWork(points)
	for _, set := range []string{"profet", "zeus", "timm"} {
		if cases := found[set]; len(cases) > 0 {
			r.answers = append(r.answers, answers{set, validate.Question{Name: "work",
				Asks: "iteration on a GPU from the network's work alone, no network of the family known and nothing on the GPU"},
				cases, validate.Summarise(cases)})
		}
	}
}

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/tokens"
	"sweetspot/scripts/convert"
)

// there is what was measured of one thing, by what it was measured at, on each piece of
// hardware.
type there[T comparable] map[string]map[T]float64

// pairs calls ask for every two pieces of hardware, both ways, with all that was
// measured on both, in order.
func pairs[T comparable](by there[T], order func(a, b T) int, ask func(from, to string, both []T)) {
	names := slices.Sorted(maps.Keys(by))
	for _, from := range names {
		for _, to := range names {
			var both []T
			for x := range by[from] {
				if _, ok := by[to][x]; ok {
					both = append(both, x)
				}
			}
			if from != to && len(both) > 1 {
				slices.SortFunc(both, order)
				ask(from, to, both)
			}
		}
	}
}

type batchCell struct{ size, length float64 }

// otherHardware asks for the latency of batches on other hardware.
func otherHardware(batches []convert.Batch) []asked {
	measured := curvesOf(batches, func(b convert.Batch) string { return batchKey(b, 0) + key(b.Size, b.Length) },
		func(b convert.Batch) tokens.Point { return tokens.Point{At: 1, Seconds: b.Seconds} }, meanOf)
	of, about := map[string]there[batchCell]{}, map[string]convert.Batch{}
	for _, m := range measured {
		a := m.about
		k := key(a.Count, a.Framework, a.Model)
		if of[k] == nil {
			of[k], about[k] = there[batchCell]{}, a
		}
		if of[k][a.Hardware] == nil {
			of[k][a.Hardware] = map[batchCell]float64{}
		}
		of[k][a.Hardware][batchCell{a.Size, a.Length}] = m.points[0].Seconds
	}
	order := func(a, b batchCell) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.length, b.length))
	}
	var out []asked
	for _, k := range slices.Sorted(maps.Keys(of)) {
		a := about[k]
		pairs(of[k], order, func(from, to string, both []batchCell) {
			probe := both[len(both)/2]
			for _, c := range both {
				if c == probe {
					continue
				}
				q := asked{Known: tokens.Known{Seconds: of[k][to][c], Case: tokens.Case{
					Kind: key(a.Framework, from, to), Group: k, Tags: []string{a.Model, k},
				}}}
				q.Plain, q.Shape = tokens.Ratio(of[k][from][probe], of[k][to][probe], of[k][from][c])
				q.Shape = append(q.Shape, tokens.Logs(c.size, c.length, c.size/probe.size, c.length/probe.length, a.Count)...)
				q.model, q.of = a.Model, fmt.Sprintf("%s on %v %s by %s with %s, %v × %v", a.Model, a.Count, to, from, a.Framework,
					c.size, c.length)
				out = append(out, q)
			}
		})
	}
	return out
}

// otherGPU asks for the TPOT on other GPUs.
func otherGPU(points []convert.Serving) []asked {
	points = slices.DeleteFunc(slices.Clone(points), func(p convert.Serving) bool { return !p.Together })
	setup := func(p convert.Serving) string { return key(p.Backend, p.Model, p.Setup, p.Input, p.Output) }
	curves := curvesOf(points, func(p convert.Serving) string { return setup(p) + key(p.GPU) },
		func(p convert.Serving) tokens.Point { return tokens.Point{At: p.Concurrency, Seconds: p.TPOT} }, estimate.Median)
	of, about := map[string]there[float64]{}, map[string]convert.Serving{}
	for _, c := range curves {
		k := setup(c.about)
		if of[k] == nil {
			of[k], about[k] = there[float64]{}, c.about
		}
		of[k][c.about.GPU] = map[float64]float64{}
		for _, p := range c.points {
			of[k][c.about.GPU][p.At] = p.Seconds
		}
	}
	var out []asked
	for _, k := range slices.Sorted(maps.Keys(of)) {
		a := about[k]
		pairs(of[k], cmp.Compare[float64], func(from, to string, both []float64) {
			if len(both) < 3 {
				return
			}
			var points []tokens.Point
			for _, x := range both {
				points = append(points, tokens.Point{At: x})
			}
			probe := both[tokens.Middle(points)]
			for _, x := range both {
				if x == probe {
					continue
				}
				of := of[k]
				q := asked{Known: tokens.Known{Seconds: of[to][x], Case: tokens.Case{
					Group: k,
					Tags: []string{a.Model, a.Backend, key(a.Model, a.Backend), key(a.Model, a.Backend, a.Setup), key(from, to),
						key(a.Model, from, to), key(a.Backend, from, to)},
				}}}
				q.Plain, q.Shape = tokens.Ratio(of[from][probe], of[to][probe], of[from][x])
				q.Shape = append(q.Shape, tokens.Logs(x, x/probe, a.Input, a.Output, a.GPUs)...)
				q.model, q.of = a.Model, fmt.Sprintf("%s on %s by %s with %s, %v at once", a.Model, to, from, a.Backend, x)
				out = append(out, q)
			}
		})
	}
	return out
}

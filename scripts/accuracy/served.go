package main

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/tokens"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// asLoads asks for the TPOT between the ends of each series as traffic loads does: of a database with
// loads, which knows of the series asked only the probes.
func asLoads(points []convert.Serving, probes int) []validate.Case {
	curves := servingCurves(points)
	var out []validate.Case
	for f := range fewFolds {
		known := func(series, point int) bool {
			c := curves[series]
			last := len(c.points) - 1
			return series%fewFolds != f || point == 0 || point == last || probes == 3 && point == tokens.Middle(c.points)
		}
		set := &profile.Set{}
		for i, c := range curves {
			for j, p := range c.points {
				if known(i, j) {
					set.Runs = append(set.Runs, loadRun(c.about, p))
				}
			}
		}
		served := tokens.NewServed(set)
		for i, c := range curves {
			for j, p := range c.points {
				if known(i, j) {
					continue
				}
				a, r := c.about, loadRun(c.about, p)
				told := served.TPOT(profile.Server{Model: r.Model, GPU: r.GPU, GPUs: r.GPUCount, Machine: r.VM()},
					tokens.Load{AtOnce: p.At, Input: a.Input, Output: a.Output})
				plain, _ := tokens.Line(c.points[0], c.points[len(c.points)-1], p.At)
				if probes == 3 {
					plain, _ = tokens.Parabola(c.points[0], c.points[tokens.Middle(c.points)], c.points[len(c.points)-1], p.At)
				}
				out = append(out, validate.Case{Group: a.Model, Truth: p.Seconds, Predicted: told.Estimate, Plain: plain,
					Of: fmt.Sprintf("%s on %s with %s, %v at once", a.Model, a.GPU, a.Backend, p.At)})
			}
		}
	}
	return out
}

// loadRun is a run of a load, as an import keeps it; the machine stands for all that sets it up.
func loadRun(a convert.Serving, p tokens.Point) profile.Run {
	return profile.Run{Model: a.Model, GPU: a.GPU, GPUCount: int(a.GPUs), Cloud: a.Backend, Region: a.Version,
		InstanceType: strings.Join(a.Setup, " "), Serving: &profile.Serving{Concurrency: &p.At, Requests: 10 * int(p.At),
			Input: a.Input, Output: a.Output, TPOT: &profile.Spread{Mean: &p.Seconds}}}
}

// servingCurves are the TPOTs of each engine, by concurrency.
func servingCurves(points []convert.Serving) []curve[convert.Serving] {
	points = slices.DeleteFunc(slices.Clone(points), func(p convert.Serving) bool { return !p.Together })
	return curvesOf(points, func(p convert.Serving) string {
		return key(p.Backend, p.Version, p.Model, p.GPU, p.Setup, p.Input, p.Output)
	}, func(p convert.Serving) tokens.Point { return tokens.Point{At: p.Concurrency, Seconds: p.TPOT} }, estimate.Median)
}

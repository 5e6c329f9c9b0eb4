package roofline

import (
	"math"

	"gonum.org/v1/gonum/optimize"

	"sweetspot/engine/profile"
)

// Point is a measured time of an iteration.
type Point struct {
	Job
	GPU     profile.GPUSpec
	Seconds float64
	Weight  float64 // networks that were run often shall not count more
}

// smallMiss is the miss in ln(time) below which points count by its square, beyond it in
// proportion: an odd network shall not move the constants.
const smallMiss = 0.1

// Fit finds the constants with the smallest misses, from where others are. Points that
// [Constants.Seconds] says nothing of are left out.
func Fit(points []Point, from Constants) Constants {
	type row struct {
		parts
		ln, weight float64
	}
	var rows []row
	for _, x := range points {
		if p, ok := from.parts(x.Job, x.GPU); ok && x.Seconds > 0 {
			rows = append(rows, row{p, math.Log(x.Seconds), x.Weight})
		}
	}
	loss := func(logs []float64) (sum float64) {
		var k parts
		for i, v := range logs {
			k[i] = math.Exp(v)
		}
		for _, r := range rows {
			seconds := 0.0
			for i, v := range r.parts {
				seconds += k[i] * v
			}
			sum += r.weight * math.Hypot(r.ln-math.Log(seconds), smallMiss)
		}
		return sum
	}
	start := make([]float64, len(parts{}))
	for i, v := range from.list() {
		start[i] = math.Log(v)
	}
	for range restarts {
		found, err := optimize.Minimize(optimize.Problem{Func: loss}, start,
			&optimize.Settings{FuncEvaluations: 3000, Converger: &optimize.FunctionConverge{Absolute: 1e-7, Iterations: 200}},
			&optimize.NelderMead{})
		if found == nil || err != nil && found.F >= loss(start) {
			break
		}
		start = found.X
	}
	var k parts
	for i, v := range start {
		k[i] = math.Exp(v)
	}
	return constants(k)
}

// restarts of the simplex, which may have become flat.
const restarts = 3

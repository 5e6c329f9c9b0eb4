package approx

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/optimize"
)

// Shape is the curve of the probability that a user accepts, over the offer.
type Shape string

// The shapes. Linear and Power depend on the fraction of s_max that is offered,
// the others on the offer itself.
const (
	Linear      Shape = "linear"      // s / s_max (eq. 10)
	Power       Shape = "power"       // (s / s_max)^At: reluctant users above 1, eager ones below
	Exponential Shape = "exponential" // 1 − exp(−s / At): 63 % accept an offer of At
	Logistic    Shape = "logistic"    // half accept an offer of At, most within Width of it
)

// Acceptance is how users respond to offers. Its zero value is the study's, linear.
type Acceptance struct {
	Shape     Shape
	At, Width float64 // parameters of the shape, above 0
}

// ParseAcceptance reads linear, power:2, exponential:1.5 or logistic:1.5:0.4.
func ParseAcceptance(s string) (Acceptance, error) {
	words := strings.Split(strings.ToLower(strings.TrimSpace(s)), ":")
	a := Acceptance{Shape: Shape(words[0])}
	wants := map[Shape]int{Linear: 0, Power: 1, Exponential: 1, Logistic: 2}
	n, known := wants[a.Shape]
	if !known || len(words) != n+1 {
		return Acceptance{}, fmt.Errorf("%q is not an acceptance function: write linear, power:2, exponential:1.5 or "+
			"logistic:1.5:0.4", s)
	}
	for i, to := range []*float64{&a.At, &a.Width}[:n] {
		v, err := strconv.ParseFloat(strings.TrimSpace(words[i+1]), 64)
		if err != nil || !(v > 0) || v > maxParameter {
			return Acceptance{}, fmt.Errorf("%q: the numbers of an acceptance lie above 0 and up to %g", s,
				float64(maxParameter))
		}
		*to = v
	}
	return a, nil
}

// maxParameter bounds the parameters of a shape; beyond it they are typing errors.
const maxParameter = 1e6

// String is what [ParseAcceptance] reads.
func (a Acceptance) String() string {
	switch a.Shape {
	case Power, Exponential:
		return fmt.Sprintf("%s:%g", a.Shape, a.At)
	case Logistic:
		return fmt.Sprintf("%s:%g:%g", a.Shape, a.At, a.Width)
	}
	return string(Linear)
}

// Probability is the probability that an offer of s is accepted where at most
// s_max is ever offered. It is 0 for no offer.
func (a Acceptance) Probability(s, most float64) float64 {
	if !(s > 0) || !(most > 0) {
		return 0
	}
	s = math.Min(s, most)
	switch a.Shape {
	case Power:
		return math.Pow(s/most, a.At)
	case Exponential:
		return -math.Expm1(-s / a.At)
	case Logistic:
		// From 0 on: nobody accepts for nothing.
		at := func(s float64) float64 { return 1 / (1 + math.Exp((a.At-s)/a.Width)) }
		none := at(0)
		return (at(s) - none) / (1 - none)
	}
	return s / most
}

// Best is s*, the offer of least expected cost where at most s_max is offered:
// half of it for the study's acceptance, whatever the job.
func (a Acceptance) Best(most float64) float64 {
	switch {
	case !(most > 0):
		return 0
	case a.Shape == Power:
		return most * a.At / (1 + a.At)
	case a.Shape == Exponential || a.Shape == Logistic:
		return a.minimise(most)
	}
	return most / 2
}

// minimise finds the offer of least expected cost numerically. The cost of a job
// is B − P(s)·(s_max − s)·R·p_r, so it maximises the saving, P(s)·(s_max − s):
// first on a grid, since a curve may have several maxima, then between the
// neighbours there.
func (a Acceptance) minimise(most float64) float64 {
	saved := func(x float64) float64 { return a.Probability(x*most, most) * (1 - x) }
	const grid = 64
	best := 1.0 / grid
	for k := 2; k < grid; k++ {
		if x := float64(k) / grid; saved(x) > saved(best) {
			best = x
		}
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		if x[0] < 0 || x[0] > 1 {
			return 0 // saves nothing there
		}
		return -saved(x[0])
	}}
	settings := &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-15, Iterations: 30},
		MajorIterations: 400}
	found, err := optimize.Minimize(problem, []float64{best}, settings, &optimize.NelderMead{SimplexSize: 0.5 / grid})
	if err != nil || -found.F < saved(best) {
		return best * most // as good as the grid
	}
	return found.X[0] * most
}
